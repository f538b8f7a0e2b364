/**
 * A container engine that the tests start: it has its own network and mounts, so that it changes nothing on this machine, keeps its files
 * below one folder, and uses an image built from this machine's own files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Docker from 'dockerode';
import { WAIT_TIMEOUT_MS } from '../wait-timeout.ts';
import { openBaseImage } from './base-image.ts';

export const ENGINES = ['docker', 'podman'] as const;
export type EngineKind = (typeof ENGINES)[number];

/** Serializable data with which other processes reach the engine. */
export interface EngineAccess {
  readonly kind: EngineKind;
  readonly socketPath: string;
  readonly image: string;
  /** The folder that holds all its files. */
  readonly root: string;
}

export interface EngineUnderTest extends EngineAccess {
  /** Kills the engine as a crash would. */
  kill(): Promise<void>;
  /** Starts the engine again on the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const PROGRAMS = {
  docker: ['/usr/sbin/dockerd', '/usr/bin/containerd', '/usr/sbin/runc'],
  podman: ['/usr/bin/podman', '/usr/bin/conmon', '/usr/sbin/runc'],
} as const;
// Podman's import accepts no other tag.
const IMAGE = 'drydock-suite:latest';

/** Returns why the engine cannot run here; undefined if it can. */
export function findObstacle(kind: EngineKind): string | undefined {
  if (process.getuid?.() !== 0) return 'this user is not root';
  const missing = PROGRAMS[kind].filter((path) => !existsSync(path));
  return missing.length > 0 ? `${missing.join(', ')} is missing` : undefined;
}

export async function startEngine(kind: EngineKind): Promise<EngineUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-engine-'));
  const root = join(folder, 'root');
  const socketPath = join(folder, 'engine.sock');
  const group = `drydock-suite-${folder.slice(-6)}`;
  const start = () => launch(kind, { folder, root, socketPath, group });
  let child = await start().catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const kill = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const access = { kind, socketPath, image: IMAGE, root };
  try {
    await importImage(socketPath);
  } catch (error) {
    await end(child, folder, group);
    throw error;
  }
  const restart = async () => {
    child = await start();
  };
  return { ...access, kill, restart, close: () => end(child, folder, group) };
}

interface Places {
  readonly folder: string;
  readonly root: string;
  readonly socketPath: string;
  /** Parent of its control groups. */
  readonly group: string;
}

/** Moves the files that it keeps outside of its folder into it. */
const ALONE = 'mount --bind "$1" /run && ip link set lo up && shift && exec "$@"';

async function launch(kind: EngineKind, places: Places): Promise<ChildProcess> {
  const { folder, socketPath } = places;
  rmSync(socketPath, { force: true });
  // The pid file of a killed engine: if the process was not reaped, the next engine takes it for alive.
  rmSync(join(folder, 'exec/containerd/containerd.pid'), { force: true });
  const log = join(folder, 'log');
  const run = join(folder, 'run');
  mkdirSync(run, { recursive: true });
  const command = kind === 'docker' ? toDockerd(places) : toPodman(places);
  const alone = [
    'unshare',
    '--net',
    '--mount',
    'sh',
    '-c',
    `exec >>"$0" 2>&1; ${ALONE}`,
    log,
    run,
    ...command,
  ];
  // The engine ends with these tests, even when they are killed.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...alone], {
    stdio: 'ignore',
    cwd: folder, // where conmon records processes that ran out of memory
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: folder,
      CONTAINERS_CONF: join(folder, 'containers.conf'),
    },
  });
  const docker = toClient(socketPath);
  const start = performance.now();
  while (!(await docker.ping().catch(() => undefined))) {
    if (child.exitCode !== null || performance.now() - start > WAIT_TIMEOUT_MS) {
      child.kill('SIGKILL');
      throw new Error(`${kind} did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
    }
    await wait(50);
  }
  return child;
}

function toDockerd({ folder, root, socketPath, group }: Places): string[] {
  return [
    ['dockerd', '--host', `unix://${socketPath}`, '--data-root', root, '--exec-root', join(folder, 'exec')],
    ['--pidfile', join(folder, 'pid'), '--bridge', 'none', '--iptables=false', '--ip6tables=false'],
    ['--storage-driver', 'overlay2', '--cgroup-parent', `/${group}`, '--log-level', 'warn'],
  ].flat();
}

/** Root may have fewer rights than Podman expects, and crun does not support every control group layout. */
const INITS = ['/usr/libexec/podman/catatonit', '/usr/bin/tini-static', '/usr/bin/docker-init'];
const PODMAN_SETTINGS = `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]
[engine]
exit_command_delay = 1
init_path = "${INITS.find((path) => existsSync(path))}"
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

function toPodman({ folder, root, socketPath }: Places): string[] {
  writeFileSync(join(folder, 'containers.conf'), PODMAN_SETTINGS);
  return [
    ['podman', '--root', root, '--runroot', '/run/podman', '--tmpdir', '/run/tmp'],
    ['--storage-driver', 'overlay', '--cgroup-manager', 'cgroupfs', '--runtime', 'runc'],
    ['system', 'service', '--time', '0', `unix://${socketPath}`],
  ].flat();
}

export const toClient = (socketPath: string) => new Docker({ socketPath, host: undefined });

async function importImage(socketPath: string): Promise<void> {
  const docker = toClient(socketPath);
  const [repo = '', tag = ''] = IMAGE.split(':');
  const progress = await docker.importImage(openBaseImage(), { repo, tag });
  for await (const _ of progress as AsyncIterable<unknown>);
}

async function end(child: ChildProcess, folder: string, group: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), WAIT_TIMEOUT_MS);
    await exited;
    clearTimeout(late);
  }
  await endRest(folder, group);
  rmSync(folder, { recursive: true, force: true });
}

/** Ends everything that a killed engine has left running, including frozen processes, and removes its control groups. */
async function endRest(folder: string, group: string): Promise<void> {
  const start = performance.now();
  for (;;) {
    const groups = listGroups(group);
    for (const path of groups) {
      for (const [file, text] of THAWS)
        if (existsSync(join(path, file))) tryTo(() => writeFileSync(join(path, file), text));
      for (const pid of readLines(join(path, 'cgroup.procs')))
        tryTo(() => process.kill(Number(pid), 'SIGKILL'));
    }
    for (const pid of findNaming(folder)) tryTo(() => process.kill(pid, 'SIGKILL'));
    for (const path of groups.toReversed()) tryTo(() => rmdirSync(path));
    const left = [...listGroups(group), ...findNaming(folder)];
    if (left.length === 0) return;
    if (performance.now() - start > WAIT_TIMEOUT_MS)
      throw new Error(`The engine has left ${left.join(', ')}`);
    await wait(50);
  }
}

const THAWS = [
  ['freezer.state', 'THAWED'],
  ['cgroup.freeze', '0'],
] as const;

/** Lists parents first. */
function listGroups(group: string): string[] {
  const roots = ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map((name) => `/sys/fs/cgroup/${name}`)];
  const listTree = (path: string): string[] => [
    path,
    ...readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => listTree(join(path, entry.name))),
  ];
  return roots
    .map((root) => join(root, group))
    .filter((path) => existsSync(path))
    .flatMap(listTree);
}

/** Finds processes with the folder among their arguments: the monitors of containers. */
function findNaming(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readLines(`/proc/${pid}/cmdline`).some((text) => text.includes(`${folder}/`)))
    .map(Number);
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // gone in the meantime, or tried again
  }
}
