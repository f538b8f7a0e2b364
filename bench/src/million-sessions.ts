/** Inserts millions of sessions of one workspace directly into the tables. */
import type pg from 'pg';

const USERS = 50;
const PROJECTS = 10;
const BATCH = 100_000;

interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** The sessions have 50 users, 40 models, 30 agents, 6 origins, and 20 label keys with 10 values each, 2 per session on average. */
export async function insertSessions(
  pool: pg.Pool,
  { organizationId, workspaceId }: Place,
  { count, groups = 2_000 }: { readonly count: number; readonly groups?: number },
): Promise<void> {
  const place = [organizationId, workspaceId];
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(
      `INSERT INTO users (id, username, email_address)
       SELECT gen_random_uuid(), 'user-' || n, 'user-' || n || '@example.com' FROM generate_series(1, $1::int - 1) AS n
       ON CONFLICT DO NOTHING`,
      [USERS],
    );
    await client.query(
      `INSERT INTO projects (organization_id, id, workspace_id, key, name, created_by)
       SELECT $1, gen_random_uuid(), $2, 'project-' || n, 'Project ' || n, (SELECT id FROM users WHERE username = 'owner')
         FROM generate_series(1, $3::int) AS n`,
      [...place, PROJECTS],
    );
    await client.query(
      `INSERT INTO session_groups (organization_id, id, workspace_id, kind, status, created_by)
       SELECT $1, gen_random_uuid(), $2, (ARRAY['worker_run', 'evaluation_item', 'workflow'])[1 + n % 3],
              (ARRAY['running', 'completed', 'failed', 'cancelled', NULL])[1 + n % 5],
              (SELECT id FROM users WHERE username = 'owner')
         FROM generate_series(1, $3::int) AS n`,
      [...place, groups],
    );
    for (let from = 0; from < count; from += BATCH) {
      await client.query(INSERT_SESSIONS, [...place, from, Math.min(count, from + BATCH) - 1]);
      console.log(`${Math.min(count, from + BATCH)} sessions`);
    }
    // Replaces autovacuum, which would run sooner or later.
    for (const table of ['sessions', 'session_groups', 'users', 'projects'])
      await client.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await client.query('RESET statement_timeout');
    client.release();
  }
}

/** Four of five have a user, as many are shared, every tenth is archived; a hash of the number decides. */
const INSERT_SESSIONS = `
  WITH u AS (SELECT array_agg(id ORDER BY id) AS ids FROM users),
       p AS (SELECT array_agg(id ORDER BY id) AS ids FROM projects WHERE organization_id = $1 AND workspace_id = $2 AND key LIKE 'project-%'),
       g AS (SELECT array_agg(id ORDER BY id) AS ids FROM session_groups WHERE organization_id = $1 AND workspace_id = $2)
  INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, agent, title, origin, visibility, labels, group_id,
                        project_id, archived_at, frozen_at, frozen_by, claimed_message_count, last_message_at, preview_text,
                        search_text, created_at, updated_at)
  SELECT $1, gen_random_uuid(), $2, u.ids[1 + h[1] % array_length(u.ids, 1)], 'provider/model-' || h[2] % 40,
         CASE WHEN h[3] % 10 > 0 THEN 'agent-' || h[3] % 30 END, made.title,
         CASE WHEN h[4] % 5 > 0 THEN 'user' ELSE (ARRAY['worker', 'eval', 'optimization', 'training', 'world'])[1 + h[5] % 5] END,
         CASE WHEN h[6] % 5 > 0 THEN 'workspace' ELSE 'private' END,
         CASE h[7] % 5
           WHEN 0 THEN '{}'
           WHEN 1 THEN jsonb_build_object('key-' || h[8] % 20, jsonb_build_array('value-' || h[9] % 10))
           WHEN 2 THEN jsonb_build_object('key-' || h[8] % 20, jsonb_build_array('value-' || h[9] % 10, 'value-' || (h[9] + 1) % 10))
           ELSE jsonb_build_object('key-' || h[8] % 20, jsonb_build_array('value-' || h[9] % 10),
                                   'key-' || (h[8] + 1 + h[10] % 19) % 20, jsonb_build_array('value-' || h[11] % 10),
                                   'key-' || (h[8] + 1 + (h[10] + 1) % 19) % 20, jsonb_build_array('value-' || h[12] % 10))
         END,
         CASE WHEN h[13] % 5 = 0 THEN g.ids[1 + h[14] % array_length(g.ids, 1)] END,
         CASE WHEN h[15] % 2 = 0 THEN p.ids[1 + h[16] % array_length(p.ids, 1)] END,
         CASE WHEN h[17] % 10 = 0 THEN made.at END, CASE WHEN h[18] % 20 = 0 THEN made.at END,
         CASE WHEN h[18] % 20 = 0 THEN 'user' END, h[19] % 200, made.at, made.preview,
         lower(made.title) || U&'\\FFFF' || lower(made.preview), made.at, made.at
    FROM u, p, g, generate_series($3::int, $4::int) AS n,
         LATERAL (SELECT array_agg(hashint4(n * 32 + k) & 2147483647 ORDER BY k) AS h FROM generate_series(1, 20) AS k) AS hash,
         LATERAL (SELECT now() - n * interval '1 second' AS at,
                         'Session ' || n || ': repair of module ' || h[20] % 5000 AS title,
                         'Please look at ticket ' || h[19] % 90000 || ', the build of branch feature-' || h[20] % 700
                           || ' fails since yesterday with error ' || h[18] % 300 || ' in the nightly run' AS preview) AS made`;
