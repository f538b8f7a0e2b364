/** Publishes a version from a bundle: unpacked while it arrives, examined, and then there at once. */
import type { Readable } from 'node:stream';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { beginUpload, endUpload, type StagedBlob, type Upload } from '../blobs.ts';
import { MANIFEST_FILES } from '../kinds.ts';
import type { ManifestReader, PublishedAs } from '../manifests/read-manifest.ts';
import { parseManifest } from '../manifests/yaml.ts';
import { isPublished, publishVersion } from './publish-version.ts';
import { unpackBundle } from './unpack-bundle.ts';

export interface PublishOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

export interface BundleCall {
  readonly scope: OrgScope;
  readonly as: PublishedAs;
  readonly bundle: Readable;
  /** Asked once the bundle is here, which may be an hour after it began, and once it is examined. */
  readonly stillAllowed: () => Promise<unknown>;
  /** Of who waits for the answer. */
  readonly signal: AbortSignal;
}

/** @returns whether it is new */
export async function publishBundle(
  options: PublishOptions,
  reader: ManifestReader,
  call: BundleCall,
): Promise<boolean> {
  const { db, storage } = options;
  const upload = await beginUpload(db, call.scope.organizationId, call.scope.principal.userId);
  try {
    return await publishFrom(options, reader, call, upload);
  } finally {
    // What fails here is done by the clean-up; the caller is told how publishing went.
    await endUpload(db, storage, upload).catch(() => undefined);
  }
}

async function publishFrom(
  { db, storage }: PublishOptions,
  reader: ManifestReader,
  { scope, as, bundle, stillAllowed, signal }: BundleCall,
  upload: Upload,
): Promise<boolean> {
  const { kind } = reader;
  const manifestFile = MANIFEST_FILES[kind];
  const { files, staged, manifest } = await unpackBundle(storage, upload, bundle, manifestFile);
  await stillAllowed();
  const text = parseManifest(manifestFile, manifest);
  const examine = reader.read({ ...text, loc: ['body', manifestFile] }, as);
  const version = { kind, ...as, manifest: text.value, files };
  if (await isPublished(db, scope, version)) return false;
  const examined = files.filter(({ path }) => path !== manifestFile);
  const findings = await examine({
    organizationId: scope.organizationId,
    files: new Map(examined.map((file) => [file.path, file])),
    open: openStaged(storage, staged),
    signal,
  });
  await stillAllowed();
  return publishVersion(db, scope, version, findings, { upload, staged });
}

/** What is examined is nobody else's: so nobody can take it away meanwhile, and if it is refused nobody misses it. */
function openStaged(storage: ObjectStorage, staged: readonly StagedBlob[]) {
  const keys = new Map(staged.map(({ sha256, object_key }) => [sha256, object_key]));
  return async (sha256: string) => {
    const opened = await storage.open(keys.get(sha256) ?? '');
    if (!opened) throw new Error(`what was unpacked as ${sha256} is gone`);
    return opened.body;
  };
}
