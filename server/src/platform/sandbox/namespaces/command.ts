/** Runs a command in the namespaces of a sandbox. */
import { closeSync, constants as fileConstants } from 'node:fs';
import { constants } from 'node:os';
import { type Readable, Writable } from 'node:stream';
import { ApiError } from '../../http/errors.ts';
import type { Command, Execution, Exit } from '../sandbox-provider.ts';
import { type CommandUser, toCommandLine, toOptions } from './command-line.ts';
import { CommandOutput } from './command-output.ts';
import { killTree } from './end-processes.ts';
import type { Entrance } from './entrance.ts';
import type { Layout } from './layout.ts';
import type { Pipe, Pipes } from './pipes.ts';
import { isAlive, type ProcessName, signal } from './process-table.ts';
import type { Programs } from './programs.ts';
import { killSession } from './session-kill.ts';
import type { Spawner } from './spawner.ts';
import type { StartedProcess } from './spawner-connection.ts';
import type { GivenFile, ProcessEnd } from './spawner-messages.ts';

export interface CommandTools {
  readonly programs: Programs;
  readonly layout: Layout;
  readonly spawner: Spawner;
  readonly pipes: Pipes;
}

export interface CommandPlace extends CommandUser {
  readonly entrance: Entrance;
}

/** A command that runs; and its process, as far as the host is concerned. */
export interface RunningCommand extends Execution, ProcessName {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
}

/**
 * @param patience until it has begun: others in the sandbox may stop it on its way, and then it never would
 * @throws {ApiError} `validation_error` when its folder is not there, or it cannot be a command, its issue naming the field; the signal's reason
 */
export async function runCommand(
  tools: CommandTools,
  place: CommandPlace,
  command: Command,
  patience: AbortSignal,
): Promise<RunningCommand> {
  const pipes = await tools.pipes.takeTwo();
  const started = await startCommand(tools, place, command, pipes);
  const { pid, start } = started;
  const stdin = started.handed ?? nobodyReads();
  const stdout = new CommandOutput(pipes[0].source);
  const stderr = new CommandOutput(pipes[1].source);
  stdin.on('error', () => undefined); // it need not read, nor live that long
  // Both may be known at once: not before who asked for the command has its input, and may write into it.
  void Promise.all([started.ended, started.told]).then(() => setImmediate(() => stdin.destroy()));
  const exit = started.ended.then((end) => {
    stdout.settle();
    stderr.settle();
    return toExit(end);
  });
  const told = await untilTold(started, patience);
  if (told !== 'runs' && patience.aborted) {
    await exit;
    throw patience.reason;
  }
  if (told !== 'runs') throw await describeFailure(told, command, stderr, place.entrance);
  const kill = () => {
    // Its number may be another's by then.
    if (isAlive(started)) void killSession(pid).finally(() => isAlive(started) && signal(pid, 'SIGKILL'));
  };
  return { stdin, stdout, stderr, exit, kill, pid, start };
}

async function startCommand(
  { programs, layout, spawner }: CommandTools,
  place: CommandPlace,
  command: Command,
  [stdout, stderr]: readonly [Pipe, Pipe],
): Promise<StartedProcess> {
  const opened = [stdout.given, stderr.given];
  try {
    const [user = -1, livingUser = -1, ...others] = place.entrance.openNamespaces();
    opened.push(user, livingUser, ...others);
    const files: GivenFile[] = [
      'handed',
      toGiven(stdout.given, fileConstants.O_WRONLY),
      toGiven(stderr.given, fileConstants.O_WRONLY),
      'told',
      ...[livingUser, ...others, user].map((number) => toGiven(number, fileConstants.O_RDONLY)),
      { text: toOptions(command) },
      { open: layout.filter, flags: fileConstants.O_RDONLY },
    ];
    const argv = toCommandLine(programs, place, command);
    return await spawner.start({ argv, cwd: '/', files, toldLines: 1, outlives: false });
  } catch (cause) {
    stdout.source.destroy();
    stderr.source.destroy();
    throw place.entrance.isOpen() ? toRefusal(cause) : hasEnded(cause);
  } finally {
    for (const number of opened) closeSync(number);
  }
}

/** The input of a command that ended before its own could be handed over. */
const nobodyReads = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** An open file of this process, as the spawner finds it while it is open. */
const toGiven = (number: number, flags: number) => ({ open: `/proc/${process.pid}/fd/${number}`, flags });

/** It cannot be a command; or this process has as many files, or the host as many processes, as there may be. */
function toRefusal(cause: unknown): ApiError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'E2BIG' || code === 'ERR_INVALID_ARG_VALUE')
    return refuse('command', 'The command is too long, or holds a NUL character.', cause);
  const detail = 'The host has no room for another command. Try again when others have ended.';
  return new ApiError('sandbox_provider_error', detail, { cause });
}

/** What is killed because the memory is used up says nothing. */
const NO_ROOM = /Resource temporarily unavailable|Cannot allocate memory|Cannot fork/;

/** @param field of the command */
const refuse = (field: 'command' | 'cwd', detail: string, cause?: unknown) =>
  new ApiError('validation_error', detail, {
    issues: [{ loc: [field], msg: detail, type: 'invalid_value' }],
    cause,
  });

export const hasEnded = (cause?: unknown) =>
  new ApiError('conflict_error', 'The sandbox has ended.', { cause });

/** @returns '' when it ended without a word, or is waited for no longer */
async function untilTold(started: StartedProcess, patience: AbortSignal): Promise<string> {
  const givenUp = Promise.withResolvers<string>();
  const giveUp = () => {
    if (isAlive(started)) killTree(started.pid);
    givenUp.resolve('');
  };
  patience.addEventListener('abort', giveUp);
  if (patience.aborted) giveUp();
  const text = await Promise.race([started.told, givenUp.promise]);
  patience.removeEventListener('abort', giveUp);
  return text.trim();
}

async function describeFailure(
  told: string,
  { cwd }: Command,
  stderr: Readable,
  entrance: Entrance,
): Promise<ApiError> {
  const complaint = Buffer.concat(await stderr.toArray())
    .toString()
    .trim()
    .slice(-500);
  if (told === 'folder') {
    const detail = `There is no folder ${cwd} in the sandbox that its user may enter. Create it, or name another.`;
    return refuse('cwd', detail);
  }
  if (!entrance.isOpen()) return hasEnded();
  if (complaint.includes('Argument list too long')) {
    return refuse('command', 'The command and its environment are too long; send more as stdin.');
  }
  if (complaint === '' || NO_ROOM.test(complaint)) {
    const detail =
      'The sandbox has as many processes, or as much memory, as it may have. End some of it first.';
    return new ApiError('conflict_error', detail);
  }
  return new ApiError('sandbox_provider_error', `The command could not be started: ${complaint}`);
}

const toExit = ({ code, signal: name }: ProcessEnd): Exit => ({
  code: code ?? 128 + (name ? constants.signals[name] : 9),
});
