import { beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const organizationId = await findOrganizationId(server, 'main');

const main = '/org/main/ws/main';
const save = (body: object, who = owner, where = main) => server.as(who).post(`${where}/sessions`, body);
const get = (id: string, who = owner) => server.as(who).get(`${main}/sessions/${id}`);

const NOTHING_USED = {
  compaction_count: 0,
  current_message_count: 0,
  current_input_tokens: 0,
  current_output_tokens: 0,
  current_cache_read_input_tokens: 0,
  current_cache_creation_input_tokens: 0,
  current_tool_call_count: 0,
  current_cost_usd: 0,
  total_message_count: 0,
  total_input_tokens: 0,
  total_output_tokens: 0,
  total_cache_read_input_tokens: 0,
  total_cache_creation_input_tokens: 0,
  total_tool_call_count: 0,
  total_cost_usd: 0,
  last_generation_input_tokens: null,
};

let project: { id: string; key: string; name: string };
let otherProject: string;
let otherGroup: string;

beforeAll(async () => {
  project = (await server.as(owner).post(`${main}/projects`, { name: 'First' })).body;
  await server.as(owner).post('/org/main/ws', { name: 'other' });
  otherProject = (await server.as(owner).post('/org/main/ws/other/projects', { name: 'Elsewhere' })).body.id;
  otherGroup = (await server.as(owner).post('/org/main/ws/other/sessions/groups', { kind: 'workflow' })).body
    .id;
});

test('the first save returns the whole session, and reading it returns the same', async () => {
  const group = await server.as(owner).post(`${main}/sessions/groups`, { kind: 'worker_run', worker: 'w' });
  const id = uuidv7();
  const saved = await save({
    id: id.toUpperCase(),
    model: 'acme/large',
    agent: 'helper',
    title: 'Ärger',
    labels: { team: ['red', 'blue', 'red'], empty: [] },
    message_count: 7,
    origin: 'worker',
    visibility: 'workspace',
    group_id: group.body.id,
    project_id: project.id,
    runtime_id: null,
    unknown: 'is ignored',
  });
  const { created_at } = saved.body;
  expect(saved).toMatchObject({ status: 201 });
  expect(saved.body).toEqual({
    id,
    user_id: owner.id,
    workspace_id: expect.any(String),
    model: 'acme/large',
    agent: 'helper',
    title: 'Ärger',
    origin: 'worker',
    visibility: 'workspace',
    archived_at: null,
    frozen_at: null,
    frozen_by: null,
    created_at,
    updated_at: created_at,
    last_message_at: null,
    message_count: 7,
    recent_message_count: 0,
    preview_text: null,
    labels: { team: ['red', 'blue'], empty: [] },
    created_by: { id: owner.id, username: 'owner', email: owner.email, full_name: null },
    group_id: group.body.id,
    group: {
      ...group.body,
      session_count: 1,
      active_session_count: 1,
      message_count: 7,
      last_activity_at: created_at,
    },
    project_id: project.id,
    project_key: 'first',
    project_name: 'First',
    runtime_id: null,
    usage: NOTHING_USED,
  });
  expect((await get(id)).body).toEqual(saved.body);
});

test('the first save fills in defaults for absent fields', async () => {
  const saved = await save({ id: uuidv7(), model: 'm' });
  expect(saved).toMatchObject({
    status: 201,
    body: {
      agent: null,
      title: null,
      origin: 'user',
      visibility: 'private',
      message_count: 0,
      labels: {},
      group_id: null,
      group: null,
      project_id: null,
      project_key: null,
      project_name: null,
    },
  });
  expect((await get(saved.body.id)).body).toEqual(saved.body);
});

test('a repeated save changes the given fields, keeps absent ones and clears those that are null', async () => {
  const id = uuidv7();
  const first = await save({
    id,
    model: 'a',
    agent: 'x',
    title: 'One',
    labels: { a: ['1'] },
    message_count: 3,
    origin: 'eval',
    project_id: project.id,
  });
  const kept = await save({ id, model: 'b' });
  expect(kept.status).toBe(200);
  expect(kept.body).toEqual({ ...first.body, model: 'b', updated_at: kept.body.updated_at });
  expect(kept.body.updated_at > first.body.updated_at).toBe(true);

  const changed = await save({
    id,
    model: 'b',
    agent: 'y',
    title: 'Two',
    labels: { b: ['2'] },
    message_count: 4,
  });
  expect(changed.body).toMatchObject({ agent: 'y', title: 'Two', labels: { b: ['2'] }, message_count: 4 });
  const cleared = await save({ id, model: 'b', agent: null, title: null, labels: null, project_id: null });
  expect(cleared.status).toBe(200);
  expect(cleared.body).toEqual({
    ...first.body,
    model: 'b',
    agent: null,
    title: null,
    labels: {},
    message_count: 4,
    project_id: null,
    project_key: null,
    project_name: null,
    updated_at: cleared.body.updated_at,
  });
  expect((await get(id)).body).toEqual(cleared.body);
});

test('a save without changes leaves no trace', async () => {
  const request = { id: uuidv7(), model: 'm', title: 't', labels: { a: ['1'], b: ['2'] }, message_count: 2 };
  const first = await save(request);
  const again = await save({ ...request, labels: { b: ['2'], a: ['1'] } });
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(await eventsOf(request.id)).toEqual([]);
  const changed = await save({ ...request, title: 'u' });
  expect(await eventsOf(request.id)).toEqual([
    {
      type: 'session',
      data: {
        title: 'u',
        model: 'm',
        agent: null,
        labels: request.labels,
        visibility: 'private',
        archived_at: null,
        frozen_at: null,
        frozen_by: null,
        updated_at: changed.body.updated_at,
      },
    },
  ]);
});

async function eventsOf(id: string) {
  return db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('organization_id', '=', organizationId)
    .where('stream_id', '=', id)
    .orderBy('seq')
    .execute();
}

test('a save never changes the origin of a session and never makes a shared one private', async () => {
  const id = uuidv7();
  await save({ id, model: 'm', origin: 'worker' });
  expect((await save({ id, model: 'm', origin: 'eval' })).body.origin).toBe('worker');

  expect((await get(id, mia)).status).toBe(404);
  expect((await save({ id, model: 'm', visibility: 'workspace' })).body.visibility).toBe('workspace');
  expect((await get(id, mia)).status).toBe(200);
  const again = await save({ id, model: 'm', visibility: 'private' });
  expect(again).toMatchObject({ status: 200, body: { visibility: 'workspace' } });
  await save({ id, model: 'm', visibility: 'workspace' });
  expect(await auditOf(id)).toEqual([
    {
      action: 'session.visibility_changed',
      actor_id: owner.id,
      before: { visibility: 'private' },
      after: { visibility: 'workspace' },
    },
  ]);
});

test('a first save that shares the session is not recorded in the audit log', async () => {
  const id = uuidv7();
  await save({ id, model: 'm', visibility: 'workspace' });
  expect(await auditOf(id)).toEqual([]);
});

async function auditOf(id: string) {
  return db
    .selectFrom('audit_log')
    .select(['action', 'actor_id', 'before', 'after'])
    .where('organization_id', '=', organizationId)
    .where('resource', '=', `sessions/${id}`)
    .execute();
}

test("a save ignores the client's message count once messages are stored", async () => {
  const id = uuidv7();
  await save({ id, model: 'm', message_count: 5 });
  await db
    .updateTable('sessions')
    .set({ claimed_message_count: null, last_seq: 2 })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  expect((await save({ id, model: 'm', message_count: 9 })).body).toMatchObject({
    message_count: 2,
    recent_message_count: 2,
  });
});

test('an id is unique within its organization, across users and workspaces, and free in other organizations', async () => {
  const id = uuidv7();
  const mine = await save({ id, model: 'm', title: 'mine' });
  for (const [who, where] of [
    [mia, main],
    [owner, '/org/main/ws/other'],
    [mia, '/org/main/ws/other'],
  ] as const) {
    expect(await save({ id, model: 'theirs' }, who, where)).toMatchObject({
      status: 409,
      body: { type: 'already_exists_error' },
    });
  }
  expect((await get(id)).body).toEqual(mine.body);
  const otto = await server.addPerson('otto');
  await addOrganization(server, otto, 'acme');
  expect(await save({ id, model: 'm' }, otto, '/org/acme/ws/main')).toMatchObject({
    status: 201,
    body: { id },
  });
});

test.each([
  [{ model: 'm' }, ['id']],
  [{ id: 'no uuid', model: 'm' }, ['id']],
  [{ id: uuidv7() }, ['model']],
  [{ id: uuidv7(), model: null }, ['model']],
  [{ id: uuidv7(), model: '' }, ['model']],
  [{ id: uuidv7(), model: 'x'.repeat(256) }, ['model']],
  [{ id: uuidv7(), model: 'm', agent: 5 }, ['agent']],
  [{ id: uuidv7(), model: 'm', title: 'x'.repeat(256) }, ['title']],
  [{ id: uuidv7(), model: 'm', origin: 'training' }, ['origin']],
  [{ id: uuidv7(), model: 'm', origin: null }, ['origin']],
  [{ id: uuidv7(), model: 'm', visibility: 'public' }, ['visibility']],
  [{ id: uuidv7(), model: 'm', message_count: -1 }, ['message_count']],
  [{ id: uuidv7(), model: 'm', message_count: 1.5 }, ['message_count']],
  [{ id: uuidv7(), model: 'm', message_count: 2 ** 31 }, ['message_count']],
  [{ id: uuidv7(), model: 'm', labels: { a: 'b' } }, ['labels', 'a']],
  [{ id: uuidv7(), model: 'm', labels: ['a'] }, ['labels']],
  [{ id: uuidv7(), model: 'm', labels: { a: [1] } }, ['labels', 'a', 0]],
  [{ id: uuidv7(), model: 'm', labels: { '': ['a'] } }, ['labels', '']],
  [{ id: uuidv7(), model: 'm', labels: { a: ['\0'] } }, ['labels', 'a', 0]],
  [{ id: uuidv7(), model: 'm', labels: tooManyLabels() }, ['labels']],
  [{ id: uuidv7(), model: 'm', group_id: 'x' }, ['group_id']],
  [{ id: uuidv7(), model: 'm', project_id: uuidv7() }, ['project_id']],
  [{ id: uuidv7(), model: 'm', group_id: uuidv7() }, ['group_id']],
  [{ id: uuidv7(), model: 'm', runtime_id: uuidv7() }, ['runtime_id']],
])('a save of %o is refused with an error at %o', async (body, loc) => {
  expect(await save(body)).toMatchObject({
    status: 422,
    body: { type: 'validation_error', errors: [{ loc: ['body', ...loc] }] },
  });
  if ('id' in body && body.id !== 'no uuid') expect((await get(body.id)).status).toBe(404);
});

function tooManyLabels() {
  const values = Array.from({ length: 100 }, (_, n) => `${n}${'x'.repeat(200)}`);
  return { a: values, b: values, c: values, d: values };
}

test('a save accepts a title of 255 characters', async () => {
  const title = 'x'.repeat(255);
  expect(await save({ id: uuidv7(), model: 'm', title })).toMatchObject({ status: 201, body: { title } });
});

test("a save may only refer to resources of the session's workspace, for new and existing sessions", async () => {
  const id = uuidv7();
  for (const status of [422, 201, 422] as const) {
    if (status === 201) {
      expect((await save({ id, model: 'm' })).status).toBe(201);
      continue;
    }
    expect(await save({ id, model: 'm', project_id: otherProject })).toMatchObject({
      status,
      body: { errors: [{ loc: ['body', 'project_id'] }] },
    });
    expect(await save({ id, model: 'm', group_id: otherGroup })).toMatchObject({
      status,
      body: { errors: [{ loc: ['body', 'group_id'] }] },
    });
    expect(await save({ id, model: 'm', runtime_id: uuidv7() })).toMatchObject({ status });
  }
});

test('a session runs in a runtime of its workspace, and keeps the reference after the runtime is deleted', async () => {
  const runtime = await server.as(owner).post(`${main}/runtimes`, { key: 'lab' });
  const { body: other } = await server.as(owner).post('/org/main/ws/other/runtimes', { key: 'lab' });
  const [id, runtime_id] = [uuidv7(), runtime.body.id];
  expect(await save({ id, model: 'm', runtime_id })).toMatchObject({ status: 201, body: { runtime_id } });
  expect(await save({ id, model: 'm', runtime_id: null })).toMatchObject({ body: { runtime_id: null } });
  expect(await save({ id, model: 'm', runtime_id })).toMatchObject({ status: 200, body: { runtime_id } });
  expect(await save({ id: uuidv7(), model: 'm', runtime_id: other.id })).toMatchObject({ status: 422 });
  expect(await save({ id, model: 'm', runtime_id: other.id })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'runtime_id'] }] },
  });
  expect((await server.as(owner).delete(`${main}/runtimes/lab`)).status).toBe(204);
  expect(await save({ id, model: 'n', runtime_id })).toMatchObject({
    status: 200,
    body: { model: 'n', runtime_id },
  });
  expect((await save({ id: uuidv7(), model: 'm', runtime_id })).status).toBe(422);
});

test('a session loses its reference to a project that is deleted', async () => {
  const { body } = await server.as(owner).post(`${main}/projects`, { name: 'Gone' });
  const saved = await save({ id: uuidv7(), model: 'm', project_id: body.id });
  expect(saved.body).toMatchObject({ project_id: body.id, project_key: 'gone' });
  await server.as(owner).delete(`${main}/projects/gone`);
  expect((await get(saved.body.id)).body).toMatchObject({
    project_id: null,
    project_key: null,
    project_name: null,
  });
});

test('a save by a reader returns 403', async () => {
  expect(await save({ id: uuidv7(), model: 'm' }, reader)).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
});

test('a save with hundreds of thousands of invalid labels is refused by their number', async () => {
  for (const labels of [`{"key": [${'7,'.repeat(400_000)}7]}`, `{${manyKeys(80_000)}}`]) {
    const body = `{"id": "${uuidv7()}", "model": "acme/large", "labels": ${labels}}`;
    const response = await server.as(server.owner).post('/org/main/ws/main/sessions', body);
    expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'labels'] }] } });
  }
});

const manyKeys = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":7`).join(',');
