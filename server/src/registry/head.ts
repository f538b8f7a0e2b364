/** Updates the columns of an artifact that lists read, under the lock of its row, in the transaction of the change. */
import { sql } from 'kysely';
import { NEXT_CHANGE } from '../platform/db/change-time.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { foldCase } from '../platform/letter-case.ts';
import { setInCatalogue } from './catalogue.ts';
import type { Kind } from './kinds.ts';

/** Called after a version was added or deleted, or the visibility changed. The row of the artifact must be locked. */
export async function refreshArtifact(trx: Trx, organizationId: string, artifactId: string): Promise<void> {
  const { kind, summary, is_public, version_count } = await takeOverLatest(trx, organizationId, artifactId);
  await trx
    .updateTable('artifacts')
    .set({ search_text: foldCase(summary ?? '') })
    .where('organization_id', '=', organizationId)
    .where('id', '=', artifactId)
    .execute();
  const entry = { kind, organization_id: organizationId, id: artifactId };
  await setInCatalogue(trx, entry, is_public && version_count > 0);
}

interface Head {
  readonly kind: Kind;
  readonly summary: string | null;
  readonly is_public: boolean;
  readonly version_count: number;
}

async function takeOverLatest(trx: Trx, organizationId: string, artifactId: string): Promise<Head> {
  const { rows } = await sql<Head>`
    WITH versions AS (
      SELECT id, is_prerelease, precedence FROM artifact_versions
       WHERE organization_id = ${organizationId} AND artifact_id = ${artifactId} AND deleted_at IS NULL
    ),
    -- What is large is read of this one only.
    latest AS (
      SELECT id, version, is_prerelease, created_by, created_at, file_size_bytes, details -> 'listing' AS listing
        FROM artifact_versions
       WHERE organization_id = ${organizationId}
         AND id = (SELECT id FROM versions ORDER BY is_prerelease, precedence DESC LIMIT 1)
    )
    UPDATE artifacts AS a
       SET updated_at = ${NEXT_CHANGE},
           -- What has lost all versions begins anew: private, and of who publishes next.
           is_public = a.is_public AND latest.id IS NOT NULL,
           created_by = CASE WHEN a.version_count = 0 THEN coalesce(latest.created_by, a.created_by) ELSE a.created_by END,
           version_count = (SELECT count(*) FROM versions),
           latest_id = latest.id,
           latest_version = latest.version,
           latest_release = CASE WHEN latest.is_prerelease THEN NULL ELSE latest.version END,
           latest_created_at = latest.created_at,
           file_size_bytes = coalesce(latest.file_size_bytes, 0),
           summary = latest.listing ->> 'summary',
           tags = ${textsOf('tags')},
           license = latest.listing ->> 'license',
           task_categories = ${textsOf('task_categories')},
           framework = latest.listing ->> 'framework',
           size_category = latest.listing ->> 'size_category',
           difficulty = latest.listing ->> 'difficulty',
           source = latest.listing ->> 'source'
      FROM (SELECT) AS always LEFT JOIN latest ON true
     WHERE a.organization_id = ${organizationId} AND a.id = ${artifactId}
    RETURNING a.kind, a.is_public, a.version_count, a.summary
  `.execute(trx);
  const [artifact] = rows;
  if (!artifact) throw new Error(`there is no artifact ${artifactId}`);
  return artifact;
}

const textsOf = (name: string) => sql`
  CASE jsonb_typeof(latest.listing -> ${name})
    WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(latest.listing -> ${name})) END`;
