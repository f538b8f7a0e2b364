/** Publishes a version from files that were uploaded through links. */
import { isDeepStrictEqual } from 'node:util';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { MAX_MANIFEST_BYTES, parseManifest, writeManifest } from '../../platform/manifest-yaml.ts';
import { findBlobs, type StagedBlob, stageBlob } from '../blobs.ts';
import type { ArtifactFile } from '../draft.ts';
import { MANIFEST_FILES } from '../kinds.ts';
import type { ManifestReader, PublishedAs } from '../manifests/read-manifest.ts';
import type { PublishOptions } from './publish-bundle.ts';
import { isPublished, isRepeated, publishVersion } from './publish-version.ts';
import { incomingPrefix, MANIFEST_LOC, type OpenUpload, takeUpload } from './uploads.ts';
import { orDrop, verifyUpload } from './verify-upload.ts';

export interface CompleteCall {
  readonly scope: OrgScope;
  readonly as: PublishedAs;
  /** Undefined for the latest upload of the caller. */
  readonly uploadId: string | undefined;
  /** Called after the verification and after the examination, both of which may take long. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * The upload outlives its links, so it can be completed again.
 * @returns whether the version is new
 */
export async function completeUpload(
  options: PublishOptions,
  reader: ManifestReader,
  { scope, as, uploadId, stillAllowed, signal }: CompleteCall,
): Promise<boolean> {
  const { db, storage } = options;
  const { kind } = reader;
  const { organizationId } = scope;
  const upload = await takeUpload(db, scope, kind, as, uploadId);
  const { manifest, files } = upload;
  const announced = { kind, ...as, manifest, files };
  if (await isRepeated(db, scope, announced)) return false;
  const examine = reader.read({ value: manifest, loc: MANIFEST_LOC }, as);
  if (await isPublished(db, scope, announced)) return false;
  await verifyUpload(options, scope, upload);
  await stillAllowed();
  const manifestFile = MANIFEST_FILES[kind];
  const examined = files.filter(({ path }) => path !== manifestFile);
  const byPath = new Map(examined.map((file) => [file.path, file]));
  const open = (sha256: string) => openVerified(options, organizationId, sha256);
  const findings = await examine({ organizationId, files: byPath, open, signal });
  const { file, staged } = await addManifest(options, upload, manifestFile);
  await stillAllowed();
  const version = { kind, ...as, manifest, files: [...examined, file] };
  const keys = staged.map(({ object_key }) => object_key);
  const isNew = await orDrop(storage, keys, () =>
    publishVersion(db, scope, version, findings, { upload, staged }),
  );
  // If this fails, the cleanup deletes the objects, like anything that is uploaded later.
  await storage.deleteUnder(incomingPrefix(upload)).catch(() => undefined);
  return isNew;
}

/** If the version is deleted in the meantime, its content may be removed before it is published again. */
async function openVerified({ db, storage }: PublishOptions, organizationId: string, sha256: string) {
  const blob = (await findBlobs(db, organizationId, [sha256])).get(sha256);
  const opened = blob && (await storage.open(blob.object_key));
  if (opened) return opened.body;
  throw new ApiError('conflict_error', 'Some of the files have just been deleted. Begin the upload again.');
}

interface WrittenManifest {
  readonly file: ArtifactFile;
  readonly staged: readonly StagedBlob[];
}

/** Every version has its manifest as a file: the announced one, or one that is written here. */
async function addManifest(
  options: PublishOptions,
  upload: OpenUpload,
  path: string,
): Promise<WrittenManifest> {
  const { organizationId, manifest, files } = upload;
  const announced = files.find((file) => file.path === path);
  if (announced) {
    if (announced.size_bytes > MAX_MANIFEST_BYTES)
      throw invalidValue(['body', path], `must not be longer than ${MAX_MANIFEST_BYTES} bytes`);
    const body = await openVerified(options, organizationId, announced.sha256);
    const { value } = parseManifest(path, Buffer.concat(await Array.fromAsync(body)));
    if (!isDeepStrictEqual(value, manifest))
      throw invalidValue(['body', path], 'does not say the same as the manifest of the upload');
    return { file: announced, staged: [] };
  }
  const blob = await stageBlob(options.storage, upload, Buffer.from(writeManifest(manifest, MANIFEST_LOC)));
  return { file: { path, sha256: blob.sha256, size_bytes: blob.size_bytes }, staged: [blob] };
}
