/** Inserts hundreds of thousands of models directly into the tables. */
import type pg from 'pg';
import type { ListWorld } from './list-world.ts';

/** Number of public models in every other organization. */
const PUBLIC_MODELS = 20;

export interface Batch {
  readonly of: 'main' | 'others';
  /** The range of model numbers in each organization; those of other organizations are public while they are few. */
  readonly from: number;
  readonly to: number;
}

/** One version each, and every tenth with an alias. */
export async function insertModels({ pool, scope }: ListWorld, { of, from, to }: Batch): Promise<void> {
  const range = [of === 'main', from, to - 1];
  await pool.query(
    `INSERT INTO artifacts (organization_id, id, kind, name, is_public, created_by, created_at, updated_at, version_count,
                            latest_id, latest_version, latest_release, latest_created_at, summary, tags, license,
                            task_categories, framework, size_category, file_size_bytes, search_text)
     SELECT o.id, made.id, 'model', 'model-' || n, o.key <> 'main' AND n < $4, $5, made.at, made.at, 1,
            made.id, '1.0.0', '1.0.0', made.at, made.summary, ARRAY['tag-' || n % 7, 'size-' || n % 10],
            'license-' || n % 5, ARRAY['category-' || n % 11], CASE WHEN n % 3 > 0 THEN 'gguf' END, 'size-' || n % 4,
            n * 7919 % 100003 * 1000, lower(made.summary)
       FROM organizations AS o, generate_series($2::int, $3::int) AS n,
            LATERAL (SELECT gen_random_uuid() AS id, now() - n * interval '1 minute' AS at,
                            'Model number ' || n || ', tuned on round ' || n % 100 || ' of what was collected' AS summary)
              AS made
      WHERE (o.key = 'main') = $1`,
    [...range, PUBLIC_MODELS, scope.principal.userId],
  );
  // Otherwise the foreign key checks keep the plans of an empty table.
  await settle(pool);
  await pool.query(
    `INSERT INTO artifact_versions (organization_id, id, artifact_id, version, precedence, is_prerelease, digest, manifest,
                                    details, file_count, file_size_bytes, created_by)
     SELECT a.organization_id, a.id, a.id, '1.0.0', '0011.0010.0010~', false, sha256(a.name::bytea),
            jsonb_build_object('architecture', 'transformer', 'origin', jsonb_build_object('run', a.name)),
            jsonb_build_object('listing', jsonb_build_object('summary', a.summary, 'tags', a.tags, 'license', a.license)),
            3, a.file_size_bytes, a.created_by
       FROM artifacts AS a JOIN organizations AS o ON o.id = a.organization_id
      WHERE (o.key = 'main') = $1 AND substr(a.name, 7)::int BETWEEN $2 AND $3`,
    range,
  );
  await pool.query(
    `INSERT INTO artifact_aliases (organization_id, artifact_id, alias, version_id)
     SELECT organization_id, id, 'production', id FROM artifacts WHERE name LIKE '%0' ON CONFLICT DO NOTHING`,
  );
  await addToCatalogue(pool);
  await settle(pool);
}

/** Makes this many models of the other organizations public, the same number in each. */
export async function publishModels({ pool }: ListWorld, count: number): Promise<void> {
  await pool.query(
    `UPDATE artifacts AS a SET is_public = true FROM organizations AS o
      WHERE o.id = a.organization_id AND o.key <> 'main' AND NOT a.is_public
        AND substr(a.name, 7)::int < $1::int / (SELECT count(*) - 1 FROM organizations)`,
    [count],
  );
  await addToCatalogue(pool);
  await settle(pool);
}

const addToCatalogue = (pool: pg.Pool) =>
  pool.query(
    `INSERT INTO public_catalogue (kind, organization_id, id)
     SELECT 'model', organization_id, id FROM artifacts WHERE is_public ON CONFLICT DO NOTHING`,
  );

/** Replaces autovacuum, which would run sooner or later. */
async function settle(pool: pg.Pool): Promise<void> {
  for (const table of ['artifacts', 'artifact_versions', 'artifact_aliases', 'public_catalogue'])
    await pool.query(`VACUUM (ANALYZE) ${table}`);
}
