import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addHost, addSandbox } from '../../../test/sandbox-rows.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const outsider = await server.addPerson('outsider');
const { id: organizationId } = (await server.as(owner).get('/org/main')).body;
const hostId = await addHost(db);

/** Creates a workspace with this number of runtimes. */
async function workspaceWith(name: string, count: number) {
  await server.as(owner).post('/org/main/ws', { name });
  const path = `/org/main/ws/${name}`;
  const project = (await server.as(owner).post(`${path}/projects`, { name: 'Lab' })).body;
  const runtimes = [];
  for (let n = 0; n < count; n++) {
    const body = { key: `r${n}`, ...(n % 2 && { project: 'lab' }) };
    runtimes.push((await server.as(mia).post(`${path}/runtimes`, body)).body);
  }
  const list = async (query = '', who = mia) => server.as(who).get(`${path}/runtimes${query}`);
  return { path, project, runtimes, list };
}

const keysOf = ({ body }: { body: { items: { key: string }[] } }) => body.items.map(({ key }) => key);

test('listRuntimes returns runtimes newest first, in pages', async () => {
  const { list, runtimes } = await workspaceWith('paged', 5);
  expect((await list()).body).toMatchObject({ next_cursor: null });
  const { created: _, ...newest } = runtimes[4];
  expect((await list()).body.items[0]).toEqual(newest);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...keysOf(page));
    cursor = page.body.next_cursor;
  }
  expect(seen).toEqual(['r4', 'r3', 'r2', 'r1', 'r0']);
});

test('listRuntimes filters by state and by project', async () => {
  const { list, runtimes, project } = await workspaceWith('narrowed', 4);
  await addSandbox(db, hostId, { id: runtimes[0].id, organizationId }, { state: 'running' });
  await addSandbox(
    db,
    hostId,
    { id: runtimes[1].id, organizationId },
    { state: 'paused', pauseReason: 'user' },
  );
  expect(keysOf(await list('?state=running'))).toEqual(['r0']);
  expect(keysOf(await list('?state=paused'))).toEqual(['r1']);
  expect(keysOf(await list('?state=idle'))).toEqual(['r3', 'r2']);
  expect(keysOf(await list('?state=running,paused'))).toEqual(['r1', 'r0']);
  expect(keysOf(await list('?state=running&state=idle'))).toEqual(['r3', 'r2', 'r0']);
  for (const given of ['lab', project.id])
    expect(keysOf(await list(`?project_id=${given}`))).toEqual(['r3', 'r1']);
  expect(keysOf(await list('?project_id=lab&state=paused'))).toEqual(['r1']);
  for (const given of ['nowhere', uuidv7()]) {
    expect((await list(`?project_id=${given}`)).body).toEqual({ items: [], next_cursor: null });
  }
});

test('listRuntimes returns the runtimes of one owner when "owner" is given', async () => {
  const { list, path } = await workspaceWith('owned', 2);
  await server.as(owner).post(`${path}/runtimes`, { key: 'others' });
  expect(keysOf(await list('?owner=me'))).toEqual(['r1', 'r0']);
  expect(keysOf(await list('?owner=me', owner))).toEqual(['others']);
  for (const given of [owner.id, owner.username]) {
    expect(keysOf(await list(`?owner=${given}`))).toEqual(['others']);
  }
  for (const unknown of ['nobody', uuidv7()]) expect(keysOf(await list(`?owner=${unknown}`))).toEqual([]);
});

test.each(['owner=', 'limit=0', 'limit=201', 'cursor=x', 'project_id='])(
  'listRuntimes refuses %s',
  async (query) => {
    const response = await server.as(mia).get(`/org/main/ws/main/runtimes?${query}`);
    expect(response).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['query', query.split('=')[0]] }] },
    });
  },
);

test.each([
  ['state=killed', 0],
  ['state=idle,killed', 1],
])('listRuntimes refuses %s with the position of the unknown state', async (query, position) => {
  const response = await server.as(mia).get(`/org/main/ws/main/runtimes?${query}`);
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['query', 'state', position] }] } });
});

test('listRuntimes accepts a cursor only for the same list and filters', async () => {
  const { list } = await workspaceWith('bound', 3);
  const { next_cursor } = (await list('?limit=1')).body;
  expect((await list(`?limit=1&cursor=${next_cursor}`)).status).toBe(200);
  expect((await list(`?state=idle&cursor=${next_cursor}`)).status).toBe(422);
  expect((await server.as(mia).get(`/org/main/ws/main/runtimes?cursor=${next_cursor}`)).status).toBe(422);
});

test('members who can read the workspace see its runtimes, others do not', async () => {
  const { body } = await server.as(mia).post('/org/main/ws/main/runtimes', { key: 'seen' });
  const path = `/org/main/ws/main/runtimes/${body.id}`;
  expect((await server.as(reader).get(path)).body).toMatchObject({ key: 'seen', owned_by_me: false });
  expect((await server.as(mia).get(path)).body).toMatchObject({ owned_by_me: true });
  expect((await server.as(outsider).get(path)).status).toBe(403);
  await server.as(owner).post('/org/main/ws', { name: 'other' });
  expect((await server.as(mia).get(`/org/main/ws/other/runtimes/${body.id}`)).status).toBe(404);
  expect((await server.as(mia).get('/org/main/ws/other/runtimes/seen')).status).toBe(404);
});

test('a runtime is returned with its sandbox, its time and cost', async () => {
  const { runtimes, path } = await workspaceWith('timed', 3);
  const times = [
    // 100.0 s ended, 10 s running, 590 s left of 600: 5.52, 0.552 and 33.12 credits, each rounded up once.
    { state: 'running', endedMs: 100_900, ranSeconds: 10, leftSeconds: 590, billedCredits: 6 },
    { state: 'paused', endedMs: 59_999, billedCredits: 4, pauseReason: 'timeout' },
    { state: 'killed', endedMs: 1_000, billedCredits: 1 },
  ] as const;
  for (const [n, time] of times.entries())
    await addSandbox(db, hostId, { id: runtimes[n].id, organizationId }, time);
  const instances = [];
  for (const { key } of runtimes)
    instances.push((await server.as(mia).get(`${path}/runtimes/${key}`)).body.instance);
  expect(instances).toMatchObject([
    {
      state: 'running',
      billed_credits: 6,
      running_credits: 1,
      estimated_total_credits: 6 + 34,
      sandbox_url: null,
    },
    {
      state: 'paused',
      total_runtime_seconds: 59,
      running_credits: 0,
      estimated_total_credits: 4,
      expires_at: null,
    },
    {
      state: 'killed',
      total_runtime_seconds: 1,
      billed_credits: 1,
      estimated_total_credits: 1,
      pause_reason: null,
    },
  ]);
  expect(instances[0].total_runtime_seconds).toBeGreaterThanOrEqual(110);
  expect(instances[0].total_runtime_seconds).toBeLessThanOrEqual(112);
  expect(instances[1].pause_reason).toBe('timeout');
});

test('a sandbox that is still starting is not visible', async () => {
  const { runtimes, path, list } = await workspaceWith('begun', 1);
  const id = await addSandbox(db, hostId, { id: runtimes[0].id, organizationId }, { state: 'starting' });
  expect((await server.as(mia).get(`${path}/runtimes/r0`)).body).toMatchObject({
    status: 'idle',
    instance: null,
  });
  expect((await list()).body.items[0].instance).toBeNull();
  expect((await server.as(mia).get(`/org/main/sandboxes/${id}`)).status).toBe(404);
});
