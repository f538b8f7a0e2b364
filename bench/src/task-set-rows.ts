/** Inserts hundreds of thousands of task sets directly into the tables. */
import type pg from 'pg';
import type { ListWorld } from './list-world.ts';

/** Number of public sets in every other organization. */
const PUBLIC_SETS = 10;
const TASKS = 500;
const PRECEDENCE = '0011.0010.0010~';

export interface Batch {
  readonly of: 'main' | 'others';
  /** The range of set numbers; those of other organizations are public while they are few. */
  readonly from: number;
  readonly to: number;
}

/** Rows per statement, since the statement timeout applies here too. */
const STEP = 100;

/** Sets of 5 members each, out of 500 tasks. */
export async function insertSets(world: ListWorld, { of, from, to }: Batch): Promise<void> {
  for (let first = from; first < to; first += STEP)
    await insertSome(world, { of, from: first, to: Math.min(first + STEP, to) });
  await addToCatalogue(world.pool);
  await settle(world.pool);
}

/** Makes this many sets of the other organizations public, the same number in each. */
export async function publishSets({ pool }: ListWorld, count: number): Promise<void> {
  await pool.query(
    `UPDATE task_sets AS s SET is_public = true FROM organizations AS o
      WHERE o.id = s.organization_id AND o.key <> 'main' AND NOT s.is_public
        AND substr(s.name, 5)::int < $1::int / (SELECT count(*) - 1 FROM organizations)`,
    [count],
  );
  await addToCatalogue(pool);
  await settle(pool);
}

const addToCatalogue = (pool: pg.Pool) =>
  pool.query(
    `INSERT INTO public_catalogue (kind, organization_id, id)
     SELECT 'task_set', organization_id, id FROM task_sets WHERE is_public ON CONFLICT DO NOTHING`,
  );

async function insertSome({ pool, scope }: ListWorld, { of, from, to }: Batch): Promise<void> {
  const bounds = [of === 'main', from, to - 1];
  await pool.query(
    `INSERT INTO task_sets (organization_id, id, name, description, source, tags, is_public, member_count, created_by,
                            created_at, updated_at, search_words)
     SELECT o.id, gen_random_uuid(), 'set-' || n, 'Tasks of level ' || n % 10 || ', taken from round ' || n,
            CASE WHEN n % 5 > 0 THEN 'source-' || n % 20 END, ARRAY['tag-' || n % 7, 'level-' || n % 10],
            o.key <> 'main' AND n < $4, 5, $5, now() - n * interval '1 minute',
            now() - n * 7919 % 100000 * interval '1 second',
            array_to_tsvector(ARRAY['set', 'tasks', 'of', 'level', 'taken', 'from', 'round', n::text, 'tag', 'source'])
       FROM organizations AS o, generate_series($2::int, $3::int) AS n
      WHERE (o.key = 'main') = $1`,
    [...bounds, PUBLIC_SETS, scope.principal.userId],
  );
  await pool.query(
    `INSERT INTO task_set_members (organization_id, task_set_id, position, task_name, local_name, task_version, precedence)
     SELECT s.organization_id, s.id, at, member.task, member.task, member.version,
            CASE WHEN member.version IS NOT NULL THEN $5 END
       FROM task_sets AS s JOIN organizations AS o ON o.id = s.organization_id,
            generate_series(0, 4) AS at,
            LATERAL (SELECT 'task-' || (substr(s.name, 5)::int * 5 + at * 101) % $4::int AS task,
                            CASE WHEN at % 2 = 0 THEN '1.0.0' END AS version) AS member
      WHERE (o.key = 'main') = $1 AND substr(s.name, 5)::int BETWEEN $2 AND $3`,
    [...bounds, TASKS, PRECEDENCE],
  );
}

/** Tasks for a large set to refer to, with one version each. */
export async function insertTasks({ pool, scope }: ListWorld, count: number): Promise<void> {
  const { organizationId, principal } = scope;
  await pool.query(
    `INSERT INTO artifacts (organization_id, id, kind, name, created_by, version_count, latest_version, latest_release)
     SELECT $1, gen_random_uuid(), 'task', 'task-' || n, $2, 1, '1.0.0', '1.0.0'
       FROM generate_series(0, $3::int - 1) AS n`,
    [organizationId, principal.userId, count],
  );
  await pool.query(
    `INSERT INTO artifact_versions (organization_id, id, artifact_id, version, precedence, is_prerelease, digest, manifest,
                                    details, file_count, file_size_bytes, created_by)
     SELECT organization_id, gen_random_uuid(), id, '1.0.0', $2, false, sha256(name::bytea), '{}', '{}', 1, 1, created_by
       FROM artifacts WHERE organization_id = $1`,
    [organizationId, PRECEDENCE],
  );
  await settle(pool);
}

/** Replaces autovacuum, which would run sooner or later. */
async function settle(pool: pg.Pool): Promise<void> {
  const tables = ['task_sets', 'task_set_members', 'public_catalogue', 'artifacts', 'artifact_versions'];
  for (const table of tables) await pool.query(`VACUUM (ANALYZE) ${table}`);
}
