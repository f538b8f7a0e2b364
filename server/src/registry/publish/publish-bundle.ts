/**
 * Publishes a version from a bundle, which is unpacked while it arrives, or from files in memory: the files are examined first, then
 * published in one transaction.
 */
import type { Readable } from 'node:stream';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { FileTree, findPathProblem } from '../../platform/file-tree.ts';
import type { LineageParent } from '../../platform/lineage/lineage.ts';
import { parseManifest } from '../../platform/manifest-yaml.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { beginUpload, endUpload, type StagedBlob, stageBlob, type Upload } from '../blobs.ts';
import { MANIFEST_FILES } from '../kinds.ts';
import type { ManifestReader, PublishedAs } from '../manifests/read-manifest.ts';
import { MAX_ENTRIES } from './bundle.ts';
import { isPublished, isRepeated, publishVersion } from './publish-version.ts';
import { refusal } from './refusal.ts';
import { type UnpackedBundle, unpackBundle } from './unpack-bundle.ts';

export interface PublishOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

export interface BundleCall {
  readonly scope: OrgScope;
  readonly as: PublishedAs;
  readonly bundle: Readable;
  /** Called when the bundle has arrived, which may take an hour, and after the examination. */
  readonly stillAllowed: () => Promise<unknown>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Parents that the version was made from. */
  readonly lineage?: readonly LineageParent[] | undefined;
}

/** A file to publish from within the server. A file too large for memory is opened when it is stored. */
export interface NewFile {
  readonly path: string;
  readonly content: string | Uint8Array | (() => Promise<Readable>);
}

/** @returns whether the version is new */
export function publishBundle(
  options: PublishOptions,
  reader: ManifestReader,
  { bundle, ...call }: BundleCall,
): Promise<boolean> {
  const manifestFile = MANIFEST_FILES[reader.kind];
  return withUpload(options, call.scope, async (upload) => {
    const unpacked = await unpackBundle(options.storage, upload, bundle, manifestFile);
    return publishStaged(options, reader, call, { upload, ...unpacked });
  });
}

/**
 * Publishes a version from files, with the manifest among them as text or bytes.
 * @returns whether the version is new
 */
export function publishFiles(
  options: PublishOptions,
  reader: ManifestReader,
  { files, ...call }: Omit<BundleCall, 'bundle'> & { readonly files: readonly NewFile[] },
): Promise<boolean> {
  const manifestFile = MANIFEST_FILES[reader.kind];
  const manifest = files.find(({ path }) => path === manifestFile);
  if (!manifest || typeof manifest.content === 'function')
    throw new Error(`The files of a ${reader.kind} need a "${manifestFile}" in memory.`);
  const manifestBytes = toBytes(manifest.content);
  checkPaths(files);
  return withUpload(options, call.scope, async (upload) => {
    const staged: StagedBlob[] = [];
    for (const { content } of files) {
      const body = typeof content === 'function' ? await content() : toBytes(content);
      staged.push(await stageBlob(options.storage, upload, body));
    }
    const stored = files.map(({ path }, index) => {
      const { sha256 = '', size_bytes = 0 } = staged[index] ?? {};
      return { path, sha256, size_bytes };
    });
    return publishStaged(options, reader, call, {
      upload,
      files: stored,
      staged,
      manifest: manifestBytes,
    });
  });
}

/** Applies the path rules of bundles to files from code. */
function checkPaths(files: readonly NewFile[]): void {
  if (files.length > MAX_ENTRIES)
    throw refusal(`holds more than ${MAX_ENTRIES.toLocaleString('en')} entries`);
  const tree = new FileTree();
  for (const { path } of files) {
    const problem = findPathProblem(path) ?? tree.addFile(path);
    if (problem) throw refusal(problem, path);
  }
}

const toBytes = (content: string | Uint8Array) =>
  typeof content === 'string' ? Buffer.from(content) : content;

async function withUpload<T>(
  { db, storage }: PublishOptions,
  { organizationId, principal }: OrgScope,
  publish: (upload: Upload) => Promise<T>,
): Promise<T> {
  const upload = await beginUpload(db, organizationId, principal.userId);
  try {
    return await publish(upload);
  } finally {
    // The cleanup ends uploads that could not be ended here; the caller gets the result of publishing.
    await endUpload(db, storage, upload).catch(() => undefined);
  }
}

async function publishStaged(
  { db, storage }: PublishOptions,
  reader: ManifestReader,
  { scope, as, stillAllowed, signal, lineage }: Omit<BundleCall, 'bundle'>,
  { upload, files, staged, manifest }: UnpackedBundle & { readonly upload: Upload },
): Promise<boolean> {
  const { kind } = reader;
  const manifestFile = MANIFEST_FILES[kind];
  await stillAllowed();
  const text = parseManifest(manifestFile, manifest);
  const version = { kind, ...as, manifest: text.value, files, lineage };
  if (await isRepeated(db, scope, version)) return false;
  const examine = reader.read({ ...text, loc: ['body', manifestFile] }, as);
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

/** Examines objects that are not shared yet: nobody can delete them in the meantime, and if they are refused nobody misses them. */
function openStaged(storage: ObjectStorage, staged: readonly StagedBlob[]) {
  const keys = new Map(staged.map(({ sha256, object_key }) => [sha256, object_key]));
  return async (sha256: string) => {
    const opened = await storage.open(keys.get(sha256) ?? '');
    if (!opened) throw new Error(`what was unpacked as ${sha256} is gone`);
    return opened.body;
  };
}
