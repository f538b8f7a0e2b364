/** One attempt at one job, and the ways in which it can end. */
import type { Job } from 'pg-boss';
import type { Db } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import type { Log } from '../log.ts';
import type { EndStatus, Follow, JobDefinition, JobRef, Outcome, Work } from './job-kind.ts';
import { type Attempt, endJob, holdAttempt, pauseJob, Superseded, saveCheckpoint } from './job-row.ts';
import type { JobQueue, WakeUp } from './queue.ts';
import { retryUntilAborted } from './retry-until-aborted.ts';
import { createClaimRows } from './row-claims.ts';

const DEFAULT_MAX_FAILURES = 3;
const MAX_PAUSE_SECONDS = 60;

export interface AttemptOptions {
  readonly queue: JobQueue;
  readonly db: Db;
  readonly log: Log;
}

export class JobAttempt {
  readonly wakeUp: Job<WakeUp>;
  readonly log: Log;
  private readonly options: AttemptOptions;
  private readonly kind: JobDefinition;
  private readonly job: JobRef;
  private readonly begun: Attempt;

  constructor(
    options: AttemptOptions,
    kind: JobDefinition,
    wakeUp: Job<WakeUp>,
    job: JobRef,
    begun: Attempt | 'full',
    log: Log,
  ) {
    this.options = options;
    this.kind = kind;
    this.wakeUp = wakeUp;
    this.job = job;
    this.begun = begun === 'full' ? NOT_BEGUN : begun;
    this.log = log.child({ attempt: this.begun.attempt });
  }

  get isCancelled(): boolean {
    return this.begun.cancel_requested_at !== null;
  }

  step(signal: AbortSignal): Promise<Outcome<unknown>> {
    const { attempt, checkpoint } = this.begun;
    const { job, kind, log } = this;
    const save = <T>(write: (trx: Trx) => Promise<T>) => this.save(write);
    const work = { ...job, attempt, checkpoint, signal, log, save };
    const claimRows = createClaimRows({ db: this.options.db, kind, work });
    return kind.step({ ...work, follow: createFollow(work), claimRows });
  }

  async settle(outcome: Outcome<unknown>, isCancelled: boolean): Promise<void> {
    if (outcome.status === 'completed') await this.end('completed', null, outcome.write);
    else if (outcome.status === 'failed') await this.end('failed', outcome.error, outcome.write);
    else if (isCancelled) await this.end('cancelled', null);
    else if (outcome.status === 'paused') await this.pause(outcome.isStillPaused);
    else {
      await this.insistOn(async (trx) => {
        await saveCheckpoint(trx, this.kind.table, this.job, outcome.checkpoint);
        await this.options.queue.wakeAgain(trx, this.wakeUp, 0, outcome.afterSeconds);
      });
    }
  }

  private async pause(isStillPaused: (trx: Trx) => Promise<boolean>): Promise<void> {
    await this.insistOn(async (trx) => {
      const { queue } = this.options;
      const isPaused = (await isStillPaused(trx)) && (await pauseJob(trx, this.kind.table, this.job));
      await (isPaused ? queue.release(trx, this.wakeUp) : queue.wakeAgain(trx, this.wakeUp, 0, 0));
    });
  }

  /** `write` is part of the step: if it fails, the step fails. */
  async end(status: EndStatus, error: string | null, write?: (trx: Trx) => Promise<void>): Promise<void> {
    const finish = async (trx: Trx) => {
      await write?.(trx);
      await endJob(trx, this.kind.table, this.job, status, error);
      await this.kind.ended?.(trx, this.job, status);
      await this.options.queue.release(trx, this.wakeUp);
    };
    await (write ? this.save(finish) : this.insistOn(finish));
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

  /** Ends a job whose workers died repeatedly, so that its row does not wait for ever. */
  async giveUp(): Promise<void> {
    this.log.error({ lostWorkers: this.wakeUp.retryCount }, 'given up: its workers died or took too long');
    await this.end('failed', 'Its workers stopped several times.');
  }

  /** Runs the same step again. */
  async again(failures: number, afterSeconds: number): Promise<void> {
    await this.insistOn((trx) => this.options.queue.wakeAgain(trx, this.wakeUp, failures, afterSeconds));
  }

  /** Waits because its organization runs as many steps as it may. The random delay spreads the waiting jobs. */
  async waitForRoom(): Promise<void> {
    const { queue, db } = this.options;
    const afterSeconds = 1 + Math.ceil(2 * Math.random());
    await transaction(db, (trx) =>
      queue.wakeAgain(trx, this.wakeUp, this.wakeUp.data.failures, afterSeconds),
    );
  }

  private async insistOn(write: (trx: Trx) => Promise<void>): Promise<void> {
    await retryUntilAborted(this.wakeUp.signal, this.log, () => this.save(write));
  }

  private save<T>(write: (trx: Trx) => Promise<T>): Promise<T> {
    return transaction(this.options.db, async (trx) => {
      await holdAttempt(trx, this.kind.table, this.job, this.begun.attempt);
      return write(trx);
    });
  }
}

/** A job that waits for its organization's limit has no attempt; only `waitForRoom` is called on it. */
const NOT_BEGUN: Attempt = { attempt: 0, checkpoint: null, cancel_requested_at: null };

const SAVE_MS = 2_000;

type Followed = Pick<Work<never>, 'signal' | 'log' | 'save'>;

function createFollow({ signal, log, save: saveFenced }: Followed): Follow {
  return async (save, run) => {
    const over = new AbortController();
    let saving: Promise<void> | undefined;
    const saveOnce = async () => {
      try {
        await saveFenced(save);
      } catch (error) {
        // The work continues while the database is away for a moment.
        if (error instanceof Superseded) over.abort(error);
        else log.warn({ err: error }, 'the progress of a job could not be saved');
      }
    };
    const timer = setInterval(() => {
      saving ??= saveOnce().finally(() => {
        saving = undefined;
      });
    }, SAVE_MS);
    try {
      return await run(AbortSignal.any([signal, over.signal]));
    } catch (error) {
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearInterval(timer);
      await saving; // otherwise an older value could overwrite what the step saves next
    }
  };
}
