/** Inserts millions of messages directly into the tables, in shared sessions of the workspace `main`. */
import type pg from 'pg';
import { count as figure } from './figures.ts';

export const MESSAGES_PER_SESSION = 1_000;
const SESSIONS_AT_ONCE = 100;

/** Columns that are stored unchanged, by the names that PostgreSQL and the SQL table share. */
export const EXPORTED_COLUMNS: readonly { readonly name: string; readonly type: string }[] = [
  { name: 'session_id', type: 'UUID' },
  { name: 'seq', type: 'INTEGER' },
  { name: 'id', type: 'VARCHAR' },
  { name: 'parent_id', type: 'VARCHAR' },
  { name: 'role', type: 'VARCHAR' },
  { name: 'content', type: 'VARCHAR' },
  { name: 'tool_calls', type: 'JSON' },
  { name: 'tool_call_count', type: 'INTEGER' },
  { name: 'tool_call_id', type: 'VARCHAR' },
  { name: 'model', type: 'VARCHAR' },
  { name: 'metadata', type: 'JSON' },
  { name: 'input_tokens', type: 'BIGINT' },
  { name: 'output_tokens', type: 'BIGINT' },
  { name: 'cache_read_input_tokens', type: 'BIGINT' },
  { name: 'cache_creation_input_tokens', type: 'BIGINT' },
  { name: 'cost_usd', type: 'DECIMAL(38,18)' },
  { name: 'created_at', type: 'TIMESTAMP WITH TIME ZONE' },
];

/** @param from number of existing messages; both are multiples of a session's number */
export async function insertMessageRows(
  pool: pg.Pool,
  place: readonly [organizationId: string, workspaceId: string],
  from: number,
  to: number,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    // Each message belongs to a session that was just created, and checking the foreign key takes most of the time.
    await client.query('ALTER TABLE session_messages DROP CONSTRAINT session_messages_session_fkey');
    const last = to / MESSAGES_PER_SESSION;
    for (let first = from / MESSAGES_PER_SESSION; first < last; first += SESSIONS_AT_ONCE) {
      const until = Math.min(last, first + SESSIONS_AT_ONCE);
      await client.query(INSERT_SESSIONS, [...place, first, until - 1, MESSAGES_PER_SESSION]);
      await client.query(INSERT_MESSAGES, [...place, first, until - 1, MESSAGES_PER_SESSION]);
      if (until % 1_000 === 0) console.log(`${figure(until * MESSAGES_PER_SESSION)} messages`);
    }
    await client.query(
      `ALTER TABLE session_messages ADD CONSTRAINT session_messages_session_fkey FOREIGN KEY (organization_id, session_id)
         REFERENCES sessions (organization_id, id) ON DELETE CASCADE NOT VALID`,
    );
    // Replaces autovacuum, which would run sooner or later.
    for (const table of ['sessions', 'session_messages']) await client.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await client.query('RESET ALL');
    client.release();
  }
}

const INSERT_SESSIONS = `
  INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, title, last_seq)
  SELECT $1::uuid, md5('session ' || s)::uuid, $2::uuid, (SELECT id FROM users WHERE username = 'owner'), 'acme/large', 'user',
         'workspace', 'Session ' || s, $5::int
    FROM generate_series($3::int, $4::int) AS s`;

const INSERT_MESSAGES = `
  INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, tool_calls, tool_call_count,
    tool_call_id, model, metadata, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd,
    search_text)
  SELECT $1::uuid, md5('session ' || s)::uuid, n, $2::uuid, 'message-' || n,
         (ARRAY['user', 'assistant', 'tool'])[1 + n % 3],
         'Message ' || n || ' of session ' || s || ' says ' || md5(s || ' ' || n) || ', "quoted", and goes on – ünïcode.',
         CASE WHEN n % 3 = 1 THEN '[{"id":"c","name":"bash","arguments":"{\\"cmd\\":\\"ls\\"}"}]'::json END,
         CASE WHEN n % 3 = 1 THEN 1 ELSE 0 END,
         CASE WHEN n % 3 = 2 THEN 'c' END, CASE WHEN n % 3 = 1 THEN 'acme/large' END,
         CASE WHEN n % 10 = 0 THEN '{"note":"kept"}'::json END,
         CASE WHEN n % 3 = 1 THEN 400 + n END, CASE WHEN n % 3 = 1 THEN n % 97 END, CASE WHEN n % 3 = 1 THEN 300 END,
         CASE WHEN n % 3 = 1 THEN 0 END, CASE WHEN n % 3 = 1 THEN 0.000123 * (n % 50) END, ''
    FROM generate_series($3::int, $4::int) AS s CROSS JOIN generate_series(1, $5::int) AS n`;
