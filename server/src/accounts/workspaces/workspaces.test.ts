import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import type { WorkspaceRole } from '../../platform/auth/principal.ts';

const server = await startTestServer();
const { owner } = server;
const admin = await server.addPerson('admin', { role: 'admin' });
const member = await server.addPerson('member', { role: 'member' });
const other = await server.addPerson('other', { role: 'member' });
const outsider = await server.addPerson('outsider');
const organization = (await server.as(owner).get('/org/main')).body;
const NOBODY = '00000000-0000-0000-0000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const FORBIDDEN = { status: 403, body: { code: 403, type: 'forbidden_error' } };
const NOT_FOUND = { status: 404, body: { code: 404, type: 'not_found_error' } };

async function create(key: string, is_restricted = false) {
  const response = await server.as(admin).post('/org/main/ws', { name: key, key, is_restricted });
  expect(response).toMatchObject({ status: 201, body: { key, is_restricted } });
  return response.body;
}

const list = (key: string, { id }: Person, role: WorkspaceRole, as = owner) =>
  server.as(as).put(`/org/main/ws/${key}/members/${id}`, { role });
const visibleTo = async (who: Person | string): Promise<string[]> =>
  (await server.as(who).get('/org/main/ws')).body.map(({ key }: { key: string }) => key);
const addProject = async (who: Person, workspace: string) =>
  (await server.as(who).post(`/org/main/ws/${workspace}/projects`, { name: who.username })).status;

test('a workspace is created with a project, read, changed and deleted', async () => {
  const request = { name: ' Café Run ', description: 'x' };
  const created = await server.as(admin).post('/org/main/ws', request);
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.any(String),
    key: 'cafe-run',
    name: 'Café Run',
    description: 'x',
    org_id: organization.id,
    is_default: false,
    is_restricted: false,
    record_content: true,
    project_count: 1,
    created_by: admin.id,
    created_at: TIME,
    updated_at: TIME,
  });
  expect(await server.as(member).get('/org/main/ws/cafe-run')).toMatchObject({
    status: 200,
    body: created.body,
  });
  const projects = await server.as(member).get('/org/main/ws/cafe-run/projects');
  expect(projects.body).toMatchObject([{ key: 'default', is_default: true }]);

  const patch = (body: object) => server.as(admin).patch('/org/main/ws/cafe-run', body);
  expect(await patch({ name: 'Tea' })).toMatchObject({ status: 200, body: { key: 'cafe-run', name: 'Tea' } });
  const cleared = await patch({ description: null });
  expect(cleared.status).toBe(200);
  expect(cleared.body).toEqual({ ...created.body, name: 'Tea', description: null, updated_at: TIME });
  expect(await server.as(admin).delete('/org/main/ws/cafe-run')).toMatchObject({ status: 204, body: '' });
  expect(await server.as(admin).get('/org/main/ws/cafe-run')).toMatchObject(NOT_FOUND);
});

test('a workspace key is unique in an organization, and free again after deletion', async () => {
  await create('once');
  expect(await server.as(admin).post('/org/main/ws', { name: 'Once' })).toMatchObject({
    status: 409,
    body: { code: 409, type: 'already_exists_error' },
  });
  const founder = await server.addPerson('founder');
  await server.as(founder).post('/user/onboarding', { username: 'founder', org_name: 'Elsewhere' });
  expect((await server.as(founder).post('/org/elsewhere/ws', { name: 'once' })).status).toBe(201);
  await server.as(admin).delete('/org/main/ws/once');
  await create('once');
});

test('one of several concurrent creations of a workspace with the same key succeeds', async () => {
  const responses = await Promise.all(
    [1, 2, 3].map(() => server.as(admin).post('/org/main/ws', { name: 'rush' })),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
});

test.each([
  [{}, ['body', 'name']],
  [{ name: ' ' }, ['body', 'name']],
  [{ name: 'x'.repeat(256) }, ['body', 'name']],
  [{ name: '!!!' }, ['body', 'key']],
  [{ name: 'a', key: 'Not a slug' }, ['body', 'key']],
  [{ name: 'a', key: '-a' }, ['body', 'key']],
  [{ name: 'a', key: 'a'.repeat(64) }, ['body', 'key']],
  [{ name: 'a', description: 'x'.repeat(2001) }, ['body', 'description']],
  [{ name: 'a', is_restricted: 'yes' }, ['body', 'is_restricted']],
  [{ name: 'a', record_content: 'some' }, ['body', 'record_content']],
])('creating a workspace with %j is refused with an error at %j', async (request, loc) => {
  const response = await server.as(admin).post('/org/main/ws', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('the default workspace cannot be deleted', async () => {
  const conflict = { status: 409, body: { code: 409, type: 'conflict_error' } };
  expect(await server.as(owner).delete('/org/main/ws/main')).toMatchObject(conflict);
  expect((await server.as(owner).get('/org/main/ws/main')).body.is_default).toBe(true);
});

test('deletion of a workspace deletes its projects, members and keys', async () => {
  const { id } = await create('doomed');
  await list('doomed', member, 'reader');
  await server.as(admin).post('/org/main/ws/doomed/projects', { name: 'inside' });
  const key = (await server.as(member).post('/user/api-keys', { name: 'k', workspace_id: id })).body;
  expect((await server.as(admin).get('/org/main/ws/doomed')).body.project_count).toBe(2);
  expect((await server.as(key.key).get('/org/main/ws/doomed')).status).toBe(200);

  expect((await server.as(admin).delete('/org/main/ws/doomed')).status).toBe(204);
  await create('doomed');
  const projects = (await server.as(admin).get('/org/main/ws/doomed/projects')).body;
  expect(projects.map((project: { key: string }) => project.key)).toEqual(['default']);
  expect((await server.as(admin).get('/org/main/ws/doomed/members')).body).toEqual([]);
  expect((await server.as(key.key).get('/org/main/ws/doomed')).status).toBe(401);
});

test('an open workspace is visible to every member, with the role contributor', async () => {
  await create('open');
  for (const person of [owner, admin, member]) {
    expect(await visibleTo(person)).toContain('open');
    expect(await addProject(person, 'open')).toBe(201);
  }
  expect(await server.as(outsider).get('/org/main/ws/open')).toMatchObject(FORBIDDEN);
});

test('a restricted workspace is visible to listed members and admins only', async () => {
  await create('vault', true);
  await list('vault', member, 'contributor');
  for (const person of [owner, admin, member]) {
    expect(await visibleTo(person)).toContain('vault');
    expect(await addProject(person, 'vault')).toBe(201);
  }
  expect(await visibleTo(other)).not.toContain('vault');
  for (const path of ['', '/projects', '/projects/default', '/members']) {
    const hidden = await server.as(other).get(`/org/main/ws/vault${path}`);
    const unknown = await server.as(other).get(`/org/main/ws/no-such${path}`);
    expect(hidden).toMatchObject(NOT_FOUND);
    expect(unknown).toMatchObject({ ...NOT_FOUND, body: JSON.parse(rename(hidden.body)) });
  }
});

const rename = (body: object) => JSON.stringify(body).replace('vault', 'no-such');

test('a workspace can be restricted and opened later', async () => {
  await create('door');
  const restrict = (is_restricted: boolean) => server.as(admin).patch('/org/main/ws/door', { is_restricted });
  expect((await restrict(true)).body.is_restricted).toBe(true);
  expect(await visibleTo(member)).not.toContain('door');
  await restrict(false);
  expect(await visibleTo(member)).toContain('door');
});

test.each<[WorkspaceRole, { add: number; change: number; remove: number }]>([
  ['reader', { add: 403, change: 403, remove: 403 }],
  ['contributor', { add: 201, change: 403, remove: 403 }],
  ['admin', { add: 201, change: 200, remove: 403 }],
])('a listed %s has the permissions of the role, in an open workspace as well', async (role, may) => {
  for (const is_restricted of [false, true]) {
    const key = `${role}-${is_restricted}`;
    await create(key, is_restricted);
    const person = await server.addPerson(key, { role: 'member' });
    await list(key, person, role);
    expect((await server.as(person).get(`/org/main/ws/${key}`)).status).toBe(200);
    expect((await server.as(person).get(`/org/main/ws/${key}/projects`)).status).toBe(200);
    expect(await addProject(person, key)).toBe(may.add);
    const changed = await server.as(person).patch(`/org/main/ws/${key}`, { description: 'x' });
    expect(changed.status).toBe(may.change);
    expect((await list(key, other, 'reader', person)).status).toBe(may.change);
    expect((await server.as(person).delete(`/org/main/ws/${key}`)).status).toBe(may.remove);
  }
});

test.each(['owner', 'admin'] as const)(
  'an organization %s is workspace admin, whatever the list says',
  async (role) => {
    const person = await server.addPerson(`high-${role}`, { role });
    const key = `low-${role}`;
    await create(key, true);
    await list(key, person, 'reader');
    expect(await addProject(person, key)).toBe(201);
    expect((await server.as(person).delete(`/org/main/ws/${key}`)).status).toBe(204);
  },
);

test('only admins of the organization can create workspaces', async () => {
  const person = await server.addPerson('ws-admin', { role: 'member', workspaceRole: 'admin' });
  expect(await server.as(person).post('/org/main/ws', { name: 'more' })).toMatchObject(FORBIDDEN);
  expect(await server.as(member).post('/org/main/ws', { name: 'more' })).toMatchObject(FORBIDDEN);
});

test('members are listed in a workspace, changed and removed', async () => {
  await create('team');
  const path = `/org/main/ws/team/members/${member.id}`;
  const entry = {
    user_id: member.id,
    role: 'reader',
    user: { id: member.id, username: 'member', email: 'member@example.com', full_name: null },
    created_at: TIME,
  };
  const added = await list('team', member, 'reader');
  expect(added.status).toBe(200);
  expect(added.body).toEqual(entry);
  expect(await list('team', member, 'admin')).toMatchObject({ status: 200, body: { role: 'admin' } });
  const listed = await server.as(other).get('/org/main/ws/team/members');
  expect(listed.status).toBe(200);
  expect(listed.body).toEqual([{ ...entry, role: 'admin' }]);
  expect(await server.as(owner).delete(path)).toMatchObject({ status: 204, body: '' });
  expect(await server.as(owner).delete(path)).toMatchObject(NOT_FOUND);
  expect((await server.as(other).get('/org/main/ws/team/members')).body).toEqual([]);
});

test('only members of the organization can be listed', async () => {
  for (const id of [outsider.id, NOBODY]) {
    const response = await server.as(owner).put(`/org/main/ws/main/members/${id}`, { role: 'reader' });
    expect(response).toMatchObject(NOT_FOUND);
  }
  const response = await server.as(owner).put(`/org/main/ws/main/members/${member.id}`, { role: 'owner' });
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'role'] }] } });
});

test('a key limited to a workspace sees only that one', async () => {
  const { id } = await create('narrow');
  const { key } = (await server.as(member).post('/user/api-keys', { name: 'k', workspace_id: id })).body;
  expect(await visibleTo(key)).toEqual(['narrow']);
  expect((await server.as(key).get('/org/main/ws/narrow')).status).toBe(200);
  expect(await server.as(key).get('/org/main/ws/main')).toMatchObject(FORBIDDEN);
});

test('workspaces are listed by key', async () => {
  const keys = await visibleTo(owner);
  expect(keys).toContain('main');
  expect(keys).toEqual(keys.toSorted());
});
