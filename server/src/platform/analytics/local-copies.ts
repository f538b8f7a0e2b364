/** A cache of object storage content on the local disk, by digest: the most recently used objects, up to a limit. */
import { createHash } from 'node:crypto';
import { mkdir, open as openFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FairSemaphore, type Permit } from '../admission/fair-semaphore.ts';
import { uuidv7 } from '../uuid.ts';
import type { WorkFolder } from './work-folder.ts';

export interface LocalCopiesOptions {
  readonly work: WorkFolder;
  readonly maxBytes?: number;
}

export interface Content {
  /** Organization that owns the copy; other organizations cannot use it. */
  readonly owner: string;
  /** Hexadecimal digest. */
  readonly sha256: string;
  readonly size_bytes: number;
  readonly open: () => Promise<Readable>;
}

interface Copy {
  readonly path: string;
  readonly size_bytes: number;
  /** Resolves when the shared download has completed. */
  readonly arrived: Promise<void>;
  readonly stop: AbortController;
  isHere: boolean;
  users: number;
}

const DEFAULT_BYTES = 4 * 1024 ** 3;

export class LocalCopies {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Limits copies in use. One that exceeds the limit is used alone. */
  readonly #room: FairSemaphore;
  /** Copies, the least recently used first. */
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;

  constructor({ work, maxBytes = DEFAULT_BYTES }: LocalCopiesOptions) {
    this.#folder = join(work.path, 'copies');
    this.#maxBytes = maxBytes;
    this.#room = new FairSemaphore(maxBytes);
  }

  /** The file exists until `use` has ended, and must not be changed. A download without waiting callers ends. */
  with<Result>(
    content: Content,
    turn: Omit<Permit, 'weight'>,
    use: (path: string) => Promise<Result>,
  ): Promise<Result> {
    const weight = content.size_bytes;
    return this.#room.take({ ...turn, weight }, () => this.#use(content, turn.signal, use));
  }

  async #use<Result>(
    content: Content,
    signal: AbortSignal,
    use: (path: string) => Promise<Result>,
  ): Promise<Result> {
    const key = `${content.owner}-${content.sha256}`;
    const copy = this.#copies.get(key) ?? this.#begin(key, content);
    copy.users++;
    this.#copies.delete(key);
    this.#copies.set(key, copy);
    try {
      await this.#makeRoom();
      await unlessAborted(copy.arrived, signal);
      return await use(copy.path);
    } finally {
      copy.users--;
      if (copy.users === 0 && !copy.isHere) {
        this.#forget(key, copy);
        copy.stop.abort(new Error('No caller waits for it.'));
      }
      await this.#makeRoom();
    }
  }

  #begin(key: string, content: Content): Copy {
    // Uses a unique name, since a copy being removed may have the same key.
    const path = join(this.#folder, uuidv7());
    const stop = new AbortController();
    const arrived = this.#fetch(path, content, stop.signal);
    const copy: Copy = { path, size_bytes: content.size_bytes, arrived, stop, isHere: false, users: 0 };
    this.#bytes += copy.size_bytes;
    arrived.then(
      () => (copy.isHere = true),
      // The next caller tries again.
      () => this.#forget(key, copy),
    );
    return copy;
  }

  #forget(key: string, copy: Copy): void {
    if (this.#copies.get(key) !== copy) return;
    this.#copies.delete(key);
    this.#bytes -= copy.size_bytes;
  }

  /** Renames the download only when it is complete and matches its digest. */
  async #fetch(path: string, { sha256, size_bytes, open }: Content, signal: AbortSignal): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const body = await open();
    const draft = `${path}.draft`;
    try {
      signal.throwIfAborted();
      const hash = createHash('sha256');
      let bytes = 0;
      const count = new Transform({
        transform: (chunk: Buffer, _encoding, next) => {
          hash.update(chunk);
          bytes += chunk.length;
          next(bytes > size_bytes ? new Error('The object is longer than its record says.') : null, chunk);
        },
      });
      const file = await openFile(draft, 'wx', 0o600);
      await pipeline(body, count, file.createWriteStream(), { signal });
      if (hash.digest('hex') !== sha256) throw new Error('The object is not what its digest says.');
      await rename(draft, path);
      signal.throwIfAborted();
    } catch (error) {
      body.destroy();
      await Promise.all([draft, path].map((file) => rm(file, { force: true })));
      throw error;
    }
  }

  async #makeRoom(): Promise<void> {
    for (const [key, copy] of this.#copies) {
      if (this.#bytes <= this.#maxBytes) return;
      if (copy.users > 0) continue;
      this.#forget(key, copy);
      await rm(copy.path, { force: true });
    }
  }
}

function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
