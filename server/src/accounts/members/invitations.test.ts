import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';

const server = await startTestServer({ DRYDOCK_PUBLIC_URL: 'https://drydock.example/' });
const { owner, db } = server;
const nobody = server.as(undefined);
const admin = await server.addPerson('admin', { role: 'admin' });
const member = await server.addPerson('member', { role: 'member' });
const mainId: string = (await server.as(owner).get('/org/main')).body.id;
const PASSWORD = 'a long enough password';
const DAY = 24 * 60 * 60 * 1000;
const FORBIDDEN = { status: 403, body: { code: 403, type: 'forbidden_error' } };
const NOT_OPEN = {
  status: 422,
  body: { type: 'validation_error', errors: [{ loc: ['body', 'invitation_token'] }] },
};

async function invite(email_address: string, role?: string, as: Person = owner, org = 'main') {
  const request = { email_address, ...(role && { role }) };
  const response = await server.as(as).post(`/org/${org}/invitations`, request);
  expect(response.status).toBe(201);
  return { id: response.body.id as string, token: tokenOf(response.body.url) };
}

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';

const signUp = (email_address: string, invitation_token: string) =>
  nobody.post('/auth/signup', { email_address, password: PASSWORD, invitation_token });
const logIn = (email_address: string, invitation_token?: string) =>
  nobody.post('/auth/login', { email_address, password: PASSWORD, invitation_token });

const listOpen = async (): Promise<{ id: string }[]> =>
  (await server.as(admin).get('/org/main/invitations')).body;
const isUser = async (email: string) =>
  (await db.selectFrom('users').select('id').where('email_address', '=', email).execute()).length > 0;

async function age(id: string, milliseconds: number): Promise<void> {
  const invitations = db.selectFrom('invitations').select('expires_at').where('organization_id', '=', mainId);
  const { expires_at } = await invitations.where('id', '=', id).executeTakeFirstOrThrow();
  await db
    .updateTable('invitations')
    .set({ expires_at: new Date(Date.parse(expires_at) - milliseconds).toISOString() })
    .where('organization_id', '=', mainId)
    .where('id', '=', id)
    .execute();
}

test('an invitation allows sign-up although sign-up is closed', async () => {
  const response = await server
    .as(admin)
    .post('/org/main/invitations', { email_address: ' New@Example.com ', role: 'admin' });
  expect(response.status).toBe(201);
  expect(response.body).toEqual({
    id: expect.any(String),
    email_address: 'new@example.com',
    role: 'admin',
    created_by: admin.id,
    created_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
    invitation_token: expect.stringMatching(/^ddi_[\w-]{54}$/),
    url: expect.stringMatching(/^https:\/\/drydock\.example\/invitation\?token=[\w-]+$/),
  });
  const { url, invitation_token, ...listed } = response.body;
  expect(tokenOf(url)).toBe(invitation_token);
  expect(Date.parse(listed.expires_at) - Date.parse(listed.created_at)).toBeCloseTo(7 * DAY, -4);
  expect(await listOpen()).toEqual([listed]);

  const signedUp = await signUp('NEW@example.com', tokenOf(url));
  expect(signedUp.status).toBe(201);
  expect(signedUp.body.user.teams).toMatchObject([{ org_id: mainId, role: 'member', is_admin: true }]);
  expect((await server.as(signedUp.body.access_token).get('/org/main/invitations')).status).toBe(200);
  expect(await listOpen()).toEqual([]);
});

test('only a digest of the token is stored', async () => {
  const { id, token } = await invite('digest@example.com');
  const rows = db.selectFrom('invitations').selectAll().where('organization_id', '=', mainId);
  const row = await rows.where('id', '=', id).executeTakeFirstOrThrow();
  expect(row.token_hash).toHaveLength(32);
  for (const stored of Object.values(row)) expect(Buffer.from(stored ?? '').includes(token)).toBe(false);
});

test('an existing user accepts an invitation by logging in', async () => {
  const first = await invite('twice@example.com');
  expect((await signUp('twice@example.com', first.token)).status).toBe(201);
  const founder = await server.addPerson('founder');
  await server.as(founder).post('/user/onboarding', { username: 'founder', org_name: 'Second' });

  const second = await invite('twice@example.com', 'admin', founder, 'second');
  const response = await logIn('twice@example.com', second.token);
  expect(response.status).toBe(200);
  const teams = response.body.user.teams as { org_name: string }[];
  expect(teams.map(({ org_name }) => org_name)).toEqual(['main', 'Second']);
  expect((await server.as(response.body.access_token).post('/org/second/ws', { name: 'x' })).status).toBe(
    201,
  );
});

test('an invitation can be used once', async () => {
  const { token } = await invite('once@example.com');
  expect((await signUp('once@example.com', token)).status).toBe(201);
  expect(await logIn('once@example.com', token)).toMatchObject(NOT_OPEN);
  expect(await signUp('else@example.com', token)).toMatchObject(NOT_OPEN);
  expect((await logIn('once@example.com')).status).toBe(200);
});

test('an invitation that is used concurrently works once', async () => {
  const { token } = await invite('rush@example.com');
  const responses = await Promise.all([1, 2, 3].map(() => signUp('rush@example.com', token)));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
  const { body } = await server.as(owner).get('/org/main/members');
  const joined = body.filter(({ user }: { user: { email: string } }) => user.email === 'rush@example.com');
  expect(joined).toHaveLength(1);
});

test('an invitation is valid for its address only', async () => {
  const { token } = await invite('right@example.com');
  expect(await signUp('wrong@example.com', token)).toMatchObject(FORBIDDEN);
  expect(await isUser('wrong@example.com')).toBe(false);
  expect((await signUp('right@example.com', token)).status).toBe(201);
});

test('an invitation expires after seven days', async () => {
  const late = await invite('late@example.com');
  const timely = await invite('timely@example.com');
  await age(late.id, 7 * DAY);
  await age(timely.id, 7 * DAY - 60_000);
  const open = (await listOpen()).map(({ id }) => id);
  expect(open).toContain(timely.id);
  expect(open).not.toContain(late.id);
  expect(await signUp('late@example.com', late.token)).toMatchObject(NOT_OPEN);
  expect(await isUser('late@example.com')).toBe(false);
  expect((await signUp('timely@example.com', timely.token)).status).toBe(201);
});

test('a withdrawn invitation is refused', async () => {
  const { id, token } = await invite('withdrawn@example.com');
  const path = `/org/main/invitations/${id}`;
  expect(await server.as(member).delete(path)).toMatchObject(FORBIDDEN);
  expect(await server.as(admin).delete(path)).toMatchObject({ status: 204, body: '' });
  expect(await signUp('withdrawn@example.com', token)).toMatchObject(NOT_OPEN);
  const notFound = { status: 404, body: { code: 404, type: 'not_found_error' } };
  expect(await server.as(admin).delete(path)).toMatchObject(notFound);
});

test('an accepted invitation cannot be withdrawn', async () => {
  const { id, token } = await invite('accepted@example.com');
  await signUp('accepted@example.com', token);
  expect((await server.as(admin).delete(`/org/main/invitations/${id}`)).status).toBe(404);
});

test('withdrawing an invitation of another organization returns 404', async () => {
  const stranger = await server.addPerson('stranger');
  await server.as(stranger).post('/user/onboarding', { username: 'stranger', org_name: 'Strange' });
  const { id } = await invite('guarded@example.com');
  expect((await server.as(stranger).delete(`/org/strange/invitations/${id}`)).status).toBe(404);
  expect((await server.as(stranger).get('/org/strange/invitations')).body).toEqual([]);
  expect((await listOpen()).map((invitation) => invitation.id)).toContain(id);
});

test('admins can invite members, but only owners can invite owners', async () => {
  const request = { email_address: 'boss@example.com', role: 'owner' };
  expect(await server.as(admin).post('/org/main/invitations', request)).toMatchObject(FORBIDDEN);
  expect(await server.as(member).post('/org/main/invitations', { ...request, role: 'member' })).toMatchObject(
    FORBIDDEN,
  );
  expect(await server.as(member).get('/org/main/invitations')).toMatchObject(FORBIDDEN);
  const { token } = await invite('boss@example.com', 'owner');
  const { body } = await signUp('boss@example.com', token);
  expect(body.user.teams).toMatchObject([{ role: 'owner', is_owner: true }]);
});

test('an invitation to a full organization creates no user and stays open', async () => {
  const { token } = await invite('crowd@example.com');
  const { member_count } = (await server.as(owner).get('/org/main')).body;
  await server.as(owner).patch('/org/main', { max_members: member_count });
  const full = { status: 409, body: { code: 409, type: 'member_limit_exceeded_error' } };
  expect(await signUp('crowd@example.com', token)).toMatchObject(full);
  expect(await isUser('crowd@example.com')).toBe(false);
  await server.as(owner).patch('/org/main', { max_members: null });
  expect((await signUp('crowd@example.com', token)).status).toBe(201);
});

test('accepting an invitation returns 409 to existing members', async () => {
  const first = await invite('again@example.com');
  const second = await invite('again@example.com', 'admin');
  const { access_token } = (await signUp('again@example.com', first.token)).body;
  const exists = { status: 409, body: { code: 409, type: 'member_exists_error' } };
  expect(await logIn('again@example.com', second.token)).toMatchObject(exists);
  expect(await server.as(access_token).get('/org/main/invitations')).toMatchObject(FORBIDDEN);
});

test.each(['nonsense', `ddi_${'A'.repeat(54)}`, 'dd_x'])(
  'the invitation token %j is refused',
  async (token) => {
    expect(await signUp('guess@example.com', token)).toMatchObject(NOT_OPEN);
  },
);

test.each([
  [{}, ['body', 'email_address']],
  [{ email_address: 'nobody' }, ['body', 'email_address']],
  [{ email_address: 'a@b', role: 'boss' }, ['body', 'role']],
])('inviting with %j is refused with an error at %j', async (request, loc) => {
  const response = await server.as(owner).post('/org/main/invitations', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('an invitation is valid only while its author may still grant the role', async () => {
  const author = await server.addPerson('author', { role: 'owner' });
  const invite = async (email_address: string, role: string) =>
    (await server.as(author).post('/org/main/invitations', { email_address, role })).body.url;
  const forOwner = await invite('second@example.com', 'owner');
  const forMember = await invite('third@example.com', 'member');
  const setRole = (role: string) => server.as(server.owner).patch(`/org/main/members/${author.id}`, { role });
  await setRole('admin');
  expect((await signUp('second@example.com', tokenOf(forOwner))).status).toBe(422);
  expect((await signUp('third@example.com', tokenOf(forMember))).status).toBe(201);
  const late = await invite('fourth@example.com', 'member');
  await server.as(server.owner).delete(`/org/main/members/${author.id}`);
  expect((await signUp('fourth@example.com', tokenOf(late))).status).toBe(422);
});
