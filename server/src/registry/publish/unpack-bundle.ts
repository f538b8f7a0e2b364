/** Stores the files of a bundle in the object storage while it arrives. */
import { Readable } from 'node:stream';
import { mapConcurrently } from '../../platform/concurrent-map.ts';
import { MAX_MANIFEST_BYTES } from '../../platform/manifest-yaml.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { type StagedBlob, stageBlob, type Upload } from '../blobs.ts';
import type { ArtifactFile } from '../draft.ts';
import { type BundleFile, readBundle } from './bundle.ts';
import { refusal } from './refusal.ts';

export interface UnpackedBundle {
  readonly files: readonly ArtifactFile[];
  readonly staged: readonly StagedBlob[];
  readonly manifest: Uint8Array;
}

/** Files up to this size are held in memory, so that several are stored concurrently; larger ones are streamed. */
const SMALL_BYTES = 256 * 1_024;
const AT_ONCE = 32;

/** No write is in progress any more when this fails. */
export async function unpackBundle(
  storage: ObjectStorage,
  upload: Upload,
  bundle: Readable,
  manifestFile: string,
): Promise<UnpackedBundle> {
  const files: ArtifactFile[] = [];
  const staged: StagedBlob[] = [];
  const manifest = new ManifestFinder(manifestFile);
  const put = async ({ path, sizeBytes, body, settle }: FileToPut) => {
    const staging = stageBlob(storage, upload, body, { sizeBytes });
    settle(staging);
    return { path, blob: await staging };
  };
  for await (const { path, blob } of mapConcurrently(readFiles(bundle, manifest), AT_ONCE, put)) {
    files.push({ path, sha256: blob.sha256, size_bytes: blob.size_bytes });
    staged.push(blob);
  }
  return { files, staged, manifest: manifest.get() };
}

interface FileToPut {
  readonly path: string;
  readonly sizeBytes: number;
  readonly body: Readable | Uint8Array;
  /** Notifies the reader of the bundle when the body has been consumed. */
  readonly settle: (staging: Promise<unknown>) => void;
}

async function* readFiles(bundle: Readable, manifest: ManifestFinder): AsyncGenerator<FileToPut> {
  for await (const file of readBundle(bundle)) {
    const { path, sizeBytes } = file;
    manifest.check(file);
    if (sizeBytes <= SMALL_BYTES) {
      const body = Buffer.concat(await Array.fromAsync(file.body));
      manifest.offer(path, body);
      yield { path, sizeBytes, body, settle: () => undefined };
      continue;
    }
    let passed: Promise<unknown> = Promise.resolve();
    const settle = (staging: Promise<unknown>) => {
      passed = staging;
    };
    yield { path, sizeBytes, body: Readable.from(file.body, { objectMode: false }), settle };
    await passed;
  }
}

/** Captures the text of the manifest while it is streamed. */
class ManifestFinder {
  readonly #name: string;
  #content: Uint8Array | undefined;
  /** Path of a file with the manifest's name in a subfolder. */
  #misplaced: string | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  check({ path, sizeBytes }: BundleFile): void {
    if (path === this.#name && sizeBytes > MAX_MANIFEST_BYTES)
      throw refusal(`must not be longer than ${MAX_MANIFEST_BYTES} bytes`, path);
    if (path.endsWith(`/${this.#name}`)) this.#misplaced ??= path;
  }

  offer(path: string, content: Uint8Array): void {
    if (path === this.#name) this.#content = content;
  }

  get(): Uint8Array {
    if (this.#content) return this.#content;
    const hint = this.#misplaced
      ? `, but "${this.#misplaced}"; pack what is in that folder, not the folder`
      : '';
    throw refusal(`holds no ${this.#name} at its root${hint}`);
  }
}
