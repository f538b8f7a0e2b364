/**
 * Control groups limit the CPU, memory and processes of a sandbox, and stop all of it at once. A host has one unified hierarchy (v2), one
 * hierarchy per controller (v1), both (hybrid), or none that this process may use.
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
  /** Limits that a trial has proven to be enforced. */
  readonly limits: readonly Limit[];
  /** True when a group can be paused and resumed as a whole. */
  readonly canFreeze: boolean;
  /** For each unsupported feature: the reason, and how to fix it. Empty when everything is supported. */
  readonly reasons: readonly string[];
  /** @throws {ApiError} when the group exists already, or a limit is not among `limits` */
  create(id: string, limits: SandboxLimits): Promise<Cgroup>;
  /** Returns a group created by this or an earlier process; undefined when nothing of it is left. */
  find(id: string): Promise<Cgroup | undefined>;
  /** Lists the ids of existing groups. */
  list(): Promise<string[]>;
  /** Announces that processes will soon join groups, now and repeatedly. */
  keepReady(): void;
  /** Removes the parent of all groups when it is empty. */
  close(): Promise<void>;
}

export interface Cgroup {
  readonly id: string;
  /**
   * A process joins the group, including its future children, by writing `0` to each of these files. Empty when there is nothing to join.
   */
  readonly procsFiles: readonly string[];
  /** Lists process ids as seen by this process. */
  processes(): Promise<number[]>;
  /** Resolves when nothing in the group runs. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  isFrozen(): Promise<boolean>;
  /** Kills every process in the group, frozen or not, and resolves when they are gone. */
  kill(): Promise<void>;
  /** Removes the group after its processes have ended. Idempotent. */
  remove(): Promise<void>;
  stats(): Promise<CgroupStats>;
}

export interface CgroupStats {
  readonly processes: number;
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** Number of processes that were killed because the memory was used up. */
  readonly memoryKills: number | undefined;
}

const LIMITS: readonly Limit[] = ['cpu', 'memory', 'pids'];

/** @param owner separates the groups of hosts that share the machine: letters, digits and `-`, such as a host's id */
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

/** Two dots, which no id contains, mark the groups of trials. */
const trialPrefix = (owner: string) => `${owner}..`;

/** Removes trial groups of processes that were killed during a trial. */
async function removeLeftTrials(layout: Layout, owner: string): Promise<void> {
  for (const parent of foldersOf(layout)) {
    const names = await readdir(parent).catch(() => []);
    const trials = names.filter((name) => name.startsWith(trialPrefix(owner)));
    for (const name of trials.filter((trial) => !isMarkOfLiving(trial.slice(trialPrefix(owner).length)))) {
      const group = new Group(layout, name, name);
      // A group that was just frozen would otherwise stay frozen forever.
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
    const requested = { cpu: limits.cpuCores, memory: limits.memoryMb, pids: limits.pids };
    const unheld = LIMITS.filter((limit) => requested[limit] !== undefined && !this.limits.includes(limit));
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
