/**
 * A program at a terminal of a sandbox.
 *
 * The terminal is one of the sandbox's own /dev/pts, and who holds its other side is inside too: `script`, which passes on what
 * comes and goes and ends as the program does. It gives the program a session of its own, so that what is asked of the terminal,
 * such as an interrupt, is asked of that alone.
 */
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import {
  findProcess,
  hasPending,
  isAlive,
  listChildren,
  type ProcessEntry,
  type ProcessName,
  signal,
} from '../process-table.ts';
import type { Command, Exit, TerminalProcess, TerminalSize } from '../sandbox-provider.ts';
import type { RunningCommand } from './command.ts';
import type { Programs } from './programs.ts';
import { quote } from './shell-words.ts';

const READY_TIMEOUT_MS = 30_000;
/** Until what does not end by itself when it is hung up is killed. */
const HANG_UP_MS = 1_000;
const LOOK_MS = 20;
const MAX_ROUNDS = 50;
const MAX_COMPLAINT = 4_096;
/** Of the open file that the terminal's name is told by. */
const TOLD = 9;

export interface TerminalPlace {
  readonly programs: Programs;
  readonly run: (command: Command) => Promise<RunningCommand>;
  /** Of the sandbox, at least. */
  readonly listProcesses: () => Promise<ProcessEntry[]>;
}

export interface OpenedTerminal extends TerminalProcess {
  /** What passes on what comes and goes; undefined where it has ended already. */
  readonly passer: ProcessName | undefined;
}

export async function openTerminal(
  { programs, run, listProcesses }: TerminalPlace,
  command: Command,
  size: TerminalSize,
): Promise<OpenedTerminal> {
  const { script } = programs;
  if (!script) {
    const detail = 'Terminals need the program script on the host, of the package bsdutils. Install it.';
    throw new ApiError('sandbox_provider_error', detail);
  }
  const holder = await run(toHolder(programs, script, command, size));
  const late = globalThis.setTimeout(() => holder.kill(), READY_TIMEOUT_MS);
  const name = await readName(holder.stderr, holder.exit).finally(() => clearTimeout(late));
  holder.stderr.destroy(); // what else comes is nobody's
  // bwrap, which it started, then `script`, then the program.
  const [passer = 0] = listChildren(holder.pid).flatMap(listChildren);
  const [session] = listChildren(passer);
  let hasEnded = false;
  let hangingUp: Promise<void> | undefined;
  const exit = holder.exit.then(async (end) => {
    hasEnded = true;
    await hangingUp;
    return end;
  });
  return {
    input: holder.stdin,
    output: holder.stdout,
    exit,
    passer: findProcess(passer),
    resize: async (wanted) => {
      if (!hasEnded) await setSize(run, programs.stty, name, wanted);
    },
    kill: () => {
      if (hasEnded) return;
      const list = async () => (await listProcesses()).filter(({ session: led }) => led === session);
      hangingUp ??= hangUp(list, holder).finally(() => holder.kill());
    },
  };
}

/** It asks a shell to run what it is given, whichever the variable names: that is the program's, and not for this. */
function toHolder(
  { sh, stty, tty }: Programs,
  script: string,
  { argv, cwd, environment }: Command,
  { columns, rows }: TerminalSize,
): Command {
  const { SHELL: shell } = environment;
  const inside = [
    `${stty} columns ${columns} rows ${rows}`,
    `${tty} >&${TOLD}`,
    `exec ${TOLD}>&-`,
    shell === undefined ? 'unset SHELL' : `export SHELL=${quote(shell)}`,
    `exec ${argv.map(quote).join(' ')}`,
  ].join('; ');
  const outside = `exec ${TOLD}>&2; exec "$@"`;
  const holder = [script, '--quiet', '--flush', '--return', '--echo', 'always', '--command', inside] as const;
  return {
    argv: [sh, '-c', outside, 'terminal', ...holder, '/dev/null'],
    cwd,
    environment: { ...environment, SHELL: sh },
  };
}

/** @throws {ApiError} of what was said instead, such as that there are as many terminals as there may be */
async function readName(told: Readable, exit: Promise<Exit>): Promise<string> {
  let text = '';
  for await (const chunk of told.iterator({ destroyOnReturn: false })) {
    text += (chunk as Buffer).toString('latin1');
    if (/\n/.test(text) || text.length > MAX_COMPLAINT) break;
  }
  const name = /^(\/dev\/pts\/\d+)\n/.exec(text)?.[1];
  if (name !== undefined) return name;
  const { code } = await exit;
  const complaint = text.trim().slice(0, 500) || `it ended with ${code} before it began`;
  throw new ApiError('conflict_error', `The terminal could not be opened in the sandbox: ${complaint}`);
}

/** The kernel tells those in the foreground. */
async function setSize(
  run: TerminalPlace['run'],
  stty: string,
  name: string,
  { columns, rows }: TerminalSize,
): Promise<void> {
  const argv = [stty, '-F', name, 'columns', String(columns), 'rows', String(rows)] as const;
  const { stdin, stdout, stderr, exit } = await run({ argv, cwd: '/', environment: {} });
  stdin.end();
  for (const stream of [stdout, stderr]) stream.destroy();
  const { code } = await exit;
  // Nothing is at a terminal that has just ended, and what became of its name is the sandbox's matter.
  if (code > 128)
    throw new ApiError('conflict_error', 'The terminal could not be given another size. Try again.');
}

/**
 * As when a line is cut: programs can put things in order. What stays is killed, unless it has left the session.
 *
 * @param list the session
 * @param holder ends by itself when the program has
 */
async function hangUp(list: () => Promise<ProcessEntry[]>, holder: ProcessName): Promise<void> {
  const told = await list();
  for (const { pid } of told) {
    signal(pid, 'SIGHUP');
    signal(pid, 'SIGCONT'); // a job that is stopped would not hear of it
  }
  const wait = async (ms: number, isOver: () => boolean) => {
    for (let waitedMs = 0; waitedMs < ms && !isOver(); waitedMs += LOOK_MS) await setTimeout(LOOK_MS);
  };
  await wait(HANG_UP_MS, () => !told.some(isAlive));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = (await list()).filter(isAlive);
    if (left.length === 0) break;
    for (const { pid } of left) signal(pid, 'SIGKILL');
    await setTimeout(1);
  }
  await wait(HANG_UP_MS, () => !isAlive(holder));
}

/**
 * After a pause by signals. `script` hears that its program was stopped, takes that for what somebody typed, and stops as well:
 * it has to be let go on again when it has. It has heard when no such news waits for it, and it waits for others.
 */
export async function letPassersGoOn(passers: readonly ProcessName[]): Promise<void> {
  for (let left = passers, round = 0; left.length > 0 && round < MAX_ROUNDS; round += 1) {
    for (const { pid } of left) if (findProcess(pid)?.state === 'T') signal(pid, 'SIGCONT');
    await setTimeout(LOOK_MS);
    left = left.filter((each) => isAlive(each) && !hasHeard(each.pid));
  }
}

/** In this order: it reads the news, and then stops. */
const hasHeard = (pid: number) => !hasPending(pid, 'SIGCHLD') && findProcess(pid)?.state === 'S';
