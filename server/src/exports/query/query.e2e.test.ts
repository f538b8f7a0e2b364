import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';

const server = await startTestServer();
const { app, owner, as } = server;
const member = await server.addPerson('member', { role: 'member' });
const PLACE = '/org/main/ws/main';
const ask = (query: string, more: object = {}, who: Person = owner) =>
  as(who).post(`${PLACE}/query`, { query, ...more });

const project = (await as(owner).get(`${PLACE}/projects/default`)).body.id as string;

async function addSession(title: string, more: object = {}, who: Person = owner): Promise<string> {
  const id = randomUUID();
  const response = await as(who).post(`${PLACE}/sessions`, { id, model: 'sim/echo', title, ...more });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return id;
}

beforeAll(async () => {
  await addSession('Größe 🚀', { project_id: project });
  await addSession("it's", {});
  await addSession('shared', { visibility: 'workspace' }, member);
  await addSession('hidden', {}, member);
});

test('a query returns columns, rows and duration', async () => {
  const { status, body, headers } = await ask('SELECT title, model FROM sessions ORDER BY title COLLATE "C"');
  expect(status, JSON.stringify(body)).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toEqual({
    columns: [
      { name: 'title', type: 'VARCHAR' },
      { name: 'model', type: 'VARCHAR' },
    ],
    rows: [
      ['Größe 🚀', 'sim/echo'],
      ["it's", 'sim/echo'],
      ['shared', 'sim/echo'],
    ],
    row_count: 3,
    truncated: false,
    elapsed_ms: expect.any(Number),
  });
  expect(Object.keys(body)).toEqual(['columns', 'rows', 'row_count', 'truncated', 'elapsed_ms']);
});

test('a query returns all digits of numbers, and times in UTC', async () => {
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1${PLACE}/query`,
    headers: { authorization: `Bearer ${owner.key}` },
    payload: {
      query: `SELECT 9007199254740993 AS a, 0.1::DECIMAL(38,18) AS b, TIMESTAMPTZ '2026-01-02 03:04:05+02' AS c, NULL AS d`,
    },
  });
  expect(response.body).toContain('[[9007199254740993,0.100000000000000000,"2026-01-02T01:04:05');
  expect(response.body).toContain('Z",null]]');
});

test('rows beyond max_rows are left out, which the response indicates', async () => {
  const { body } = await ask('SELECT n FROM range(5) AS t(n) ORDER BY n', { max_rows: 3 });
  expect(body).toMatchObject({ rows: [[0], [1], [2]], row_count: 3, truncated: true });
  const { body: exact } = await ask('SELECT n FROM range(3) AS t(n) ORDER BY n', { max_rows: 3 });
  expect(exact).toMatchObject({ row_count: 3, truncated: false });
});

test('a query without rows succeeds', async () => {
  const { status, body } = await ask("SELECT id, title FROM sessions WHERE title = 'nothing'");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    columns: [
      { name: 'id', type: 'UUID' },
      { name: 'title', type: 'VARCHAR' },
    ],
    rows: [],
    row_count: 0,
    truncated: false,
  });
});

test('a query with a project sees only its rows', async () => {
  const { body } = await ask('SELECT title FROM sessions', { project_id: project });
  expect(body.rows).toEqual([['Größe 🚀']]);
  const { body: none } = await ask('SELECT count(*) AS count FROM sessions', { project_id: null });
  expect(none.rows).toEqual([[3]]);
});

test('a query sees only rows that the caller may see', async () => {
  const titles = async (who: Person) =>
    (await ask('SELECT title FROM sessions ORDER BY title', {}, who)).body.rows.flat();
  expect(await titles(member)).toEqual(['hidden', 'shared']);
  expect(await titles(owner)).not.toContain('hidden');
});

describe('errors of queries', () => {
  const issue = (
    response: { status: number; body: { errors?: unknown } },
    msg: unknown,
    loc = ['body', 'query'],
  ) => {
    expect(response.status, JSON.stringify(response.body)).toBe(422);
    expect(response.body).toMatchObject({
      type: 'validation_error',
      errors: [{ loc, msg, type: expect.any(String) }],
    });
  };

  test.each([
    ['nothing', ''],
    ['blank', '  \n '],
    ['a comment', '-- SELECT 1'],
    ['two statements', 'SELECT 1; SELECT 2'],
    ['DDL', 'CREATE TABLE t (a INTEGER)'],
    ['DML', "DELETE FROM sessions WHERE title = 'x'"],
    ['an insertion', 'INSERT INTO sessions SELECT * FROM sessions'],
    ['a PRAGMA', 'PRAGMA database_list'],
    ['a setting', 'SET threads = 1'],
    ['COPY', "COPY (SELECT 1) TO '/tmp/x.csv'"],
    ['ATTACH', "ATTACH '/tmp/x.db'"],
    ['EXPLAIN', 'EXPLAIN SELECT 1'],
    ['DESCRIBE', 'DESCRIBE sessions'],
  ])('%s', async (_, query) => issue(await ask(query), expect.stringMatching(/\S/)));

  test('a syntax error is reported with its position', async () => {
    issue(await ask('SELECT id\nFROM sessions WHERE'), expect.stringMatching(/line 2, column \d+/));
    issue(await ask('SELECT id FORM sessions'), expect.stringMatching(/line 1, column \d+/));
  });

  test('an unknown table or column is reported with a similar name', async () => {
    issue(await ask('SELECT id FROM sesions'), expect.stringMatching(/sesions.*sessions/s));
    issue(await ask('SELECT titel FROM sessions'), expect.stringMatching(/titel.*title/s));
  });

  test('two columns of the same name are refused', async () => {
    issue(await ask('SELECT 1 AS a, 2 AS a'), expect.stringMatching(/AS/));
    issue(await ask('SELECT * FROM sessions AS a, sessions AS b'), expect.stringMatching(/AS/));
  });

  test('a query that is too long is refused, up to ten megabytes of it', async () => {
    const { status, body } = await ask(`SELECT '${'x'.repeat(10_000_000)}' AS x`);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { loc: ['body', 'query'], msg: expect.any(String), type: expect.any(String) },
    ]);
  });

  test.each([0, 100_001, 1.5, -1, '10', 100_000_001])(
    'the invalid max_rows %j is refused',
    async (max_rows) =>
      issue(await ask('SELECT 1 AS one', { max_rows }), expect.any(String), ['body', 'max_rows']),
  );

  test('a project that is unknown or belongs to another organization is refused', async () => {
    const stranger = await server.addPerson('stranger');
    await addOrganization(server, stranger, 'other');
    const { body } = await as(stranger).get('/org/other/ws');
    const elsewhere = (await as(stranger).get(`/org/other/ws/${body[0].key}/projects`)).body[0].id;
    for (const project_id of [elsewhere, randomUUID()])
      issue(await ask('SELECT 1 AS one', { project_id }), 'names no project of this workspace', [
        'body',
        'project_id',
      ]);
    issue(await ask('SELECT 1 AS one', { project_id: 'default' }), expect.any(String), [
      'body',
      'project_id',
    ]);
  });

  test('rows that are too large for a response are refused', async () => {
    const wide = await ask("SELECT repeat('x', 10000) AS x FROM range(5000)");
    issue(wide, expect.stringMatching(/export/));
  });
});

test('the tables are listed with their columns, types and comments', async () => {
  const { status, body } = await as(member).get(`${PLACE}/query/schema`);
  expect(status).toBe(200);
  expect(body.dialect).toBe('DuckDB');
  expect(body.tables.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'assessments',
    'datasets',
    'evaluation_items',
    'evaluation_scores',
    'evaluations',
    'finding_reviews',
    'findings',
    'inference_usage',
    'messages',
    'models',
    'optimization_candidates',
    'optimization_jobs',
    'optimization_proposals',
    'projects',
    'runtimes',
    'sessions',
    'spans',
    'task_sets',
    'traces',
    'training_checkpoints',
    'training_jobs',
    'training_metrics',
    'trials',
  ]);
  for (const { name, comment, columns } of body.tables) {
    expect(comment, name).toMatch(/\w/);
    for (const column of columns) {
      expect(Object.keys(column)).toEqual(['name', 'type', 'comment']);
      expect(column.comment, `${name}.${column.name}`).toMatch(/\w/);
    }
    // Every table can be queried completely, and has the documented columns.
    const { status: asked, body: response } = await ask(`SELECT * FROM ${name} LIMIT 1`);
    expect(asked, `${name}: ${JSON.stringify(response)}`).toBe(200);
    expect(response.columns).toEqual(
      columns.map(({ name: column, type }: { name: string; type: string }) => ({ name: column, type })),
    );
  }
});

test('a reader can run queries, and a key needs the scope', async () => {
  const reader = await server.addPerson('reader', {
    role: 'member',
    workspaceRole: 'reader',
    scopes: ['exports:read'],
  });
  expect((await ask('SELECT 1 AS one', {}, reader)).body.rows).toEqual([[1]]);
  const wrong = await server.addPerson('wrong', {
    role: 'member',
    scopes: ['exports:write', 'sessions:read'],
  });
  expect((await ask('SELECT 1 AS one', {}, wrong)).status).toBe(403);
});
