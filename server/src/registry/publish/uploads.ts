/** Publishing file by file: files are announced and uploaded directly to the object storage through links. */
import { sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, type Issue, invalidValue, invalidValues } from '../../platform/errors.ts';
import { FileTree } from '../../platform/file-tree.ts';
import { type JsonObject, writeManifest } from '../../platform/manifest-yaml.ts';
import { requireQuota } from '../../platform/storage-limits/quotas.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { UPLOAD_HOURS, type Upload, uploadPrefix } from '../blobs.ts';
import type { ArtifactFile } from '../draft.ts';
import { type Kind, MANIFEST_FILES } from '../kinds.ts';
import type { ManifestReader, PublishedAs } from '../manifests/read-manifest.ts';
import { precedenceOf } from '../version.ts';
import type { PublishOptions } from './publish-bundle.ts';
import { isPublished, isRepeated } from './publish-version.ts';
import { findReusable } from './reuse.ts';
import type { NewUpload } from './schema.ts';

/** Together with the last write that a link allows and the longest request, far less than the lifetime of an upload. */
const LINK_HOURS = 6;

export interface OpenUpload extends Upload {
  readonly manifest: JsonObject;
  readonly files: readonly ArtifactFile[];
}

/** Location in the request that announces it. */
export const MANIFEST_LOC = ['body', 'manifest'];

/** Prefix for uploaded content until it is verified. */
export const incomingPrefix = (upload: Upload) => `${uploadPrefix(upload)}incoming/`;

export async function createUpload(
  { db, storage }: PublishOptions,
  reader: ManifestReader,
  scope: OrgScope,
  as: PublishedAs,
  { files, manifest }: NewUpload,
) {
  const { kind } = reader;
  writeManifest(manifest, MANIFEST_LOC);
  const announced = { kind, ...as, manifest, files };
  if (!(await isRepeated(db, scope, announced))) reader.read({ value: manifest, loc: MANIFEST_LOC }, as);
  checkTree(files, MANIFEST_FILES[kind]);
  // An existing version may be announced and completed again with the same content; anything else is refused before it is sent.
  await isPublished(db, scope, announced);
  const stored = await findStored(db, scope, files);
  await requireUploadQuota(db, scope, files, stored);
  const { upload, expires_at } = await insertUpload(db, scope, kind, as, { files, manifest });
  const urls = new Map<string, Promise<string>>();
  const linkOf = ({ sha256, size_bytes: sizeBytes }: ArtifactFile): Promise<string> => {
    const known = urls.get(sha256);
    if (known) return known;
    const options = { expiresInSeconds: LINK_HOURS * 3_600, sizeBytes };
    const url = storage.presignPut(incomingPrefix(upload) + sha256, options);
    urls.set(sha256, url);
    return url;
  };
  const linked = files.map(async (file) => ({
    ...file,
    url: stored.has(file.sha256) ? null : await linkOf(file),
  }));
  return { upload_id: upload.id, expires_at, files: await Promise.all(linked) };
}

/** Checks the files, including the manifest, by the rules of a bundle. */
function checkTree(files: readonly ArtifactFile[], manifestFile: string): void {
  const tree = new FileTree();
  const sizes = new Map<string, number>();
  const issues: Issue[] = [];
  for (const [index, { path, sha256, size_bytes }] of files.entries()) {
    const problem = tree.addFile(path);
    if (problem) issues.push({ loc: ['body', 'files', index, 'path'], msg: problem, type: 'invalid_value' });
    const isSame = (sizes.get(sha256) ?? size_bytes) === size_bytes;
    const msg = 'another file with this SHA-256 has another size';
    if (!isSame) issues.push({ loc: ['body', 'files', index, 'size_bytes'], msg, type: 'invalid_value' });
    sizes.set(sha256, size_bytes);
  }
  const isListed = files.some(({ path }) => path === manifestFile);
  const problem = isListed ? undefined : tree.addFile(manifestFile);
  if (problem)
    issues.push({ loc: ['body', 'files'], msg: `"${manifestFile}" ${problem}`, type: 'invalid_value' });
  if (issues.length > 0) throw invalidValues(issues);
}

/** Finds the files that need not be sent, because the organization has their content. */
async function findStored(db: Db, scope: OrgScope, files: readonly ArtifactFile[]) {
  const stored = await findReusable(db, scope, [...new Set(files.map((file) => file.sha256))], null);
  const wrong = files.findIndex(
    ({ sha256, size_bytes }) => (stored.get(sha256) ?? size_bytes) !== size_bytes,
  );
  if (wrong >= 0)
    throw invalidValue(['body', 'files', wrong, 'size_bytes'], 'differs from the size of this content');
  return stored;
}

/**
 * Counts the files of this announcement and of all open uploads, because links accept bytes before they become blobs, which triggers count.
 */
async function requireUploadQuota(
  db: Db,
  { organizationId }: OrgScope,
  files: readonly ArtifactFile[],
  stored: ReadonlyMap<string, unknown>,
): Promise<void> {
  const sizes = new Map(files.map(({ sha256, size_bytes }) => [sha256, stored.has(sha256) ? 0 : size_bytes]));
  const { rows } = await sql<{ bytes: number }>`
    SELECT coalesce(sum((file ->> 'size_bytes')::bigint), 0) AS bytes
      FROM registry_uploads AS u CROSS JOIN LATERAL jsonb_array_elements(u.files) AS file
     WHERE u.organization_id = ${organizationId} AND NOT u.is_closed AND u.files IS NOT NULL`.execute(db);
  const announced = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  await requireQuota(db, organizationId, 'registry', announced + (rows[0]?.bytes ?? 0));
}

async function insertUpload(
  db: Db,
  scope: OrgScope,
  kind: Kind,
  { name, version }: PublishedAs,
  { files, manifest }: NewUpload,
) {
  const upload = { organizationId: scope.organizationId, id: uuidv7() };
  const { expires_at } = await db
    .insertInto('registry_uploads')
    .values({
      organization_id: upload.organizationId,
      id: upload.id,
      sweep_at: sql`now() + make_interval(hours => ${UPLOAD_HOURS})`,
      expires_at: sql`now() + make_interval(hours => ${LINK_HOURS})`,
      created_by: scope.principal.userId,
      kind,
      name,
      precedence: precedenceOf(version),
      manifest: JSON.stringify(manifest),
      files: JSON.stringify(files),
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { upload, expires_at: expires_at ?? '' };
}

/**
 * Finds an upload of the caller and extends its lifetime to that of a new one.
 * @param id undefined for the latest
 */
export async function takeUpload(
  db: Db,
  scope: OrgScope,
  kind: Kind,
  { name, version }: PublishedAs,
  id: string | undefined,
): Promise<OpenUpload> {
  const latest = db
    .selectFrom('registry_uploads')
    .select('id')
    .where('organization_id', '=', scope.organizationId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('precedence', '=', precedenceOf(version))
    .where('created_by', '=', scope.principal.userId)
    .where('is_closed', '=', false)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('id', 'desc')
    .limit(1);
  const found = await db
    .updateTable('registry_uploads')
    .set({ sweep_at: sql`now() + make_interval(hours => ${UPLOAD_HOURS})` })
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', latest)
    .where('is_closed', '=', false)
    .returning(['id', 'manifest', 'files'])
    .executeTakeFirst();
  if (!found) {
    const what = `You have no open upload of ${kind} "${name}" ${version}`;
    throw new ApiError(
      'not_found_error',
      `${what}. Announce its files first, or again, with POST …/uploads.`,
    );
  }
  return {
    organizationId: scope.organizationId,
    id: found.id,
    manifest: found.manifest as JsonObject,
    files: found.files as ArtifactFile[],
  };
}
