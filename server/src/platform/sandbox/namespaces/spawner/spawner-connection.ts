/** A running spawner process, and the processes it was asked to start. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { ProcessName } from '../../process-table.ts';
import { OUTER_ENVIRONMENT, type StrayFiles } from '../host-environment.ts';
import type { ProcessEnd, ProcessPlan, SpawnerNews, SpawnerRequest } from './spawner-messages.ts';

const PROGRAM = join(import.meta.dirname, 'spawner-process.ts');
/** Small heaps: it does little, and memory that it does not have need not be copied by fork. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64', '--v8-pool-size=1'];

export interface StartedProcess extends ProcessName {
  /** The other end of the file that was passed to it; undefined without one, or when the process has ended already. */
  readonly handed: Socket | undefined;
  /** '' when it ended without a report; undefined when unknown. */
  readonly report: Promise<string | undefined>;
  readonly ended: Promise<ProcessEnd>;
  /**
   * Releases the process with the text that it waits for; once.
   * @returns whether that was sent
   */
  release(text: string): Promise<boolean>;
}

/** A request whose events are pending; the last two arrive in any order. */
class Waiting {
  readonly started = Promise.withResolvers<StartedProcess>();
  readonly report = Promise.withResolvers<string | undefined>();
  readonly ended = Promise.withResolvers<ProcessEnd>();
  readonly outlives: boolean;
  isReleased: boolean;
  hasReported: boolean;
  hasEnded = false;

  constructor({ files, outlives, release }: ProcessPlan) {
    this.outlives = outlives;
    this.isReleased = release !== undefined || !files.includes('text');
    this.hasReported = !files.includes('report');
  }

  /** True while this process has to stay alive for pending events. */
  get isAwaited(): boolean {
    return this.isReleased && (!this.hasReported || !(this.hasEnded || this.outlives));
  }
}

export class SpawnerConnection {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #isUsable = true;

  constructor(setpriv: string, strayFiles: StrayFiles) {
    const args = ['--pdeathsig', 'KILL', '--', process.execPath, ...FLAGS, PROGRAM];
    this.#child = spawn(setpriv, args, {
      cwd: '/',
      env: OUTER_ENVIRONMENT,
      stdio: strayFiles.cover(['ignore', 'ignore', 'ignore', 'ipc']),
      detached: true, // a Ctrl-C in the terminal is meant for the server only
    });
    this.#child.unref();
    this.#keepProcess();
    this.#child.on('message', (news, handle) => this.#receive(news as SpawnerNews, handle));
    this.#child.once('error', () => this.#fail());
    this.#child.once('exit', () => {
      this.#isUsable = false;
    });
    // Emitted after its last message, which the exit event may precede.
    this.#child.once('disconnect', () => this.#fail());
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** @throws with the system's error code; or without one, because the spawner ended */
  start(plan: ProcessPlan): Promise<StartedProcess> {
    const id = (this.#count += 1);
    const waiting = new Waiting(plan);
    this.#waiting.set(id, waiting);
    this.#keepProcess();
    this.#send({ ...plan, kind: 'start', id }, (error) => {
      if (error) this.#refuse(id, error);
    });
    return waiting.started.promise;
  }

  #release(id: number, text: string): Promise<boolean> {
    const waiting = this.#waiting.get(id);
    if (!waiting) return Promise.resolve(false);
    waiting.isReleased = true;
    this.#keepProcess();
    const sent = Promise.withResolvers<boolean>();
    this.#send({ kind: 'release', id, text }, (error) => sent.resolve(!error));
    return sent.promise;
  }

  #send(request: SpawnerRequest, done: (error: Error | null) => void): void {
    this.#child.send(request, (error) => {
      if (error) this.#isUsable = false;
      done(error);
    });
  }

  /** Ends the spawner, and all processes that it started and that do not outlive it. */
  async close(): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
      return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await ended;
  }

  #receive(news: SpawnerNews, handle: unknown): void {
    const waiting = this.#waiting.get(news.id);
    if (!waiting) return;
    switch (news.kind) {
      case 'refused':
        return this.#refuse(news.id, Object.assign(new Error(news.message), { code: news.code }));
      case 'started': {
        const { pid, start } = news;
        const handed = handle instanceof Socket ? handle : undefined;
        // Otherwise the end of a process that reads nothing would close the socket while a caller is about to write.
        if (handed) handed.allowHalfOpen = true;
        const [report, ended] = [waiting.report.promise, waiting.ended.promise];
        const release = (text: string) => this.#release(news.id, text);
        return waiting.started.resolve({ pid, start, handed, report, ended, release });
      }
      case 'report':
        waiting.hasReported = true;
        waiting.report.resolve(news.text);
        return this.#settle(news.id, waiting);
      case 'ended':
        waiting.hasEnded = true;
        waiting.ended.resolve({ code: news.code, signal: news.signal });
        return this.#settle(news.id, waiting);
    }
  }

  #settle(id: number, { hasReported, hasEnded }: Waiting): void {
    if (hasReported && hasEnded) this.#waiting.delete(id);
    this.#keepProcess();
  }

  #refuse(id: number, error: Error): void {
    this.#waiting.get(id)?.started.reject(error);
    this.#waiting.delete(id);
    this.#keepProcess();
  }

  /** Fails all requests: their processes were killed by the system, or can no longer report. */
  #fail(): void {
    this.#isUsable = false;
    for (const { started, report, ended } of this.#waiting.values()) {
      started.reject(new Error('The spawner process has ended.'));
      report.resolve(undefined);
      ended.resolve({ code: null, signal: 'SIGKILL' });
    }
    this.#waiting.clear();
  }

  /** Keeps this process alive for them, as for its own children. */
  #keepProcess(): void {
    if ([...this.#waiting.values()].some(({ isAwaited }) => isAwaited)) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }
}
