/**
 * The cost of a query depends only on the rows it selects, not on rows of others or other times; and its first rows are returned
 * immediately.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../test/harness.ts';
import { addOrganization, findOrganizationId } from '../test/other-organization.ts';
import { addTraces, makeDays } from '../test/trace-rows.ts';
import { toSelect } from './platform/sql-tables/copy-statement.ts';
import { SETTINGS } from './platform/sql-tables/snapshot-connection.ts';
import type { SqlTable } from './platform/sql-tables/sql-table.ts';
import type { Condition } from './platform/sql-tables/table-need.ts';
import { SQL_TABLES } from './sql-tables.ts';

const DAYS = 20;
const TRACES = 400;
/** Number of foreign rows, in other workspaces and organizations, for each of the viewer's own. */
const OTHERS = 10;

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const sideId: string = (await server.as(owner).post('/org/main/ws', { key: 'side', name: 'Side' })).body.id;
const otherId = await addOrganization(server, owner, 'other');
const viewer = { organizationId, workspaceId, userId: owner.id, seesAllUsage: false, projectId: null };
const client = new pg.Client({ connectionString: server.url });

interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

async function add(place: Place, name: string, traces: number): Promise<void> {
  await addTraces(db, {
    ...place,
    name,
    traces,
    spans: 4,
    day: '2026-01-01',
    days: DAYS,
    withSessions: true,
  });
  await sql`
    INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, search_text)
    SELECT s.organization_id, s.id, n, s.workspace_id, 'm' || n, 'user', repeat('x', 300), ''
      FROM sessions AS s, generate_series(1, 20) AS n
     WHERE s.organization_id = ${place.organizationId} AND s.workspace_id = ${place.workspaceId}`.execute(db);
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
    SELECT ${place.organizationId}::uuid, gen_random_uuid(), ${place.workspaceId}::uuid, ${place.userId}::uuid, 'm', 'user', 'private'
      FROM generate_series(1, ${traces}::integer)`.execute(db);
  await sql`
    UPDATE sessions AS s SET last_seq = 20, updated_at = '2026-01-01'::timestamptz + (hashtext(s.id::text) & 1023) * interval '28 minutes'
     WHERE s.organization_id = ${place.organizationId} AND s.workspace_id = ${place.workspaceId}`.execute(db);
  const at = sql`'2026-01-01'::timestamptz + n * ${`${DAYS} days`}::interval / ${traces}::integer`;
  await sql`
    WITH made AS (SELECT n, ${at} AS at, gen_random_uuid() AS id FROM generate_series(1, ${traces}::integer) AS n),
    calls AS (
      INSERT INTO inference_calls (organization_id, id, user_id, model, is_streamed, status, is_estimated, started_at, duration_ms)
      SELECT ${place.organizationId}, id, ${place.userId}, 'm', false, 'completed', false, at, 1 FROM made),
    usage AS (
      INSERT INTO usage_events (organization_id, source, external_id, user_id, kind, item, occurred_at)
      SELECT ${place.organizationId}, 'gateway', id::text, ${place.userId}, 'inference', 'm', at FROM made)
    INSERT INTO span_usage (organization_id, user_id, start_time, trace_id, span_id)
    SELECT ${place.organizationId}, ${place.userId}, at, decode(md5(${name} || n), 'hex'), '\\x0000000000000001' FROM made`.execute(
    db,
  );
}

/** Columns of a session that need look-ups per row, such as its user, are left out. */
const OWN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['id', 'title', 'model', 'updated_at', 'total_cost_usd', 'labels'],
};

/** Columns that are read from the rows themselves. */
const SOME_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  ...OWN_COLUMNS,
  inference_usage: ['model', 'occurred_at', 'cost_usd'],
};

const tableOf = (name: string) => SQL_TABLES.find((table) => table.name === name) as SqlTable;

interface Plan {
  readonly blocks: number;
  readonly rows: number;
  readonly firstRowMs: number;
  readonly text: string;
}

async function explain(
  name: string,
  condition: Condition | null,
  columns?: readonly string[],
): Promise<Plan> {
  const table = tableOf(name);
  const wanted = columns ?? OWN_COLUMNS[name] ?? table.columns.map((column) => column.name);
  const need = { table: name, columns: wanted, condition };
  const statement = toSelect(table, need, viewer);
  // Runs once before, so that the one-time cost of a table's first read is not counted.
  await client.query(statement);
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`);
  const { Plan: plan } = rows[0]['QUERY PLAN'][0];
  return {
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    rows: plan['Actual Rows'],
    firstRowMs: plan['Actual Startup Time'],
    text: JSON.stringify(plan, null, 1),
  };
}

const between = (column: string, from: string, to: string): Condition => ({
  all: [
    { column, is: '>=', value: `${from} 00:00:00+00` },
    { column, is: '<', value: `${to} 00:00:00+00` },
  ],
});

const MOMENTS: Readonly<Record<string, string>> = {
  sessions: 'updated_at',
  traces: 'start_time',
  spans: 'start_time',
  inference_usage: 'occurred_at',
};
const LARGE = ['sessions', 'messages', 'traces', 'spans', 'inference_usage'];
const aDay = (name: string) => between(MOMENTS[name] ?? '', '2026-01-10', '2026-01-11');

/** Plans name the table after the operation on it. */
const PASSED_OVER =
  /"Seq Scan",[^{}]*?"Relation Name": "(sessions|session_messages|sender_parts|spans_2\d+|inference_calls|usage_events|span_usage)"/;

const READS: readonly (readonly [string, Condition | null])[] = [
  ...LARGE.map((name) => [name, null] as const),
  ...Object.keys(MOMENTS).map((name) => [name, aDay(name)] as const),
];

const readAll = async () =>
  new Map(
    await Promise.all(
      READS.map(
        async ([name, condition]) =>
          [`${name} ${condition ? 'of a day' : ''}`, await explain(name, condition)] as const,
      ),
    ),
  );

/** Plans before other organizations have any rows. */
let alone: ReadonlyMap<string, Plan>;

beforeAll(async () => {
  await client.connect();
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`SET ${name} = ${value}`);
  await makeDays(db, '2026-01-01', DAYS);
  await add({ organizationId, workspaceId, userId: owner.id }, 'mine', TRACES);
  await client.query('ANALYZE');
  alone = await readAll();
  await add({ organizationId, workspaceId: sideId, userId: mia.id }, 'side', TRACES * OTHERS);
  const { rows } = await sql<{ id: string }>`
    SELECT w.id FROM workspaces AS w WHERE w.organization_id = ${otherId}`.execute(db);
  await add(
    { organizationId: otherId, workspaceId: rows[0]?.id ?? '', userId: mia.id },
    'other',
    TRACES * OTHERS,
  );
}, 120_000);

afterAll(() => client.end());

describe.each([false, true])('plans after foreign rows were added and analyzed: %s', (isAnalyzed) => {
  beforeAll(async () => {
    if (isAnalyzed) await client.query('ANALYZE');
  });

  test('foreign rows add no cost', async () => {
    for (const [name, { blocks, rows, text }] of await readAll()) {
      const before = alone.get(name) as Plan;
      expect(rows, name).toBe(before.rows);
      expect(blocks, `${name}\n${text}`).toBeLessThan(before.blocks * 1.5 + 50);
      expect(text).not.toMatch(PASSED_OVER);
    }
  });

  test('a query for one day reads only the rows of that day', async () => {
    for (const name of ['sessions', 'traces', 'inference_usage']) {
      const { rows, blocks, text } = await explain(name, aDay(name), SOME_COLUMNS[name]);
      expect(rows, name).toBeGreaterThan(0);
      expect(blocks, `${name}\n${text}`).toBeLessThan(15 * rows + 20);
    }
    expect((await explain('traces', aDay('traces'))).text).toContain('sender_parts_first_start');
    // Traces without a span on the day are checked only, and no other day is read.
    const { text } = await explain('spans', aDay('spans'));
    expect(new Set(text.match(/spans_2\d+/g))).toEqual(new Set(['spans_20260110', 'spans_20260111']));
  });

  test('a session or a trace is found by an index look-up', async () => {
    const [session] = (
      await client.query(
        'SELECT session_id, trace_id FROM sender_parts WHERE workspace_id = $1 AND session_id IS NOT NULL LIMIT 1',
        [workspaceId],
      )
    ).rows;
    const all = await explain('spans', null);
    const ofSession = await explain('spans', { column: 'session_id', is: '=', value: session.session_id });
    const ofTrace = await explain('spans', {
      column: 'trace_id',
      is: '=',
      value: session.trace_id.toString('hex'),
    });
    expect([ofSession.rows, ofTrace.rows]).toEqual([20, 4]);
    for (const { blocks, text } of [ofSession, ofTrace]) expect(blocks, text).toBeLessThan(all.blocks / 10);
  });

  test('columns that are not selected are not read', async () => {
    const [all, few] = [await explain('traces', null), await explain('traces', null, ['trace_id'])];
    expect(few.blocks).toBeLessThanOrEqual(all.blocks);
    expect((await explain('sessions', null, ['title'])).text).not.toMatch(
      /"(users|projects|session_groups)"/,
    );
    expect((await explain('spans', null, ['name'])).text).not.toContain('"span_sources"');
    expect((await explain('inference_usage', null, ['model'])).text).not.toMatch(/"users"/);
  });

  test('the first row is returned before the last is read', async () => {
    for (const name of LARGE) {
      const plans = [await explain(name, null), await explain(name, null), await explain(name, null)];
      const fastest = Math.min(...plans.map(({ firstRowMs }) => firstRowMs));
      expect(fastest, `${name}\n${plans[0]?.text}`).toBeLessThan(20);
    }
  });
});
