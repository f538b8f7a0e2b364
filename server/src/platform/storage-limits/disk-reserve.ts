/**
 * Keeps a reserve of the disk free, so that the database never finds it full. Writes of bulk are refused before: objects and
 * sandboxes at twice the reserve, rows of the database at the reserve, so that a tenant that fills the disk with files does not stop the rows of others.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageLimitError } from './storage-limit-error.ts';

const MIB = 1024 ** 2;
/** A larger reserve would be space that nobody can use: 512 MiB hold a minute of rows at 8 MiB/s. */
const MAX_RESERVE_BYTES = 512 * MIB;
const MAX_SHARE = 0.1;
/** The last look is used for this long; bytes that this process writes meanwhile are subtracted. */
const FRESH_MS = 250;

export type Bulk = 'files' | 'rows';
const TIMES_RESERVE: Record<Bulk, number> = { files: 2, rows: 1 };

interface Look {
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

export class DiskReserve {
  readonly #folder: string;
  readonly #reserveBytes: number | undefined;
  #look: { readonly at: number; readonly seen: Promise<Look> } | undefined;
  /** Since the last look began. */
  #takenBytes = 0;

  /** @param folder lies on the disk */
  constructor(folder: string, reserveBytes?: number) {
    this.#folder = nearestFolder(folder);
    this.#reserveBytes = reserveBytes;
  }

  /** @throws {StorageLimitError} when so many bytes would come too near to the reserve */
  async take(bulk: Bulk, bytes: number): Promise<void> {
    const { freeBytes, reserveBytes } = await this.#lookNow();
    const left = freeBytes - this.#takenBytes - bytes;
    if (left < TIMES_RESERVE[bulk] * reserveBytes) throw diskIsFull(freeBytes);
    this.#takenBytes += bytes;
  }

  /** @returns why writes are refused now; undefined when there is room */
  async findShortage(): Promise<string | undefined> {
    const { freeBytes, reserveBytes } = await this.#lookNow();
    if (freeBytes >= TIMES_RESERVE.files * reserveBytes) return undefined;
    const refused = freeBytes >= reserveBytes ? 'objects and new sandboxes are' : 'everything but deletes is';
    return `The disk has ${inMib(freeBytes)} left: ${refused} refused. Delete something, or use a larger disk.`;
  }

  /** What files and sandboxes leave free. */
  async bytesLeftByFiles(): Promise<number> {
    return TIMES_RESERVE.files * (await this.#lookNow()).reserveBytes;
  }

  #lookNow(): Promise<Look> {
    const now = performance.now();
    if (!this.#look || now - this.#look.at >= FRESH_MS) {
      this.#takenBytes = 0;
      this.#look = { at: now, seen: this.#measure() };
    }
    return this.#look.seen;
  }

  async #measure(): Promise<Look> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    const reserveBytes = this.#reserveBytes ?? Math.min(MAX_RESERVE_BYTES, blocks * bsize * MAX_SHARE);
    return { freeBytes: bavail * bsize, reserveBytes };
  }
}

/** A process that keeps nothing on this machine has no data directory: then the disk is that on which it would lie. */
export function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

const inMib = (bytes: number) => `${Math.floor(bytes / MIB)} MiB`;

const diskIsFull = (freeBytes: number) =>
  new StorageLimitError(
    `The disk of this server has ${inMib(freeBytes)} left, and keeps a reserve. Delete something, or ask its operator for a larger disk.`,
  );
