/** Starts, runs and ends a command in a container. */
import { randomBytes } from 'node:crypto';
import { type Duplex, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ApiError } from '../../../errors.ts';
import type { Command, Execution, Exit } from '../../sandbox-provider.ts';
import { ENTRANCE_ENVIRONMENT, ENTRANCE_USER } from '../container-plan.ts';
import { type Engine, EngineError } from '../engine/engine.ts';
import { END_GIVEN, toCommandScript, toEntrance, toHiddenEnvironment } from './command-scripts.ts';
import { FramedOutput } from './framed-output.ts';

/** Maximum length of an argument in the kernel, without its NUL. */
const MAX_ARGUMENT_BYTES = 131_071;
const KILLED: Exit = { code: 137 };
/** Number of attempts. A sandbox at its process limit cannot run the process that kills others; retries succeed when some process ends. */
const KILL_TRIES = 8;
const KILL_PAUSE_MS = 250;
const KILL_TIMEOUT_MS = 5_000;
const INSPECT_TRIES = 20;
const INSPECT_PAUSE_MS = 100;

export interface CommandPlace {
  readonly engine: Engine;
  /** Container id of the engine. */
  readonly container: string;
  readonly awaitsRelay: boolean;
}

/**
 * @param startup aborts while the command has not begun
 * @throws {ApiError} `validation_error` when the folder does not exist or the command is invalid; `conflict_error` when the sandbox is out
 * of resources; the signal's reason
 */
export async function runCommand(
  place: CommandPlace,
  command: Command,
  startup: AbortSignal,
): Promise<Execution> {
  checkArguments(command);
  const { engine, container, awaitsRelay } = place;
  const mark = newMark();
  const script = toCommandScript({ given: Object.keys(command.environment), awaitsRelay });
  const Cmd = toEntrance(script, [mark, command.cwd, ...command.argv]);
  const { exec, connection } = await begin(engine, container, { ...toExec(command), Cmd }, startup);
  const output = new FramedOutput(connection, mark);
  const word = await untilBegun(output.begun, connection, startup);
  const pid = /^runs (\d+)$/.exec(word ?? '')?.[1];
  if (pid === undefined) throw await toRefusal(word, command.cwd, output, place);
  connection.write('heard\n');
  return new RunningCommand(engine, container, exec, connection, output, pid).toExecution();
}

export const newMark = () => randomBytes(16).toString('hex');

/** The environment is not part of the exec, which engines record, but is sent separately. */
export const toExec = ({ environment }: Command): Docker.ExecCreateOptions => ({
  User: ENTRANCE_USER,
  WorkingDir: '/',
  Env: [...ENTRANCE_ENVIRONMENT, ...toHiddenEnvironment(environment)],
});

export async function begin(
  engine: Engine,
  container: string,
  options: Docker.ExecCreateOptions,
  startup: AbortSignal,
): Promise<{ exec: Docker.Exec; connection: Duplex }> {
  try {
    return await engine.attach(container, options, startup);
  } catch (error) {
    throw describeRefusal(error);
  }
}

/** A command that is abandoned before the acknowledgement does nothing when its connection ends. */
export async function untilBegun(
  begun: Promise<string | undefined>,
  connection: Duplex,
  startup: AbortSignal,
): Promise<string | undefined> {
  const giveUp = () => void connection.destroy();
  startup.addEventListener('abort', giveUp);
  if (startup.aborted) giveUp();
  const word = await begun;
  startup.removeEventListener('abort', giveUp);
  if (startup.aborted) throw startup.reason;
  return word;
}

class RunningCommand {
  private readonly engine: Engine;
  private readonly container: string;
  private readonly exec: Docker.Exec;
  private readonly connection: Duplex;
  private readonly output: FramedOutput;
  private readonly pid: string;
  private isOver = false;

  constructor(
    engine: Engine,
    container: string,
    exec: Docker.Exec,
    connection: Duplex,
    output: FramedOutput,
    pid: string,
  ) {
    this.engine = engine;
    this.container = container;
    this.exec = exec;
    this.connection = connection;
    this.output = output;
    this.pid = pid;
  }

  toExecution(): Execution {
    const { stdout, stderr } = this.output;
    const stdin = toInput(this.connection);
    const exit = this.untilEnded().then((found) => {
      this.isOver = true;
      this.connection.destroy();
      stdin.destroy();
      return found;
    });
    return { stdin, stdout, stderr, exit, kill: () => void this.kill() };
  }

  private async untilEnded(): Promise<Exit> {
    const code = await this.output.ended;
    if (code !== undefined) return { code };
    try {
      const exit = await findExit(this.engine, this.exec);
      this.output.finish();
      return exit;
    } catch (error) {
      this.output.fail(error as Error);
      return KILLED;
    }
  }

  private async kill(): Promise<void> {
    if (this.isOver) return;
    this.output.dropUnread();
    const isOver = () => this.isOver;
    await endForSure(this.engine, this.container, {
      script: END_GIVEN,
      pid: this.pid,
      isOver,
      over: this.output.ended,
    });
    // Gives up on a command that cannot be ended and treats it like a background process.
    this.connection.destroy();
  }
}

interface Ending {
  readonly script: string;
  readonly pid: string;
  readonly isOver: () => boolean;
  readonly over: Promise<unknown>;
}

export async function endForSure(
  engine: Engine,
  container: string,
  { script, pid, isOver, over }: Ending,
): Promise<void> {
  for (let failures = 0; failures < KILL_TRIES && !isOver(); ) {
    const isPaused = await runScript(engine, container, script, [pid], KILL_TIMEOUT_MS).then(
      () => false,
      (error: unknown) => error instanceof EngineError && error.engineStatus === 409,
    );
    await Promise.race([over, wait(KILL_PAUSE_MS, undefined, { ref: false })]);
    // A paused sandbox ends the command after it is resumed.
    if (!isPaused) failures += 1;
  }
}

/** Builds the exec of an internal script, without the environment of the sandbox. */
export const toScriptExec = (script: string, args: readonly string[]): Docker.ExecCreateOptions => ({
  User: ENTRANCE_USER,
  WorkingDir: '/',
  Env: ENTRANCE_ENVIRONMENT,
  Cmd: toEntrance(script, args),
});

/**
 * Runs a script as the sandbox's user and waits for its end.
 * @returns its output
 */
export async function runScript(
  engine: Engine,
  container: string,
  script: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<string> {
  const startup = AbortSignal.timeout(timeoutMs);
  const { connection } = await engine.attach(container, toScriptExec(script, args), startup);
  const giveUp = () => void connection.destroy();
  startup.addEventListener('abort', giveUp);
  try {
    const output = new FramedOutput(connection, newMark());
    output.stderr.resume();
    void output.ended.then(() => output.finish());
    return await text(output.stdout);
  } finally {
    startup.removeEventListener('abort', giveUp);
    connection.destroy();
  }
}

/** The engine reports the exit code a moment after the output has ended; all processes of a removed container were killed. */
export async function findExit(engine: Engine, exec: Docker.Exec): Promise<Exit> {
  for (let round = 0; round < INSPECT_TRIES; round += 1) {
    const found = await engine.find((_docker, abortSignal) => exec.inspect({ abortSignal }));
    if (!found) return KILLED;
    if (!found.Running) return { code: found.ExitCode ?? KILLED.code };
    await wait(INSPECT_PAUSE_MS);
  }
  // The connection has ended before the command, which was abandoned.
  return KILLED;
}

/** Ends its half of the connection only. */
export function toInput(connection: Duplex): Writable {
  const input = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (connection.destroyed || connection.writableEnded) return done();
      if (connection.write(chunk)) return done();
      const go = () => {
        connection.off('drain', go).off('close', go);
        done();
      };
      connection.once('drain', go).once('close', go);
    },
    final: (done) => {
      if (!connection.destroyed) connection.end();
      done();
    },
    destroy: (error, done) => {
      if (!connection.destroyed && !connection.writableEnded) connection.end();
      done(error);
    },
  });
  return input.on('error', () => undefined);
}

function checkArguments({ argv, cwd }: Command): void {
  for (const text of [...argv, cwd]) {
    if (text.includes('\0') || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES)
      throw refuse('command', 'The command is too long, or holds a NUL character.');
  }
}

const refuse = (field: 'command' | 'cwd', detail: string) =>
  new ApiError('validation_error', detail, {
    issues: [{ loc: [field], msg: detail, type: 'invalid_value' }],
  });

export const noFolder = (cwd: string) =>
  refuse(
    'cwd',
    `There is no folder ${cwd} in the sandbox that its user may enter. Create it, or name another.`,
  );

export const hasEnded = (cause?: unknown) =>
  new ApiError('conflict_error', 'The sandbox has ended.', { cause });

const noRoom = () =>
  new ApiError(
    'conflict_error',
    'The sandbox has reached its limit of processes or memory. Nothing more can be run in it: end the sandbox, and start the runtime again.',
  );

const NO_ROOM =
  /resource temporarily unavailable|cannot allocate memory|cannot fork|failed to create new OS thread|procReady|EOF/i;

/** Explains why a command ended before it began. */
async function toRefusal(
  word: string | undefined,
  cwd: string,
  output: FramedOutput,
  { engine, container }: CommandPlace,
): Promise<ApiError> {
  if (word === 'folder') return noFolder(cwd);
  await output.ended;
  output.finish();
  const complaint = `${await text(output.stdout)}${await text(output.stderr)}`.trim().slice(-500);
  const found = await engine.find((docker, abortSignal) => {
    return docker.getContainer(container).inspect({ abortSignal });
  });
  if (!found?.State.Running) return hasEnded();
  return describeComplaint(complaint);
}

function describeComplaint(complaint: string): ApiError {
  if (/argument list too long/i.test(complaint))
    return refuse('command', 'The command and its environment are too long; send more as stdin.');
  if (complaint === '' || NO_ROOM.test(complaint)) return noRoom();
  return new ApiError('sandbox_provider_error', `The command could not be started: ${complaint}`);
}

function describeRefusal(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const { engineStatus, message } = error;
  if (engineStatus === 404 || /is not running|not running|no such container/i.test(message))
    return hasEnded(error);
  if (engineStatus === 409) return new ApiError('conflict_error', 'The sandbox is paused. Resume it first.');
  return /OCI runtime|exec failed|argument list/i.test(message) ? describeComplaint(message) : error;
}
