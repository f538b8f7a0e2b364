/** Opens connections into a sandbox's network through a helper process that runs only while needed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { ApiError } from '../../../errors.ts';
import { OUTER_ENVIRONMENT, type StrayFiles } from '../host-environment.ts';
import { type ConnectRequest, type ConnectResult, serveConnections } from './connector-process.ts';
import type { ConnectorWay } from './connector-way.ts';

/** Small heaps, since the process does little. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=32', '--v8-pool-size=1'];
/** Time that the helper stays after the last request; its connections stay open. */
const KEPT_MS = 30_000;
/** Longer than it needs to try both addresses. */
const ANSWER_TIMEOUT_MS = 25_000;

type ConnectOutcome = Socket | string;

export class Connector {
  readonly #way: ConnectorWay;
  readonly #strayFiles: StrayFiles;
  readonly #waiting = new Map<number, (outcome: ConnectOutcome) => void>();
  #child: ChildProcess | undefined;
  #rest: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(way: ConnectorWay, strayFiles: StrayFiles) {
    this.#way = way;
    this.#strayFiles = strayFiles;
  }

  /** @throws {ApiError} when nothing listens, or the helper does not respond */
  async connect(port: number): Promise<Socket> {
    const outcome = await this.#request(port);
    if (outcome instanceof Socket) {
      outcome.allowHalfOpen = true;
      return outcome;
    }
    if (outcome === 'ECONNREFUSED') throw nothingListens(port);
    if (outcome === 'ETIMEDOUT') {
      const detail = `What listens at port ${port} in the sandbox takes no connection. It may be stuck; look at it, and try again.`;
      throw new ApiError('gateway_timeout_error', detail);
    }
    throw new ApiError('sandbox_provider_error', `No connection to the sandbox could be made (${outcome}).`);
  }

  /** Ends the process and fails pending requests. */
  async close(): Promise<void> {
    clearTimeout(this.#rest);
    const child = this.#child;
    this.#child = undefined;
    this.#failAll();
    if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }

  #request(port: number): Promise<ConnectOutcome> {
    const child = (this.#child ??= this.#start());
    const id = (this.#count += 1);
    const result = Promise.withResolvers<ConnectOutcome>();
    const late = setTimeout(() => this.#settle(id, 'no answer in time'), ANSWER_TIMEOUT_MS);
    this.#waiting.set(id, (outcome) => {
      clearTimeout(late);
      result.resolve(outcome);
    });
    this.#keep(child);
    const request: ConnectRequest = { id, port };
    child.send(request, (error) => error && this.#settle(id, error.message));
    return result.promise;
  }

  #settle(id: number, outcome: ConnectOutcome): void {
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (settle) settle(outcome);
    else if (outcome instanceof Socket) outcome.destroy();
    if (this.#child) this.#keep(this.#child);
  }

  #failAll(): void {
    for (const id of this.#waiting.keys()) this.#settle(id, 'what makes them has ended');
  }

  /** Keeps this process alive for pending requests only, and the helper for a while longer. */
  #keep(child: ChildProcess): void {
    if (this.#waiting.size > 0) child.channel?.ref();
    else child.channel?.unref();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void (this.#waiting.size === 0 && this.close()), KEPT_MS).unref();
  }

  #start(): ChildProcess {
    const opened = [...this.#way.open(), openSync(process.execPath, 'r')];
    try {
      const [program = '', ...args] = toCommand(this.#way, opened.length);
      const child = spawn(program, args, {
        cwd: '/',
        env: OUTER_ENVIRONMENT,
        stdio: this.#strayFiles.cover(['ignore', 'ignore', 'ignore', 'ipc', ...opened]),
        detached: true, // a Ctrl-C in the terminal is meant for the server only
      });
      child.unref();
      child.on('message', ({ id, code = '' }: ConnectResult, handle) =>
        this.#settle(id, handle instanceof Socket ? handle : code),
      );
      const forget = () => {
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#failAll();
      };
      child.once('error', forget).once('disconnect', forget);
      return child;
    } finally {
      for (const number of opened) closeSync(number);
    }
  }
}

/** First number of its extra files, after the standard ones and the channel. */
const FIRST_FILE = 4;

/**
 * It runs as the sandbox's user, without privileges over anything in the sandbox. It is not one of the sandbox's processes and shares no
 * files with it, so that nothing inside can see it. Node is run from an open file, since that user may not be able to access its path.
 */
function toCommand(way: ConnectorWay, count: number): string[] {
  const files = Array.from({ length: count }, (_, index) => `/proc/self/fd/${FIRST_FILE + index}`);
  const node = files.pop() ?? '';
  return [...way.toCommand(files), node, ...FLAGS, '--eval', `(${serveConnections.toString()})()`];
}

export const nothingListens = (port: number) =>
  new ApiError(
    'bad_gateway_error',
    `Nothing listens at port ${port} in the sandbox. Start the program that is to listen there, at 127.0.0.1 or 0.0.0.0, and try again.`,
  );
