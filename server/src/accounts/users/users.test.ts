import { expect, test } from 'vitest';
import { startTestServer, type TestResponse } from '../../../test/harness.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const { owner, db } = server;

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const CONFLICT = { status: 409, body: { code: 409, type: 'conflict_error' } };
const TAKEN = { status: 409, body: { code: 409, type: 'already_exists_error' } };

const limitsOf = (user_id: string) => ({
  // Nothing is stored and no quota is set; a user without an organization has no quota.
  storage: expect.toSatisfy((quota: unknown) =>
    ['null', '{"used":0,"limit":null}'].includes(JSON.stringify(quota)),
  ),
  organizations: expect.any(Array),
  user_id,
  has_warnings: false,
  has_exceeded: false,
  checked_at: TIME,
});
const listKeys = (response: TestResponse): string[] => response.body.map(({ key }: { key: string }) => key);
const listOrganizationKeys = async () =>
  (await db.selectFrom('organizations').select('key').orderBy('key').execute()).map(({ key }) => key);

test('onboarding sets the username and creates an organization of the given name', async () => {
  const person = await server.addPerson('early-bird');
  const response = await server.as(person).post('/user/onboarding', {
    username: 'late-bird',
    email_opt_in: true,
    org_name: ' Café & Söhne ',
    unknown_field: 1,
  });
  const organization = (await server.as(person).get('/org/cafe-sohne')).body;
  expect(organization).toMatchObject({ name: 'Café & Söhne', member_count: 1 });
  expect(response.status).toBe(200);
  expect(response.body).toEqual({
    id: person.id,
    username: 'late-bird',
    email_address: 'early-bird@example.com',
    email_opt_in: true,
    onboarding_complete: true,
    is_platform_admin: false,
    features: [],
    first_name: null,
    last_name: null,
    full_name: null,
    groups: [],
    teams: [
      {
        team_id: organization.id,
        team_name: 'Café & Söhne',
        role: 'owner',
        org_id: organization.id,
        org_name: 'Café & Söhne',
        member_id: UUID,
        is_admin: true,
        is_owner: true,
      },
    ],
    limits: limitsOf(person.id),
  });
  expect((await server.as(person).get('/user')).body).toEqual({
    ...response.body,
    limits: limitsOf(person.id),
  });
  const workspaces = await server.as(person).get('/org/cafe-sohne/ws');
  expect(workspaces.body).toMatchObject([{ key: 'main', is_default: true, project_count: 1 }]);
  const projects = await server.as(person).get('/org/cafe-sohne/ws/main/projects');
  expect(projects.body).toMatchObject([{ key: 'default', is_default: true }]);
});

test.each([
  ['without an organization', { username: 'plain-a' }],
  ['with an organization that is null', { username: 'plain-b', org_name: null }],
])('onboarding %s creates no organization', async (_name, request) => {
  const person = await server.addPerson(request.username);
  const before = await listOrganizationKeys();
  const response = await server.as(person).post('/user/onboarding', request);
  expect(response).toMatchObject({
    status: 200,
    body: { onboarding_complete: true, email_opt_in: false, teams: [] },
  });
  expect(await listOrganizationKeys()).toEqual(before);
});

test('onboarding numbers a slug that is taken', async () => {
  for (const [username, key] of [
    ['acme-one', 'acme'],
    ['acme-two', 'acme-2'],
    ['acme-three', 'acme-3'],
  ] as const) {
    const person = await server.addPerson(username);
    await server.as(person).post('/user/onboarding', { username, org_name: 'ACME!' });
    expect(listKeys(await server.as(person).get('/user/organizations'))).toEqual([key]);
  }
});

test('concurrent onboardings with one organization name get different slugs', async () => {
  const people = await Promise.all(['rush-a', 'rush-b', 'rush-c'].map((name) => server.addPerson(name)));
  const responses = await Promise.all(
    people.map((person) =>
      server.as(person).post('/user/onboarding', { username: person.username, org_name: 'Rush' }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const keys = (await listOrganizationKeys()).filter((key) => key.startsWith('rush'));
  expect(keys).toEqual(['rush', 'rush-2', 'rush-3']);
});

test('a slug has at most 63 characters, including its number', async () => {
  for (const username of ['long-one', 'long-two']) {
    const person = await server.addPerson(username);
    await server.as(person).post('/user/onboarding', { username, org_name: 'x'.repeat(200) });
  }
  const keys = (await listOrganizationKeys()).filter((key) => key.startsWith('xxx'));
  expect(keys.toSorted()).toEqual([`${'x'.repeat(61)}-2`, 'x'.repeat(63)]);
});

test('a second onboarding is refused and changes nothing', async () => {
  const person = await server.addPerson('once');
  const first = await server.as(person).post('/user/onboarding', { username: 'once', org_name: 'Once' });
  const organizations = await listOrganizationKeys();
  const again = { username: 'twice', email_opt_in: true, org_name: 'Twice' };
  expect(await server.as(person).post('/user/onboarding', again)).toMatchObject(CONFLICT);
  expect((await server.as(person).get('/user')).body).toEqual({ ...first.body, limits: limitsOf(person.id) });
  expect(await listOrganizationKeys()).toEqual(organizations);
});

test('one of several concurrent onboardings succeeds', async () => {
  const person = await server.addPerson('hasty');
  const responses = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      server.as(person).post('/user/onboarding', { username: `hasty-${n}`, org_name: `Hasty ${n}` }),
    ),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  expect((await listOrganizationKeys()).filter((key) => key.startsWith('hasty'))).toHaveLength(1);
});

test('onboarding with a taken username is refused, creates no organization and can be repeated', async () => {
  const person = await server.addPerson('chooser');
  const before = await listOrganizationKeys();
  const request = { username: 'owner', org_name: 'Never' };
  expect(await server.as(person).post('/user/onboarding', request)).toMatchObject(TAKEN);
  expect(await listOrganizationKeys()).toEqual(before);
  const me = await server.as(person).get('/user');
  expect(me.body).toMatchObject({ username: 'chooser', onboarding_complete: false, teams: [] });
  expect((await server.as(person).post('/user/onboarding', { username: 'chooser' })).status).toBe(200);
});

const INVALID_USERNAMES = ['', 'ab', 'Abc', '-ab', 'ab-', 'a.b', 'x'.repeat(40)];

test.each(INVALID_USERNAMES)('the username %j is refused everywhere', async (username) => {
  const refused = {
    status: 422,
    body: { code: 422, type: 'invalid_username_error', errors: [{ loc: ['body', 'username'] }] },
  };
  expect(await server.as(owner).post('/user/onboarding', { username })).toMatchObject(refused);
  expect(await server.as(owner).patch('/user', { username })).toMatchObject(refused);
});

test.each(['abc', '0-0', 'a--b', 'x'.repeat(39)])('the username %j is accepted', async (username) => {
  const person = await server.addPerson(`from-${username.slice(0, 5)}`);
  const response = await server.as(person).patch('/user', { username });
  expect(response).toMatchObject({ status: 200, body: { username } });
});

test.each([
  [{}, ['body', 'username']],
  [{ username: null }, ['body', 'username']],
  [{ username: 'abc', email_opt_in: 'yes' }, ['body', 'email_opt_in']],
  [{ username: 'abc', org_name: ' ' }, ['body', 'org_name']],
  [{ username: 'abc', org_name: 'x'.repeat(256) }, ['body', 'org_name']],
])('onboarding with %j is refused with an error at %j', async (request, loc) => {
  const response = await server.as(owner).post('/user/onboarding', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('users can use everything before onboarding', async () => {
  const person = await server.addPerson('newcomer', { role: 'member' });
  expect((await server.as(person).get('/user')).body.onboarding_complete).toBe(false);
  expect((await server.as(person).post('/org/main/ws/main/projects', { name: 'early' })).status).toBe(201);
});

test.each([
  ['owner', { role: 'owner', is_admin: true, is_owner: true }],
  ['admin', { role: 'member', is_admin: true, is_owner: false }],
  ['member', { role: 'member', is_admin: false, is_owner: false }],
] as const)('the organization role %s is shown in the team entry', async (role, expected) => {
  const person = await server.addPerson(`team-${role}`, { role });
  const { id } = (await server.as(owner).get('/org/main')).body;
  const member = (await server.as(owner).get('/org/main/members')).body.find(
    ({ user_id }: { user_id: string }) => user_id === person.id,
  );
  const entry = { team_id: id, team_name: 'main', org_id: id, org_name: 'main', member_id: member.id };
  expect((await server.as(person).get('/user')).body.teams).toEqual([{ ...entry, ...expected }]);
});

test('the limits of a user can be read separately', async () => {
  const response = await server.as(owner).get('/user/limits');
  expect(response.status).toBe(200);
  expect(response.body).toEqual(limitsOf(owner.id));
});

test('updating a user changes the given fields; null clears', async () => {
  const person = await server.addPerson('changer');
  const patch = (body: object) => server.as(person).patch('/user', body);
  expect(await patch({ first_name: ' Ada ', last_name: 'Byron', email_opt_in: true })).toMatchObject({
    status: 200,
    body: { username: 'changer', first_name: 'Ada', full_name: 'Ada Byron', email_opt_in: true },
  });
  expect(await patch({ last_name: null })).toMatchObject({
    status: 200,
    body: { first_name: 'Ada', last_name: null, full_name: 'Ada', email_opt_in: true },
  });
  expect(await patch({ first_name: 'x'.repeat(101), email_opt_in: 1 })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'first_name'] }, { loc: ['body', 'email_opt_in'] }] },
  });
});

test('a username can be changed to a free one or to itself, which frees the old one', async () => {
  const person = await server.addPerson('old-name');
  const patch = (username: string) => server.as(person).patch('/user', { username });
  expect(await patch('owner')).toMatchObject(TAKEN);
  expect((await patch('old-name')).status).toBe(200);
  expect(await patch('new-name')).toMatchObject({ status: 200, body: { username: 'new-name' } });
  const next = await server.addPerson('next');
  expect((await server.as(next).patch('/user', { username: 'old-name' })).status).toBe(200);
});

test('a new password requires the current one and ends all other logins', async () => {
  const nobody = server.as(undefined);
  const email_address = 'pw@example.com';
  const logIn = (password: string) => nobody.post('/auth/login', { email_address, password });
  const here = (await nobody.post('/auth/signup', { email_address, password: 'old password' })).body;
  const there = (await logIn('old password')).body;
  expect((await server.as(there.access_token).get('/user')).status).toBe(200);

  const patch = (body: object) => server.as(here.access_token).patch('/user', body);
  const refused = { status: 422, body: { errors: [{ loc: ['body', 'current_password'] }] } };
  expect(await patch({ password: 'new password' })).toMatchObject(refused);
  expect(await patch({ password: 'new password', current_password: 'wrong' })).toMatchObject(refused);
  expect((await logIn('old password')).status).toBe(200);

  const changed = await patch({ password: 'new password', current_password: 'old password' });
  expect(changed.status).toBe(200);
  expect(JSON.stringify(changed.body)).not.toContain('password');
  expect((await server.as(here.access_token).get('/user')).status).toBe(200);
  expect((await server.as(there.access_token).get('/user')).status).toBe(401);
  const { refresh_token } = there;
  expect((await nobody.post('/auth/refresh', { refresh_token })).status).toBe(401);
  expect((await logIn('old password')).status).toBe(401);
  expect((await logIn('new password')).status).toBe(200);
});

test('changes of a user account are recorded in a separate log', async () => {
  const person = await server.addPerson('watched');
  const as = server.as(person);
  const [{ id: api_key_id }] = (await as.get('/user/api-keys')).body;
  const secret = await as.post('/user/secrets', { name: 'TOKEN', value: 'a secret value' });
  const { id } = secret.body;
  const key = await as.post('/user/api-keys', { name: 'free' });
  const responses: [string, TestResponse][] = [
    ['secret.created', secret],
    ['secret.replaced', await as.put(`/user/secrets/${id}`, { value: 'another secret value' })],
    ['secret.deleted', await as.delete(`/user/secrets/${id}`)],
    ['api_key.created', key],
    ['api_key.deleted', await as.delete(`/user/api-keys/${key.body.id}`)],
    ['user.onboarded', await as.post('/user/onboarding', { username: 'watched' })],
    ['user.updated', await as.patch('/user', { first_name: 'Olive' })],
  ];
  const entries = await db
    .selectFrom('account_audit_log')
    .selectAll()
    .where('user_id', '=', person.id)
    .execute();
  for (const [action, { headers }] of responses) {
    const found = entries.filter(({ request_id }) => request_id === headers['x-request-id']);
    expect(found).toMatchObject([{ action, api_key_id }]);
  }
});
