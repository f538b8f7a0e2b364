/** Creates a version from uploaded and examined files in one transaction. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { type LineageParent, recordLineage, toArtifactNode } from '../../platform/lineage/lineage.ts';
import type { JsonObject } from '../../platform/manifest-yaml.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { adoptBlobs, keepBlobs, type StagedBlob, type Upload } from '../blobs.ts';
import type { ArtifactFile, Findings } from '../draft.ts';
import { refreshArtifact } from '../head.ts';
import { type Kind, MANIFEST_FILES, PLURALS } from '../kinds.ts';
import { isPrerelease, precedenceOf } from '../version.ts';

/** The content, kind, name and version to publish. */
export interface VersionToBe {
  readonly kind: Kind;
  readonly name: string;
  readonly version: string;
  readonly manifest: JsonObject;
  /** All files including the manifest. */
  readonly files: readonly ArtifactFile[];
  /** Parents that the version was made from; recorded with it, so that no version made by code lacks its lineage. */
  readonly lineage?: readonly LineageParent[] | undefined;
}

export interface Brought {
  readonly upload: Upload;
  /** Objects that are not blobs of the organization yet, or whose blobs may have been deleted. */
  readonly staged: readonly StagedBlob[];
}

/** @returns whether the version is new: publishing the same content again changes nothing */
export async function publishVersion(
  db: Db,
  scope: OrgScope,
  version: VersionToBe,
  findings: Findings,
  brought: Brought,
): Promise<boolean> {
  const digest = digestOf(version);
  return transactionFor(db, scope, async (trx) => {
    const artifactId = await lockOrCreateArtifact(trx, scope, version);
    if (await isThere(trx, scope.organizationId, artifactId, version, digest)) return false;
    const id = uuidv7();
    await insertVersion(trx, scope, { ...version, id, artifactId, digest, findings });
    await insertFiles(trx, scope.organizationId, id, version.files, brought);
    await refreshArtifact(trx, scope.organizationId, artifactId);
    await insertLineage(trx, scope.organizationId, id, version);
    await audit(trx, scope, {
      action: `${version.kind}.published`,
      resource: `${PLURALS[version.kind]}/${artifactId}`,
      after: { name: version.name, version: version.version, digest: digest.toString('hex') },
    });
    return true;
  });
}

/** Tells whether the version exists, and throws if publishing it would fail. Called before work that takes long. */
export async function isPublished(db: Db, scope: OrgScope, version: VersionToBe): Promise<boolean> {
  const artifact = await db
    .selectFrom('artifacts')
    .select('id')
    .where('organization_id', '=', scope.organizationId)
    .where('kind', '=', version.kind)
    .where('name', '=', version.name)
    .executeTakeFirst();
  return artifact !== undefined && isThere(db, scope.organizationId, artifact.id, version, digestOf(version));
}

/**
 * Tells whether exactly this content is published. It was validated then, so newer rules do not refuse it now. Never throws a conflict:
 * mistakes of the request are reported first.
 */
export async function isRepeated(db: Db, scope: OrgScope, version: VersionToBe): Promise<boolean> {
  try {
    return await isPublished(db, scope, version);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Digests the manifest data and the files; the manifest file itself is excluded because its text may vary. */
function digestOf({ kind, manifest, files }: VersionToBe): Buffer {
  const contents = files
    .filter(({ path }) => path !== MANIFEST_FILES[kind])
    .map(({ path, sha256, size_bytes }) => [path, sha256, size_bytes] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([toCanonical(manifest), contents]))
    .digest();
}

/** Sorts the keys of all objects. */
function toCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCanonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Entries are kept as a list: an object would move keys that look like numbers to the front.
  return { entries: entries.map(([key, item]) => [key, toCanonical(item)]) };
}

async function lockOrCreateArtifact(trx: Trx, scope: OrgScope, { kind, name }: VersionToBe): Promise<string> {
  const values = {
    organization_id: scope.organizationId,
    id: uuidv7(),
    kind,
    name,
    created_by: scope.principal.userId,
  };
  const { id } = await trx
    .insertInto('artifacts')
    .values(values)
    .onConflict((conflict) => conflict.constraint('artifacts_name_key').doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function isThere(
  db: Db,
  organizationId: string,
  artifactId: string,
  { kind, name, version }: VersionToBe,
  digest: Buffer,
): Promise<boolean> {
  const found = await db
    .selectFrom('artifact_versions')
    .select(['version', 'digest', 'deleted_at'])
    .where('organization_id', '=', organizationId)
    .where('artifact_id', '=', artifactId)
    .where('precedence', '=', precedenceOf(version))
    .executeTakeFirst();
  if (!found) return false;
  const what = `Version ${found.version} of ${kind} "${name}"`;
  if (found.deleted_at)
    throw new ApiError(
      'already_exists_error',
      `${what} was deleted, and its number stays taken. Publish another.`,
    );
  if (!digest.equals(found.digest))
    throw new ApiError('already_exists_error', `${what} exists with other content. Publish a new version.`);
  return true;
}

interface NewVersion extends VersionToBe {
  readonly id: string;
  readonly artifactId: string;
  readonly digest: Buffer;
  readonly findings: Findings;
}

async function insertVersion(trx: Trx, scope: OrgScope, version: NewVersion): Promise<void> {
  const { listing, details } = version.findings;
  await trx
    .insertInto('artifact_versions')
    .values({
      organization_id: scope.organizationId,
      id: version.id,
      artifact_id: version.artifactId,
      version: version.version,
      precedence: precedenceOf(version.version),
      is_prerelease: isPrerelease(version.version),
      digest: version.digest,
      manifest: JSON.stringify(version.manifest),
      details: JSON.stringify({ ...details, listing }),
      file_count: version.files.length,
      file_size_bytes: version.files.reduce((sum, file) => sum + file.size_bytes, 0),
      created_by: scope.principal.userId,
    })
    .execute();
}

async function insertLineage(
  trx: Trx,
  organizationId: string,
  versionId: string,
  { kind, name, version, lineage: parents = [] }: VersionToBe,
): Promise<void> {
  if (parents.length === 0) return;
  const node = toArtifactNode(organizationId, kind, { ownerId: organizationId, versionId, name, version });
  await recordLineage(trx, organizationId, [{ node, parents }]);
}

async function insertFiles(
  trx: Trx,
  organizationId: string,
  versionId: string,
  files: readonly ArtifactFile[],
  { upload, staged }: Brought,
): Promise<void> {
  await adoptBlobs(trx, upload, staged);
  const sha256s = [...new Set(files.map((file) => file.sha256))];
  if ((await keepBlobs(trx, organizationId, sha256s)) < sha256s.length)
    throw new ApiError(
      'conflict_error',
      'Some of the files are not stored any more, since nothing used them. Begin the upload again.',
    );
  await sql`
    INSERT INTO artifact_files (organization_id, version_id, path, sha256, size_bytes)
    SELECT ${organizationId}, ${versionId}, path, decode(sha256, 'hex'), size_bytes
      FROM unnest(${files.map((file) => file.path)}::text[], ${files.map((file) => file.sha256)}::text[],
                  ${files.map((file) => file.size_bytes)}::bigint[]) AS t (path, sha256, size_bytes)`.execute(
    trx,
  );
}
