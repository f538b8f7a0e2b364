/** Makes a version of what was uploaded and examined: in one transaction, or not at all. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { type LineageParent, recordLineage, toArtifactNode } from '../../platform/lineage/lineage.ts';
import type { JsonObject } from '../../platform/manifest-yaml.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { adoptBlobs, keepBlobs, type StagedBlob, type Upload } from '../blobs.ts';
import type { ArtifactFile, Findings } from '../draft.ts';
import { refreshArtifact } from '../head.ts';
import { type Kind, MANIFEST_FILES, PLURALS } from '../kinds.ts';
import { isPrerelease, precedenceOf } from '../version.ts';

/** What is published as what. */
export interface VersionToBe {
  readonly kind: Kind;
  readonly name: string;
  readonly version: string;
  readonly manifest: JsonObject;
  /** All of them, the manifest among them. */
  readonly files: readonly ArtifactFile[];
  /** What it was made from; recorded with the version, so that no version made by code exists without its lineage. */
  readonly lineage?: readonly LineageParent[] | undefined;
}

export interface Brought {
  readonly upload: Upload;
  /** What is not the organization's yet, or may have ceased to be. */
  readonly staged: readonly StagedBlob[];
}

/** @returns whether it is new: the same content under the same version is fine, and changes nothing */
export async function publishVersion(
  db: Db,
  scope: OrgScope,
  version: VersionToBe,
  findings: Findings,
  brought: Brought,
): Promise<boolean> {
  const digest = digestOf(version);
  return transaction(db, async (trx) => {
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

/** Whether it is there already; throws where publishing would. For who is about to do what takes long. */
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
 * Whether exactly this is published. It was checked then, so the rules of today do not refuse it again. Throws no conflict: mistakes of
 * the request are told before that.
 */
export async function isRepeated(db: Db, scope: OrgScope, version: VersionToBe): Promise<boolean> {
  try {
    return await isPublished(db, scope, version);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Over the manifest and the files; the file that the manifest came in may be written in many ways. */
function digestOf({ kind, manifest, files }: VersionToBe): Buffer {
  const contents = files
    .filter(({ path }) => path !== MANIFEST_FILES[kind])
    .map(({ path, sha256, size_bytes }) => [path, sha256, size_bytes] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([toCanonical(manifest), contents]))
    .digest();
}

/** With the keys of every object in one order. */
function toCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCanonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // As a list: an object would put keys that look like numbers first, whatever their order here.
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
