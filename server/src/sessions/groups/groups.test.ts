import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const organizationId = await findOrganizationId(server, 'main');

const sessions = '/org/main/ws/main/sessions';
const create = (body: object, who: Person = mia) => server.as(who).post(`${sessions}/groups`, body);
const get = (id: string, who: Person = mia) => server.as(who).get(`${sessions}/groups/${id}`);
const patch = (id: string, body: object, who: Person = mia) =>
  server.as(who).patch(`${sessions}/groups/${id}`, body);

const WHEN = '2026-01-02T03:04:05.678Z';

test('creating a group stores the given fields', async () => {
  const given = {
    id: uuidv7(),
    kind: 'evaluation_item',
    title: 'Item 7',
    worker: 'w',
    capability: 'acme/agent',
    capability_version: '1.0.0',
    evaluation_id: uuidv7(),
    evaluation_item_id: uuidv7(),
    evaluation_item_attempt_id: uuidv7(),
  };
  const created = await create({ ...given, started_at: '2026-01-02T05:04:05.678+02:00' });
  expect(created).toMatchObject({ status: 201 });
  expect(created.body).toEqual({
    ...given,
    status: 'running',
    runtime_id: null,
    session_count: 0,
    active_session_count: 0,
    message_count: 0,
    total_tokens: 0,
    started_at: WHEN,
    completed_at: null,
    last_activity_at: null,
    created_at: expect.any(String),
    updated_at: created.body.created_at,
  });
  for (const who of [mia, reader, owner]) expect((await get(given.id, who)).body).toEqual(created.body);
});

test('creating a group fills in defaults for absent fields and stores null for fields that are null', async () => {
  const { body } = await create({ kind: 'workflow' });
  expect(body).toMatchObject({
    status: 'running',
    title: null,
    started_at: body.created_at,
    completed_at: null,
  });
  expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
  expect((await create({ kind: 'worker_run', status: null })).body).toMatchObject({
    status: null,
    started_at: null,
    completed_at: null,
  });
  const ended = await create({ kind: 'worker_run', status: 'failed' });
  expect(ended.body).toMatchObject({
    status: 'failed',
    started_at: ended.body.created_at,
    completed_at: ended.body.created_at,
  });
});

test('creating a group returns 409 when its id is taken, even by a group of another workspace', async () => {
  const { body } = await create({ kind: 'workflow' });
  await server.as(owner).post('/org/main/ws', { name: 'other' });
  const taken = { status: 409, body: { type: 'already_exists_error' } };
  expect(await create({ kind: 'workflow', id: body.id })).toMatchObject(taken);
  const elsewhere = '/org/main/ws/other/sessions/groups';
  expect(await server.as(mia).post(elsewhere, { kind: 'workflow', id: body.id })).toMatchObject(taken);
  expect((await server.as(mia).get(`${elsewhere}/${body.id}`)).status).toBe(404);
  expect((await server.as(mia).patch(`${elsewhere}/${body.id}`, { title: 'x' })).status).toBe(404);
  expect((await get(body.id)).body).toEqual(body);
});

test.each([
  [{}, ['kind']],
  [{ kind: 'party' }, ['kind']],
  [{ kind: 'workflow', id: 'x' }, ['id']],
  [{ kind: 'workflow', status: 'paused' }, ['status']],
  [{ kind: 'workflow', title: 'x'.repeat(256) }, ['title']],
  [{ kind: 'workflow', worker: 5 }, ['worker']],
  [{ kind: 'workflow', evaluation_id: 'x' }, ['evaluation_id']],
  [{ kind: 'workflow', started_at: 'yesterday' }, ['started_at']],
  [{ kind: 'workflow', runtime_id: uuidv7() }, ['runtime_id']],
])('creating a group of %o is refused', async (body, loc) => {
  expect(await create(body)).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', ...loc] }] } });
});

test('a group may only refer to a runtime of its own workspace', async () => {
  const runtime = (await server.as(owner).post('/org/main/ws/main/runtimes', { key: 'of-group' })).body;
  const made = await create({ kind: 'workflow', runtime_id: runtime.id });
  expect(made).toMatchObject({ status: 201, body: { runtime_id: runtime.id } });
});

test('reading, changing or deleting an unknown group returns 404', async () => {
  expect(await get(uuidv7())).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
  expect(await patch(uuidv7(), {})).toMatchObject({ status: 404 });
  expect(await get('x')).toMatchObject({ status: 422, body: { errors: [{ loc: ['path', 'group_id'] }] } });
});

test('updating a group changes the given fields, keeps absent ones and clears those that are null', async () => {
  const { body } = await create({ kind: 'workflow', title: 'T', capability: 'c', capability_version: '1' });
  const changed = await patch(body.id, { title: null, capability: 'd', started_at: WHEN });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({
    ...body,
    title: null,
    capability: 'd',
    started_at: WHEN,
    updated_at: changed.body.updated_at,
  });
  expect(changed.body.updated_at > body.updated_at).toBe(true);
  expect((await patch(body.id, {})).body).toEqual(changed.body);
  expect((await patch(body.id, { title: null, status: 'running' }, owner)).body).toEqual(changed.body);
});

const STATUSES = [null, 'running', 'completed', 'failed', 'cancelled'] as const;
const MOVES = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

test.each(MOVES)('updating the status of a group from %s to %s', async (from, to) => {
  const { body } = await create({ kind: 'workflow', status: from });
  const response = await patch(body.id, { status: to });
  const after = await get(body.id);
  if (from === to) {
    expect(response).toMatchObject({ status: 200, body });
  } else if (from === null || (from === 'running' && to !== null)) {
    expect(response).toMatchObject({ status: 200, body: { status: to, started_at: expect.any(String) } });
    const isEnd = to !== 'running';
    expect(response.body.completed_at).toEqual(isEnd ? expect.any(String) : null);
    if (from === 'running') expect(response.body.started_at).toBe(body.started_at);
  } else {
    expect(response).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect(after.body).toEqual(body);
  }
  if (response.status === 200) expect(after.body).toEqual(response.body);
});

test('updating a group keeps the given start and end times', async () => {
  const { body } = await create({ kind: 'workflow', status: null });
  const later = '2026-01-02T04:00:00.000Z';
  expect((await patch(body.id, { status: 'running', started_at: WHEN })).body).toMatchObject({
    started_at: WHEN,
  });
  const ended = await patch(body.id, { status: 'completed', completed_at: later });
  expect(ended.body).toMatchObject({ status: 'completed', started_at: WHEN, completed_at: later });
  expect((await patch(body.id, { status: 'completed' })).body).toEqual(ended.body);
  expect(await patch(body.id, { completed_at: null })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'completed_at'] }] },
  });
  expect((await patch(body.id, { title: 'Done' })).body).toMatchObject({
    title: 'Done',
    completed_at: later,
  });
});

test('a group that has not ended has no end time', async () => {
  const { body } = await create({ kind: 'workflow' });
  expect(await patch(body.id, { completed_at: WHEN })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'completed_at'] }] },
  });
  expect((await patch(body.id, { completed_at: null, started_at: body.started_at })).body).toEqual(body);
});

test('only one of two concurrent updates that end a group succeeds', async () => {
  const { body } = await create({ kind: 'workflow' });
  const responses = await Promise.all(
    (['completed', 'failed', 'cancelled'] as const).map((status) => patch(body.id, { status })),
  );
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(2);
  const winner = responses.find(({ status }) => status === 200);
  expect((await get(body.id)).body).toEqual(winner?.body);
});

test('a reader can read groups but not change them', async () => {
  const { body } = await create({ kind: 'workflow' });
  expect((await create({ kind: 'workflow' }, reader)).status).toBe(403);
  expect((await patch(body.id, { title: 'x' }, reader)).status).toBe(403);
});

test('the counts of a group cover only the sessions that the caller can see', async () => {
  const group = (await create({ kind: 'workflow' })).body;
  const save = async (body: object, who: Person = mia) =>
    (await server.as(who).post(sessions, { id: uuidv7(), model: 'm', group_id: group.id, ...body })).body;
  const shared = await save({ visibility: 'workspace', message_count: 3 });
  const archived = await save({ visibility: 'workspace', message_count: 5 });
  const frozen = await save({ visibility: 'workspace', message_count: 0 });
  await save({ message_count: 100 });
  await save({ message_count: 1000 }, owner);
  await server.as(mia).post(`${sessions}/${archived.id}/archive`);
  await server.as(mia).post(`${sessions}/${frozen.id}/freeze`);
  const tokens = {
    input_tokens: 1,
    output_tokens: 20,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 4000,
    compacted_input_tokens: 1,
    claimed_message_count: null,
    last_seq: 7,
    last_message_at: WHEN,
  };
  await db
    .updateTable('sessions')
    .set(tokens)
    .where('organization_id', '=', organizationId)
    .where('id', '=', shared.id)
    .execute();

  const counts = { total_tokens: 4321, last_activity_at: expect.any(String) };
  expect((await get(group.id, reader)).body).toMatchObject({
    ...counts,
    session_count: 3,
    active_session_count: 1,
    message_count: 12,
  });
  expect((await get(group.id)).body).toMatchObject({
    ...counts,
    session_count: 4,
    active_session_count: 2,
    message_count: 112,
  });
  const seen = await get(group.id, owner);
  expect(seen.body).toMatchObject({
    ...counts,
    session_count: 4,
    active_session_count: 2,
    message_count: 1012,
  });
  expect((await server.as(owner).get(`${sessions}/${shared.id}`)).body.group).toEqual(seen.body);
});

test('extreme token counts of one session do not make the other sessions of the list unreadable', async () => {
  const group = (await create({ kind: 'workflow' })).body;
  const shared = { model: 'm', group_id: group.id, visibility: 'workspace' };
  const ids = [uuidv7(), uuidv7()];
  for (const id of ids) await server.as(mia).post(sessions, { id, ...shared });
  await db
    .updateTable('sessions')
    .set({ input_tokens: 4_000_000_000_000_000_000, output_tokens: 4_000_000_000_000_000_000 })
    .where('organization_id', '=', organizationId)
    .where('id', '=', ids[0] ?? '')
    .execute();
  const tokens = Number.MAX_SAFE_INTEGER;
  expect((await get(group.id)).body).toMatchObject({ session_count: 2, total_tokens: tokens });
  const usage = {
    current_input_tokens: tokens,
    total_output_tokens: tokens,
    total_cache_read_input_tokens: 0,
  };
  expect((await server.as(owner).get(`${sessions}/${ids[0]}`)).body).toMatchObject({ usage });
  expect((await server.as(owner).get(sessions)).status).toBe(200);
});
