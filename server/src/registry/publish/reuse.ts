/** Decides which content need not be sent again: knowing a digest must not give access to its content. */
import { sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { KINDS, PLURALS } from '../kinds.ts';

/**
 * Returns those of the digests that occur in a version whose files the caller may read, or that this upload has brought.
 * @returns the sizes
 */
export async function findReusable(
  db: Db,
  scope: OrgScope,
  sha256s: readonly string[],
  uploadId: string | null,
): Promise<ReadonlyMap<string, number>> {
  const { organizationId } = scope;
  const { rows } = await sql<{ readonly sha256: string; readonly size_bytes: number }>`
    SELECT encode(b.sha256, 'hex') AS sha256, b.size_bytes FROM artifact_blobs b
     WHERE b.organization_id = ${organizationId}
       AND b.sha256 = ANY(${sha256s.map((sha256) => Buffer.from(sha256, 'hex'))}::bytea[])
       AND (b.upload_id = ${uploadId}
         OR EXISTS (SELECT FROM artifact_files f
                      JOIN artifact_versions v ON v.organization_id = f.organization_id AND v.id = f.version_id
                      JOIN artifacts a ON a.organization_id = v.organization_id AND a.id = v.artifact_id
                     WHERE f.organization_id = ${organizationId} AND f.sha256 = b.sha256
                       AND a.kind = ANY(${readableKinds(scope)}::text[])))`.execute(db);
  return new Map(rows.map(({ sha256, size_bytes }) => [sha256, size_bytes]));
}

function readableKinds({ principal: { apiKey } }: OrgScope) {
  const scopes = apiKey?.scopes;
  return KINDS.filter((kind) => !scopes || scopes.has(`${PLURALS[kind]}:read`));
}
