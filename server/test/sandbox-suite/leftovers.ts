/** What a sandbox may leave on its host, looked for from the outside and without asking its provider. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findAtEngine, findNames } from '../containers/engine-leftovers.ts';
import type { EngineAccess } from '../containers/engine-under-test.ts';

/** Such as `pid:[4026532189]`: the same inside and outside. */
export interface Traces {
  readonly id: string;
  readonly namespaces: readonly string[];
}

/** Where to look. */
export interface Place {
  readonly folder: string;
  /** Undefined where there is none. */
  readonly engine: EngineAccess | undefined;
}

const KINDS = ['pid', 'net', 'ipc', 'uts'];

/** @returns a line for each thing that is left, its disk aside */
export function findLeftovers(
  { folder, engine }: Place,
  { id, namespaces }: Traces,
  areCorpsesOfHost = false,
): string[] {
  return [
    ...findAtEngine(id, engine),
    ...listProcesses(id, namespaces, engine)
      .filter((line) => !isOfPodman(line))
      .filter((line) => !(areCorpsesOfHost && isCorpseOfHost(line))),
    ...readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(id) || line.includes(folder)),
    ...listNames('/sys/fs/cgroup', 4).filter((path) => path.includes(id)),
    ...listNames(folder, 3).filter((path) => path.includes(id)),
  ];
}

/** Its parent was killed; when the first process of the host takes note of that is up to that one. */
const isCorpseOfHost = (line: string) => /\) Z 1 /.test(read(`/proc/${Number.parseInt(line, 10)}/stat`));

/** Podman has one beside each container, and for a while after it. */
const isOfPodman = (line: string) => /^\d+ ($|\/usr\/bin\/conmon )/.test(line);

/** Those of its namespaces, and those of the host that name it. */
export function listProcesses(id: string, namespaces: readonly string[], engine?: EngineAccess): string[] {
  const names = findNames(id, engine);
  const isNamed = (pid: string) => {
    const text = read(`/proc/${pid}/cmdline`);
    // Podman remembers for a while how each command ended, by a process for each.
    return names.some((name) => text.includes(name)) && !text.includes('--exec-process-spec');
  };
  return listPids()
    .filter((pid) => isOf(pid, namespaces) || isNamed(pid))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)}`);
}

/**
 * Keeps their numbers from being given to the next sandbox of the machine, whose processes would be taken for these.
 * @returns lets go of them
 */
export function holdNamespaces(namespaces: readonly string[]): () => void {
  const files = listPids()
    .flatMap((pid) => KINDS.map((kind) => `/proc/${pid}/ns/${kind}`))
    .filter((path) => namespaces.includes(readLink(path)))
    .flatMap(open);
  return () => {
    for (const file of files) closeSync(file);
  };
}

function open(path: string): number[] {
  try {
    return [openSync(path, 'r')];
  } catch {
    return [];
  }
}

/** Of all processes in a pid namespace together, in ticks. */
export function readTicks(namespace: string): number {
  const ticks = listPids()
    .filter((pid) => isOf(pid, [namespace]))
    .map((pid) => read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []);
  return ticks.reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0);
}

const listPids = () =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));

function isOf(pid: string, namespaces: readonly string[]): boolean {
  return KINDS.some((kind) => namespaces.includes(readLink(`/proc/${pid}/ns/${kind}`)));
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listNames(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return [path].concat(entry.isDirectory() ? listNames(path, depth - 1) : []);
    });
  } catch {
    return [];
  }
}
