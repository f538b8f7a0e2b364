/** Decides which workspaces are in memory: loads them one by one, and drops those that are unused or do not fit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, poolOf } from '../../../platform/db/connect.ts';
import type { Log } from '../../../platform/log.ts';
import { hasMoreThan } from './load.ts';
import type { Place } from './moment.ts';
import type { SessionColumns } from './session-columns.ts';
import { WorkspaceColumns } from './workspace-columns.ts';

export interface LoadedWorkspacesOptions {
  readonly db: Db;
  readonly log: Log;
  /** Memory budget of all workspaces together. */
  readonly maxBytes: number;
  /** The clock, in milliseconds. */
  readonly now: () => number;
}

const IDLE_MS = 600_000;
/** A workspace used within this time is not evicted: otherwise two workspaces that do not fit together would evict each other endlessly. */
const BUSY_MS = 60_000;
/** Milliseconds before loading is tried again for a workspace that did not fit or could not be read. */
const REFUSED_MS = 60_000;
const SWEEP_MS = 60_000;
/** Above this number of sessions, the first query is served by the database before the load starts, because both use the database. */
const LARGE = 20_000;
const PAUSE_MS = 2_000;
/** Maximum number of concurrent database queries for a workspace that is being loaded; further callers wait for the load. */
const MAX_QUERIES = 2;
const MAX_WAIT_MS = 15_000;
/** Minimum memory of a session in bytes; with too many sessions, loading is not even tried. */
const MIN_BYTES = 100;
/** Reserves space for a few more sessions than there are, because the number will grow. */
const SPARE = 1.05;

class DoesNotFit extends Error {}

interface Load {
  readonly done: Promise<void>;
  /** Number of queries that the database currently serves. */
  queries: number;
}

interface Loaded {
  readonly columns: WorkspaceColumns;
  bytes: number;
  usedAt: number;
}

export class LoadedWorkspaces {
  private readonly options: LoadedWorkspacesOptions;
  /** Ordered from least to most recently used. */
  private readonly loaded = new Map<string, Loaded>();
  /** Workspaces that are queued for loading or being loaded. */
  private readonly awaited = new Map<string, Load>();
  private readonly refusedUntil = new Map<string, number>();
  private loads: Promise<void> = Promise.resolve();
  private readonly closing = new AbortController();
  private readonly timer: NodeJS.Timeout;
  /** Memory of all workspaces that are loaded or being loaded. */
  private loadedBytes = 0;
  private loadingBytes = 0;

  constructor(options: LoadedWorkspacesOptions) {
    this.options = options;
    this.timer = setInterval(() => this.dropIdle(), SWEEP_MS).unref();
  }

  get bytes(): number {
    return this.loadedBytes + this.loadingBytes;
  }

  /** Returns the columns if they are loaded; otherwise starts a load and returns undefined. */
  find({ organizationId, workspaceId }: Place): WorkspaceColumns | undefined {
    const place = { organizationId, workspaceId };
    const key = toKey(place);
    const found = this.loaded.get(key);
    if (!found) {
      this.request(key, place);
      return undefined;
    }
    this.loaded.delete(key);
    this.loaded.set(key, found);
    found.usedAt = this.options.now();
    return found.columns;
  }

  /**
   * Queries the database, or returns undefined once the load is done if several callers query it already: many scans of the same rows at
   * once are slower than a load.
   */
  async orQuery<Result>(place: Place, query: () => Promise<Result>): Promise<Result | undefined> {
    const load = this.awaited.get(toKey(place));
    if (!load) return query();
    if (load.queries >= MAX_QUERIES) {
      await Promise.race([load.done, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
      return undefined;
    }
    load.queries++;
    return query().finally(() => load.queries--);
  }

  /** Updates the size of a workspace after a use, which may have changed it. */
  measure({ place, columns }: WorkspaceColumns): void {
    const found = this.loaded.get(toKey(place));
    if (!found || found.columns.columns !== columns) return;
    this.loadedBytes += columns.bytes - found.bytes;
    found.bytes = columns.bytes;
    // Checked first, so that nothing else is evicted for a workspace that cannot stay.
    if (found.bytes > this.options.maxBytes) this.forget(toKey(place));
    while (this.bytes > this.options.maxBytes && this.dropOldest(0));
  }

  /** Drops columns whose content can no longer be relied on. */
  drop(columns: WorkspaceColumns): void {
    const key = toKey(columns.place);
    if (this.loaded.get(key)?.columns === columns) this.forget(key);
  }

  /** Resolves once nothing is being loaded. */
  async settled(): Promise<void> {
    await this.loads;
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.timer);
    await this.loads;
    this.loaded.clear();
    this.loadedBytes = 0;
  }

  private request(key: string, place: Place): void {
    const refusedUntil = this.refusedUntil.get(key) ?? 0;
    if (this.closing.signal.aborted || this.awaited.has(key) || refusedUntil > this.options.now()) return;
    this.refusedUntil.delete(key);
    this.loads = this.loads.then(() => this.load(key, place));
    this.awaited.set(key, { done: this.loads, queries: 0 });
  }

  private async load(key: string, place: Place): Promise<void> {
    const { db, log, maxBytes, now } = this.options;
    const { signal } = this.closing;
    const pool = poolOf(db);
    try {
      if (!pool) return;
      signal.throwIfAborted();
      if (await hasMoreThan(db, place, LARGE)) await sleep(PAUSE_MS, undefined, { signal, ref: false });
      const columns = await WorkspaceColumns.load({ db, pool }, place, {
        onCount: (columns, count) => this.prepare(columns, count),
        onRows: (columns) => this.makeRoom(columns.bytes),
        maxBytes,
      });
      const { bytes } = columns.columns;
      this.loaded.set(key, { columns, bytes, usedAt: now() });
      this.loadedBytes += bytes;
    } catch (error) {
      this.refusedUntil.set(key, now() + REFUSED_MS);
      if (signal.aborted) return;
      const because = error instanceof DoesNotFit ? 'they do not fit into memory' : 'they could not be read';
      log.warn({ err: error, ...place }, `sessions are counted by the database: ${because}`);
    } finally {
      this.loadingBytes = 0;
      this.awaited.delete(key);
    }
  }

  private prepare(columns: SessionColumns, count: number): void {
    this.makeRoom(count * MIN_BYTES);
    columns.reserve(Math.ceil(count * SPARE));
    this.makeRoom(columns.bytes);
  }

  /** Evicts workspaces to make space for a load. */
  private makeRoom(bytes: number): void {
    this.closing.signal.throwIfAborted();
    // Nothing is evicted for a workspace that does not even fit alone.
    if (bytes > this.options.maxBytes) throw new DoesNotFit(`${bytes} bytes and more`);
    this.loadingBytes = bytes;
    while (this.bytes > this.options.maxBytes) {
      if (!this.dropOldest(BUSY_MS)) throw new DoesNotFit(`${bytes} bytes and more`);
    }
  }

  /** @returns whether a workspace had been unused for this time and was dropped */
  private dropOldest(unusedMs: number): boolean {
    const [oldest] = this.loaded;
    if (!oldest || this.options.now() - oldest[1].usedAt < unusedMs) return false;
    this.forget(oldest[0]);
    return true;
  }

  private dropIdle(): void {
    while (this.dropOldest(IDLE_MS));
    for (const [key, until] of this.refusedUntil)
      if (until <= this.options.now()) this.refusedUntil.delete(key);
  }

  private forget(key: string): void {
    this.loadedBytes -= this.loaded.get(key)?.bytes ?? 0;
    this.loaded.delete(key);
  }
}

const toKey = ({ organizationId, workspaceId }: Place) => `${organizationId} ${workspaceId}`;
