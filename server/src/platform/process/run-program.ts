/**
 * Runs a program with limits of memory, time and output, in a process group of its own that ends with it.
 *
 * This bounds a program that we chose and that may misbehave. It is no sandbox: a program that wants to can leave its
 * group, and it reaches what its user reaches.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ApiError } from '../http/errors.ts';

export interface Program {
  /** A path, or a name that is looked up in the PATH of `env`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program: nothing of ours is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without it the program reads an empty input. */
  readonly stdin?: string | Uint8Array;
  readonly timeoutMs: number;
  /** Of stdout and of stderr each. What exceeds it is dropped; the program comes to its end all the same. */
  readonly maxOutputBytes?: number;
  /**
   * What each process of the group may allocate; only Linux can hold it. Memory shared between processes and mapped
   * files do not count. In a Node program the 512 MiB that V8 reserves for code do count, unless it runs `--jitless`.
   */
  readonly memoryBytes?: number;
  /** Ends the program and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ProgramResult {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Some output was dropped. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly duration_ms: number;
}

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
/** Between asking the group to end and ending it; and for the last output of what left the group. */
const GRACE_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Whatever the program does is in the result. What throws is our own mistake: no such program, no such folder, a limit
 * that cannot be held.
 */
export async function runProgram(program: Program): Promise<ProgramResult> {
  program.signal?.throwIfAborted();
  const started = performance.now();
  const child = await launch(program);
  const limit = program.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const stdout = collect(child.stdout, limit);
  const stderr = collect(child.stderr, limit);
  feed(child.stdin, program.stdin);
  const { timedOut, aborted } = await untilEnded(child, program);
  if (aborted) program.signal?.throwIfAborted();
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.isTruncated() || stderr.isTruncated(),
    timedOut,
    duration_ms: Math.round(performance.now() - started),
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

async function launch(program: Program): Promise<Child> {
  const { cwd, env = {}, args = [] } = program;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw unusable(`The folder ${cwd}, in which ${program.command} is to run, does not exist.`);
  }
  const [command = '', ...rest] = [
    ...limitsOf(program),
    findProgram(program.command, cwd, env.PATH),
    ...args,
  ];
  // Detached: the leader of a group of its own, so that whatever it starts can be ended with it.
  const child = spawn(command, rest, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
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

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/**
 * What stands before the command and becomes it. With setpriv (util-linux) the program is killed when this process is;
 * what it started itself is not.
 */
function limitsOf({ memoryBytes }: Program): string[] {
  const ending = setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : [];
  if (memoryBytes === undefined) return ending;
  if (process.platform !== 'linux') throw unusable('The memory of a program can be limited on Linux only.');
  // The limit of data, not of address space: V8 reserves more than a gigabyte of addresses that it never uses.
  // Setting it fails only where a lower limit holds already.
  const script = 'ulimit -c 0; ulimit -d "$0" 2>/dev/null; exec "$@"';
  return [...ending, '/bin/sh', '-c', script, String(Math.floor(memoryBytes / 1024))];
}

function feed(stdin: Writable, input: string | Uint8Array = ''): void {
  stdin.on('error', () => undefined); // the program need not read it, nor live that long
  stdin.end(input);
}

function collect(stream: Readable, limit: number) {
  let kept = Buffer.alloc(0);
  let length = 0;
  let isTruncated = false;
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    const piece = chunk.subarray(0, limit - length);
    // One buffer that grows: a program that writes single bytes would otherwise cost a hundred times its output.
    if (length + piece.length > kept.length)
      kept = Buffer.concat([kept], roomFor(length + piece.length, limit));
    length += piece.copy(kept, length);
    if (piece.length === chunk.length) return;
    isTruncated = true;
    // What is dropped is read slowly: a flood at full speed would take the one thread of this process.
    stream.pause();
    setTimeout(() => stream.resume(), 1);
  });
  // Decoded as a whole: a character may come in two chunks. One that was cut at the limit is left out.
  const text = () =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept.subarray(0, length), { stream: isTruncated });
  return { text, isTruncated: () => isTruncated };
}

const roomFor = (bytes: number, limit: number) => Math.min(limit, Math.max(2 * bytes, 4096));

/** When this resolves, the program and its group have ended and nothing of them is held here. */
async function untilEnded(child: Child, { timeoutMs, signal }: Program) {
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
  return { timedOut, aborted };
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
