/** Finds what a sandbox has left on its host, from the outside and without its provider. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findAtEngine, findNames } from '../containers/engine-leftovers.ts';
import type { EngineAccess } from '../containers/engine-under-test.ts';

/** Identifiers such as `pid:[4026532189]`, which are the same inside and outside. */
export interface Traces {
  readonly id: string;
  readonly namespaces: readonly string[];
}

/** The places to search. */
export interface Place {
  readonly folder: string;
  /** Undefined if there is no engine. */
  readonly engine: EngineAccess | undefined;
}

const KINDS = ['pid', 'net', 'ipc', 'uts'];

/** @returns a line for each leftover, except its disk */
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

/** Its parent was killed, and it depends on the host's first process when it is reaped. */
const isCorpseOfHost = (line: string) => /\) Z 1 /.test(read(`/proc/${Number.parseInt(line, 10)}/stat`));

/** Podman runs one beside each container, and for a while after it. */
const isOfPodman = (line: string) => /^\d+ ($|\/usr\/bin\/conmon )/.test(line);

/** Lists the processes in its namespaces, and those of the host that name it. */
export function listProcesses(id: string, namespaces: readonly string[], engine?: EngineAccess): string[] {
  const names = findNames(id, engine);
  const isNamed = (pid: string) => {
    const text = read(`/proc/${pid}/cmdline`);
    // Podman keeps a process for a while that records how each command ended.
    return names.some((name) => text.includes(name)) && !text.includes('--exec-process-spec');
  };
  return listPids()
    .filter((pid) => isOf(pid, namespaces) || isNamed(pid))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)}`);
}

/**
 * Keeps the namespace numbers from being reused for the next sandbox of the machine, whose processes would be mistaken for these.
 * @returns a function that releases them
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

/** CPU ticks of all processes in a pid namespace. */
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
