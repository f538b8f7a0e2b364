/**
 * Control groups: what a sandbox may take of processor, memory and processes, and how all of it is stopped at once.
 *
 * A host has one unified hierarchy (v2), one hierarchy for each controller (v1), both (hybrid), or lets us use none.
 */
import { readdir, rmdir } from 'node:fs/promises';
import { ApiError } from '../../errors.ts';
import { isMarkOfLiving, readOwnMark } from '../process-table.ts';
import type { Limit, SandboxLimits } from '../sandbox-provider.ts';
import { Group, makeGroup } from './group.ts';
import { findLayout, findOwnProcsFile, foldersOf, type Layout } from './layout.ts';
import { Readiness } from './readiness.ts';
import { tryFreezing, tryLimit } from './trials.ts';

export interface Cgroups {
  /** Those to which a process was really held when it was tried. */
  readonly limits: readonly Limit[];
  /** A group can be stopped as a whole, and go on. */
  readonly canFreeze: boolean;
  /** For each thing that it cannot: why, and what to do about it. Empty where it can do all. */
  readonly reasons: readonly string[];
  /** @throws {ApiError} when the group is there already, or a limit is not among `limits` */
  create(id: string, limits: SandboxLimits): Promise<Cgroup>;
  /** One that this or a former process made; undefined when nothing of it is left. */
  find(id: string): Promise<Cgroup | undefined>;
  /** Ids of those that there are. */
  list(): Promise<string[]>;
  /** Said by who is about to let processes join, and will again. */
  keepReady(): void;
  /** Removes the parent of all groups where none is left in it. */
  close(): Promise<void>;
}

export interface Cgroup {
  readonly id: string;
  /** A process joins, with what it starts from then on, when it writes `0` to each of them. Empty: nothing to join. */
  readonly procsFiles: readonly string[];
  /** Process ids, as this process sees them. */
  processes(): Promise<number[]>;
  /** Resolves once nothing in it runs. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  isFrozen(): Promise<boolean>;
  /** Kills every process in it, frozen or not, and resolves once they are gone. */
  kill(): Promise<void>;
  /** Removes the group, whose processes have ended. Again does nothing. */
  remove(): Promise<void>;
  stats(): Promise<CgroupStats>;
}

export interface CgroupStats {
  readonly processes: number;
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** Processes that were killed because the memory was used up. */
  readonly memoryKills: number | undefined;
}

const LIMITS: readonly Limit[] = ['cpu', 'memory', 'pids'];

/**
 * @param owner names this host among those that share the machine, so that none finds another's groups: letters, digits
 * and `-`, such as a host's id
 */
export async function openCgroups(owner: string): Promise<Cgroups> {
  if (!/^[A-Za-z0-9-]+$/.test(owner)) throw new Error(`${owner} cannot be the name of an owner of groups`);
  const { layout, reasons } = await findLayout();
  await removeLeftTrials(layout, owner);
  const trial = (name: string) => `${trialPrefix(owner)}${readOwnMark()}-${name}`;
  const tried = await Promise.all(
    LIMITS.map(async (limit) => ({ limit, finding: await tryLimit(layout, limit, trial(limit)) })),
  );
  const freezing = await tryFreezing(layout, trial('freeze'));
  const findings = foldersOf(layout).length > 0 ? [...tried.map(({ finding }) => finding), freezing] : [];
  const isUsed = freezing.isPossible || tried.some(({ finding }) => finding.isPossible);
  const readiness = new Readiness(isUsed ? await findOwnProcsFile() : undefined);
  return new OpenCgroups(owner, layout, readiness, {
    limits: tried.filter(({ finding }) => finding.isPossible).map(({ limit }) => limit),
    canFreeze: freezing.isPossible,
    reasons: [...reasons, ...findings.flatMap((finding) => (finding.isPossible ? [] : [finding.reason]))],
  });
}

/** Two dots: no id has one. */
const trialPrefix = (owner: string) => `${owner}..`;

/** Of a process that was killed while it tried. */
async function removeLeftTrials(layout: Layout, owner: string): Promise<void> {
  for (const parent of foldersOf(layout)) {
    const names = await readdir(parent).catch(() => []);
    const trials = names.filter((name) => name.startsWith(trialPrefix(owner)));
    for (const name of trials.filter((trial) => !isMarkOfLiving(trial.slice(trialPrefix(owner).length)))) {
      const group = new Group(layout, name, name);
      // One that it had just frozen would stay so for ever.
      await group.kill().catch(() => undefined);
      await group.remove().catch(() => undefined);
    }
  }
}

class OpenCgroups implements Cgroups {
  readonly limits: readonly Limit[];
  readonly canFreeze: boolean;
  readonly reasons: readonly string[];
  readonly #owner: string;
  readonly #layout: Layout;
  readonly #readiness: Readiness;

  constructor(
    owner: string,
    layout: Layout,
    readiness: Readiness,
    { limits, canFreeze, reasons }: Pick<Cgroups, 'limits' | 'canFreeze' | 'reasons'>,
  ) {
    this.#owner = owner;
    this.#layout = layout;
    this.#readiness = readiness;
    this.limits = limits;
    this.canFreeze = canFreeze;
    this.reasons = reasons;
  }

  async create(id: string, limits: SandboxLimits): Promise<Cgroup> {
    const asked = { cpu: limits.cpuCores, memory: limits.memoryMb, pids: limits.pids };
    const unheld = LIMITS.filter((limit) => asked[limit] !== undefined && !this.limits.includes(limit));
    if (unheld.length > 0) {
      const detail = `This host cannot hold a sandbox to a limit of ${unheld.join(' and ')}: ${this.reasons.join(' ')}`;
      throw new ApiError('sandbox_provider_error', detail);
    }
    return makeGroup(this.#layout, id, this.#nameOf(id), limits);
  }

  async find(id: string): Promise<Cgroup | undefined> {
    const ids = await this.list();
    return ids.includes(id) ? new Group(this.#layout, id, this.#nameOf(id)) : undefined;
  }

  async list(): Promise<string[]> {
    const prefix = this.#nameOf('');
    const names = await Promise.all(foldersOf(this.#layout).map((parent) => readdir(parent).catch(() => [])));
    const ours = names.flat().filter((name) => name.startsWith(prefix));
    return [...new Set(ours.map((name) => name.slice(prefix.length)).filter((id) => !id.startsWith('.')))];
  }

  keepReady(): void {
    this.#readiness.keep();
  }

  async close(): Promise<void> {
    this.#readiness.close();
    for (const parent of foldersOf(this.#layout)) await rmdir(parent).catch(() => undefined);
  }

  #nameOf(id: string): string {
    if (!/^[A-Za-z0-9_-]*$/.test(id)) throw new Error(`${id} cannot be the id of a group`);
    return `${this.#owner}.${id}`;
  }
}
