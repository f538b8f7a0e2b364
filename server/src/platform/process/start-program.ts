/**
 * Starts a program with limits of memory and time, in a process group of its own that ends with it.
 *
 * This bounds a program that we chose and that may misbehave. It is no sandbox: a program that wants to can leave its
 * group, and it reaches what its user reaches.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ApiError } from '../errors.ts';
import { niceSession } from './nice-session.ts';

export interface LimitedProgram {
  /** A path, or a name that is looked up in the PATH of `env`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program: nothing of ours is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Open files of ours that it has as 3, 4 and so on. */
  readonly files?: readonly number[];
  readonly timeoutMs: number;
  /**
   * What each process of the group may allocate; only Linux can hold it. Memory shared between processes and mapped
   * files do not count. In a Node program the 512 MiB that V8 reserves for code do count, unless it runs `--jitless`.
   */
  readonly memoryBytes?: number;
  /** Behind everything else on this machine, where it has the programs for that. */
  readonly isNiced?: boolean;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

export interface ProgramEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** By its signal. */
  readonly aborted: boolean;
}

export interface StartedProgram {
  readonly stdin: Writable;
  /** Both are to be read to their end. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When this resolves, the program and its group have ended and nothing of them is held here. */
  readonly ended: Promise<ProgramEnd>;
}

/** Between asking the group to end and ending it; and for the last output of what left the group. */
const GRACE_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What throws is our own mistake: no such program, no such folder, a limit that cannot be held. */
export async function startProgram(program: LimitedProgram): Promise<StartedProgram> {
  program.signal?.throwIfAborted();
  const child = await launch(program);
  const { stdin, stdout, stderr } = child;
  stdin.on('error', () => undefined); // the program need not read it, nor live that long
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
  // Detached: the leader of a group of its own, so that whatever it starts can be ended with it.
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

/** Looked for here, because behind the launchers below a missing program looks like one that failed. */
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
 * What stands before the command and becomes it. With setpriv (util-linux) the program is killed when this process is;
 * what it started itself is not.
 */
function limitsOf({ memoryBytes, isNiced = false }: LimitedProgram): string[] {
  const ending = [
    ...(setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(isNiced && nice ? [nice, '-n', '19'] : []),
    ...(isNiced && ionice ? [ionice, '-c3'] : []),
  ];
  if (memoryBytes === undefined) return ending;
  if (process.platform !== 'linux') throw unusable('The memory of a program can be limited on Linux only.');
  // The limit of data, not of address space: V8 reserves more than a gigabyte of addresses that it never uses.
  // Setting it fails only where a lower limit holds already.
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
  // What it started ends with it. Its number is not given away while its group has members.
  killGroup(child, 'SIGKILL');
  await untilClosed(child);
  return { exitCode: child.exitCode, signal: child.signalCode, timedOut, aborted };
}

function untilExited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((ended) => child.once('exit', () => ended()));
}

/** Its output ends when nobody holds it any more; a process that left the group may hold it for ever. */
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
    // nobody is left in it
  }
}
