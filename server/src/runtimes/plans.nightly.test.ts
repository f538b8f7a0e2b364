/** Lists of a tenant's runtimes and sandboxes cost the same regardless of the number of others and of table statistics. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SECRET_KEY, startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';
import { explainGenericWork, explainWork } from '../../test/query-plans.ts';
import { startRecorded } from '../../test/recorded-operator.ts';
import { addHost } from '../../test/sandbox-rows.ts';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import { createSigner } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { sumSandboxUsage } from './accounting/usage.ts';
import { lapsedSandboxes } from './ephemeral/leases.ts';
import { endLostSandboxes } from './hosts/lost-hosts.ts';
import type { LocalHost } from './lifecycle/local-host.ts';
import { EgressLog } from './lifecycle/upkeep/egress-log.ts';
import { getRuntime } from './lookup.ts';
import { listRuntimes } from './reading/list.ts';
import { endRuntimesOf } from './removal/members.ts';
import { getSandbox, listLog, listSandboxes } from './sandboxes/store.ts';

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const { operator } = await startRecorded(server);
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const project: string = (await server.as(owner).post('/org/main/ws/main/projects', { name: 'Lab' })).body.id;
const hostId = await addHost(db);
const signer = createSigner(SECRET_KEY, undefined);

const scope: WorkspaceScope = {
  principal: { userId: mia.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
  requestId: 'test',
  organizationId,
  organizationKey: 'main',
  role: 'member',
  workspaceId,
  workspaceKey: 'main',
  workspaceRole: 'contributor',
};

const TABLES = [
  'runtimes',
  'sandboxes',
  'sandbox_log',
  'usage_events',
  'projects',
  'workspaces',
  'memberships',
];
/**
 * Maximum blocks per row of the workspace without table statistics: the planner considers all of its indexes equal and may read all
 * of its rows, but no more.
 */
const UNKNOWN = 4;
const OWN = 500;
const OTHERS = 20_000;

interface Place {
  readonly organization: string;
  readonly workspace: string;
  readonly user: string;
  readonly project: string | null;
}

/** Adds runtimes with a sandbox each, every tenth of which is running, and with usage and logs. */
async function addRuntimes({ organization, workspace, user, project: projectId }: Place, count: number) {
  await sql`
    WITH made AS (
      INSERT INTO runtimes (organization_id, id, workspace_id, key, name, project_id, created_by, config, config_digest, status, sandbox_id)
      SELECT ${organization}, gen_random_uuid(), ${workspace}, 'r' || n, 'r', ${projectId}, ${user}, '{"version": "v2"}', 'd',
             CASE WHEN n % 10 = 0 THEN 'running' ELSE 'idle' END, gen_random_uuid()
        FROM generate_series(1, ${count}::integer) AS n
      RETURNING organization_id, id, workspace_id, project_id, created_by, status, sandbox_id
    ), run AS (
      INSERT INTO sandboxes (organization_id, id, runtime_id, workspace_id, project_id, created_by, host_id, provider, provider_sandbox_id,
                             supports_pause, config_digest, state, period_started_at, expires_at)
      SELECT organization_id, sandbox_id, id, workspace_id, project_id, created_by, ${hostId}, 'namespaces', 'x', true, 'd',
             CASE status WHEN 'idle' THEN 'killed' ELSE status END,
             CASE status WHEN 'running' THEN now() END, CASE status WHEN 'running' THEN now() + interval '1 hour' END
        FROM made
    ), used AS (
      INSERT INTO usage_events (organization_id, source, external_id, user_id, kind, item, occurred_at, seconds)
      SELECT organization_id, 'sandbox', sandbox_id::text, created_by, 'sandbox', 'namespaces', now(), 1 FROM made
    )
    INSERT INTO sandbox_log (organization_id, sandbox_id, number, at, kind, message)
    SELECT organization_id, sandbox_id, n, now(), 'lifecycle', 'm' FROM made, generate_series(1, 3) AS n`.execute(
    db,
  );
}

let sandboxId: string;

beforeAll(async () => {
  for (const table of TABLES)
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  const organization = await addOrganization(server, owner, 'large');
  const workspace: string = (await server.as(owner).get('/org/large/ws/main')).body.id;
  await addRuntimes({ organization: organizationId, workspace: workspaceId, user: mia.id, project }, OWN);
  await addRuntimes({ organization, workspace, user: owner.id, project: null }, OTHERS);
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM sandboxes WHERE organization_id = ${organizationId} LIMIT 1`.execute(db);
  sandboxId = rows[0]?.id ?? '';
});

const page = { limit: 20, cursor: undefined };
const removed = { organizationId, userId: mia.id, actorId: owner.id, requestId: 'test' };

/** Queries with the maximum number of blocks they may read: pages of twenty rows, each on a block with four others. */
const READS: readonly (readonly [string, number, (on: Db) => Promise<unknown>])[] = [
  ['a runtime by its id', 40, (on) => getRuntime(on, scope, uuidv7()).catch(() => undefined)],
  ['a runtime by its key', 40, (on) => getRuntime(on, scope, 'r7')],
  [
    'runtimes',
    400,
    (on) =>
      listRuntimes(on, signer, scope, { ...page, state: undefined, project_id: undefined, owner: undefined }),
  ],
  [
    'runtimes that run',
    400,
    (on) =>
      listRuntimes(on, signer, scope, {
        ...page,
        state: ['running'],
        project_id: undefined,
        owner: undefined,
      }),
  ],
  [
    'runtimes of a project',
    400,
    (on) =>
      listRuntimes(on, signer, scope, { ...page, state: undefined, project_id: 'lab', owner: undefined }),
  ],
  ['a sandbox', 40, (on) => getSandbox(on, scope, sandboxId)],
  [
    'sandboxes',
    600,
    (on) => listSandboxes(on, signer, scope, { ...page, state: undefined, project_id: undefined }),
  ],
  [
    'sandboxes that run',
    600,
    (on) => listSandboxes(on, signer, scope, { ...page, state: ['running'], project_id: undefined }),
  ],
  [
    'sandboxes of a project',
    600,
    (on) => listSandboxes(on, signer, scope, { ...page, state: undefined, project_id: project }),
  ],
  ['the log of a sandbox', 60, (on) => listLog(on, signer, scope, sandboxId, { ...page, kind: undefined })],
  ['usage', 1_500, (on) => sumSandboxUsage(on, organizationId, mia.id)],
  ['what a removed member leaves', 1_500, (on) => endRuntimesOf(on, operator, removed)],
];

test.each([false, true])('lists are read by their indexes; analyzed: %s', async (isAnalyzed) => {
  if (isAnalyzed)
    await sql`ANALYZE runtimes, sandboxes, sandbox_log, usage_events, projects, workspaces`.execute(db);
  for (const [name, most, read] of READS) {
    const plans = await explainWork(server, read);
    expect(plans.length, name).toBeGreaterThanOrEqual(2);
    for (const plan of plans)
      expect(plan, name).not.toMatch(/Seq Scan on (runtimes|sandboxes|sandbox_log|usage_events)/);
    const done = await explainGenericWork(server, read);
    const bound = isAnalyzed ? most : Math.max(most, OWN * UNKNOWN);
    for (const { blocks, text } of done) expect(blocks, `${name}\n${text}`).toBeLessThan(bound);
  }
});

/** Queries of a running host across organizations. */
const HOST_READS: readonly (readonly [string, number, (on: Db) => Promise<unknown>])[] = [
  [
    'whose sandbox asked for a host',
    60,
    async (on) => {
      const log = new EgressLog({ db: on, lease: { hostId } } as unknown as LocalHost);
      log.add(sandboxId, { at: new Date(), host: 'example.com', port: 443, isAllowed: true });
      await log.flush();
    },
  ],
  ['what is left of hosts that are gone', 60, (on) => endLostSandboxes(on)],
  ['ephemeral runtimes whose lease has lapsed', 60, (on) => lapsedSandboxes(operator).run(on)],
];

test('queries of a host cost the same, however many sandboxes have ended on it', async () => {
  const gone = await addHost(db, [], -60);
  await sql`UPDATE runtimes /* of every organization */ SET host_id = ${gone} WHERE status = 'idle'`.execute(
    db,
  );
  await sql`ANALYZE runtimes, sandboxes`.execute(db);
  for (const [name, most, read] of HOST_READS) {
    for (const { blocks, text } of await explainGenericWork(server, read))
      expect(blocks, `${name}\n${text}`).toBeLessThan(most);
  }
});
