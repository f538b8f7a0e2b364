/** Runs a command in the namespaces of a sandbox. */
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { ApiError } from '../../../errors.ts';
import { isAlive, type ProcessName, signal } from '../../process-table.ts';
import type { Command, Execution, Exit } from '../../sandbox-provider.ts';
import { killSession, killTree } from '../end-processes.ts';
import type { Entrance } from '../entrance.ts';
import type { StartedProcess } from '../spawner/spawner-connection.ts';
import type { ProcessEnd } from '../spawner/spawner-messages.ts';
import { toOptions } from './command-line.ts';
import { CommandOutput } from './command-output.ts';
import { type ExecPlace, type ExecProcess, type ExecTools, openExecProcess } from './exec-process.ts';
import type { SpareExec } from './spare-exec.ts';

/** A running command, with its process on the host. */
export interface RunningCommand extends Execution, ProcessName {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
}

/**
 * @param spare a process that was started in the sandbox in advance
 * @param timeout aborts while the command has not begun, since other processes in the sandbox may block it forever
 * @throws {ApiError} `validation_error` when the folder does not exist or the command is invalid, with an issue that names the field; the
 * signal's reason
 */
export async function runCommand(
  tools: ExecTools,
  place: ExecPlace,
  command: Command,
  spare: SpareExec,
  timeout: AbortSignal,
): Promise<RunningCommand> {
  checkArguments(command);
  const options = toOptions(command, place.fileBytes);
  const taken = await spare.take();
  const isSent = await taken?.release(options);
  spare.prepare();
  if (taken && isSent) {
    const running = await begin(taken, place, command, timeout);
    if (running) return running;
  } else await taken?.close();
  const running = await begin(await enter(tools, place, options), place, command, timeout);
  return running ?? Promise.reject(noRoom());
}

async function enter(tools: ExecTools, place: ExecPlace, options: string): Promise<ExecProcess> {
  try {
    return await openExecProcess(tools, place, options);
  } catch (cause) {
    throw place.entrance.isOpen() ? toRefusal(cause) : hasEnded(cause);
  }
}

/** @returns undefined when the process ended before it reported, so that nothing has run */
async function begin(
  { started, ...streams }: ExecProcess,
  { entrance }: ExecPlace,
  command: Command,
  timeout: AbortSignal,
): Promise<RunningCommand | undefined> {
  const { stdin } = streams;
  const { pid, start } = started;
  const stdout = new CommandOutput(streams.stdout);
  const stderr = new CommandOutput(streams.stderr);
  // The delay lets the caller get the command's input first, even when both events arrive at once.
  void Promise.all([started.ended, started.report]).then(() => setImmediate(() => stdin.destroy()));
  let killing: Promise<void> | undefined;
  const exit = started.ended.then(async (end) => {
    stdout.settle();
    stderr.settle();
    // Other processes of a killed session may end after the command itself.
    await killing;
    return toExit(end);
  });
  const report = await untilBegun(started, timeout);
  if (report !== 'runs') stdout.destroy(); // nothing will read it
  if (report !== 'runs' && timeout.aborted) {
    stderr.destroy();
    await exit;
    throw timeout.reason;
  }
  if (report !== 'runs') return await describeFailure(report, command, stderr, entrance);
  const kill = () => {
    // The id of a process that has ended may be reused.
    if (!isAlive(started)) return;
    killing ??= killSession(pid).finally(() => {
      if (isAlive(started)) signal(pid, 'SIGKILL');
    });
  };
  return { stdin, stdout, stderr, exit, kill, pid, start };
}

/** Maximum length of an argument in the kernel, without its NUL. */
const MAX_ARGUMENT_BYTES = 131_071;

function checkArguments({ argv, cwd }: Command): void {
  for (const text of [...argv, cwd]) {
    if (text.includes('\0') || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES)
      throw refuse('command', 'The command is too long, or holds a NUL character.');
  }
}

/** Reports that this process is out of files, or the host out of processes. */
function toRefusal(cause: unknown): ApiError {
  const detail = 'The host has no room for another command. Try again when others have ended.';
  return new ApiError('sandbox_provider_error', detail, { cause });
}

/** Messages of a shell without resources; a process killed for lack of memory prints nothing. */
const NO_ROOM = /Resource temporarily unavailable|Cannot allocate memory|Cannot fork/;

/** @param field of the command */
const refuse = (field: 'command' | 'cwd', detail: string) =>
  new ApiError('validation_error', detail, {
    issues: [{ loc: [field], msg: detail, type: 'invalid_value' }],
  });

export const hasEnded = (cause?: unknown) =>
  new ApiError('conflict_error', 'The sandbox has ended.', { cause });

/** @returns '' when it ended without a report, or the wait was aborted; undefined when unknown */
async function untilBegun(started: StartedProcess, timeout: AbortSignal): Promise<string | undefined> {
  const givenUp = Promise.withResolvers<string>();
  const giveUp = () => {
    if (isAlive(started)) killTree(started.pid);
    givenUp.resolve('');
  };
  timeout.addEventListener('abort', giveUp);
  if (timeout.aborted) giveUp();
  const text = await Promise.race([started.report, givenUp.promise]);
  timeout.removeEventListener('abort', giveUp);
  return text?.trim();
}

/** @throws {ApiError} with the reported error, or the most likely cause */
async function describeFailure(
  report: string | undefined,
  { cwd }: Command,
  stderr: Readable,
  entrance: Entrance,
): Promise<undefined> {
  const complaint = Buffer.concat(await stderr.toArray())
    .toString()
    .trim()
    .slice(-500);
  if (report === 'folder') {
    const detail = `There is no folder ${cwd} in the sandbox that its user may enter. Create it, or name another.`;
    throw refuse('cwd', detail);
  }
  if (!entrance.isOpen()) throw hasEnded();
  if (complaint.includes('Argument list too long')) {
    throw refuse('command', 'The command and its environment are too long; send more as stdin.');
  }
  if (complaint === '' && report === '') return undefined;
  if (complaint === '' || NO_ROOM.test(complaint)) throw noRoom();
  throw new ApiError('sandbox_provider_error', `The command could not be started: ${complaint}`);
}

const noRoom = () =>
  new ApiError(
    'conflict_error',
    'The sandbox has reached its limit of processes or memory. Nothing more can be run in it: end the sandbox, and start the runtime again.',
  );

const toExit = ({ code, signal: name }: ProcessEnd): Exit => ({
  code: code ?? 128 + (name ? constants.signals[name] : 9),
});
