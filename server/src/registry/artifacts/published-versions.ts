/** Lists the versions of an artifact in order of publication, and the changes between them. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { shownName } from '../installed.ts';
import { type Kind, titleOf } from '../kinds.ts';
import { parsePlace } from '../references.ts';
import { resolveReferences } from '../resolve.ts';
import type { Viewer } from '../visibility.ts';

export interface PublishedVersion {
  readonly id: string;
  readonly version: string;
  readonly is_prerelease: boolean;
  readonly description: string | null;
  readonly created_at: string;
  /** Id of the previously published version that is not deleted. */
  readonly previousId: string | null;
}

export interface PublishedVersions {
  readonly ownerId: string;
  /** `name`, or `owner/name` if it belongs to another organization. */
  readonly name: string;
  readonly versions: readonly PublishedVersion[];
  readonly total: number;
}

/**
 * Lists versions, the most recently published first.
 * @param given `name`, or `org/name`
 * @throws {ApiError} `not_found_error` for an artifact that the viewer cannot see
 */
export async function listPublishedVersions(
  db: Db,
  viewer: Viewer,
  kind: Kind,
  given: string,
  { page, page_size }: { readonly page: number; readonly page_size: number },
): Promise<PublishedVersions> {
  const place = parsePlace(given);
  const [found] = place ? await resolveReferences(db, viewer, kind, [{ ...place, version: undefined }]) : [];
  const { owner_id: ownerId = null, artifact_id: artifactId = null } = found ?? {};
  if (!place || ownerId === null || artifactId === null) throw notFound(`${titleOf(kind)} "${given}"`);
  const isShown = sql<boolean>`v.organization_id = ${ownerId} AND v.artifact_id = ${artifactId} AND v.deleted_at IS NULL`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM artifact_versions AS v WHERE ${isShown}`.execute(db);
  // Reads one row beyond the page, with which the last one of the page is compared.
  const { rows } = await sql<Omit<PublishedVersion, 'previousId'>>`
    SELECT v.id, v.version, v.is_prerelease, v.details ->> 'description' AS description, v.created_at
      FROM artifact_versions AS v WHERE ${isShown}
     ORDER BY v.created_at DESC, v.id DESC LIMIT ${page_size + 1} OFFSET ${(page - 1) * page_size}`.execute(
    db,
  );
  const versions = rows
    .slice(0, page_size)
    .map((row, index) => Object.assign(row, { previousId: rows[index + 1]?.id ?? null }));
  return { ownerId, name: shownName(viewer, ownerId, place), versions, total: counted[0]?.total ?? 0 };
}

/** A version and the candidates to compare it with; the first candidate that still has its files is used. */
export interface Comparison {
  readonly ownerId: string;
  readonly versionId: string;
  readonly bases: readonly { readonly ownerId: string; readonly versionId: string }[];
}

export interface ChangedFiles {
  readonly versionId: string;
  readonly count: number;
  /** The first 100 paths of new, changed and removed files. */
  readonly paths: readonly string[];
}

const MAX_PATHS = 100;

/** Leaves out versions without a base or without changes. */
export async function listChangedFiles(db: Db, comparisons: readonly Comparison[]): Promise<ChangedFiles[]> {
  const pairs = comparisons.flatMap(({ ownerId, versionId, bases }) =>
    bases.map((base, rank) => ({ ownerId, versionId, base, rank })),
  );
  const { rows } = await sql<ChangedFiles>`
    WITH pairs AS (
      SELECT DISTINCT ON (p.version_id) p.owner_id, p.version_id, p.base_owner_id, p.base_id
        FROM unnest(${pairs.map(({ ownerId }) => ownerId)}::uuid[], ${pairs.map(({ versionId }) => versionId)}::uuid[],
                    ${pairs.map(({ base }) => base.ownerId)}::uuid[], ${pairs.map(({ base }) => base.versionId)}::uuid[],
                    ${pairs.map(({ rank }) => rank)}::integer[]) AS p (owner_id, version_id, base_owner_id, base_id, rank)
       WHERE EXISTS (SELECT FROM artifact_files AS f WHERE f.organization_id = p.base_owner_id AND f.version_id = p.base_id)
       ORDER BY p.version_id, p.rank)
    SELECT p.version_id AS "versionId", count(*) AS count, (array_agg(c.path ORDER BY c.path))[1:${sql.lit(MAX_PATHS)}] AS paths
      FROM pairs AS p
     CROSS JOIN LATERAL (
        SELECT path FROM (
          SELECT f.path, f.sha256 FROM artifact_files AS f
           WHERE f.organization_id = p.owner_id AND f.version_id = p.version_id) AS new
          FULL JOIN (
          SELECT f.path, f.sha256 FROM artifact_files AS f
           WHERE f.organization_id = p.base_owner_id AND f.version_id = p.base_id) AS old USING (path)
         WHERE new.sha256 IS DISTINCT FROM old.sha256) AS c
     GROUP BY p.version_id`.execute(db);
  return rows;
}
