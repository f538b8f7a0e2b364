import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const admin = await server.addPerson('ada', { role: 'member', workspaceRole: 'admin' });
const other = await server.addPerson('otto', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const organizationId = await findOrganizationId(server, 'main');

const sessions = '/org/main/ws/main/sessions';
const path = (id: string, action = '') => `${sessions}/${id}${action}`;
const get = (id: string, who: Person = mia) => server.as(who).get(path(id));
const post = (id: string, action: string, who: Person = mia) => server.as(who).post(path(id, `/${action}`));
const patch = (id: string, body: object, who: Person = mia) => server.as(who).patch(path(id), body);

async function save(body: object = {}, who: Person = mia) {
  const saved = await server.as(who).post(sessions, { id: uuidv7(), model: 'm', ...body });
  expect(saved.status).toBe(201);
  return saved.body;
}

/** Returns the states in the events of a session. */
async function statesOf(id: string) {
  const events = db
    .selectFrom('events')
    .select('data')
    .where('organization_id', '=', organizationId)
    .where('stream_id', '=', id)
    .where('type', '=', 'session')
    .orderBy('seq');
  return (await events.execute()).map(({ data }) => data);
}

async function auditOf(id: string) {
  return db
    .selectFrom('audit_log')
    .select(['action', 'actor_id', 'before', 'after'])
    .where('organization_id', '=', organizationId)
    .where('resource', '=', `sessions/${id}`)
    .orderBy('created_at')
    .execute();
}

let shared: { id: string; updated_at: string };
let secret: { id: string; updated_at: string };

beforeEach(async () => {
  shared = await save({ title: 'Shared', visibility: 'workspace' });
  secret = await save({ title: 'Secret' });
});

test('a session is readable by its owner, and by the workspace when it is shared; admins see no more', async () => {
  for (const who of [mia, other, reader, admin, owner])
    expect(await get(shared.id, who)).toMatchObject({ status: 200, body: shared });
  expect(await get(secret.id)).toMatchObject({ status: 200, body: secret });
  const none = await get(uuidv7(), admin);
  for (const who of [other, reader, admin, owner]) {
    const { status, body } = await get(secret.id, who);
    expect({ status, ...body }).toEqual({
      status: 404,
      code: 404,
      type: 'not_found_error',
      detail: `Session "${secret.id}" was not found.`,
    });
    expect(none).toMatchObject({ status, body: { type: body.type } });
  }
});

test.each(['archive', 'unarchive', 'freeze'])(
  'a request to %s a hidden session does not reveal that it exists',
  async (action) => {
    for (const who of [other, admin, owner]) expect((await post(secret.id, action, who)).status).toBe(404);
    for (const who of [other, admin, owner]) {
      expect((await patch(secret.id, { title: 'x' }, who)).status).toBe(404);
      expect((await server.as(who).delete(path(secret.id))).status).toBe(404);
    }
    expect((await get(secret.id)).body).toEqual(secret);
  },
);

test('reading a session of another workspace returns 404', async () => {
  await server.as(owner).post('/org/main/ws', { name: 'other' });
  for (const given of [shared.id, shared.id.slice(0, 13)]) {
    expect((await server.as(mia).get(`/org/main/ws/other/sessions/${given}`)).status).toBe(404);
  }
});

test('updating a session changes the given fields, keeps absent ones and clears those that are null', async () => {
  const project = await server.as(owner).post('/org/main/ws/main/projects', { name: 'P' });
  const before = await save({ agent: 'a', labels: { a: ['1'] }, title: 'T', message_count: 3 });
  const changed = await patch(before.id, {
    title: 'U',
    labels: { b: ['2', '2'] },
    model: 'n',
    agent: 'b',
    project_id: project.body.id,
  });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({
    ...before,
    title: 'U',
    labels: { b: ['2'] },
    model: 'n',
    agent: 'b',
    project_id: project.body.id,
    project_key: 'p',
    project_name: 'P',
    updated_at: changed.body.updated_at,
  });
  expect(changed.body.updated_at > before.updated_at).toBe(true);
  expect((await get(before.id)).body).toEqual(changed.body);

  const cleared = await patch(before.id, { title: null, labels: null, agent: null, project_id: null });
  expect(cleared.body).toEqual({
    ...before,
    model: 'n',
    title: null,
    labels: {},
    agent: null,
    updated_at: cleared.body.updated_at,
  });
  expect((await patch(before.id, {})).body).toEqual(cleared.body);
  expect((await patch(before.id, { title: null, model: 'n' })).body).toEqual(cleared.body);
  expect(await statesOf(before.id)).toMatchObject([
    { title: 'U', model: 'n', agent: 'b', labels: { b: ['2'] } },
    { title: null, agent: null, labels: {}, updated_at: cleared.body.updated_at },
  ]);
  expect(await auditOf(before.id)).toEqual([]);
});

test('search finds a session by its new title after a change', async () => {
  const { id } = await save({ title: 'Before' });
  await patch(id, { title: 'AFTER' });
  const { search_text } = await db
    .selectFrom('sessions')
    .select('search_text')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(search_text).toBe('after\uFFFF');
});

test.each([
  [{ title: 'x'.repeat(256) }, ['title']],
  [{ labels: { a: 'b' } }, ['labels', 'a']],
  [{ model: null }, ['model']],
  [{ model: '' }, ['model']],
  [{ visibility: 'public' }, ['visibility']],
  [{ visibility: null }, ['visibility']],
  [{ project_id: uuidv7() }, ['project_id']],
  [{ project_id: 'x' }, ['project_id']],
])('updating a session with %o is refused', async (body, loc) => {
  expect(await patch(shared.id, body)).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', ...loc] }] },
  });
  expect((await get(shared.id)).body).toEqual(shared);
});

test('sharing a session cannot be undone and is recorded in the audit log', async () => {
  const promoted = await patch(secret.id, { visibility: 'workspace' });
  expect(promoted).toMatchObject({ status: 200, body: { visibility: 'workspace' } });
  expect((await get(secret.id, other)).status).toBe(200);
  expect(await patch(secret.id, { visibility: 'workspace' })).toMatchObject({ body: promoted.body });
  expect(await patch(secret.id, { visibility: 'private', title: 'x' })).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
  expect((await get(secret.id)).body).toEqual(promoted.body);
  expect(await auditOf(secret.id)).toEqual([
    {
      action: 'session.visibility_changed',
      actor_id: mia.id,
      before: { visibility: 'private' },
      after: { visibility: 'workspace' },
    },
  ]);
  expect(await patch((await save()).id, { visibility: 'private' })).toMatchObject({ status: 200 });
});

test('only the owner of a session can change or freeze it', async () => {
  for (const who of [other, admin, owner]) {
    expect(await patch(shared.id, { title: 'x' }, who)).toMatchObject({
      status: 403,
      body: { type: 'forbidden_error' },
    });
    expect((await post(shared.id, 'freeze', who)).status).toBe(403);
  }
  expect((await get(shared.id)).body).toEqual(shared);
});

test('archiving, unarchiving and freezing again have no effect', async () => {
  const archived = await post(shared.id, 'archive');
  expect(archived).toMatchObject({ status: 200, body: { archived_at: expect.any(String), frozen_at: null } });
  expect(archived.body.updated_at > shared.updated_at).toBe(true);
  expect((await post(shared.id, 'archive')).body).toEqual(archived.body);

  const back = await post(shared.id, 'unarchive');
  expect(back.body).toEqual({ ...shared, updated_at: back.body.updated_at });
  expect((await post(shared.id, 'unarchive')).body).toEqual(back.body);

  const frozen = await post(shared.id, 'freeze');
  expect(frozen.body).toEqual({
    ...shared,
    frozen_at: expect.any(String),
    frozen_by: 'user',
    updated_at: frozen.body.updated_at,
  });
  expect((await post(shared.id, 'freeze')).body).toEqual(frozen.body);
  expect((await get(shared.id)).body).toEqual(frozen.body);
  expect(await statesOf(shared.id)).toMatchObject([
    { archived_at: archived.body.archived_at },
    { archived_at: null },
    { frozen_at: frozen.body.frozen_at, frozen_by: 'user' },
  ]);
});

test('a frozen session can still be renamed, shared, archived and deleted', async () => {
  await post(secret.id, 'freeze');
  expect((await patch(secret.id, { title: 'x', visibility: 'workspace' })).status).toBe(200);
  expect((await post(secret.id, 'archive')).status).toBe(200);
  expect((await server.as(mia).delete(path(secret.id))).status).toBe(204);
});

test('admins of the workspace can archive and delete the sessions that they see; other users cannot', async () => {
  for (const action of ['archive', 'unarchive']) {
    expect(await post(shared.id, action, other)).toMatchObject({
      status: 403,
      body: { type: 'forbidden_error' },
    });
    expect((await post(shared.id, action, admin)).status).toBe(200);
    expect((await post(shared.id, action, owner)).status).toBe(200);
  }
  expect((await server.as(other).delete(path(shared.id))).status).toBe(403);
  expect(await server.as(admin).delete(path(shared.id))).toMatchObject({ status: 204, body: '' });
  expect((await get(shared.id)).status).toBe(404);
  expect(await auditOf(shared.id)).toEqual([
    {
      action: 'session.deleted',
      actor_id: admin.id,
      before: { user_id: mia.id, visibility: 'workspace', origin: 'user' },
      after: null,
    },
  ]);
});

test('a reader cannot change a session', async () => {
  expect((await patch(shared.id, { title: 'x' }, reader)).status).toBe(403);
  for (const action of ['archive', 'unarchive', 'freeze'])
    expect((await post(shared.id, action, reader)).status).toBe(403);
  expect((await server.as(reader).delete(path(shared.id))).status).toBe(403);
});

test('deletion of a session of an evaluation returns 409', async () => {
  const group = await server.as(mia).post(`${sessions}/groups`, { kind: 'evaluation_item' });
  const { id } = await save({ group_id: group.body.id, visibility: 'workspace' });
  for (const who of [mia, admin]) {
    expect(await server.as(who).delete(path(id))).toMatchObject({
      status: 409,
      body: { type: 'conflict_error' },
    });
  }
  expect((await get(id)).status).toBe(200);
});

test('moving a session of an evaluation out of its group returns 409, so that it cannot be deleted afterwards', async () => {
  const [item, other_item] = [
    await server.as(mia).post(`${sessions}/groups`, { kind: 'evaluation_item' }),
    await server.as(mia).post(`${sessions}/groups`, { kind: 'evaluation_item' }),
  ];
  const before = await save({ group_id: item.body.id });
  const again = (body: object) => server.as(mia).post(sessions, { id: before.id, model: 'm', ...body });
  for (const group_id of [null, other_item.body.id]) {
    expect(await again({ group_id, title: 'x' })).toMatchObject({
      status: 409,
      body: { type: 'conflict_error', detail: expect.stringContaining('save it without group_id') },
    });
  }
  expect((await get(before.id)).body).toEqual(before);
  for (const body of [{ title: 'y' }, { title: 'y', group_id: item.body.id }]) {
    expect(await again(body)).toMatchObject({ status: 200, body: { title: 'y', group_id: item.body.id } });
  }
});

test('a session of any other group can leave it, even for an evaluation', async () => {
  const workflow = await server.as(mia).post(`${sessions}/groups`, { kind: 'workflow' });
  const item = await server.as(mia).post(`${sessions}/groups`, { kind: 'evaluation_item' });
  const { id } = await save({ group_id: workflow.body.id });
  for (const group_id of [null, workflow.body.id, item.body.id]) {
    const again = await server.as(mia).post(sessions, { id, model: 'm', group_id });
    expect(again).toMatchObject({ status: 200, body: { group_id } });
  }
});

/** A prefix that no other session id has. */
const PREFIX = '0b5e55ed';
const ID = (digits: string) => `${PREFIX}-${digits}-7000-8000-000000000000`;

test('a prefix of an id is enough when it is unique among the visible sessions', async () => {
  await save({ id: ID('1a00'), visibility: 'workspace' });
  await save({ id: ID('2b00') }, other);
  const one = await get(PREFIX);
  expect(one).toMatchObject({ status: 200, body: { id: ID('1a00') } });
  for (const given of [
    `${PREFIX}-`,
    `${PREFIX}-1`,
    `${PREFIX}-1a00-7`,
    ID('1a00').slice(0, -1),
    `${PREFIX}-1A`,
  ]) {
    expect((await get(given)).body).toEqual(one.body);
  }
  expect(await get(PREFIX, other)).toMatchObject({
    status: 409,
    body: { type: 'conflict_error', detail: `Several sessions begin with "${PREFIX}"; give more of the id.` },
  });
  expect(await get(`${PREFIX}-2`, other)).toMatchObject({ status: 200, body: { id: ID('2b00') } });
  expect((await get(`${PREFIX}-2`)).status).toBe(404);
  expect(await patch(PREFIX, { title: 'By its beginning' })).toMatchObject({
    status: 200,
    body: { id: ID('1a00') },
  });
  expect((await post(`${PREFIX}-1`, 'archive')).status).toBe(200);
  expect((await server.as(mia).delete(path(PREFIX))).status).toBe(204);
  expect((await get(PREFIX, other)).status).toBe(200);
});

test.each([
  PREFIX.slice(0, 7),
  `${PREFIX}1`,
  `${PREFIX}-1-`,
  `${PREFIX}-1-7000`,
  `${PREFIX}--`,
  `${PREFIX}-g`,
  `${ID('1a00')}0`,
  `${PREFIX}%`,
  'groups',
  'x',
])('getSession returns 404 for "%s", which is not a prefix of an id', async (given) => {
  expect(await get(encodeURIComponent(given))).toMatchObject({
    status: 404,
    body: { type: 'not_found_error' },
  });
});

beforeAll(async () => {
  await save({ id: '0b5e55ed-3c00-7000-8000-000000000000' }, owner);
});
