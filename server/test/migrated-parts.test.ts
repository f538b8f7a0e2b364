/** The migration that adds senders to parts of traces keeps what lists show, and accepts what a server of the previous version writes. */
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { createDatabase } from './databases.ts';
import { auditParts } from './trace-audit.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-7000-8000-000000000000`;
const [ORG, WORKSPACE, ANA, BEN, PROJECT, SOURCE] = ['1', '2', '3', '4', '5', '6'].map(id);
const [OF_ANA, OF_BEN, DELETED, UNKNOWN] = ['a', 'b', 'c', 'd'].map(id);
const TRACES = ['01', '02', '03'].map((digits) => digits.repeat(16));

interface Row {
  readonly trace: number;
  readonly user: string;
  readonly session?: string | undefined;
  readonly project?: string | undefined;
  readonly second: number;
}

const ROWS: readonly Row[] = [
  { trace: 0, user: ANA as string, session: OF_ANA, second: 1 },
  { trace: 0, user: BEN as string, session: OF_ANA, second: 0 },
  { trace: 0, user: BEN as string, second: 2 },
  { trace: 0, user: ANA as string, second: 3, project: PROJECT },
  { trace: 0, user: ANA as string, second: 86_400 * 3 },
  { trace: 1, user: BEN as string, session: DELETED, second: 4 },
  { trace: 1, user: ANA as string, session: DELETED, second: 5 },
  { trace: 1, user: ANA as string, session: UNKNOWN, second: 6 },
  { trace: 1, user: BEN as string, session: OF_BEN, second: 7 },
];

/** Stores everything that a server of the previous version stores of a span. */
async function store(client: pg.Client, rows: readonly Row[]): Promise<void> {
  for (const { trace, user, session = null, project = null, second } of rows) {
    const start = new Date(Date.parse('2026-01-10T00:00:00Z') + second * 1_000).toISOString();
    const span = Buffer.from(String(second).padStart(16, '0'), 'hex');
    const key = [ORG, WORKSPACE, Buffer.from(TRACES[trace] as string, 'hex'), session, project, start, span];
    await client.query(
      `WITH stored AS (
         INSERT INTO spans (organization_id, workspace_id, trace_id, session_id, project_id, start_time, span_id, user_id, start_ns,
           end_time, end_ns, source_id, name, kind, status_code, flags, attributes, dropped_attributes_count, dropped_events_count,
           dropped_links_count, span_type, model, input_tokens, output_tokens, search_text, size_bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $6, 0, $9, 'n', 1, 2, 0, '{}', 0, 0, 0, 'llm', 'm', 3, 4, '', 1))
       INSERT INTO trace_parts AS p (organization_id, workspace_id, trace_id, session_id, project_id, session_was_known, span_count,
         error_count, span_types, models, first_start, last_start, last_end, input_tokens, output_tokens, cache_read_input_tokens,
         cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent, root_start, root_span_id, root_name,
         root_service_name)
       VALUES ($1, $2, $3, $4, $5, $4 IS NOT NULL AND $4 <> $10, 1, 1, 2, '{m}', $6, $6, $6, 3, 4, 0, 0, 0, 1, false, $6, $7, 'n', 'shop')
       ON CONFLICT (organization_id, workspace_id, trace_id, session_id, project_id) DO UPDATE SET
         span_count = p.span_count + 1, error_count = p.error_count + 1, unpriced_count = p.unpriced_count + 1,
         input_tokens = p.input_tokens + 3, output_tokens = p.output_tokens + 4,
         first_start = least(p.first_start, excluded.first_start), last_start = greatest(p.last_start, excluded.last_start),
         last_end = greatest(p.last_end, excluded.last_end)`,
      [...key, user, SOURCE, UNKNOWN],
    );
  }
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO organizations (id, key, name) VALUES ($1, 'main', 'main')`, [ORG]);
  for (const [user, name] of [
    [ANA, 'ana'],
    [BEN, 'ben'],
  ])
    await client.query('INSERT INTO users (id, username, email_address) VALUES ($1, $2, $3)', [
      user,
      name,
      `${name}@x.test`,
    ]);
  await client.query(
    `INSERT INTO workspaces (organization_id, id, key, name, created_by) VALUES ($1, $2, 'main', 'main', $3)`,
    [ORG, WORKSPACE, ANA],
  );
  await client.query(
    `INSERT INTO span_sources (organization_id, id, service_name, resource, scope) VALUES ($1, $2, 'shop', '{}', '{}')`,
    [ORG, SOURCE],
  );
  for (const [session, user] of [
    [OF_ANA, ANA],
    [OF_BEN, BEN],
    [DELETED, BEN],
  ])
    await client.query(
      `INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
       VALUES ($1, $2, $3, $4, 'm', 'user', 'private')`,
      [ORG, session, WORKSPACE, user],
    );
}

test('migrate sets the users of parts of traces and of deleted sessions', async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  onTestFinished(() => database.drop());
  const { url } = database;
  const log = createLog('fatal');
  await migrate({ url, log, upTo: 17 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await prepare(client);
  await store(client, ROWS);
  await client.query('DELETE FROM sessions WHERE id = $1', [DELETED]);
  await client.query(
    `INSERT INTO audit_log (organization_id, id, action, resource, before, created_at)
     VALUES ($1, $2, 'session.deleted', $3, $4, now())`,
    [ORG, id('e'), `sessions/${DELETED}`, { user_id: BEN }],
  );

  await migrate({ url, log });
  const read = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows;
  expect(await read('SELECT session_id, user_id FROM session_deletions')).toEqual([[DELETED, BEN]]);
  expect(await auditParts(url)).toBe(9);
  const known = 'SELECT session_id, user_id FROM sender_parts WHERE session_was_known ORDER BY 1, 2';
  expect(await read(known)).toEqual([
    [OF_ANA, ANA],
    [OF_BEN, BEN],
    [DELETED, BEN],
  ]);

  // A server of the previous version keeps writing into existing and new parts, and reads all of them.
  const more = ROWS.map((row) => Object.assign({}, row, { second: row.second + 10 }));
  await store(client, [...more, { trace: 2, user: BEN as string, second: 30 }]);
  expect(await auditParts(url)).toBe(10);
  expect(await read('SELECT count(*) FROM ONLY trace_parts')).toEqual([['0']]);
  expect(await read('SELECT sum(span_count) FROM trace_parts')).toEqual([['19']]);
  await client.query('DELETE FROM sessions WHERE id = $1', [OF_ANA]);
  expect(await read('SELECT session_id, user_id FROM session_deletions ORDER BY 1')).toEqual([
    [OF_ANA, ANA],
    [DELETED, BEN],
  ]);
});
