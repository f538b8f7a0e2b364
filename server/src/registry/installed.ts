/**
 * Resolves tasks and capabilities for their consumers: the version that a reference means, its details, whether it is still available, and
 * its files.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import { ApiError, notFound } from '../platform/errors.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import type { Listing } from './draft.ts';
import { type Kind, titleOf } from './kinds.ts';
import type { CapabilityDetails } from './manifests/capability.ts';
import type { TaskDetails } from './manifests/task.ts';
import { parsePlace, type Reference } from './references.ts';
import { resolveReferences, type UnresolvableReason } from './resolve.ts';
import { precedenceOf } from './version.ts';
import { isVisible, type Viewer } from './visibility.ts';

/** One version of a task or a capability, as a reference names it. */
export interface ChosenVersion {
  readonly ownerId: string;
  readonly artifactId: string;
  readonly versionId: string;
  /** `name`, or `owner/name` if it belongs to another organization. */
  readonly name: string;
  readonly version: string;
}

/** Details of an installed version; few remain if it was deleted since. */
export interface InstalledVersion {
  /** Hexadecimal. */
  readonly digest: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly component_counts: CapabilityDetails['component_counts'] | null;
  /** Default values of the flags. */
  readonly default_flags: CapabilityDetails['flags'] | null;
  readonly description: string | null;
  /** The version is not deleted and the viewer may see it. */
  readonly is_available: boolean;
  /** The newest release, if the viewer may see it. */
  readonly latest_version: string | null;
}

const artifactNotFound = (kind: Kind, name: string, version?: string | null) =>
  notFound(`${titleOf(kind)} "${version ? `${name}@${version}` : name}"`);

const capabilityNotFound = (name: string, version?: string | null) =>
  artifactNotFound('capability', name, version);

/** @param version defaults to the newest release */
export function getCapability(
  db: Db,
  viewer: Viewer,
  name: string,
  version?: string | null,
): Promise<ChosenVersion> {
  return getChosen(db, viewer, 'capability', name, version);
}

/** @param version defaults to the newest release */
export function getModelVersion(
  db: Db,
  viewer: Viewer,
  name: string,
  version?: string | null,
): Promise<ChosenVersion> {
  return getChosen(db, viewer, 'model', name, version);
}

/** Returns an exact version of an artifact of any kind. */
export function getVersion(
  db: Db,
  viewer: Viewer,
  kind: Kind,
  name: string,
  version: string,
): Promise<ChosenVersion> {
  return getChosen(db, viewer, kind, name, version);
}

/** @returns the hexadecimal digest of a version's files */
export async function getDigest(
  db: Db,
  { ownerId, versionId }: Pick<ChosenVersion, 'ownerId' | 'versionId'>,
): Promise<string> {
  const { rows } = await sql<{ digest: string }>`
    SELECT encode(digest, 'hex') AS digest FROM artifact_versions
     WHERE organization_id = ${ownerId} AND id = ${versionId}`.execute(db);
  return rows[0]?.digest ?? '';
}

/** @returns the newest release of an artifact of the organization, without pre-releases */
export async function findNewestRelease(
  db: Db,
  organizationId: string,
  kind: Kind,
  name: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ latest_release: string | null }>`
    SELECT latest_release FROM artifacts
     WHERE organization_id = ${organizationId} AND kind = ${kind} AND name = ${name}`.execute(db);
  return rows[0]?.latest_release ?? undefined;
}

/** One version of a task with all details from its manifest. */
export interface ChosenTask extends ChosenVersion {
  readonly details: TaskDetails;
}

/** @param version defaults to the newest release */
export async function getTask(
  db: Db,
  viewer: Viewer,
  name: string,
  version?: string | null,
): Promise<ChosenTask> {
  const chosen = await getChosen(db, viewer, 'task', name, version);
  const { details } = await db
    .selectFrom('artifact_versions')
    .select('details')
    .where('organization_id', '=', chosen.ownerId)
    .where('id', '=', chosen.versionId)
    .executeTakeFirstOrThrow();
  return { ...chosen, details: details as TaskDetails };
}

export interface FoundTask extends ChosenTask {
  readonly tags: readonly string[];
  readonly difficulty: string | null;
}

/** @returns for each reference, in the order given, the task or the reason why there is none; takes two statements for all */
export async function findTasks(
  db: Db,
  viewer: Viewer,
  references: readonly Reference[],
): Promise<(FoundTask | UnresolvableReason)[]> {
  const resolutions = await resolveReferences(db, viewer, 'task', references);
  const owners = resolutions.map(({ owner_id }) => owner_id);
  const versions = resolutions.map(({ version_id }) => version_id);
  const { rows } = await sql<{ id: string; details: TaskDetails & { readonly listing: Listing } }>`
    SELECT v.id, v.details
      FROM (SELECT DISTINCT owner_id, version_id FROM unnest(${owners}::uuid[], ${versions}::uuid[]) AS r (owner_id, version_id)) AS r
      JOIN artifact_versions AS v ON v.organization_id = r.owner_id AND v.id = r.version_id AND v.deleted_at IS NULL`.execute(
    db,
  );
  const details = new Map(rows.map((row) => [row.id, row.details]));
  return resolutions.map((found, index) => {
    const { owner, name } = references[index] as Reference;
    const known = found.version_id === null ? undefined : details.get(found.version_id);
    if (found.unresolvable_reason !== null) return found.unresolvable_reason;
    if (!known) return 'version_not_found';
    return {
      ownerId: found.owner_id,
      artifactId: found.artifact_id,
      versionId: found.version_id,
      name: shownName(viewer, found.owner_id, { owner, name }),
      version: found.resolved_version,
      details: known,
      tags: known.listing.tags ?? [],
      difficulty: known.listing.difficulty,
    };
  });
}

async function getChosen(
  db: Db,
  viewer: Viewer,
  kind: Kind,
  name: string,
  version?: string | null,
): Promise<ChosenVersion> {
  const place = parsePlace(name);
  if (!place) throw artifactNotFound(kind, name);
  const [found] = await resolveReferences(db, viewer, kind, [{ ...place, version: version ?? undefined }]);
  if (!found || found.unresolvable_reason === 'not_found') throw artifactNotFound(kind, name);
  if (found.unresolvable_reason) throw artifactNotFound(kind, name, version ?? 'any release');
  return {
    ownerId: found.owner_id,
    artifactId: found.artifact_id,
    versionId: found.version_id,
    name: shownName(viewer, found.owner_id, place),
    version: found.resolved_version,
  };
}

export const shownName = (
  { organizationId }: Viewer,
  ownerId: string,
  { owner, name }: { readonly owner: string | undefined; readonly name: string },
) => (ownerId === organizationId || owner === undefined ? name : `${owner}/${name}`);

/** Returns another version of an installed artifact. */
export async function getOtherVersion(
  db: Db,
  viewer: Viewer,
  installed: Omit<ChosenVersion, 'versionId' | 'version'>,
  version: string,
): Promise<ChosenVersion & { readonly flags: CapabilityDetails['flags'] }> {
  const { rows } = await sql<{ id: string; version: string; flags: CapabilityDetails['flags'] }>`
    SELECT v.id, v.version, v.details -> 'flags' AS flags
      FROM artifact_versions AS v
      JOIN artifacts AS a ON a.organization_id = v.organization_id AND a.id = v.artifact_id
      JOIN organizations AS o ON o.id = v.organization_id
     WHERE v.organization_id = ${installed.ownerId} AND v.artifact_id = ${installed.artifactId}
       AND v.precedence = ${precedenceOf(version)} AND v.deleted_at IS NULL AND ${isSeen(viewer)}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw capabilityNotFound(installed.name, version);
  return { ...installed, versionId: found.id, version: found.version, flags: found.flags };
}

/** Matches rows `a` of artifacts with the rows `o` of their organizations. */
const isSeen = (viewer: Viewer) =>
  sql<boolean>`(${isVisible(viewer, 'a')} AND (o.is_active OR o.id = ${viewer.organizationId}))`;

/**
 * A lateral subquery to follow `CROSS JOIN`, with an alias after it.
 * @param alias of a row with owner_id and version_id
 */
export function installedOf(viewer: Viewer, alias: string): RawBuilder<InstalledVersion> {
  const row = (column: string) => sql.ref(`${alias}.${column}`);
  return sql<InstalledVersion>`LATERAL (
    SELECT encode(v.digest, 'hex') AS digest, v.manifest, v.details -> 'component_counts' AS component_counts,
           v.details -> 'flags' AS default_flags, v.details ->> 'description' AS description,
           v.deleted_at IS NULL AND ${isSeen(viewer)} AS is_available,
           CASE WHEN ${isSeen(viewer)} THEN a.latest_release END AS latest_version
      FROM artifact_versions AS v
      JOIN artifacts AS a ON a.organization_id = v.organization_id AND a.id = v.artifact_id
      JOIN organizations AS o ON o.id = v.organization_id
     WHERE v.organization_id = ${row('owner_id')} AND v.id = ${row('version_id')}
  )`;
}

export interface OpenFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Fails at its end if the content differs from what was published. The caller reads it to its end or destroys it. */
  readonly content: Readable;
}

interface ListedFile {
  readonly path: string;
  readonly size_bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly object_key: string;
}

/** Lists the files of a version; a deleted version that is not pinned has none. */
export async function listFiles(
  db: Db,
  { ownerId, versionId }: Pick<ChosenVersion, 'ownerId' | 'versionId'>,
): Promise<ListedFile[]> {
  const { rows } = await sql<ListedFile>`
    SELECT f.path, f.size_bytes, encode(f.sha256, 'hex') AS sha256, b.object_key
      FROM artifact_files AS f
      JOIN artifact_blobs AS b ON b.organization_id = f.organization_id AND b.sha256 = f.sha256
     WHERE f.organization_id = ${ownerId} AND f.version_id = ${versionId}
     ORDER BY f.path`.execute(db);
  return rows;
}

/** Yields files one by one; a deleted version has none. */
export async function* readFiles(
  db: Db,
  storage: ObjectStorage,
  version: Pick<ChosenVersion, 'ownerId' | 'versionId'>,
): AsyncGenerator<OpenFile> {
  for (const { path, size_bytes, sha256, object_key } of await listFiles(db, version)) {
    const opened = await storage.open(object_key);
    if (!opened) throw damaged(path);
    const content = Readable.from(verified(opened.body, path, sha256), { objectMode: false });
    yield { path, sizeBytes: size_bytes, content };
  }
}

async function* verified(content: Readable, path: string, sha256: string): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const chunk of content as AsyncIterable<Buffer>) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest('hex') !== sha256) throw damaged(path);
}

const damaged = (path: string) =>
  new ApiError('object_storage_error', `The object storage does not have "${path}" as it was published.`);
