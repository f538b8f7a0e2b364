/**
 * A program at a terminal of a sandbox. The terminal is one of the sandbox's own /dev/pts, and the process at its other side is inside too:
 * `script`, which passes data on and ends with the program. It gives the program a session of its own, so that signals of the terminal,
 * such as an interrupt, reach only that program.
 */
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../../errors.ts';
import {
  findProcess,
  hasPending,
  isAlive,
  listChildren,
  type ProcessEntry,
  type ProcessName,
  signal,
} from '../../process-table.ts';
import type { Command, Exit, TerminalProcess, TerminalSize } from '../../sandbox-provider.ts';
import type { Programs } from '../programs.ts';
import type { RunningCommand } from './command.ts';
import { quote } from './shell-words.ts';

const READY_TIMEOUT_MS = 30_000;
/** Time after a hang-up until remaining processes are killed. */
const HANG_UP_MS = 1_000;
const POLL_INTERVAL_MS = 20;
const MAX_ROUNDS = 50;
const MAX_COMPLAINT = 4_096;
/** Number of the open file that reports the terminal's name. */
const REPORT_FD = 9;

export interface TerminalPlace {
  readonly programs: Programs;
  readonly run: (command: Command) => Promise<RunningCommand>;
  /** Lists at least the processes of the sandbox. */
  readonly listProcesses: () => Promise<ProcessEntry[]>;
}

export interface OpenedTerminal extends TerminalProcess {
  /** The `script` process; undefined when it has ended already. */
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
  holder.stderr.destroy(); // later output is ignored
  // The holder's child is bwrap, whose child is `script`, whose child is the program.
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

/** `script` runs its argument with the shell in a variable that belongs to the program's environment, so another one is used here. */
function toHolder(
  { sh, stty, tty }: Programs,
  script: string,
  { argv, cwd, environment }: Command,
  { columns, rows }: TerminalSize,
): Command {
  const { SHELL: shell } = environment;
  const inside = [
    `${stty} columns ${columns} rows ${rows}`,
    `${tty} >&${REPORT_FD}`,
    `exec ${REPORT_FD}>&-`,
    shell === undefined ? 'unset SHELL' : `export SHELL=${quote(shell)}`,
    `exec ${argv.map(quote).join(' ')}`,
  ].join('; ');
  const outside = `exec ${REPORT_FD}>&2; exec "$@"`;
  const holder = [script, '--quiet', '--flush', '--return', '--echo', 'always', '--command', inside] as const;
  return {
    argv: [sh, '-c', outside, 'terminal', ...holder, '/dev/null'],
    cwd,
    environment: { ...environment, SHELL: sh },
  };
}

/** @throws {ApiError} with the reported error, such as too many terminals */
async function readName(output: Readable, exit: Promise<Exit>): Promise<string> {
  let text = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += (chunk as Buffer).toString('latin1');
    if (/\n/.test(text) || text.length > MAX_COMPLAINT) break;
  }
  const name = /^(\/dev\/pts\/\d+)\n/.exec(text)?.[1];
  if (name !== undefined) return name;
  const { code } = await exit;
  const complaint = text.trim().slice(0, 500) || `it ended with ${code} before it began`;
  throw new ApiError('conflict_error', `The terminal could not be opened in the sandbox: ${complaint}`);
}

/** Sets the size; the kernel notifies the foreground processes. */
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
  // The terminal may have just ended, and its name belongs to the sandbox.
  if (code > 128)
    throw new ApiError('conflict_error', 'The terminal could not be given another size. Try again.');
}

/**
 * Hangs up like a closed line, so that programs can clean up. Remaining processes are killed, unless they have left the session.
 * @param list the session
 * @param holder ends by itself when the program has
 */
async function hangUp(list: () => Promise<ProcessEntry[]>, holder: ProcessName): Promise<void> {
  const processes = await list();
  for (const { pid } of processes) {
    signal(pid, 'SIGHUP');
    signal(pid, 'SIGCONT'); // a stopped job would not receive the hang-up
  }
  const wait = async (ms: number, isOver: () => boolean) => {
    for (let waitedMs = 0; waitedMs < ms && !isOver(); waitedMs += POLL_INTERVAL_MS)
      await setTimeout(POLL_INTERVAL_MS);
  };
  await wait(HANG_UP_MS, () => !processes.some(isAlive));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = (await list()).filter(isAlive);
    if (left.length === 0) break;
    for (const { pid } of left) signal(pid, 'SIGKILL');
    await setTimeout(1);
  }
  await wait(HANG_UP_MS, () => !isAlive(holder));
}

/**
 * Resumes `script` processes after a pause by signals. `script` notices that its program was stopped, takes that for user input, and stops
 * as well, so it has to be resumed again. It has noticed when no such signal is pending and it waits for others.
 */
export async function letPassersGoOn(passers: readonly ProcessName[]): Promise<void> {
  for (let left = passers, round = 0; left.length > 0 && round < MAX_ROUNDS; round += 1) {
    for (const { pid } of left) if (findProcess(pid)?.state === 'T') signal(pid, 'SIGCONT');
    await setTimeout(POLL_INTERVAL_MS);
    left = left.filter((each) => isAlive(each) && !hasReceived(each.pid));
  }
}

/** The order matters: it receives the signal, and then stops. */
const hasReceived = (pid: number) => !hasPending(pid, 'SIGCHLD') && findProcess(pid)?.state === 'S';
