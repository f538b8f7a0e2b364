/** The nearest page of a version with 10,000 ancestors, direct or in a chain, and the cost of its records and shapers. */
import { parseArgs } from 'node:util';
import { transaction } from '@drydock/server/src/platform/db/transaction.ts';
import {
  type LineageNode,
  recordLineage,
  toWorkspaceNode,
} from '@drydock/server/src/platform/lineage/lineage.ts';
import { findShapers } from '@drydock/server/src/platform/lineage/shapers.ts';
import { uuidv7 } from '@drydock/server/src/platform/uuid.ts';
import { type ListWorld, startListWorld } from './list-world.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const ANCESTORS = 10_000;
const MAX_PAGE_MS = 50;
const WARM_UP = 20;

export async function benchLineage(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '40' } } });
  const world = await startListWorld(undo);
  const { rows: workspaces } = await world.pool.query<{ id: string }>(
    'SELECT id FROM workspaces WHERE organization_id = $1 LIMIT 1',
    [world.scope.organizationId],
  );
  const workspaceId = workspaces[0]?.id ?? '';
  const nodes = () => insertSessions(world, workspaceId, ANCESTORS);
  const [direct, chained] = (await insertSessions(world, workspaceId, 2)) as [LineageNode, LineageNode];
  const parents = await nodes();
  const recordMs = await millisecondsOf(() => recordAll(world, [[direct, parents]]));
  const chain = [chained, ...(await nodes())];
  await recordAll(
    world,
    chain.slice(1).map((node, index) => [chain[index] as LineageNode, [node]]),
  );
  await world.pool.query('ANALYZE lineage_nodes, lineage_edges, sessions');
  const read = ({ id }: LineageNode) => world.send('GET', `/ws/main/sessions/${id}/lineage`);
  const shape = ({ id }: LineageNode) => findShapers(world.db, world.scope.organizationId, [id]);
  const rounds = Number(values.rounds);
  const cases = [
    ['the nearest page of 10,000 direct ancestors', () => read(direct), MAX_PAGE_MS],
    ['the nearest page of a chain of 10,000', () => read(chained), MAX_PAGE_MS],
    ['what shaped a node with 10,000 direct ancestors', () => shape(direct), undefined],
    ['what shaped the end of a chain of 10,000', () => shape(chained), undefined],
  ] as const;
  const table = [['', 'median ms', 'bound', '']];
  let isKept = true;
  for (const [title, run, bound] of cases) {
    const times: number[] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      const ms = await millisecondsOf(run);
      if (round >= 0) times.push(ms);
    }
    const isFast = bound === undefined || median(times) <= bound;
    isKept &&= isFast;
    table.push([
      title,
      median(times).toFixed(2),
      bound === undefined ? '' : `<= ${bound}`,
      bound === undefined ? '' : verdict(isFast),
    ]);
  }
  printTable([...table, ['recording a node with 10,000 parents, once', recordMs.toFixed(2), '', '']]);
  return isKept;
}

/** Sessions are the nodes whose visibility is most expensive to check. */
async function insertSessions(
  { pool, scope }: ListWorld,
  workspaceId: string,
  count: number,
): Promise<LineageNode[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await pool.query(
    `INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
     SELECT $1, id, $3, $4, 'bench', 'user', 'workspace' FROM unnest($2::uuid[]) AS t (id)`,
    [scope.organizationId, ids, workspaceId, scope.principal.userId],
  );
  return ids.map((id) => toWorkspaceNode('session', { workspaceId, id }));
}

const recordAll = (
  { db, scope }: ListWorld,
  children: readonly (readonly [node: LineageNode, parents: readonly LineageNode[]])[],
) =>
  transaction(db, (trx) =>
    recordLineage(
      trx,
      scope.organizationId,
      children.map(([node, parents]) => ({
        node,
        parents: parents.map((parent) => ({ node: parent, relation: 'run' })),
      })),
    ),
  );

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
