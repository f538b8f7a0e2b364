/** The embedded store: files, their index and uploads, and operations on several of these, so that no blob loses its owner. */
import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect.ts';
import type { DiskReserve } from '../../storage-limits/disk-reserve.ts';
import { requireQuota } from '../../storage-limits/quotas.ts';
import { findStorageLimit } from '../../storage-limits/storage-limit-error.ts';
import { uuidTime } from '../../uuid.ts';
import { objectOwner } from '../prefixes.ts';
import { BlobFiles, isMissing, type Range } from './blobs/blob-files.ts';
import { ObjectIndex } from './objects/object-index.ts';
import {
  type Blob,
  type Checksum,
  ConditionFailed,
  type Description,
  type NewObject,
  NoSuchUpload,
  type StoredObject,
  TooLate,
  type WriteCondition,
  type WrittenBlob,
} from './stored-object.ts';
import { type Upload, Uploads } from './uploads.ts';

export interface EmbeddedStoreOptions {
  readonly db: Db;
  /** Folder of this database: see store-folder.ts. */
  readonly folder: string;
  /** Disk reserve of the file system with the folder. */
  readonly disk?: DiskReserve | undefined;
}

export interface NewContent extends Description {
  readonly key: string;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Called when the body has ended. */
  readonly checksum?: (() => Checksum | undefined) | undefined;
}

export interface OpenContent {
  readonly object: StoredObject;
  /** The content: small content as a buffer, larger content as a stream that must be read to its end or destroyed. */
  readonly body: Buffer | Readable;
}

/** A blob without an owner is refused one after this time: the sweep removes it after an hour. */
const MAX_UNOWNED_MS = 30 * 60_000;
/** Number of tries to open an object that is being replaced. */
const ATTEMPTS = 5;
const LINKS_AT_ONCE = 8;
/** The quota is checked whenever this many bytes have arrived, so that a body over the quota is not received completely. */
const QUOTA_STEP_BYTES = 4 * 1024 * 1024;
/** Errors after which the blobs certainly have no owner. */
const REFUSALS = [ConditionFailed, NoSuchUpload, TooLate];

export class EmbeddedStore {
  readonly db: Db;
  readonly files: BlobFiles;
  readonly index: ObjectIndex;
  readonly uploads: Uploads;
  private readonly disk: DiskReserve | undefined;

  constructor({ db, folder, disk }: EmbeddedStoreOptions) {
    this.disk = disk;
    this.db = db;
    this.files = new BlobFiles(folder);
    this.index = new ObjectIndex(db);
    this.uploads = new Uploads(db);
  }

  /** Durable when it returns. Throws ConditionFailed and StorageLimitError. */
  async putObject(content: NewContent, condition?: WriteCondition): Promise<StoredObject> {
    const { key, headers, metadata } = content;
    const blob = await this.files.write(this.limited(key, content.body));
    return this.giveOwner([blob], async (blobs, deadline) => {
      const checksum = content.checksum?.();
      const object = { key, blobs, etag: blob.md5, headers, metadata, checksum };
      return this.index.put(object, condition, deadline);
    });
  }

  /**
   * @param choose receives the object and returns the wanted range, or undefined for everything. It may throw, and is called again when the
   * object was replaced before it could be opened
   */
  openObject(
    key: string,
    choose: (object: StoredObject) => Range | undefined = () => undefined,
  ): Promise<OpenContent | undefined> {
    return this.withContent(key, async (object) => ({
      object,
      body: await this.files.read(object.blobs, choose(object)),
    }));
  }

  /**
   * Links the content, so that copying costs nothing.
   * @param describe returns the key and the metadata of the copy, from those of the source; it may throw
   * @returns undefined when there is no source
   */
  copyObject(
    from: string,
    describe: (source: StoredObject) => Omit<NewObject, 'blobs'>,
    condition?: WriteCondition,
  ): Promise<StoredObject | undefined> {
    return this.withContent(from, async (source) => {
      const described = describe(source);
      const links = await this.linkAll(source.blobs);
      return this.giveOwner(links, (blobs, deadline) =>
        this.index.put({ ...described, blobs }, condition, deadline),
      );
    });
  }

  /** Throws NoSuchUpload when the upload has ended in the meantime. */
  async putPart(
    upload: Upload,
    partNumber: number,
    content: Pick<NewContent, 'body'> & { readonly checksum?: () => string | undefined },
  ): Promise<WrittenBlob> {
    const blob = await this.files.write(this.limited(upload.key, content.body));
    await this.giveOwner([blob], async (_, deadline) =>
      this.uploads.putPart(upload, partNumber, blob, { checksum: content.checksum?.(), deadline }),
    );
    return blob;
  }

  /**
   * Forwards the body while the disk and the quota have space for it.
   * @throws {StorageLimitError}
   */
  private async *limited(key: string, body: NewContent['body']): AsyncGenerator<Uint8Array> {
    const owner = objectOwner(key);
    let bytes = 0;
    let checkedAt = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      await this.disk?.take('files', chunk.length);
      if (owner && bytes - checkedAt >= QUOTA_STEP_BYTES) {
        const replaced = await this.index.find(key);
        await requireQuota(this.db, owner, 'objects', bytes - (replaced?.sizeBytes ?? 0));
        checkedAt = bytes;
      }
      yield chunk;
    }
  }

  /**
   * Removes the blobs when the owner is refused. If the outcome is unknown, for example after losing the connection, they stay, and the
   * sweep decides.
   */
  private async giveOwner<T>(
    blobs: readonly Blob[],
    write: (blobs: Blob[], deadline: Date) => Promise<T>,
  ): Promise<T> {
    try {
      const kept = blobs.filter(({ sizeBytes }) => sizeBytes > 0);
      const oldest = Math.min(Date.now(), ...kept.map(({ id }) => uuidTime(id)));
      return await write(kept, new Date(oldest + MAX_UNOWNED_MS));
    } catch (error) {
      const limit = findStorageLimit(error);
      if (limit || REFUSALS.some((refusal) => error instanceof refusal))
        await this.files.remove(blobs.map(({ id }) => id));
      throw limit ?? error;
    }
  }

  /** Retries when the content was deleted between the index lookup and opening the file: the object was replaced or deleted. */
  private async withContent<T>(
    key: string,
    use: (object: StoredObject) => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1, seen = ''; ; attempt++) {
      const object = await this.index.find(key);
      if (!object) return undefined;
      try {
        return await use(object);
      } catch (error) {
        const blobs = object.blobs.map(({ id }) => id).join();
        // The blobs are unchanged, so the object was not replaced and its content is lost.
        if (!isMissing(error) || blobs === seen || attempt === ATTEMPTS) throw error;
        seen = blobs;
      }
    }
  }

  private async linkAll(blobs: readonly Blob[]): Promise<Blob[]> {
    const links: Blob[] = [];
    for (let start = 0; start < blobs.length; start += LINKS_AT_ONCE) {
      const linking = blobs.slice(start, start + LINKS_AT_ONCE).map((blob) => this.files.link(blob));
      const outcomes = await Promise.allSettled(linking);
      links.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (!failed) continue;
      await this.files.remove(links.map(({ id }) => id));
      throw failed.reason;
    }
    return links;
  }
}
