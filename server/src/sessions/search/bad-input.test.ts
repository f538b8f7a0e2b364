/** Invalid queries for sessions, and callers without permission. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { SESSIONS } from '../../../test/transcripts.ts';

const server = await startTestServer();
const member = await server.addPerson('mia', { role: 'member' });
const outsider = await server.addPerson('otto');
const reader = await server.addPerson('rob', { role: 'member', workspaceRole: 'reader' });

const OF_BOTH: readonly (readonly [query: string, name: string])[] = [
  ['user_id=x', 'user_id'],
  ['user_id=', 'user_id'],
  ['user_id=mia', 'user_id'],
  [`user_id=${member.id}&user_id=${member.id}`, 'user_id'],
  ['origin=chat', 'origin'],
  ['origin=', 'origin'],
  ['origin=User', 'origin'],
  ['origin=user&origin=chat', 'origin'],
  ['archived=true', 'archived'],
  ['archived=', 'archived'],
  ['archived=active&archived=any', 'archived'],
  ['label=team', 'label'],
  ['label=', 'label'],
  ['label=:red', 'label'],
  ['label=%3A', 'label'],
  ['label=team:red&label=team', 'label'],
  ['label=team:%00', 'label'],
  [`search=${'x'.repeat(201)}`, 'search'],
  ['search=%00', 'search'],
  ['search=a&search=b', 'search'],
  ['agent=%00', 'agent'],
  ['include_workload_sessions=1', 'include_workload_sessions'],
  ['include_workload_sessions=', 'include_workload_sessions'],
];

const OF_LIST: readonly (readonly [query: string, name: string])[] = [
  ['page=0', 'page'],
  ['page=1.5', 'page'],
  ['page=9007199254740992', 'page'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['sort_by=model', 'sort_by'],
  ['sort_by=', 'sort_by'],
  ['sort_dir=up', 'sort_dir'],
];

async function expectRefused(path: string, query: string, name: string): Promise<void> {
  const { status, body } = await server.as(member).get(`${path}?${query}`);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: 422, type: 'validation_error' });
  expect(body.errors.map(({ loc }: { loc: unknown[] }) => loc.slice(0, 2))).toEqual([['query', name]]);
}

test.each(OF_BOTH)('facets return 422 for the query %s', async (query, name) => {
  await expectRefused(SESSIONS, query, name);
  await expectRefused(`${SESSIONS}/facets`, query, name);
});

test.each(OF_LIST)('the list returns 422 for the query %s', (query, name) =>
  expectRefused(SESSIONS, query, name),
);

test('a refused query reports every mistake', async () => {
  const query = `label=x&origin=y&search=${'z'.repeat(300)}&archived=no`;
  const { body } = await server.as(member).get(`${SESSIONS}/facets?${query}`);
  expect(body.errors.map(({ loc }: { loc: unknown[] }) => loc)).toEqual([
    ['query', 'origin', 0],
    ['query', 'archived'],
    ['query', 'label', 0],
    ['query', 'search'],
  ]);
});

test.each([
  `search=${'x'.repeat(200)}`,
  'search=',
  'search=%20',
  'label=team:',
  'label=a::b',
  `label=${'k'.repeat(300)}:v`,
  'user=',
  'user=No%20Such%20One',
  'project_id=',
  'agent=',
  'model=none',
  Array.from({ length: 700 }, (_, index) => `label=k${index}:v`).join('&'),
  Array.from({ length: 700 }, () => 'label=k:v').join('&'),
])('the valid query %.40s is accepted and matches no session', async (query) => {
  const facets = await server.as(member).get(`${SESSIONS}/facets?${query}`);
  const nothing = {
    agents: [],
    models: [],
    origins: [],
    users: [],
    group_kinds: [],
    group_statuses: [],
    labels: {},
  };
  expect(facets).toMatchObject({ status: 200, body: nothing });
  const list = await server.as(member).get(`${SESSIONS}?${query}`);
  const page = {
    sessions: [],
    total: 0,
    page: 1,
    limit: 50,
    total_pages: 0,
    has_next: false,
    has_previous: false,
  };
  expect(list).toMatchObject({ status: 200, body: page });
});

test('readers of the workspace may list sessions; users outside the organization may not', async () => {
  for (const path of [SESSIONS, `${SESSIONS}/facets`]) {
    expect((await server.as(reader).get(path)).status).toBe(200);
    expect((await server.as(outsider).get(path)).status).toBe(403);
    expect((await server.as(undefined).get(path)).status).toBe(401);
    const writer = await server
      .as(member)
      .post('/user/api-keys', { name: 'narrow', allowed_scopes: ['sessions:write'] });
    expect((await server.as(writer.body.key).get(path)).status).toBe(403);
    expect((await server.as(member).get(path.replace('/ws/main', '/ws/none'))).status).toBe(404);
  }
});
