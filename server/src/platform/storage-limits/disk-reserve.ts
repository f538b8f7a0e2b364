/**
 * Keeps a reserve of the disk free, so that the database never finds it full. Bulk writes are refused earlier: files and sandboxes at twice
 * the reserve, rows of the database at the reserve. So a tenant that fills the disk with files does not stop others from writing rows. See
 * docs/design/storage-limits.md.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageLimitError } from './storage-limit-error.ts';

const MIB = 1024 ** 2;
/** A larger reserve would waste space: 512 MiB hold a minute of rows at 8 MiB/s. */
const MAX_RESERVE_BYTES = 512 * MIB;
const MAX_SHARE = 0.1;
/** A measurement is used for this long; bytes that this process writes in between are subtracted. */
const FRESH_MS = 250;

export type Bulk = 'files' | 'rows';
const TIMES_RESERVE: Record<Bulk, number> = { files: 2, rows: 1 };

interface Measurement {
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

export class DiskReserve {
  readonly #folder: string;
  readonly #reserveBytes: number | undefined;
  #last: { readonly at: number; readonly measured: Promise<Measurement> } | undefined;
  /** Bytes that this process took since the last measurement began. */
  #takenBytes = 0;

  /** @param folder a folder on the disk */
  constructor(folder: string, reserveBytes?: number) {
    this.#folder = nearestFolder(folder);
    this.#reserveBytes = reserveBytes;
  }

  /**
   * Counts bytes that are about to be written.
   * @throws {StorageLimitError} when they would leave less than the reserve
   */
  async take(bulk: Bulk, bytes: number): Promise<void> {
    const { freeBytes, reserveBytes } = await this.#measureRecently();
    const left = freeBytes - this.#takenBytes - bytes;
    if (left < TIMES_RESERVE[bulk] * reserveBytes) throw diskIsFull(freeBytes);
    this.#takenBytes += bytes;
  }

  /** @returns why writes are refused now; undefined when there is enough space */
  async findShortage(): Promise<string | undefined> {
    const { freeBytes, reserveBytes } = await this.#measureRecently();
    if (freeBytes >= TIMES_RESERVE.files * reserveBytes) return undefined;
    const refused = freeBytes >= reserveBytes ? 'objects and new sandboxes are' : 'everything but deletes is';
    return `The disk has ${inMib(freeBytes)} left: ${refused} refused. Delete something, or use a larger disk.`;
  }

  /** Free bytes below which files and sandboxes are refused. */
  async bytesLeftByFiles(): Promise<number> {
    return TIMES_RESERVE.files * (await this.#measureRecently()).reserveBytes;
  }

  #measureRecently(): Promise<Measurement> {
    const now = performance.now();
    if (!this.#last || now - this.#last.at >= FRESH_MS) {
      this.#takenBytes = 0;
      this.#last = { at: now, measured: this.#measure() };
    }
    return this.#last.measured;
  }

  async #measure(): Promise<Measurement> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    const reserveBytes = this.#reserveBytes ?? Math.min(MAX_RESERVE_BYTES, blocks * bsize * MAX_SHARE);
    return { freeBytes: bavail * bsize, reserveBytes };
  }
}

/** A process that stores nothing on this machine has no data directory: then the disk is the one on which it would lie. */
export function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

const inMib = (bytes: number) => `${Math.floor(bytes / MIB)} MiB`;

const diskIsFull = (freeBytes: number) =>
  new StorageLimitError(
    `The disk of this server has ${inMib(freeBytes)} left, and keeps a reserve. Delete something, or ask its operator for a larger disk.`,
  );
