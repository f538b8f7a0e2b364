/** Stores content in immutable files, one per blob, in folders named after the random end of their ids. */
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { uuidv7 } from '../../../uuid.ts';
import type { Blob, WrittenBlob } from '../stored-object.ts';
import { openPieces, type Piece, readPiece } from './blob-reader.ts';
import { RecentBlobs } from './recent-blobs.ts';

/** Files are here until they are complete. */
const INCOMING = 'incoming';

/** All folders are created at once: one that is created later would have to be synced before its first file. */
export const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, shard) =>
  shard.toString(16).padStart(2, '0'),
);

/** Content up to this size is returned as one buffer. */
const SMALL_BYTES = 64 * 1024;
/** Memory budget for caching small content. */
const RECENT_BYTES = 16 * 1024 * 1024;
const BATCH_BYTES = 256 * 1024;
/** The maximum of one write call (IOV_MAX). */
const BATCH_CHUNKS = 1_024;
const REMOVALS_AT_ONCE = 16;

/** Both ends are inclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Removal {
  readonly removed: readonly string[];
  /** One error per file that was not removed. */
  readonly failures: readonly unknown[];
}

/** Blobs without bytes have no file. */
export class BlobFiles {
  readonly folder: string;
  private readonly recent = new RecentBlobs(RECENT_BYTES);

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates missing folders, durably. */
  async prepare(): Promise<void> {
    for (const name of [INCOMING, ...SHARDS])
      await mkdir(join(this.folder, name), { recursive: true, mode: 0o700 });
    await syncFolder(this.folder);
  }

  /**
   * Durable when it returns. The chunks must not be changed afterwards, because they are written in batches. A failing body leaves nothing
   * behind.
   */
  async write(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<WrittenBlob> {
    const draft = join(this.folder, INCOMING, randomUUID());
    const hash = createHash('md5');
    let file: FileHandle | undefined;
    let sizeBytes = 0;
    try {
      for await (const batch of inBatches(body)) {
        for (const chunk of batch) hash.update(chunk);
        file ??= await this.inFolders(() => open(draft, 'wx', 0o600));
        sizeBytes += await writeAll(file, batch);
      }
      // The id is assigned at the end, because it encodes the age of the file.
      const id = file ? await this.publish(draft, file) : uuidv7();
      return { id, sizeBytes, md5: hash.digest('hex') };
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    } finally {
      await file?.close();
    }
  }

  /** Returns small content as a buffer, larger content as a stream whose first file is open. Rejects with ENOENT when that is missing. */
  async read(blobs: readonly Blob[], range?: Range): Promise<Buffer | Readable> {
    const [only, second] = blobs;
    const isSmall = only && !second && only.sizeBytes > 0 && only.sizeBytes <= SMALL_BYTES;
    if (isSmall) return this.readSmall(only, range);
    const [first, ...others] = this.cut(blobs, range);
    if (!first) return Buffer.alloc(0);
    if (others.length === 0 && first.length <= SMALL_BYTES) return readPiece(first);
    return openPieces([first, ...others]);
  }

  /** Links the content to another id, so that each blob has one owner. Rejects with ENOENT when it is missing. */
  async link(blob: Blob): Promise<Blob> {
    const id = uuidv7();
    if (blob.sizeBytes === 0) return { id, sizeBytes: 0 };
    try {
      await this.inFolders(() => link(this.pathOf(blob.id), this.pathOf(id)));
      await syncFolder(this.folderOf(id));
      return { id, sizeBytes: blob.sizeBytes };
    } catch (error) {
      if (!CANNOT_LINK.has(codeOf(error))) throw error;
      const content = await this.read([blob]);
      return this.write(Buffer.isBuffer(content) ? [content] : content);
    }
  }

  /** Missing files count as removed. Throws after all files were tried if some could not be removed. */
  async remove(ids: readonly string[]): Promise<void> {
    const { failures } = await this.tryRemove(ids);
    if (failures.length > 0) throw failures[0];
  }

  /** A file that cannot be removed does not block the others. */
  async tryRemove(ids: readonly string[]): Promise<Removal> {
    const removed: string[] = [];
    const failures: unknown[] = [];
    const left = ids.values();
    const removeNext = async () => {
      for (const id of left) {
        try {
          await rm(this.pathOf(id), { force: true });
          removed.push(id);
        } catch (error) {
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(REMOVALS_AT_ONCE, ids.length) }, removeNext));
    return { removed, failures };
  }

  /** A cheap check that throws when the store is not writable. */
  async check(): Promise<void> {
    await access(join(this.folder, INCOMING), constants.R_OK | constants.W_OK | constants.X_OK);
  }

  /** Lists the ids of the blobs in a folder. */
  async listShard(shard: string): Promise<string[]> {
    const names = await this.listNames(shard);
    return names.filter((name) => UUID.test(name));
  }

  async listDrafts(): Promise<string[]> {
    const names = await this.listNames(INCOMING);
    return names.map((name) => join(this.folder, INCOMING, name));
  }

  /** A missing folder counts as empty: it is created again on the next write. */
  private async listNames(name: string): Promise<string[]> {
    return readdir(join(this.folder, name)).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
  }

  pathOf(id: string): string {
    return `${this.folderOf(id)}/${id}`;
  }

  private folderOf(id: string): string {
    return `${this.folder}/${id.slice(-2)}`;
  }

  /** Renames before both syncs: the id is still unknown to others, so the order does not matter, and the disk has half as much to do. */
  private async publish(draft: string, file: FileHandle): Promise<string> {
    const id = uuidv7();
    try {
      await this.inFolders(() => rename(draft, this.pathOf(id)));
      await file.sync();
      await syncFolder(this.folderOf(id));
      return id;
    } catch (error) {
      await this.remove([id]);
      throw error;
    }
  }

  /** Retries after creating missing folders: a copy of the store may lack empty ones. */
  private async inFolders<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      await access(this.folder);
      await this.prepare();
      return work();
    }
  }

  private async readSmall({ id, sizeBytes }: Blob, range: Range | undefined): Promise<Buffer> {
    let content = this.recent.find(id);
    if (!content) {
      content = await readPiece({ path: this.pathOf(id), start: 0, length: sizeBytes });
      this.recent.keep(id, content);
    }
    return range ? content.subarray(range.start, range.end + 1) : content;
  }

  private cut(blobs: readonly Blob[], range: Range | undefined): Piece[] {
    const pieces: Piece[] = [];
    let offset = 0;
    for (const { id, sizeBytes } of blobs) {
      const start = range ? Math.max(range.start - offset, 0) : 0;
      const end = range ? Math.min(range.end + 1 - offset, sizeBytes) : sizeBytes;
      if (start < end) pieces.push({ path: this.pathOf(id), start, length: end - start });
      offset += sizeBytes;
    }
    return pieces;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Too many links to one file, or a file system without links. */
const CANNOT_LINK: ReadonlySet<unknown> = new Set(['EMLINK', 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** The file of a blob that was just looked up is missing because the object was replaced. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Combines small chunks from the network, so that a small body becomes one write. */
async function* inBatches(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (chunk.length === 0) continue;
    batch.push(chunk);
    bytes += chunk.length;
    if (bytes < BATCH_BYTES && batch.length < BATCH_CHUNKS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (bytes > 0) yield batch;
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<number> {
  const { bytesWritten } = await file.writev(chunks);
  const sizeBytes = chunks.reduce((sum, { length }) => sum + length, 0);
  for (let done = bytesWritten; done < sizeBytes; )
    done += (await file.write(Buffer.concat(chunks), done)).bytesWritten;
  return sizeBytes;
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
