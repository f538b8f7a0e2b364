/**
 * Starts a program with limits for memory and time, in a process group of its own that ends with it. This limits a program that we chose
 * and that may misbehave. It is not a sandbox: a program can leave its group if it wants to, and it reaches what its user reaches.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors.ts';

export interface LimitedProgram {
  /** A path, or a name that is looked up in the PATH of `env`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program: nothing of ours is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Open file descriptors of ours that the program gets as 3, 4 and so on. */
  readonly files?: readonly number[];
  readonly timeoutMs: number;
  /**
   * Bytes that each process of the group may allocate; enforced only on Linux. Memory shared between processes and mapped files do not
   * count. In a Node program the 512 MiB that V8 reserves for code do count, unless it runs `--jitless`.
   */
  readonly memoryBytes?: number;
  /** Whether it gets a lower priority than everything else, on machines that support it. */
  readonly isNiced?: boolean;
  /** Aborts the program. */
  readonly signal?: AbortSignal;
}

export interface ProgramEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** Whether its signal was aborted. */
  readonly aborted: boolean;
}

export interface StartedProgram {
  readonly stdin: Writable;
  /** Both streams must be read to their end. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program and its group have ended and all their resources are released. */
  readonly ended: Promise<ProgramEnd>;
}

/** Milliseconds between SIGTERM and SIGKILL, and for the last output of processes that left the group. */
const GRACE_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Throws only for a mistake of the caller: no such program, no such folder, a limit that cannot be applied. */
export async function startProgram(program: LimitedProgram): Promise<StartedProgram> {
  program.signal?.throwIfAborted();
  const child = await launch(program);
  const { stdin, stdout, stderr } = child;
  stdin.on('error', () => undefined); // the program need not read it, nor live until then
  if (program.isNiced && child.pid !== undefined) void niceSession(child.pid);
  return { stdin, stdout, stderr, ended: untilEnded(child, program) };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

async function launch(program: LimitedProgram): Promise<Child> {
  const { cwd, env = {}, args = [], files = [] } = program;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw unusable(`The folder ${cwd}, in which ${program.command} is to run, does not exist.`);
  }
  const [command = '', ...rest] = [
    ...limitsOf(program),
    findProgram(program.command, cwd, env.PATH),
    ...args,
  ];
  // Detached: it leads a group of its own, so that its child processes can be ended with it.
  const child = spawn(command, rest, {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...files],
  }) as Child;
  await new Promise<void>((started, failed) => {
    child.once('spawn', started);
    child.once('error', (cause) => failed(unusable(`${program.command} could not be started.`, cause)));
  });
  return child;
}

const unusable = (detail: string, cause?: unknown) => new ApiError('configuration_error', detail, { cause });

/** Checked here, because behind the launchers below a missing program looks like one that failed. */
function findProgram(command: string, cwd: string, path = ''): string {
  const candidates = command.includes('/')
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((folder) => resolve(cwd, folder, command));
  const found = candidates.find(isExecutable);
  if (!found) throw unusable(`There is no program ${command}. Install it, or correct its path.`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const findTool = (name: string) =>
  ['/usr/bin', '/bin'].map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
const setpriv = findTool('setpriv');
const nice = findTool('nice');
const ionice = findTool('ionice');

/**
 * Returns the launcher command that executes the program. With setpriv (util-linux) the program is killed when this process is; its child
 * processes are not.
 */
function limitsOf({ memoryBytes, isNiced = false }: LimitedProgram): string[] {
  const ending = [
    ...(setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(isNiced && nice ? [nice, '-n', '19'] : []),
    ...(isNiced && ionice ? [ionice, '-c3'] : []),
  ];
  if (memoryBytes === undefined) return ending;
  if (process.platform !== 'linux') throw unusable('The memory of a program can be limited on Linux only.');
  // Limits data, not address space: V8 reserves more than a gigabyte of addresses that it never uses. Setting it fails only if a lower
  // limit is already in force.
  const script = 'ulimit -c 0; ulimit -d "$0" 2>/dev/null; exec "$@"';
  return [...ending, '/bin/sh', '-c', script, String(Math.floor(memoryBytes / 1024))];
}

async function untilEnded(child: Child, { timeoutMs, signal }: LimitedProgram): Promise<ProgramEnd> {
  let timedOut = false;
  let aborted = false;
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    killGroup(child, 'SIGTERM');
    grace ??= setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS);
  };
  const abort = () => {
    aborted = true;
    stop();
  };
  const timeout = setTimeout(
    () => {
      timedOut = true;
      stop();
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    await untilExited(child);
  } finally {
    clearTimeout(timeout);
    clearTimeout(grace);
    signal?.removeEventListener('abort', abort);
  }
  // Its child processes end with it. Its process id is not reused while its group has members.
  killGroup(child, 'SIGKILL');
  await untilClosed(child);
  return { exitCode: child.exitCode, signal: child.signalCode, timedOut, aborted };
}

function untilExited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((ended) => child.once('exit', () => ended()));
}

/** Its output ends when no process holds it any more; a process that left the group may hold it for ever. */
async function untilClosed(child: Child): Promise<void> {
  const outputs = [child.stdout, child.stderr].filter((output) => !output.closed);
  const late = setTimeout(() => outputs.forEach((output) => output.destroy()), GRACE_MS);
  await Promise.all(outputs.map((output) => new Promise((closed) => output.once('close', closed))));
  clearTimeout(late);
}

function killGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // the group is empty
  }
}

/** A tenth of the time of others: with the lowest priority, 19, a program stalls on a machine that is busy for long. */
const NICENESS = '10';
/** Linux accepts one such write per 0.1 s from an unprivileged user, for any session. */
const AGAIN_MS = 110;
const MAX_TRIES = 50;

/** If autogroups do not exist or the program has ended, nothing is done. */
async function niceSession(pid: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      await writeFile(`/proc/${pid}/autogroup`, NICENESS);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
    await sleep(AGAIN_MS, undefined, { ref: false });
  }
}
