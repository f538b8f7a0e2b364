/** Two tenants and two members, each with a canary in everything that SQL queries may read: no caller sees another's. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeBundle } from '../fuzz/bundle.ts';
import { beginExport, download, queryParquet, untilEnded } from './exported-files.ts';
import { type Person, startTestServer } from './harness.ts';
import { addOrganization } from './other-organization.ts';
import { startTestWorker } from './workers.ts';

const server = await startTestServer();
await startTestWorker(server);
const { as, owner } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const stranger = await server.addPerson('stranger');
await addOrganization(server, stranger, 'other');

interface Place {
  readonly org: string;
  readonly workspace: string;
}

const MAIN: Place = { org: 'main', workspace: 'main' };
const CLOSED: Place = { org: 'main', workspace: 'closed' };
const OTHER: Place = { org: 'other', workspace: (await as(stranger).get('/org/other/ws')).body[0].key };
const pathOf = ({ org, workspace }: Place) => `/org/${org}/ws/${workspace}`;

const CANARIES = {
  ana: 'canary-of-ana',
  ben: 'canary-of-ben',
  owner: 'canary-of-owner',
  closed: 'canary-of-closed',
  other: 'canary-of-other',
};

/** Adds a private session with a message, spans of it, and a model call. */
async function seed(who: Person, place: Place, canary: string): Promise<void> {
  const path = pathOf(place);
  const id = randomUUID();
  const session = { id, model: `acme/${canary}`, title: canary, agent: canary, labels: { canary: [canary] } };
  expect((await as(who).post(`${path}/sessions`, session)).status).toBe(201);
  const usage = { input_tokens: 1, output_tokens: 1, cost_usd: 0.5 };
  const messages = [
    { id: canary, role: 'user', content: canary },
    {
      id: `${canary}-2`,
      role: 'assistant',
      content: canary,
      usage,
      tool_calls: [{ id: 'c', name: canary, arguments: '{}' }],
    },
  ];
  expect((await as(who).post(`${path}/sessions/${id}/transcript`, { messages })).status).toBe(201);
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = {
    traceId: randomUUID().replaceAll('-', ''),
    spanId: randomUUID().replaceAll('-', '').slice(0, 16),
    name: canary,
    attributes: [
      text('gen_ai.conversation.id', id),
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', `acme/${canary}`),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '3' } },
      text('note', canary),
    ],
  };
  const resource = { attributes: [text('drydock.workspace', place.workspace)] };
  const pushed = await as(who).post(`/org/${place.org}/otel/traces`, {
    resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }],
  });
  expect(pushed).toMatchObject({ status: 200, body: {} });
}

beforeAll(async () => {
  await as(owner).post('/org/main/ws', { name: 'closed', key: 'closed', is_restricted: true });
  await seed(ana, MAIN, CANARIES.ana);
  await seed(ben, MAIN, CANARIES.ben);
  await seed(owner, MAIN, CANARIES.owner);
  await seed(owner, CLOSED, CANARIES.closed);
  await seed(stranger, OTHER, CANARIES.other);
  await as(owner).post(`${pathOf(CLOSED)}/projects`, { name: CANARIES.closed });
  await as(stranger).post(`${pathOf(OTHER)}/projects`, { name: CANARIES.other });
  for (const kind of ['datasets', 'models']) {
    const published = await as(stranger).put(
      `/org/other/${kind}/${CANARIES.other}/1.0.0`,
      makeBundle(CANARIES.other, '1.0.0'),
    );
    expect(published.status).toBe(201);
  }
  await as(stranger).post('/org/other/task-sets', { name: CANARIES.other, members: [CANARIES.other] });
  await as(owner).post(`${pathOf(CLOSED)}/runtimes`, { key: CANARIES.closed });
  await as(stranger).post(`${pathOf(OTHER)}/runtimes`, { key: CANARIES.other });
});

const { body: schema } = await as(owner).get(`${pathOf(MAIN)}/query/schema`);
const tables: string[] = schema.tables.map(({ name }: { name: string }) => name);

/** The canaries that each caller sees. Models of calls are visible to callers who see everybody's usage. */
const ASKERS = [
  { name: 'ana', who: ana, place: MAIN, sees: ['ana'], seesUsage: ['ana'] },
  { name: 'ben', who: ben, place: MAIN, sees: ['ben'], seesUsage: ['ben'] },
  { name: 'owner', who: owner, place: MAIN, sees: ['owner'], seesUsage: ['ana', 'ben', 'owner', 'closed'] },
  {
    name: 'owner',
    who: owner,
    place: CLOSED,
    sees: ['closed'],
    seesUsage: ['ana', 'ben', 'owner', 'closed'],
  },
  { name: 'stranger', who: stranger, place: OTHER, sees: ['other'], seesUsage: ['other'] },
] as const;

const allWords = Object.entries(CANARIES);
const wordsIn = (text: string) => allWords.filter(([, word]) => text.includes(word)).map(([name]) => name);

describe.each(ASKERS)('$name in $place.workspace of $place.org', ({ who, place, sees, seesUsage }) => {
  const path = pathOf(place);
  const expected = (table: string): readonly string[] => (table === 'inference_usage' ? seesUsage : sees);

  test.each(tables)('sees in %s only permitted rows', async (table) => {
    const { status, body } = await as(who).post(`${path}/query`, { query: `SELECT * FROM ${table}` });
    expect(status, JSON.stringify(body)).toBe(200);
    const returned = wordsIn(JSON.stringify(body.rows));
    expect(returned.filter((word) => !expected(table).includes(word))).toEqual([]);
    if (['sessions', 'messages', 'spans', 'traces', 'inference_usage'].includes(table))
      expect(returned).toEqual(
        allWords.map(([name]) => name).filter((name) => expected(table).includes(name)),
      );
  });

  test('exports no other canary', async () => {
    const columns = tables
      .filter((table) => table !== 'inference_usage')
      .map((table) => `SELECT '${table}' AS name, to_json(t)::VARCHAR AS row FROM ${table} AS t`);
    const exports = `${path}/exports`;
    const begun = await beginExport(as(who), { query: columns.join(' UNION ALL ') }, exports);
    const ended = await untilEnded(as(who), begun, exports);
    expect(ended.status, ended.error_message ?? '').toBe('completed');
    const rows = await queryParquet(await download(ended.presigned_url));
    expect(wordsIn(JSON.stringify(rows))).toEqual([...sees]);
    // Exports of others are not visible.
    for (const other of [ana, ben, owner].filter((person) => person !== who)) {
      const response = await as(other).get(`/org/main/ws/main/exports/${ended.id}`);
      expect(response.status).toBe(404);
    }
  });

  test('finds no other canary with aggregates and conditions', async () => {
    for (const query of [
      `SELECT count(*) AS n FROM messages WHERE content LIKE '%canary%'`,
      `SELECT count(DISTINCT session_id) AS n FROM messages`,
      `SELECT count(*) AS n FROM sessions AS s WHERE EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id)`,
    ]) {
      const { body } = await as(who).post(`${path}/query`, { query });
      expect(body.rows).toEqual([[query.includes('LIKE') ? 2 : 1]]);
    }
  });
});

test('queries by callers outside the workspace or the organization are refused', async () => {
  const query = { query: 'SELECT * FROM sessions' };
  expect((await as(ana).post(`${pathOf(CLOSED)}/query`, query)).status).toBe(404);
  expect((await as(ana).post(`${pathOf(OTHER)}/query`, query)).status).toBe(403);
  expect((await as(stranger).post(`${pathOf(MAIN)}/exports`, query)).status).toBe(403);
  expect((await as(undefined).post(`${pathOf(MAIN)}/query`, query)).status).toBe(401);
});
