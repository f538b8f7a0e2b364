import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Person, startTestServer, type TestResponse } from '../../../test/harness.ts';
import { firstUuidAt, uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const { owner, db } = server;
const admin = await server.addPerson('admin', { role: 'admin' });
const member = await server.addPerson('member', { role: 'member' });
const main = (await server.as(owner).get('/org/main')).body;
const workspace = (await server.as(owner).get('/org/main/ws/main')).body;
const [ownersKey] = (await server.as(owner).get('/user/api-keys')).body;
const as = server.as(owner);
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

type Entry = { readonly id: string; readonly request_id: string | null };

const read = (query = '', who = owner, org = 'main') => server.as(who).get(`/org/${org}/audit-log${query}`);
const idsOf = (response: TestResponse): string[] => response.body.items.map(({ id }: Entry) => id);

async function entriesOf(response: TestResponse, who = owner, org = 'main') {
  const { items } = (await read('?limit=200', who, org)).body;
  return items.filter((entry: Entry) => entry.request_id === response.headers['x-request-id']);
}

async function entryOf(response: TestResponse, who = owner, org = 'main') {
  const found = await entriesOf(response, who, org);
  expect(found).toHaveLength(1);
  return found[0];
}

type Change = () => Promise<{
  response: TestResponse;
  resource: string;
  before?: object | null;
  after?: object | null;
}>;

const CHANGES: Record<string, Change> = {
  'member.added': async () => {
    const { id } = await server.addPerson('joiner');
    const response = await as.post('/org/main/members', { user: 'joiner', role: 'admin' });
    return { response, resource: `members/${id}`, after: { user_id: id, role: 'admin' } };
  },
  'member.role_changed': async () => {
    const { id } = await server.addPerson('riser', { role: 'member' });
    const response = await as.patch(`/org/main/members/${id}`, { role: 'admin' });
    return { response, resource: `members/${id}`, before: { role: 'member' }, after: { role: 'admin' } };
  },
  'member.removed': async () => {
    const { id } = await server.addPerson('leaver', { role: 'admin' });
    const response = await as.delete(`/org/main/members/${id}`);
    return { response, resource: `members/${id}`, before: { role: 'admin' } };
  },
  'invitation.created': async () => {
    const after = { email_address: 'guest@example.com', role: 'member' };
    const response = await as.post('/org/main/invitations', after);
    return { response, resource: `invitations/${response.body.id}`, after };
  },
  'invitation.withdrawn': async () => {
    const before = { email_address: 'gone@example.com', role: 'admin' };
    const { id } = (await as.post('/org/main/invitations', before)).body;
    return {
      response: await as.delete(`/org/main/invitations/${id}`),
      resource: `invitations/${id}`,
      before,
    };
  },
  'organization.updated': async () => {
    const after = { description: 'new', trace_retention_days: 7 };
    const response = await as.patch('/org/main', after);
    const before = { description: null, trace_retention_days: 30 };
    return { response, resource: `organizations/${main.id}`, before, after };
  },
  'workspace.created': async () => {
    const response = await as.post('/org/main/ws', { name: 'Made', is_restricted: true });
    const after = { name: 'Made', slug: 'made', is_restricted: true, record_content: true };
    return { response, resource: `workspaces/${response.body.id}`, after };
  },
  'workspace.updated': async () => {
    const { id } = (await as.post('/org/main/ws', { name: 'Old' })).body;
    const response = await as.patch('/org/main/ws/old', { name: 'New', is_restricted: true });
    const before = { name: 'Old', description: null, is_restricted: false, record_content: true };
    const after = { name: 'New', description: null, is_restricted: true, record_content: true };
    return { response, resource: `workspaces/${id}`, before, after };
  },
  'workspace.deleted': async () => {
    const { id } = (await as.post('/org/main/ws', { name: 'Gone' })).body;
    const response = await as.delete('/org/main/ws/gone');
    return { response, resource: `workspaces/${id}`, before: { name: 'Gone', slug: 'gone' } };
  },
  'workspace_member.set': async () => {
    const path = `/org/main/ws/main/members/${member.id}`;
    await as.put(path, { role: 'reader' });
    const response = await as.put(path, { role: 'admin' });
    const resource = `workspaces/${workspace.id}/members/${member.id}`;
    return { response, resource, before: { role: 'reader' }, after: { role: 'admin' } };
  },
  'workspace_member.removed': async () => {
    const path = `/org/main/ws/main/members/${admin.id}`;
    await as.put(path, { role: 'reader' });
    const resource = `workspaces/${workspace.id}/members/${admin.id}`;
    return { response: await as.delete(path), resource, before: { role: 'reader' } };
  },
  'project.created': async () => {
    const response = await as.post('/org/main/ws/main/projects', { name: 'First' });
    return { response, resource: `projects/${response.body.id}`, after: { name: 'First', slug: 'first' } };
  },
  'project.updated': async () => {
    const { id } = (await as.post('/org/main/ws/main/projects', { name: 'Second' })).body;
    const response = await as.patch('/org/main/ws/main/projects/second', { description: 'x' });
    const before = { name: 'Second', description: null };
    return { response, resource: `projects/${id}`, before, after: { name: 'Second', description: 'x' } };
  },
  'project.deleted': async () => {
    const { id } = (await as.post('/org/main/ws/main/projects', { name: 'Third' })).body;
    const response = await as.delete('/org/main/ws/main/projects/third');
    return { response, resource: `projects/${id}`, before: { name: 'Third', slug: 'third' } };
  },
  'api_key.created': async () => {
    const request = { name: 'CI', allowed_scopes: ['traces:write'], workspace_id: workspace.id };
    const response = await as.post('/user/api-keys', request);
    return { response, resource: `api-keys/${response.body.id}`, after: { ...request, expires_at: null } };
  },
  'api_key.deleted': async () => {
    const { id } = (await as.post('/user/api-keys', { name: 'CD', org_id: main.id })).body;
    return {
      response: await as.delete(`/user/api-keys/${id}`),
      resource: `api-keys/${id}`,
      before: { name: 'CD' },
    };
  },
};

test.each(Object.entries(CHANGES))(
  '%s is audited with actor, action, before, after and request',
  async (action, change) => {
    const { response, resource, before = null, after = null } = await change();
    expect(response.status).toBeLessThan(300);
    expect(await entryOf(response)).toEqual({
      id: UUID,
      actor: { id: owner.id, username: 'owner' },
      api_key_id: ownersKey.id,
      action,
      resource,
      before,
      after,
      request_id: response.headers['x-request-id'],
      created_at: TIME,
    });
  },
);

test('founding an organization and accepting an invitation are audited under the new user', async () => {
  const { url } = (await as.post('/org/main/invitations', { email_address: 'new@example.com' })).body;
  const accepted = await server.as(undefined).post('/auth/signup', {
    email_address: 'new@example.com',
    username: 'new-user',
    password: 'a long enough password',
    invitation_token: new URL(url).searchParams.get('token'),
  });
  const actor = { id: accepted.body.user.id, username: 'new-user' };
  const after = { user_id: actor.id, role: 'member' };
  const byToken = { actor, api_key_id: null };
  expect(await entriesOf(accepted)).toMatchObject([
    { action: 'member.added', resource: `members/${actor.id}`, ...byToken, after },
    { action: 'invitation.accepted', ...byToken, after },
  ]);

  const person = { ...member, key: accepted.body.access_token };
  const request = { username: 'new-user', org_name: 'Founded' };
  const founded = await server.as(person).post('/user/onboarding', request);
  expect(await entryOf(founded, person, 'founded')).toMatchObject({
    action: 'organization.created',
    ...byToken,
    after: { name: 'Founded', slug: 'founded' },
  });
});

test('failed requests are not audited', async () => {
  const failed = await as.post('/org/main/ws', { name: 'main' });
  expect(failed.status).toBe(409);
  await entryOf(await as.patch('/org/main', { name: 'main' }));
  const log = JSON.stringify((await read('?limit=200')).body);
  expect(log).not.toContain(failed.headers['x-request-id']);
});

async function found(name: string): Promise<Person> {
  const founder = await server.addPerson(`${name}-founder`);
  await server.as(founder).post('/user/onboarding', { username: founder.username, org_name: name });
  return founder;
}

/** Creates an organization with this many entries, one per second since 2020, every third by the owner of `main`. */
async function foundWithEntries(name: string, count: number) {
  const founder = await found(name);
  const { id: organization_id } = (await server.as(founder).get(`/org/${name}`)).body;
  const start = Date.parse('2020-01-01T00:00:00Z');
  const values = Array.from({ length: count }, (_, i) => ({
    organization_id,
    id: firstUuidAt(start + i * 1000),
    actor_id: i % 3 === 0 ? owner.id : founder.id,
    action: i % 2 === 0 ? 'thing.made' : 'thing.broken',
    resource: `things/${i % 5}`,
    created_at: new Date(start + i * 1000).toISOString(),
  }));
  await db.insertInto('audit_log').values(values).execute();
  return { founder, newestFirst: values.toReversed() };
}

test('admins can read the log of their own organization, and nobody else can', async () => {
  const outsider = await found('outside');
  expect((await read('', admin)).status).toBe(200);
  for (const person of [member, outsider]) {
    expect(await read('', person)).toMatchObject({ status: 403, body: { type: 'forbidden_error' } });
  }
  const items = [{ action: 'organization.created' }];
  expect((await read('', outsider, 'outside')).body).toMatchObject({ items, next_cursor: null });
});

test('the log is read newest first in pages, without gaps and duplicates while it grows', async () => {
  const { founder, newestFirst } = await foundWithEntries('paged', 10);
  const all = idsOf(await read('?limit=200', founder, 'paged'));
  expect(all.slice(1)).toEqual(newestFirst.map(({ id }) => id));
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response: TestResponse = await read(`?limit=3${cursor && `&cursor=${cursor}`}`, founder, 'paged');
    seen.push(...idsOf(response));
    cursor = response.body.next_cursor;
    const grown = await server.as(founder).post('/org/paged/ws', { name: `ws ${uuidv7()}` });
    await entryOf(grown, founder, 'paged');
  }
  expect(seen).toEqual(all);
});

test('the log can be filtered by each parameter and by combinations', async () => {
  const { founder, newestFirst } = await foundWithEntries('filtered', 12);
  const [from, to] = ['2020-01-01T00:00:03.000Z', '2020-01-01T00:00:07.000Z'];
  const sameFrom = '2020-01-01T02:00:03%2B02:00';
  const isWithin = ({ created_at }: { created_at: string }) => created_at >= from && created_at <= to;
  const filters: [string, (entry: (typeof newestFirst)[number]) => boolean][] = [
    [`actor=${owner.id}`, ({ actor_id }) => actor_id === owner.id],
    ['action=thing.broken', ({ action }) => action === 'thing.broken'],
    ['resource=things/2', ({ resource }) => resource === 'things/2'],
    ['resource=things', () => false],
    [`from=${from}&to=${to}`, isWithin],
    [`from=${sameFrom}&to=${to}&resource=things/4`, (e) => isWithin(e) && e.resource === 'things/4'],
  ];
  for (const [query, isWanted] of filters) {
    const response = await read(`?${query}`, founder, 'filtered');
    expect(idsOf(response)).toEqual(newestFirst.filter(isWanted).map(({ id }) => id));
  }
});

test('a cursor is refused with other filters, for another log and after tampering', async () => {
  const { founder } = await foundWithEntries('signed', 3);
  const MADE = '?action=thing.made';
  const cursor: string = (await read(`${MADE}&limit=1`, founder, 'signed')).body.next_cursor;
  const forged = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
  const refused = { status: 422, body: { errors: [{ loc: ['query', 'cursor'] }] } };
  for (const query of [`?cursor=${cursor}`, `?action=x&cursor=${cursor}`, `${MADE}&cursor=${forged}`]) {
    expect(await read(query, founder, 'signed')).toMatchObject(refused);
  }
  expect(await read(`${MADE}&cursor=${cursor}`)).toMatchObject(refused);
  const next = await read(`${MADE}&limit=2&cursor=${cursor}`, founder, 'signed');
  expect(next).toMatchObject({ status: 200, body: { items: [{ action: 'thing.made' }], next_cursor: null } });
});

test.each(['limit=0', 'limit=201', 'limit=many', 'actor=owner', 'from=yesterday', 'to=2026', 'cursor=x'])(
  'reading the log with %s is refused',
  async (query) => {
    const loc = ['query', query.split('=')[0]];
    expect(await read(`?${query}`)).toMatchObject({ status: 422, body: { errors: [{ loc }] } });
  },
);

test('the log contains no secrets', async () => {
  const key = (await as.post('/user/api-keys', { name: 'k', org_id: main.id })).body.key;
  await as.post('/user/secrets', { name: 'HIDDEN', value: 'the-hidden-value' });
  const { url } = (await as.post('/org/main/invitations', { email_address: 'z@example.com' })).body;
  const request = { email_address: 'y@example.com', password: 'the-hidden-password' };
  const { refresh_token } = (await server.as(undefined).post('/auth/signup', request)).body;
  const { rows } =
    await sql`SELECT a::text FROM audit_log a /* of every organization */ UNION ALL SELECT a::text FROM account_audit_log a`.execute(
      db,
    );
  const log = JSON.stringify(rows);
  expect(log).toContain('z@example.com');
  const token = new URL(url).searchParams.get('token');
  for (const value of [key, token, refresh_token, 'the-hidden']) expect(log).not.toContain(value);
});

test.each(['audit_log', 'account_audit_log'])('%s is append-only', async (table) => {
  const change =
    sql`UPDATE ${sql.raw(table)} /* of every organization */ SET action = 'nothing happened'`.execute(db);
  await expect(change).rejects.toThrow(/append-only/);
});
