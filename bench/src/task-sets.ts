/** Lists of 100,000 task sets and manifests of 10,000 members: HTTP against the bare statements, through the same pool. */
import { parseArgs } from 'node:util';
import { selectPage } from '@drydock/server/src/task-sets/list.ts';
import { taskSetQuery } from '@drydock/server/src/task-sets/schema.ts';
import { ListPlans, publicOnes, ROWS_OF_OTHERS } from './list-plans.ts';
import { type ListWorld, readQuery, startListWorld } from './list-world.ts';
import { type ComparedCalls, compareCalls, SINGLE_CALLS_HEADER } from './single-calls.ts';
import { printTable } from './table.ts';
import { insertSets, insertTasks, publishSets } from './task-set-rows.ts';
import {
  bareStatements,
  DELETE_MEMBERS,
  INSERT_MEMBERS,
  LIST_CASES,
  RESOLVE_MEMBERS,
} from './task-set-statements.ts';

const MAX_LIST_RATIO = 3;
const MAX_MANIFEST_RATIO = 5;
const MEMBERS = 10_000;
/** Number of sets in every other organization; 100,000 in total at the last size. */
const SCALES = [20, 200, 2_000];
/** Number of public sets in all other organizations, at the last size. */
const PUBLIC = [490, 19_600] as const;

export async function benchTaskSets(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '40' } } });
  const rounds = Number(values.rounds);
  const world = await startListWorld(undo);
  const isIndependent = await explainLists(world);
  const lists = await benchLists(world, rounds);
  const isProportional = await explainPublic(world);
  const manifests = await benchManifests(world, Math.max(5, Math.ceil(rounds / 4)));
  console.log('\nMedians of single calls, one after the other\n');
  const compared = [...lists, ...manifests];
  printTable([SINGLE_CALLS_HEADER, ...compared.map(({ row }) => row)]);
  return isIndependent && isProportional && compared.every(({ isKept }) => isKept);
}

/** The reads of a list must not grow with foreign rows; the public ones stay the same throughout. */
async function explainLists(world: ListWorld): Promise<boolean> {
  const { db, pool, scope } = world;
  const plans = new ListPlans(ROWS_OF_OTHERS);
  await insertSets(world, { of: 'main', from: 0, to: 2_000 });
  let from = 0;
  for (const to of SCALES) {
    await insertSets(world, { of: 'others', from, to });
    from = to;
    for (const { title, query } of LIST_CASES)
      await plans.add(pool, title, selectPage(scope, readQuery(taskSetQuery, query)).compile(db));
  }
  return plans.report();
}

async function explainPublic(world: ListWorld): Promise<boolean> {
  const { db, pool, scope } = world;
  const plans = new ListPlans(publicOnes(...PUBLIC));
  for (const count of PUBLIC) {
    await publishSets(world, count);
    const query = readQuery(taskSetQuery, 'include_public=true');
    await plans.add(pool, 'with public ones', selectPage(scope, query).compile(db));
  }
  return plans.report();
}

async function benchLists({ pool, send, scope }: ListWorld, rounds: number): Promise<ComparedCalls[]> {
  const compared: ComparedCalls[] = [];
  for (const listed of LIST_CASES) {
    const statements = bareStatements(listed);
    const bare = async () => {
      for (const text of statements) await pool.query(text, [scope.organizationId]);
    };
    const ours = () => send('GET', `/task-sets?${listed.query}`);
    compared.push(await compareCalls(listed.title, bare, ours, { rounds, maxRatio: MAX_LIST_RATIO }));
  }
  return compared;
}

async function benchManifests(world: ListWorld, rounds: number): Promise<ComparedCalls[]> {
  const { pool, send, scope } = world;
  await insertTasks(world, MEMBERS);
  const members = Array.from({ length: MEMBERS }, (_, index) => ({
    task_name: `task-${index}`,
    ...(index % 2 === 0 && { task_version: '1.0.0' }),
    ...(index % 3 === 0 && { notes: 'Chosen because it is neither easy nor long.' }),
  }));
  const body = JSON.stringify({ members });
  await send('POST', '/task-sets', JSON.stringify({ name: 'large', members }));
  const { rows } = await pool.query(
    "SELECT id FROM task_sets WHERE organization_id = $1 AND name = 'large'",
    [scope.organizationId],
  );
  const values = [scope.organizationId, rows[0].id];
  const columns = [
    members.map(({ task_name }) => task_name),
    members.map(({ task_version }) => task_version ?? null),
    members.map(({ task_version }) => (task_version ? '0011.0010.0010~' : null)),
    members.map(({ notes }) => notes ?? null),
  ];
  const replaceBare = async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(DELETE_MEMBERS, values);
    await client.query(INSERT_MEMBERS, [...values, ...columns]);
    await client.query('COMMIT');
    client.release();
  };
  const options = { rounds, maxRatio: MAX_MANIFEST_RATIO };
  const title = `${MEMBERS} members`;
  const replaced = await compareCalls(
    `replace ${title}`,
    replaceBare,
    () => send('PUT', '/task-sets/large', body),
    options,
  );
  const readBare = () => pool.query(RESOLVE_MEMBERS, values);
  const read = await compareCalls(`read ${title}`, readBare, () => send('GET', '/task-sets/large'), options);
  return [replaced, read];
}
