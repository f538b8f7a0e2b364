import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { startRecorded } from '../../../test/recorded-operator.ts';
import { addHost, addSandbox, type SandboxTimes } from '../../../test/sandbox-rows.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { recordUsages } from '../../platform/metering/usage.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;
const recorded = await startRecorded(server);
const mia = await server.addPerson('mia', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const admin = await server.addPerson('admin', { role: 'admin' });
const { id: organizationId } = (await server.as(owner).get('/org/main')).body;
const hostId = await addHost(db);

async function addRuntime(who: Person, body: object, times?: SandboxTimes, workspace = 'main') {
  const runtime = (await server.as(who).post(`/org/main/ws/${workspace}/runtimes`, body)).body;
  const sandboxId = await addSandbox(db, hostId, { id: runtime.id, organizationId }, times);
  return { runtime, sandboxId, path: `/org/main/sandboxes/${sandboxId}` };
}

const list = (who: Person, query = '') => server.as(who).get(`/org/main/sandboxes${query}`);
const idsOf = ({ body }: { body: { items: { sandbox_id: string }[] } }) =>
  body.items.map(({ sandbox_id }) => sandbox_id);

test('a sandbox is returned with the resources it belongs to', async () => {
  await server.as(owner).post('/org/main/ws/main/projects', { name: 'Lab' });
  const { runtime, sandboxId, path } = await addRuntime(
    mia,
    { key: 'told', project: 'lab' },
    { state: 'killed', endedMs: 2_000 },
  );
  const { status, body } = await server.as(ben).get(path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    sandbox_id: sandboxId,
    state: 'killed',
    total_runtime_seconds: 2,
    runtime_id: runtime.id,
    runtime_key: 'told',
    runtime_name: 'told',
    workspace_id: runtime.workspace_id,
    workspace_key: 'main',
    project_id: runtime.project_id,
    project_key: 'lab',
    created_by: { id: mia.id, username: 'mia' },
    owned_by_me: false,
    config_digest: runtime.config_digest,
    limits: { memory_mb: 2048 },
    end_reason: 'ended',
  });
  expect(body.ended_at).toMatch(/Z$/);
  await sql`DELETE FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtime.id}`.execute(
    db,
  );
  expect((await server.as(mia).get(path)).body).toMatchObject({
    runtime_key: null,
    runtime_name: null,
    owned_by_me: true,
  });
});

test('listSandboxes returns sandboxes newest first, in pages, filtered by state and project', async () => {
  const { project_id } = (
    await server.as(mia).post('/org/main/ws/main/runtimes', { key: 'lister', project: 'lab' })
  ).body;
  const made = [];
  for (const [n, state] of (['running', 'paused', 'killed'] as const).entries()) {
    made.unshift(
      (await addRuntime(mia, { key: `listed-${n}`, ...(n && { project: 'lab' }) }, { state })).sandboxId,
    );
  }
  const [killed, paused, running] = made;
  expect(idsOf(await list(mia)).slice(0, 3)).toEqual(made);
  const first = await list(mia, '?limit=1');
  expect(idsOf(first)).toEqual([killed]);
  expect(idsOf(await list(mia, `?limit=1&cursor=${first.body.next_cursor}`))).toEqual([paused]);
  expect(idsOf(await list(mia, '?state=running'))).toEqual([running]);
  expect(idsOf(await list(mia, '?state=running,paused'))).toEqual([paused, running]);
  expect(idsOf(await list(mia, `?project_id=${project_id}&state=paused`))).toEqual([paused]);
  expect(idsOf(await list(mia, `?project_id=${uuidv7()}`))).toEqual([]);
  for (const query of ['?state=idle', '?project_id=lab', '?limit=201'])
    expect((await list(mia, query)).status).toBe(422);
});

test('sandboxes are visible only in workspaces that the caller can see', async () => {
  await server.as(owner).post('/org/main/ws', { name: 'vault', is_restricted: true });
  await server.as(owner).put(`/org/main/ws/vault/members/${mia.id}`, { role: 'contributor' });
  const { sandboxId, path } = await addRuntime(mia, { key: 'hidden' }, {}, 'vault');
  for (const [person, isSeen] of [
    [mia, true],
    [admin, true],
    [ben, false],
  ] as const) {
    expect(idsOf(await list(person)).includes(sandboxId)).toBe(isSeen);
    expect((await server.as(person).get(path)).status).toBe(isSeen ? 200 : 404);
  }
  expect((await recorded.as(ben).delete(path)).status).toBe(404);
  expect((await server.as(ben).get(`${path}/logs`)).status).toBe(404);
});

test('a key limited to a workspace sees only the sandboxes of that workspace', async () => {
  const { id: workspace_id } = (await server.as(owner).post('/org/main/ws', { name: 'narrow' })).body;
  const { sandboxId } = await addRuntime(mia, { key: 'inside' }, {}, 'narrow');
  const { key } = (await server.as(mia).post('/user/api-keys', { name: 'k', workspace_id })).body;
  expect(idsOf(await list({ ...mia, key }))).toEqual([sandboxId]);
});

test('the owner and admins of the organization can end a sandbox; others cannot', async () => {
  const { runtime, sandboxId, path } = await addRuntime(mia, { key: 'ended' });
  expect(await recorded.as(ben).delete(path)).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
  expect(recorded.asked).toEqual([]);
  for (const person of [mia, admin, owner]) {
    expect((await recorded.as(person).delete(path)).status).toBe(204);
    expect(recorded.asked.pop()).toEqual({
      verb: 'end',
      runtimeId: runtime.id,
      actorId: person.id,
      rest: [expect.stringMatching(/^Ended by /), sandboxId],
    });
  }
  const { path: killed } = await addRuntime(mia, { key: 'ended-before' }, { state: 'killed' });
  expect(await recorded.as(mia).delete(killed)).toMatchObject({
    status: 409,
    body: { type: 'conflict_error' },
  });
  expect((await recorded.as(mia).delete(`/org/main/sandboxes/${uuidv7()}`)).status).toBe(404);
  expect((await recorded.as(mia).delete('/org/main/sandboxes/x')).status).toBe(422);
});

test('the owner can read the log from its beginning; others cannot', async () => {
  const { sandboxId, path } = await addRuntime(mia, { key: 'logged' });
  await sql`
    INSERT INTO sandbox_log (organization_id, sandbox_id, number, at, kind, message, details)
    SELECT ${organizationId}, ${sandboxId}, n, now(), CASE WHEN n % 2 = 0 THEN 'egress' ELSE 'lifecycle' END, 'm' || n, '{"a": 1}'
      FROM generate_series(1, 5) AS n`.execute(db);
  const first = await server.as(mia).get(`${path}/logs?limit=2`);
  expect(first.body.items).toMatchObject([
    { number: 1, kind: 'lifecycle', message: 'm1', details: { a: 1 } },
    { number: 2, kind: 'egress' },
  ]);
  const second = await server.as(mia).get(`${path}/logs?limit=3&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({
    items: [{ number: 3 }, { number: 4 }, { number: 5 }],
    next_cursor: null,
  });
  expect((await server.as(mia).get(`${path}/logs?kind=egress`)).body.items).toMatchObject([
    { number: 2 },
    { number: 4 },
  ]);
  for (const person of [admin, ben]) expect((await server.as(person).get(`${path}/logs`)).status).toBe(403);
});

test("usage sums the caller's sandboxes in the organization up to now", async () => {
  const una = await server.addPerson('una', { role: 'member' });
  const usage = async () => (await server.as(una).get('/org/main/sandboxes/usage')).body;
  expect(await usage()).toEqual({ current_month_seconds: 0, sessions_count: 0, total_runtime_seconds: 0 });
  await addRuntime(una, { key: 'una-1' }, { state: 'killed', endedMs: 1_700 });
  await addRuntime(una, { key: 'una-2' }, { state: 'paused', endedMs: 2_600 });
  await addRuntime(una, { key: 'una-3' }, { state: 'starting' });
  await addRuntime(mia, { key: 'not-unas' }, { state: 'killed', endedMs: 99_000 });
  // 1.7 of the 4.3 s were last year.
  const event = { organizationId, source: 'sandbox', userId: una.id, kind: 'sandbox', item: 'namespaces' };
  await transaction(db, (trx) =>
    recordUsages(trx, [
      { ...event, externalId: 'a', occurredAt: '2020-01-31T00:00:00.000Z', quantities: { seconds: 1.7 } },
      { ...event, externalId: 'b', occurredAt: new Date().toISOString(), quantities: { seconds: 2.6 } },
      {
        ...event,
        userId: mia.id,
        externalId: 'c',
        occurredAt: new Date().toISOString(),
        quantities: { seconds: 99 },
      },
    ]),
  );
  expect(await usage()).toEqual({ current_month_seconds: 2, sessions_count: 2, total_runtime_seconds: 4 });
  await addRuntime(una, { key: 'una-4' }, { ranSeconds: 100 });
  const { current_month_seconds, ...rest } = await usage();
  expect(rest.sessions_count).toBe(3);
  expect(rest.total_runtime_seconds - 104).toBeLessThanOrEqual(2);
  expect(current_month_seconds - 102).toBeLessThanOrEqual(2);
});

test('usage in another organization is separate', async () => {
  await addOrganization(server, mia, 'beside');
  expect((await server.as(mia).get('/org/beside/sandboxes/usage')).body).toEqual({
    current_month_seconds: 0,
    sessions_count: 0,
    total_runtime_seconds: 0,
  });
});

test('listProviders merges hosts with a valid lease, and a provider is available if one host has it', async () => {
  const common = { supports_pause: true, preserves: ['disk'], limits: ['pids'], isolation: 'process' };
  const namespaces = { name: 'namespaces', available: true, ...common };
  const container = { name: 'container', available: false, reason: 'There is no engine.', ...common };
  await addHost(db, [{ ...namespaces, available: false, reason: 'No bwrap.' }, container]);
  await addHost(db, [namespaces, container]);
  await addHost(db, [{ name: 'gone', available: true, ...common }], -1);
  const { body } = await server.as(ben).get('/org/main/sandbox-providers');
  expect(body).toEqual([namespaces, container]);
});
