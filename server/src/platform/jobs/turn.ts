/** One attempt at one row, and the ways in which it can end. */
import type { Job } from 'pg-boss';
import type { Db } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import type { Log } from '../log.ts';
import type { EndStatus, JobKind, JobRef, Outcome } from './job-kind.ts';
import { type Attempt, endJob, holdAttempt, saveCheckpoint } from './job-row.ts';
import type { JobQueue, WakeUp } from './queue.ts';

const DEFAULT_MAX_FAILURES = 3;
const MAX_PAUSE_SECONDS = 60;

export interface TurnOptions {
  readonly queue: JobQueue;
  readonly db: Db;
  readonly log: Log;
}

export class Turn {
  private readonly options: TurnOptions;
  private readonly kind: JobKind;
  private readonly wakeUp: Job<WakeUp>;
  private readonly job: JobRef;
  private readonly begun: Attempt;
  private readonly log: Log;

  constructor(
    options: TurnOptions,
    kind: JobKind,
    wakeUp: Job<WakeUp>,
    job: JobRef,
    begun: Attempt,
    log: Log,
  ) {
    this.options = options;
    this.kind = kind;
    this.wakeUp = wakeUp;
    this.job = job;
    this.begun = begun;
    this.log = log;
  }

  step(signal: AbortSignal): Promise<Outcome<unknown>> {
    const { attempt, checkpoint } = this.begun;
    const save = <T>(write: (trx: Trx) => Promise<T>) => this.save(write);
    return this.kind.step({ ...this.job, attempt, checkpoint, signal, log: this.log, save });
  }

  async settle(outcome: Outcome<unknown>, isCancelled: boolean): Promise<void> {
    if (outcome.status === 'completed') await this.end('completed', null, outcome.write);
    else if (outcome.status === 'failed') await this.end('failed', outcome.error, outcome.write);
    else if (isCancelled) await this.end('cancelled', null);
    else {
      await this.save(async (trx) => {
        await saveCheckpoint(trx, this.kind.table, this.job, outcome.checkpoint);
        await this.options.queue.wakeAgain(trx, this.wakeUp, 0, outcome.afterSeconds);
      });
    }
  }

  async end(status: EndStatus, error: string | null, write?: (trx: Trx) => Promise<void>): Promise<void> {
    await this.save(async (trx) => {
      await write?.(trx);
      await endJob(trx, this.kind.table, this.job, status, error);
      await this.kind.ended?.(trx, this.job, status);
      await this.options.queue.release(trx, this.wakeUp);
    });
  }

  async fail(error: unknown): Promise<void> {
    const failures = this.wakeUp.data.failures + 1;
    this.log.error({ err: error, failures }, 'a step of a job failed');
    if (failures >= (this.kind.maxFailures ?? DEFAULT_MAX_FAILURES)) {
      await this.end('failed', `Something went wrong on our side, ${failures} times in a row.`);
    } else {
      await this.again(failures, Math.min(MAX_PAUSE_SECONDS, 2 ** failures));
    }
  }

  /** The same step once more. */
  async again(failures: number, afterSeconds: number): Promise<void> {
    await this.save((trx) => this.options.queue.wakeAgain(trx, this.wakeUp, failures, afterSeconds));
  }

  private save<T>(write: (trx: Trx) => Promise<T>): Promise<T> {
    return transaction(this.options.db, async (trx) => {
      await holdAttempt(trx, this.kind.table, this.job, this.begun.attempt);
      return write(trx);
    });
  }
}
