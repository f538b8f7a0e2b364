import { expect, test } from 'vitest';
import { type Person, startTestServer, type TestResponse } from '../../../test/harness.ts';
import type { OrgRole } from '../../platform/auth/principal.ts';

const server = await startTestServer();
const { owner } = server;
const admin = await server.addPerson('admin', { role: 'admin' });
const member = await server.addPerson('member', { role: 'member' });
const NOBODY = '00000000-0000-0000-0000-000000000000';
const FORBIDDEN = { status: 403, body: { code: 403, type: 'forbidden_error' } };
const NOT_FOUND = { status: 404, body: { code: 404, type: 'not_found_error' } };
const LAST_OWNER = { status: 409, body: { code: 409, type: 'conflict_error' } };
const FULL = { status: 409, body: { code: 409, type: 'member_limit_exceeded_error' } };

const add = (as: Person, user: string, role?: string, org = 'main') =>
  server.as(as).post(`/org/${org}/members`, { user, ...(role && { role }) });
const change = (as: Person, { id }: { id: string }, role: string, org = 'main') =>
  server.as(as).patch(`/org/${org}/members/${id}`, { role });
const remove = (as: Person, { id }: { id: string }, org = 'main') =>
  server.as(as).delete(`/org/${org}/members/${id}`);
const statusesOf = (responses: TestResponse[]) =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);

async function rolesIn(org: string, as = owner): Promise<Record<string, OrgRole>> {
  const { body } = await server.as(as).get(`/org/${org}/members`);
  const entries = (body as { role: OrgRole; user: { username: string } }[]).map(
    ({ role, user }) => [user.username, role] as const,
  );
  return Object.fromEntries(entries);
}

/** Creates an organization whose only member is a new user. */
async function foundOrganization(name: string): Promise<Person> {
  const founder = await server.addPerson(`${name}-founder`);
  await server.as(founder).post('/user/onboarding', { username: founder.username, org_name: name });
  return founder;
}

test('a member is added by username, listed, changed and removed', async () => {
  const person = await server.addPerson('ada');
  await server.as(person).patch('/user', { first_name: 'Ada', last_name: 'Byron' });
  const added = await add(admin, 'ada');
  expect(added.status).toBe(201);
  expect(added.body).toEqual({
    id: expect.any(String),
    user_id: person.id,
    role: 'member',
    // She has not agreed: until she uses the organization, its members see only her username.
    user: { id: person.id, username: 'ada', email: '', full_name: null },
    created_at: expect.stringMatching(/Z$/),
  });
  const find = async (as: Person) =>
    (await server.as(as).get('/org/main/members')).body.find(
      ({ id }: { id: string }) => id === added.body.id,
    );
  expect(await find(admin)).toEqual(added.body);
  expect(
    (await server.as(owner).put(`/org/main/ws/main/members/${person.id}`, { role: 'reader' })).body.user,
  ).toEqual(added.body.user);
  const known = {
    ...added.body,
    user: { ...added.body.user, email: 'ada@example.com', full_name: 'Ada Byron' },
  };
  expect(await find(person)).toEqual(known);
  expect(await find(admin)).toEqual(known);

  const changed = await change(admin, person, 'admin');
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ ...known, role: 'admin' });
  expect(await remove(admin, person)).toMatchObject({ status: 204, body: '' });
  expect(Object.keys(await rolesIn('main'))).not.toContain('ada');
  expect(await remove(admin, person)).toMatchObject(NOT_FOUND);
  expect(await change(admin, person, 'member')).toMatchObject(NOT_FOUND);
});

test('adding an existing member returns 409', async () => {
  const exists = { status: 409, body: { code: 409, type: 'member_exists_error' } };
  expect(await add(owner, 'member', 'admin')).toMatchObject(exists);
  expect((await rolesIn('main')).member).toBe('member');
});

test('adding by email address works only for users who accepted an invitation of this organization', async () => {
  const founder = await foundOrganization('next');
  const email_address = 'proven@example.com';
  const refused = { status: 422, body: { errors: [{ loc: ['body', 'user'] }] } };
  const { invitation_token } = (await server.as(owner).post('/org/main/invitations', { email_address })).body;
  const request = { email_address, password: 'long enough', invitation_token };
  const { user } = (await server.as(undefined).post('/auth/signup', request)).body;
  expect((await remove(owner, user)).status).toBe(204);

  expect(await add(founder, email_address, 'member', 'next')).toMatchObject(refused);
  const added = await add(owner, ` ${email_address.toUpperCase()} `);
  expect(added).toMatchObject({ status: 201, body: { user_id: user.id } });
});

test('adding by an unverified email address is refused', async () => {
  const person = await server.addPerson('mailed');
  const refused = { status: 422, body: { errors: [{ loc: ['body', 'user'] }] } };
  expect(await add(owner, person.email)).toMatchObject(refused);
});

test.each([
  [{ user: 'no-such-user' }, ['body', 'user']],
  [{ user: '' }, ['body', 'user']],
  [{}, ['body', 'user']],
  [{ user: 'member', role: 'boss' }, ['body', 'role']],
])('adding a member with %j is refused with an error at %j', async (request, loc) => {
  const response = await server.as(owner).post('/org/main/members', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('a plain member can read members but not change them', async () => {
  const person = await server.addPerson('bystander', { role: 'member' });
  expect((await server.as(member).get('/org/main/members')).status).toBe(200);
  expect(await add(member, 'owner')).toMatchObject(FORBIDDEN);
  expect(await change(member, person, 'admin')).toMatchObject(FORBIDDEN);
  expect(await change(member, member, 'admin')).toMatchObject(FORBIDDEN);
  expect(await remove(member, person)).toMatchObject(FORBIDDEN);
  expect(await remove(member, { id: NOBODY })).toMatchObject(FORBIDDEN);
});

test('an admin can appoint and demote admins, but not owners', async () => {
  const person = await server.addPerson('candidate');
  expect((await add(admin, 'candidate', 'admin')).status).toBe(201);
  expect((await change(admin, person, 'member')).status).toBe(200);
  expect(await change(admin, person, 'owner')).toMatchObject(FORBIDDEN);
  expect(await change(admin, admin, 'owner')).toMatchObject(FORBIDDEN);
  await server.addPerson('other-candidate');
  expect(await add(admin, 'other-candidate', 'owner')).toMatchObject(FORBIDDEN);
  expect(await rolesIn('main')).toMatchObject({ candidate: 'member', admin: 'admin' });
  expect(Object.keys(await rolesIn('main'))).not.toContain('other-candidate');
});

test('only an owner can change or remove an owner', async () => {
  const second = await server.addPerson('second', { role: 'owner' });
  expect(await change(admin, second, 'member')).toMatchObject(FORBIDDEN);
  expect(await change(admin, second, 'owner')).toMatchObject(FORBIDDEN);
  expect(await remove(admin, second)).toMatchObject(FORBIDDEN);
  expect((await rolesIn('main')).second).toBe('owner');
  expect((await change(owner, second, 'admin')).status).toBe(200);
  expect((await change(owner, second, 'owner')).status).toBe(200);
  expect((await remove(owner, second)).status).toBe(204);
});

test.each(['member', 'admin'] as const)('a member with the role %s may leave', async (role) => {
  const person = await server.addPerson(`leaving-${role}`, { role });
  expect(await remove(person, person)).toMatchObject({ status: 204, body: '' });
  expect(await server.as(person).get('/org/main')).toMatchObject(FORBIDDEN);
});

test('leaving an organization removes the member from every workspace list', async () => {
  const person = await server.addPerson('listed', { role: 'member', workspaceRole: 'admin' });
  await remove(owner, person);
  await add(owner, 'listed');
  const listed = (await server.as(owner).get('/org/main/ws/main/members')).body;
  expect(listed.map(({ user_id }: { user_id: string }) => user_id)).not.toContain(person.id);
});

test('the last owner can neither leave nor step down', async () => {
  const founder = await foundOrganization('solo');
  const heir = await server.addPerson('heir');
  await add(founder, 'heir', 'admin', 'solo');
  expect(await remove(founder, founder, 'solo')).toMatchObject(LAST_OWNER);
  expect(await change(founder, founder, 'admin', 'solo')).toMatchObject(LAST_OWNER);
  expect((await change(founder, founder, 'owner', 'solo')).status).toBe(200);

  expect((await change(founder, heir, 'owner', 'solo')).status).toBe(200);
  expect((await change(founder, founder, 'member', 'solo')).status).toBe(200);
  expect(await rolesIn('solo', heir)).toEqual({ 'solo-founder': 'member', heir: 'owner' });
  expect((await remove(founder, founder, 'solo')).status).toBe(204);
});

test.each([
  ['remove', (as: Person, whom: Person, org: string) => remove(as, whom, org)],
  ['demote', (as: Person, whom: Person, org: string) => change(as, whom, 'member', org)],
] as const)('one of two owners who %s each other concurrently stays owner', async (name, act) => {
  for (let round = 1; round <= 5; round++) {
    const org = `duel-${name}-${round}`;
    const one = await foundOrganization(org);
    const two = await server.addPerson(`${org}-rival`);
    await add(one, two.username, 'owner', org);
    const responses = await Promise.all([act(one, two, org), act(two, one, org)]);
    expect(statusesOf(responses)[0]).toBeLessThan(300);
    const owners = [one, two].map(async (person) => (await server.as(person).get('/user')).body.teams);
    const roles = (await Promise.all(owners)).flat().map(({ role }: { role: string }) => role);
    expect(roles.filter((role) => role === 'owner')).toHaveLength(1);
  }
});

test('a full organization accepts no more members', async () => {
  const founder = await foundOrganization('full');
  await server.addPerson('full-one');
  await server.addPerson('full-two');
  expect((await server.as(owner).patch('/org/full', { max_members: 2 })).status).toBe(200);
  expect((await add(founder, 'full-one', 'member', 'full')).status).toBe(201);
  expect(await add(founder, 'full-two', 'member', 'full')).toMatchObject(FULL);
  expect(await add(founder, 'full-one', 'member', 'full')).toMatchObject({
    body: { type: 'member_exists_error' },
  });
  await server.as(owner).patch('/org/full', { max_members: null });
  expect((await add(founder, 'full-two', 'member', 'full')).status).toBe(201);
});

test('concurrent joins never exceed the member limit', async () => {
  const founder = await foundOrganization('rush');
  const usernames = Array.from({ length: 8 }, (_, i) => `rush-${i}`);
  for (const username of usernames) await server.addPerson(username);
  await server.as(owner).patch('/org/rush', { max_members: 4 });
  const responses = await Promise.all(usernames.map((username) => add(founder, username, 'member', 'rush')));
  expect(statusesOf(responses)).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  for (const response of responses.filter(({ status }) => status === 409))
    expect(response).toMatchObject(FULL);
  expect((await server.as(founder).get('/org/rush')).body).toMatchObject({ member_count: 4, max_members: 4 });
});

test('one of several concurrent additions of the same user succeeds', async () => {
  await server.addPerson('popular');
  const responses = await Promise.all([1, 2, 3].map(() => add(admin, 'popular')));
  expect(statusesOf(responses)).toEqual([201, 409, 409]);
});
