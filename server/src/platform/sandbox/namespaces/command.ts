/** Runs a command in the namespaces of a sandbox. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { ApiError } from '../../http/errors.ts';
import type { Command, Execution, Exit } from '../sandbox-provider.ts';
import { type CommandUser, FILES, toCommandLine, toOptions } from './command-line.ts';
import { CommandOutput } from './command-output.ts';
import { killTree } from './end-processes.ts';
import type { Entrance } from './entrance.ts';
import { OUTER_ENVIRONMENT, type StrayFiles } from './host-environment.ts';
import type { Layout } from './layout.ts';
import type { Pipe, Pipes } from './pipes.ts';
import type { Programs } from './programs.ts';
import { killSession } from './session-kill.ts';

export interface CommandTools {
  readonly programs: Programs;
  readonly layout: Layout;
  readonly strayFiles: StrayFiles;
  readonly pipes: Pipes;
}

export interface CommandPlace extends CommandUser {
  readonly entrance: Entrance;
}

/** A command that runs; and its process, as far as the host is concerned. */
export interface RunningCommand extends Execution {
  readonly pid: number;
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
  const child = spawnCommand(tools, place, command, pipes);
  const stdin = child.stdin as Socket;
  const stdout = new CommandOutput(pipes[0].source);
  const stderr = new CommandOutput(pipes[1].source);
  stdin.on('error', () => undefined); // it need not read, nor live that long
  const exit = untilExit(child);
  child.once('exit', () => {
    stdin.destroy();
    stdout.settle();
    stderr.settle();
  });
  const options = child.stdio.at(FILES.options) as Socket;
  options.on('error', () => undefined);
  options.end(toOptions(command));
  const told = await readTold(child, patience);
  if (told !== 'runs' && patience.aborted) {
    await exit;
    throw patience.reason;
  }
  if (told !== 'runs') throw await describeFailure(told, command, stderr, place.entrance);
  const pid = child.pid ?? 0;
  const kill = () => {
    // Its number may be another's by then.
    if (!hasExited(child)) void killSession(pid).finally(() => child.kill('SIGKILL'));
  };
  return { stdin, stdout, stderr, exit, kill, pid };
}

function spawnCommand(
  { programs, layout, strayFiles }: CommandTools,
  place: CommandPlace,
  command: Command,
  [stdout, stderr]: readonly [Pipe, Pipe],
): ChildProcess {
  const [program = '', ...args] = toCommandLine(programs, place, command);
  const opened = [stdout.given, stderr.given];
  try {
    const [user = -1, livingUser = -1, ...others] = place.entrance.openNamespaces();
    opened.push(user, livingUser, ...others);
    const filter = openSync(layout.filter, 'r');
    opened.push(filter);
    const outputs = [stdout.given, stderr.given];
    const files = ['pipe', ...outputs, 'pipe', livingUser, ...others, user, 'pipe', filter] as const;
    const child = spawn(program, args, { cwd: '/', env: OUTER_ENVIRONMENT, stdio: strayFiles.cover(files) });
    if (child.pid !== undefined) return child;
    child.once('error', () => undefined); // comes later, and says no more
    throw new Error('no process could be made');
  } catch (cause) {
    stdout.source.destroy();
    stderr.source.destroy();
    throw place.entrance.isOpen() ? toRefusal(cause) : hasEnded(cause);
  } finally {
    for (const number of opened) closeSync(number);
  }
}

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

/** @returns '' when it ended without a word */
async function readTold(child: ChildProcess, patience: AbortSignal): Promise<string> {
  const told = child.stdio[FILES.told] as Readable;
  let text = '';
  return await new Promise((said) => {
    const finish = () => {
      patience.removeEventListener('abort', giveUp);
      told.destroy();
      said(text.trim());
    };
    const giveUp = () => {
      if (child.pid !== undefined && !hasExited(child)) killTree(child.pid);
      finish();
    };
    patience.addEventListener('abort', giveUp);
    told.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.endsWith('\n')) finish();
    });
    told.on('error', finish);
    told.on('end', finish);
    child.once('error', finish);
  });
}

const hasExited = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

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

function untilExit(child: ChildProcess): Promise<Exit> {
  return new Promise((ended) => {
    child.once('error', () => ended({ code: 126 }));
    child.once('exit', (code, signal) =>
      ended({ code: code ?? 128 + (signal ? constants.signals[signal] : 9) }),
    );
  });
}
