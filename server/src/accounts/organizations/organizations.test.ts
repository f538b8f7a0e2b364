import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { runtimeLimits } from './runtime-limits.ts';

const server = await startTestServer({
  DRYDOCK_MAX_RUNTIME_SECONDS: '7200',
  DRYDOCK_DEFAULT_RUNTIME_SECONDS: '1800',
});
const { owner, db } = server;
const admin = await server.addPerson('admin', { role: 'admin' });
const member = await server.addPerson('member', { role: 'member' });
const FORBIDDEN = { status: 403, body: { code: 403, type: 'forbidden_error' } };
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const patch = (as: Person, body: object, org = 'main') => server.as(as).patch(`/org/${org}`, body);
const read = async (as: Person, org = 'main') => (await server.as(as).get(`/org/${org}`)).body;

async function foundOrganization(name: string): Promise<Person> {
  const founder = await server.addPerson(`${name}-founder`);
  await server.as(founder).post('/user/onboarding', { username: founder.username, org_name: name });
  return founder;
}

test('a member can read every field of an organization', async () => {
  const response = await server.as(member).get('/org/main');
  expect(response.status).toBe(200);
  expect(response.body).toEqual({
    id: UUID,
    key: 'main',
    name: 'main',
    description: null,
    is_active: true,
    member_count: 3,
    max_sandbox_runtime_seconds: null,
    default_sandbox_runtime_seconds: null,
    effective_max_sandbox_runtime_seconds: 7200,
    max_sandbox_runtime_source_level: 'l1_platform_max',
    effective_default_sandbox_runtime_seconds: 1800,
    default_sandbox_runtime_source_level: 'l1_platform_default',
    platform_max_sandbox_runtime_seconds: 7200,
    platform_default_sandbox_runtime_seconds: 1800,
    max_concurrent_sandboxes: null,
    trace_retention_days: 30,
    created_at: TIME,
    updated_at: TIME,
  });
});

test('listing organizations returns those of the caller, oldest membership first', async () => {
  const person = await server.addPerson('traveller');
  expect((await server.as(person).get('/user/organizations')).body).toEqual([]);
  await server.as(person).post('/user/onboarding', { username: 'traveller', org_name: 'Zoo' });
  await server.as(owner).post('/org/main/members', { user: 'traveller' });
  const { status, body } = await server.as(person).get('/user/organizations');
  expect(status).toBe(200);
  expect(body).toEqual([await read(person, 'zoo'), await read(person)]);
});

test('an admin can change given fields; null clears', async () => {
  const founder = await foundOrganization('acme');
  const before = await read(founder, 'acme');
  const given = {
    name: 'Acme Inc.',
    description: 'Everything',
    max_sandbox_runtime_seconds: 3600,
    default_sandbox_runtime_seconds: 600,
    max_concurrent_sandboxes: 0,
    trace_retention_days: 90,
  };
  const changed = await patch(founder, { ...given, key: 'stays', is_active: false }, 'acme');
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({
    ...before,
    ...given,
    effective_max_sandbox_runtime_seconds: 3600,
    max_sandbox_runtime_source_level: 'l2_org_max',
    effective_default_sandbox_runtime_seconds: 600,
    default_sandbox_runtime_source_level: 'l3_org_default',
    updated_at: TIME,
  });
  const cleared = await patch(founder, { max_sandbox_runtime_seconds: null, description: null }, 'acme');
  expect(cleared.body).toMatchObject({
    name: 'Acme Inc.',
    description: null,
    max_sandbox_runtime_seconds: null,
    default_sandbox_runtime_seconds: 600,
    max_sandbox_runtime_source_level: 'l1_platform_max',
  });
  expect(await read(founder, 'acme')).toEqual(cleared.body);
});

test('the maximum of an organization also limits the default', async () => {
  const founder = await foundOrganization('short');
  const { body } = await patch(founder, { max_sandbox_runtime_seconds: 300 }, 'short');
  expect(body).toMatchObject({
    effective_max_sandbox_runtime_seconds: 300,
    effective_default_sandbox_runtime_seconds: 300,
    default_sandbox_runtime_source_level: 'l2_org_max',
  });
});

// Settings of the organization (maximum, default), then the effective maximum and default with their sources.
test.each([
  [null, null, 1000, 'l1_platform_max', 500, 'l1_platform_default'],
  [800, null, 800, 'l2_org_max', 500, 'l1_platform_default'],
  [400, null, 400, 'l2_org_max', 400, 'l2_org_max'],
  [2000, null, 1000, 'l1_platform_max', 500, 'l1_platform_default'],
  [1000, null, 1000, 'l1_platform_max', 500, 'l1_platform_default'],
  [null, 700, 1000, 'l1_platform_max', 700, 'l3_org_default'],
  [null, 100, 1000, 'l1_platform_max', 100, 'l3_org_default'],
  [null, 5000, 1000, 'l1_platform_max', 1000, 'l1_platform_max'],
  [800, 700, 800, 'l2_org_max', 700, 'l3_org_default'],
  [800, 900, 800, 'l2_org_max', 800, 'l2_org_max'],
  [800, 800, 800, 'l2_org_max', 800, 'l3_org_default'],
  [2000, 1500, 1000, 'l1_platform_max', 1000, 'l1_platform_max'],
] as const)(
  'runtime limits with maximum %j and default %j',
  (maximum, preset, max, maxLevel, initial, level) => {
    const organization = { max_sandbox_runtime_seconds: maximum, default_sandbox_runtime_seconds: preset };
    expect(runtimeLimits({ maxSeconds: 1000, defaultSeconds: 500 }, organization)).toEqual({
      effective_max_sandbox_runtime_seconds: max,
      max_sandbox_runtime_source_level: maxLevel,
      effective_default_sandbox_runtime_seconds: initial,
      default_sandbox_runtime_source_level: level,
      platform_max_sandbox_runtime_seconds: 1000,
      platform_default_sandbox_runtime_seconds: 500,
    });
  },
);

test('a platform default above the platform maximum is limited by it', () => {
  const none = { max_sandbox_runtime_seconds: null, default_sandbox_runtime_seconds: null };
  expect(runtimeLimits({ maxSeconds: 100, defaultSeconds: 500 }, none)).toMatchObject({
    effective_default_sandbox_runtime_seconds: 100,
    default_sandbox_runtime_source_level: 'l1_platform_max',
  });
});

test('a plain member cannot change the organization', async () => {
  expect(await patch(member, { name: 'Mine' })).toMatchObject(FORBIDDEN);
  expect((await patch(admin, { description: 'by an admin' })).status).toBe(200);
  expect(await read(member)).toMatchObject({ name: 'main', description: 'by an admin' });
});

test.each([
  [{ name: ' ' }, 'name'],
  [{ name: null }, 'name'],
  [{ description: 'x'.repeat(2001) }, 'description'],
  [{ max_members: 0 }, 'max_members'],
  [{ max_sandbox_runtime_seconds: 59 }, 'max_sandbox_runtime_seconds'],
  [{ default_sandbox_runtime_seconds: 60.5 }, 'default_sandbox_runtime_seconds'],
  [{ max_concurrent_sandboxes: -1 }, 'max_concurrent_sandboxes'],
  [{ trace_retention_days: 0 }, 'trace_retention_days'],
  [{ trace_retention_days: '30' }, 'trace_retention_days'],
])('changing %j is refused with an error at %s', async (body, field) => {
  expect(await patch(owner, body)).toMatchObject({
    status: 422,
    body: { type: 'validation_error', errors: [{ loc: ['body', field] }] },
  });
});

test('only a platform admin can change max_members', async () => {
  const founder = await foundOrganization('bounded');
  expect(await patch(founder, { max_members: 100 }, 'bounded')).toMatchObject(FORBIDDEN);
  expect(await patch(founder, { max_members: null }, 'bounded')).toMatchObject(FORBIDDEN);
  expect(await patch(owner, { max_members: 10 }, 'bounded')).toMatchObject({
    status: 200,
    body: { key: 'bounded', max_members: 10 },
  });
  expect((await read(founder, 'bounded')).max_members).toBe(10);
  expect((await patch(owner, { max_members: null }, 'bounded')).body).not.toHaveProperty('max_members');
});

test('a platform admin who is not a member can change or read nothing else', async () => {
  const founder = await foundOrganization('private');
  expect(await patch(owner, { name: 'Taken over' }, 'private')).toMatchObject(FORBIDDEN);
  expect(await patch(owner, { max_members: 5, description: 'x' }, 'private')).toMatchObject(FORBIDDEN);
  expect(await server.as(owner).get('/org/private')).toMatchObject(FORBIDDEN);
  expect(await read(founder, 'private')).toMatchObject({ name: 'private' });
  expect(await read(founder, 'private')).not.toHaveProperty('max_members');
  expect(await patch(owner, { max_members: 5 }, 'no-such-organization')).toMatchObject(FORBIDDEN);
});

test('the member limit may be below the number of members: nobody can join, and nobody is removed', async () => {
  const founder = await foundOrganization('crowd');
  await server.as(founder).post('/org/crowd/members', { user: 'admin' });
  expect(await patch(owner, { max_members: 1 }, 'crowd')).toMatchObject({
    status: 200,
    body: { max_members: 1, member_count: 2 },
  });
  await server.addPerson('late');
  expect(await server.as(founder).post('/org/crowd/members', { user: 'late' })).toMatchObject({
    status: 409,
    body: { type: 'member_limit_exceeded_error' },
  });
});

test('an inactive organization is closed to its members', async () => {
  const founder = await foundOrganization('closed');
  await db.updateTable('organizations').set({ is_active: false }).where('key', '=', 'closed').execute();
  expect(await server.as(founder).get('/org/closed')).toMatchObject(FORBIDDEN);
  expect((await server.as(founder).get('/user/organizations')).body).toEqual([]);
});
