/**
 * Ends sandboxes that fill the disk: past the limit of their own disk, past the limit of their group, or into the reserve of the host. For
 * a group and for the reserve it ends the sandbox that grew most, and never one that did not grow. See docs/design/storage-limits.md.
 * Free space is polled often, since that is cheap; a disk is measured only when enough space has gone that it could have passed its limit.
 */
import { statfs } from 'node:fs/promises';
import { type DiskUse, measureDisk } from './disk-use.ts';

export interface GuardedDisk {
  /** Id of the sandbox. */
  readonly id: string;
  /** Disks that share a limit, such as those of one organization. */
  readonly group?: DiskGroup | undefined;
  /** True when this sandbox is the first on the disk, so that its whole content counts as growth. */
  readonly isNew: boolean;
  /** Folders of the disk, whose content counts. */
  readonly folders: readonly string[];
  /** Processes of the sandbox, as seen by this process: deleted files that they hold open count too. */
  readonly processes: () => Promise<readonly number[]>;
}

export interface DiskGroup {
  readonly id: string;
  /** Limit for all watched disks of the group together. */
  readonly maxBytes: number;
}

export interface DiskBounds {
  readonly diskBytes: number;
  readonly diskFiles: number;
  /** Space that has to stay free on the file system. */
  readonly reserveBytes: number;
  readonly reserveFiles: number;
}

export interface DiskGuardOptions {
  /** A folder on the file system of all disks. */
  readonly folder: string;
  readonly bounds?: Partial<DiskBounds>;
  readonly intervalMs?: number;
  /** Ends the sandbox, which the guard then forgets. `reason` is for the log. */
  readonly end: (id: string, reason: string) => Promise<void>;
}

export interface DiskGuard {
  add(disk: GuardedDisk): void;
  remove(id: string): void;
  /** Reason why no further sandbox should be started; undefined when there is space. */
  findShortage(): Promise<string | undefined>;
  /** Stops watching. */
  close(): Promise<void>;
}

const GIB = 1024 ** 3;
const DEFAULT_BOUNDS: DiskBounds = {
  diskBytes: 10 * GIB,
  diskFiles: 1_000_000,
  reserveBytes: GIB,
  reserveFiles: 20_000,
};
const DEFAULT_INTERVAL_MS = 250;
/** Time that a sandbox runs before its disk is first measured. */
const FIRST_MEASURED_MS = 2_000;
/** Maximum time between measurements, since space freed by others can hide the growth of a disk. */
const LONGEST_UNMEASURED_MS = 5 * 60_000;
/** Fraction of its limit that a disk may grow unnoticed; smaller changes do not trigger a measurement. */
const FINENESS = 64;

/** Free bytes and files of the file system; undefined where it does not count them, as btrfs does not count files. */
type Free = Readonly<Record<keyof DiskUse, number | undefined>>;

interface Watched {
  readonly disk: GuardedDisk;
  /** Free space at the last measurement of the disk, or when it was added. */
  free: Free;
  use: DiskUse | undefined;
  /** First measurement: everything beyond it was added by the sandbox. */
  firstUse: DiskUse | undefined;
  measuredAt: number;
}

const NOTHING: DiskUse = { bytes: 0, files: 0 };
const KINDS = ['bytes', 'files'] as const;
const BOUND_OF = { bytes: 'diskBytes', files: 'diskFiles' } as const;
const RESERVE_OF = { bytes: 'reserveBytes', files: 'reserveFiles' } as const;

export function openDiskGuard(options: DiskGuardOptions): DiskGuard {
  return new Guard(options);
}

class Guard implements DiskGuard {
  readonly #folder: string;
  readonly #bounds: DiskBounds;
  readonly #intervalMs: number;
  readonly #end: DiskGuardOptions['end'];
  readonly #watched = new Map<string, Watched>();
  #added: GuardedDisk[] = [];
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Free space at the last search for the sandbox that grew most; removed when the space is above the reserve again. */
  #searchedAt: Partial<Record<keyof DiskUse, number>> = {};

  constructor({ folder, bounds, intervalMs = DEFAULT_INTERVAL_MS, end }: DiskGuardOptions) {
    this.#folder = folder;
    this.#bounds = { ...DEFAULT_BOUNDS, ...bounds };
    this.#intervalMs = intervalMs;
    this.#end = end;
  }

  add(disk: GuardedDisk): void {
    this.#added.push(disk);
    this.#schedule();
  }

  remove(id: string): void {
    this.#watched.delete(id);
    this.#added = this.#added.filter((disk) => disk.id !== id);
  }

  async findShortage(): Promise<string | undefined> {
    const free = await this.#free();
    const kind = KINDS.find((each) => this.#isShort(free, each));
    return (
      kind && `The disk of the host has too few ${kind} left: ${free[kind]}. Free some, or use a larger one.`
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  #schedule(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.#check()
        // The folder may be gone together with its sandboxes; the next check looks again.
        .catch(() => undefined)
        .finally(() => {
          this.#timer = undefined;
          if (this.#watched.size + this.#added.length > 0) this.#schedule();
        });
    }, this.#intervalMs);
    this.#timer.unref();
  }

  async #free(): Promise<Free> {
    const { bavail, bsize, files, ffree } = await statfs(this.#folder);
    return { bytes: bavail * bsize, files: files > 0 ? ffree : undefined };
  }

  #isShort = (free: Free, kind: keyof DiskUse) => (free[kind] ?? Infinity) < this.#bounds[RESERVE_OF[kind]];

  async #check(): Promise<void> {
    const free = await this.#free();
    this.#takeUp(free);
    await this.#measureFirst(free);
    for (const kind of KINDS) {
      if (this.#isShort(free, kind)) await this.#relieve(free, kind);
      else delete this.#searchedAt[kind];
    }
    for (const watched of this.#watched.values()) {
      if (this.#isClosed) return;
      if (this.#isSuspect(watched, free)) await this.#judge(watched, free);
    }
  }

  #takeUp(free: Free): void {
    for (const disk of this.#added) {
      const measuredAt = performance.now();
      const firstUse = disk.isNew ? NOTHING : undefined;
      this.#watched.set(disk.id, { disk, free, use: undefined, firstUse, measuredAt });
    }
    this.#added = [];
  }

  /**
   * Returns whether the disk may have passed a limit since its last measurement. A disk without one is suspect at the first larger step.
   */
  #isSuspect(watched: Watched, free: Free): boolean {
    if (performance.now() - watched.measuredAt > LONGEST_UNMEASURED_MS) return true;
    return KINDS.some((kind) => {
      // Groups limit bytes only. Uses the smaller limit and the use of the whole group, to measure too early rather than too late.
      const group = kind === 'bytes' ? watched.disk.group : undefined;
      const own = this.#bounds[BOUND_OF[kind]];
      const bound = Math.min(own, group?.maxBytes ?? own);
      const held = group ? this.#groupBytes(group) : (watched.use?.[kind] ?? 0);
      const room = watched.use ? bound - held : 0;
      const gone = (watched.free[kind] ?? 0) - (free[kind] ?? 0);
      return gone >= Math.max(room, bound / FINENESS);
    });
  }

  /** Measures the disk, and ends its sandbox if it has passed its limit, or a member of its group if the group has. */
  async #judge(watched: Watched, free: Free): Promise<void> {
    const use = await this.#measure(watched, free);
    const kind = KINDS.find((each) => use[each] > this.#bounds[BOUND_OF[each]]);
    if (kind) {
      const bound = this.#bounds[BOUND_OF[kind]];
      return this.#endOne(watched, `its disk holds ${use[kind]} ${kind}, of which it may hold ${bound}`);
    }
    const { group } = watched.disk;
    if (group && this.#groupBytes(group) > group.maxBytes) await this.#relieveGroup(group, free);
  }

  #membersOf({ id }: DiskGroup): Watched[] {
    return [...this.#watched.values()].filter(({ disk }) => disk.group?.id === id);
  }

  #groupBytes(group: DiskGroup): number {
    return this.#membersOf(group).reduce((sum, { use }) => sum + (use?.bytes ?? 0), 0);
  }

  /** Ends the member that grew most, if the group is still past its limit after all members were measured. */
  async #relieveGroup(group: DiskGroup, free: Free): Promise<void> {
    const members = this.#membersOf(group);
    for (const member of members) await this.#measure(member, free);
    const [most] = members.toSorted((a, b) => growthOf(b, 'bytes') - growthOf(a, 'bytes'));
    const bytes = this.#groupBytes(group);
    const step = group.maxBytes / FINENESS;
    if (!most || bytes <= group.maxBytes || growthOf(most, 'bytes') < step) return;
    await this.#endOne(
      most,
      `the disks of the running sandboxes of its organization hold ${bytes} bytes, of which they may hold ${group.maxBytes}, and this sandbox has added most`,
    );
  }

  async #measure(watched: Watched, free: Free): Promise<DiskUse> {
    const use = await measureDisk(watched.disk.folders, await watched.disk.processes().catch(() => []));
    Object.assign(watched, { use, firstUse: watched.firstUse ?? use, free, measuredAt: performance.now() });
    return use;
  }

  /**
   * Measures disks with content of earlier sandboxes, so that it does not count as growth of the current one. The delay saves two programs
   * for short sandboxes, such as most verifications.
   */
  async #measureFirst(free: Free): Promise<void> {
    const until = performance.now() - FIRST_MEASURED_MS;
    for (const watched of this.#watched.values())
      if (!watched.firstUse && watched.measuredAt <= until) await this.#measure(watched, free);
  }

  /**
   * Ends the sandbox that grew most. This does not free stored data, so it is repeated only when still more space has gone. A sandbox that
   * has not grown is never ended: something else took the space.
   */
  async #relieve(free: Free, kind: keyof DiskUse): Promise<void> {
    const left = free[kind] ?? 0;
    const step = this.#bounds[RESERVE_OF[kind]] / FINENESS;
    const searchedAt = this.#searchedAt[kind];
    if (searchedAt !== undefined && left > searchedAt - step) return;
    this.#searchedAt[kind] = left;
    const all = [...this.#watched.values()];
    for (const watched of all) await this.#measure(watched, free);
    const growth = (watched: Watched) => growthOf(watched, kind);
    const [most] = all
      .filter(({ disk }) => this.#watched.has(disk.id))
      .toSorted((a, b) => growth(b) - growth(a));
    if (!most || growth(most) < step) return;
    await this.#endOne(
      most,
      `the disk of the host has ${left} ${kind} left, and this sandbox has added ${growth(most)}, more than any other`,
    );
  }

  async #endOne({ disk }: Watched, reason: string): Promise<void> {
    if (this.#isClosed || !this.#watched.has(disk.id)) return;
    // Removed from the list first, so that a sandbox that cannot be ended is not tried forever.
    this.remove(disk.id);
    await this.#end(disk.id, reason);
  }
}

function growthOf({ use, firstUse }: Watched, kind: keyof DiskUse): number {
  return use && firstUse ? use[kind] - firstUse[kind] : 0;
}
