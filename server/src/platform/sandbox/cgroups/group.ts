/** One control group: a folder of the same name in each hierarchy that is used. */
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { SandboxLimits } from '../sandbox-provider.ts';
import { foldersOf, type Layout, type Place, prepareParents } from './layout.ts';

const WAIT_TIMEOUT_MS = 10_000;
const CPU_PERIOD_US = 100_000;
const BYTES_PER_MB = 1024 * 1024;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Creates the group completely or not at all. */
export async function makeGroup(
  layout: Layout,
  id: string,
  name: string,
  limits: SandboxLimits,
): Promise<Group> {
  const group = new Group(layout, id, name);
  try {
    await makeFolders(layout, name);
    await writeLimits(layout, name, limits);
    return group;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new ApiError('conflict_error', `The control group of sandbox ${id} exists already.`);
    }
    await group.remove().catch(() => undefined);
    throw new ApiError('sandbox_provider_error', `The control group of sandbox ${id} could not be created.`, {
      cause: error,
    });
  }
}

async function makeFolders(layout: Layout, name: string): Promise<void> {
  const made: string[] = [];
  for (let round = 0; ; round++) {
    try {
      await prepareParents(layout);
      for (const parent of foldersOf(layout)) {
        const folder = join(parent, name);
        if (made.includes(folder)) continue;
        await mkdir(folder);
        made.push(folder);
      }
      return;
    } catch (error) {
      // Another owner on this machine removed the parent because it was empty.
      if (codeOf(error) === 'ENOENT' && round < 10) continue;
      for (const folder of made) await rmdir(folder).catch(() => undefined);
      throw error;
    }
  }
}

async function writeLimits(layout: Layout, name: string, limits: SandboxLimits): Promise<void> {
  const { cpu, memory, pids } = layout;
  if (limits.cpuCores !== undefined && cpu) await limitCpu(cpu, name, limits.cpuCores);
  if (limits.memoryMb !== undefined && memory) await limitMemory(memory, name, limits.memoryMb);
  if (limits.pids !== undefined && pids) await writeTo(pids, name, 'pids.max', limits.pids);
}

async function limitCpu(place: Place, name: string, cores: number): Promise<void> {
  const quota = Math.round(cores * CPU_PERIOD_US);
  if (place.version === 2) return writeTo(place, name, 'cpu.max', `${quota} ${CPU_PERIOD_US}`);
  await writeTo(place, name, 'cpu.cfs_period_us', CPU_PERIOD_US);
  await writeTo(place, name, 'cpu.cfs_quota_us', quota);
}

/** Disables swap where the kernel accounts for it, since swap would let the group grow past its limit. */
async function limitMemory(place: Place, name: string, megabytes: number): Promise<void> {
  const bytes = Math.round(megabytes * BYTES_PER_MB);
  await writeTo(place, name, place.version === 2 ? 'memory.max' : 'memory.limit_in_bytes', bytes);
  const [file, value] =
    place.version === 2
      ? (['memory.swap.max', 0] as const)
      : (['memory.memsw.limit_in_bytes', bytes] as const);
  await writeTo(place, name, file, value).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EACCES') throw error;
  });
}

/** Opens the file without creating it, so that a missing controller is an error. */
const writeTo = (place: Place, name: string, file: string, value: string | number) =>
  writeFile(join(place.parent, name, file), String(value), { flag: 'r+' });

const readFrom = (place: Place, name: string, file: string) =>
  readFile(join(place.parent, name, file), 'utf8').catch(() => '');

/** Reads a value from a file with one name and number per line. */
function numberIn(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

export class Group {
  readonly id: string;
  readonly procsFiles: readonly string[];
  readonly #layout: Layout;
  readonly #name: string;
  readonly #folders: readonly string[];

  constructor(layout: Layout, id: string, name: string) {
    this.id = id;
    this.#layout = layout;
    this.#name = name;
    this.#folders = foldersOf(layout).map((parent) => join(parent, name));
    this.procsFiles = this.#folders.map((folder) => join(folder, 'cgroup.procs'));
  }

  async processes(): Promise<number[]> {
    // Reads all files, since a process that was killed while joining is only in some of them.
    const lists = await Promise.all(this.procsFiles.map((file) => readFile(file, 'utf8').catch(() => '')));
    // 0 is a process of a pid namespace that this process cannot see.
    const pids = lists
      .flatMap((list) => list.split('\n').filter(Boolean).map(Number))
      .filter((pid) => pid > 0);
    return [...new Set(pids)];
  }

  freeze = () => this.#setFrozen(true);
  thaw = () => this.#setFrozen(false);

  async #setFrozen(isFrozen: boolean): Promise<void> {
    const { freezer } = this.#layout;
    if (!freezer)
      throw new ApiError('sandbox_provider_error', 'This host has no control groups that can freeze.');
    const write = () =>
      freezer.version === 2
        ? writeTo(freezer, this.#name, 'cgroup.freeze', isFrozen ? 1 : 0)
        : writeTo(freezer, this.#name, 'freezer.state', isFrozen ? 'FROZEN' : 'THAWED');
    await write();
    const what = isFrozen ? 'stopped' : 'gone on';
    await this.#until(what, async () => {
      if ((await this.isFrozen()) === isFrozen) return true;
      // A v1 freezer that met a busy process does not retry by itself.
      if (freezer.version === 1) await write();
      return false;
    });
  }

  async isFrozen(): Promise<boolean> {
    const { freezer } = this.#layout;
    if (!freezer) return false;
    if (freezer.version === 1) {
      return (await readFrom(freezer, this.#name, 'freezer.state')).trim() === 'FROZEN';
    }
    return numberIn(await readFrom(freezer, this.#name, 'cgroup.events'), 'frozen') === 1;
  }

  async kill(): Promise<void> {
    const { freezer } = this.#layout;
    if (freezer?.version === 2) {
      // Exists since Linux 5.14, and also kills processes that are being started.
      await writeTo(freezer, this.#name, 'cgroup.kill', 1).catch(() => undefined);
    }
    await this.#until('ended', async () => {
      const pids = await this.processes();
      for (const pid of pids) killNow(pid);
      // A process held by a v1 freezer cannot even end.
      if (pids.length > 0 && freezer?.version === 1) {
        await writeTo(freezer, this.#name, 'freezer.state', 'THAWED').catch(() => undefined);
      }
      return pids.length === 0;
    });
  }

  async remove(): Promise<void> {
    for (const folder of this.#folders) {
      // The folder stays busy for a moment after its last process has ended.
      await this.#until('been removed', () => removeFolder(folder));
    }
  }

  async stats() {
    const { memory, accounting } = this.#layout;
    const [processes, memoryBytes, cpuSeconds, memoryKills] = await Promise.all([
      this.processes(),
      memory && this.#memoryBytes(memory),
      accounting && this.#cpuSeconds(accounting),
      memory && this.#memoryKills(memory),
    ]);
    return { processes: processes.length, memoryBytes, cpuSeconds, memoryKills };
  }

  /** Excludes the page cache, which the kernel frees on demand. */
  async #memoryBytes(place: Place): Promise<number | undefined> {
    const isUnified = place.version === 2;
    const used = await readFrom(place, this.#name, isUnified ? 'memory.current' : 'memory.usage_in_bytes');
    const details = await readFrom(place, this.#name, 'memory.stat');
    const idle = numberIn(details, isUnified ? 'inactive_file' : 'total_inactive_file') ?? 0;
    return used === '' ? undefined : Math.max(0, Number(used) - idle);
  }

  async #memoryKills(place: Place): Promise<number | undefined> {
    const file = place.version === 2 ? 'memory.events' : 'memory.oom_control';
    return numberIn(await readFrom(place, this.#name, file), 'oom_kill');
  }

  async #cpuSeconds(place: Place): Promise<number | undefined> {
    if (place.version === 1) {
      const nanoseconds = await readFrom(place, this.#name, 'cpuacct.usage');
      return nanoseconds === '' ? undefined : Number(nanoseconds) / 1e9;
    }
    const microseconds = numberIn(await readFrom(place, this.#name, 'cpu.stat'), 'usage_usec');
    return microseconds === undefined ? undefined : microseconds / 1e6;
  }

  async #until(what: string, check: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (let pause = 1; !(await check()); pause = Math.min(2 * pause, 50)) {
      if (performance.now() > deadline) {
        const detail = `The control group of sandbox ${this.id} has not ${what} within ${WAIT_TIMEOUT_MS / 1000} seconds.`;
        throw new ApiError('sandbox_provider_error', detail);
      }
      await sleep(pause);
    }
  }
}

async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    if (codeOf(error) === 'EBUSY') return false;
    throw error;
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process ended in between
  }
}
