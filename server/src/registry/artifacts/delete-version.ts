/** Deletes a version: its number stays taken, everything else is removed, and unused content is left to a cleanup job. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { refreshArtifact } from '../head.ts';
import { type Kind, PLURALS } from '../kinds.ts';
import { precedenceOf } from '../version.ts';
import { noVersion } from './find-version.ts';
import { lockArtifact, requireCreator } from './lock.ts';

export async function deleteVersion(
  db: Db,
  scope: OrgScope,
  kind: Kind,
  place: string,
  version: string,
): Promise<void> {
  const { organizationId } = scope;
  await transactionFor(db, scope, async (trx) => {
    const artifact = await lockArtifact(trx, scope, kind, place);
    const { name, is_public, version_count } = artifact;
    const found = await trx
      .selectFrom('artifact_versions')
      .select(['id', 'version', 'digest'])
      .where('organization_id', '=', organizationId)
      .where('artifact_id', '=', artifact.id)
      .where('precedence', '=', precedenceOf(version))
      .where('deleted_at', 'is', null)
      // Pinning a version takes a lock that conflicts with this one.
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!found) throw noVersion(kind, place, version);
    requireCreator(scope, kind, artifact);
    await dropAliases(trx, organizationId, found.id);
    await dropFiles(trx, organizationId, found.id);
    await trx
      .updateTable('artifact_versions')
      .set({ deleted_at: sql`now()`, manifest: '{}', details: '{}', file_count: 0, file_size_bytes: 0 })
      .where('organization_id', '=', organizationId)
      .where('id', '=', found.id)
      .execute();
    await refreshArtifact(trx, organizationId, artifact.id);
    await audit(trx, scope, {
      action: `${kind}.version_deleted`,
      resource: `${PLURALS[kind]}/${artifact.id}`,
      before: { name, version: found.version, digest: found.digest.toString('hex'), is_public },
      // An artifact without versions is no longer public.
      ...(is_public && version_count === 1 && { after: { name, is_public: false } }),
    });
  });
}

async function dropAliases(trx: Trx, organizationId: string, versionId: string): Promise<void> {
  await trx
    .deleteFrom('artifact_aliases')
    .where('organization_id', '=', organizationId)
    .where('version_id', '=', versionId)
    .execute();
}

/** Keeps the files of a pinned version. The blob cleanup removes whatever was converted from them. */
export async function dropFiles(trx: Trx, organizationId: string, versionId: string): Promise<void> {
  // Blobs are locked in the order of their digests, as in publishing. The cleanup decides whether another version needs a blob: a
  // concurrently deleted version would still be visible here.
  await sql`
    WITH dropped AS (
      DELETE FROM artifact_files AS f
       WHERE f.organization_id = ${organizationId} AND f.version_id = ${versionId}
         AND NOT EXISTS (SELECT FROM artifact_pins AS p
                          WHERE p.organization_id = f.organization_id AND p.version_id = f.version_id)
      RETURNING f.sha256
    ),
    locked AS (
      SELECT b.sha256 FROM artifact_blobs AS b
       WHERE b.organization_id = ${organizationId} AND b.sha256 IN (SELECT sha256 FROM dropped)
       ORDER BY b.sha256 FOR NO KEY UPDATE
    )
    UPDATE artifact_blobs AS b SET unused_since = now() FROM locked
     WHERE b.organization_id = ${organizationId} AND b.sha256 = locked.sha256
  `.execute(trx);
}
