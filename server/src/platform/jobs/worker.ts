/** Works jobs off: one attempt at a row at a time, fenced, cancellable, continued elsewhere when this process ends. */
import type { Job, JobWithMetadata } from 'pg-boss';
import type { Db } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import type { Log } from '../log.ts';
import type { EndStatus, JobKind, JobRef, Outcome } from './job-kind.ts';
import {
  type Attempt,
  beginAttempt,
  endJob,
  findCancelled,
  holdAttempt,
  Superseded,
  saveCheckpoint,
} from './job-row.ts';
import { GIVEN_UP, type JobQueue, type WakeUp } from './queue.ts';

export interface WorkerOptions {
  readonly queue: JobQueue;
  readonly db: Db;
  readonly log: Log;
  readonly kinds: readonly JobKind[];
}

interface Slot {
  loop: string;
  isBusy: boolean;
}

interface Running extends JobRef {
  readonly table: string;
  readonly cancel: AbortController;
}

const DEFAULT_CONCURRENCY = 2;
const DEFAULT_MAX_FAILURES = 3;
/** One idle slot of each kind looks so often, for what nobody is notified of, such as a job whose worker died. */
const LOOK_SECONDS = 2;
/** The others look because one of them found something. */
const IDLE_LOOK_SECONDS = 30;
const CANCEL_CHECK_MS = 1_000;
const MAX_PAUSE_SECONDS = 60;

export class JobWorker {
  private readonly options: WorkerOptions;
  private readonly running = new Set<Running>();
  private readonly stopping = new AbortController();
  private readonly slots = new Map<JobKind, Slot[]>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(options: WorkerOptions) {
    this.options = options;
  }

  async start(): Promise<void> {
    const { queue, kinds } = this.options;
    for (const kind of kinds) await this.work(kind);
    const withSource = { includeMetadata: true } as const;
    await queue.boss.work<WakeUp, void, typeof withSource>(GIVEN_UP, withSource, ([job]) => this.giveUp(job));
    const look = () => {
      for (const slots of this.slots.values()) this.wakeIdleSlot(slots);
    };
    this.timers.push(
      setInterval(look, LOOK_SECONDS * 1_000),
      setInterval(() => void this.passOnCancels(), CANCEL_CHECK_MS),
    );
  }

  /** Asks every running step to end; what it has not finished is taken up elsewhere. The queue's stop waits for them. */
  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.abort(new Error('this process is stopping'));
  }

  /** Each slot is a loop of its own in the queue, which sleeps until it is notified. */
  private async work(kind: JobKind): Promise<void> {
    const { boss } = this.options.queue;
    const settings = {
      heartbeatRefreshSeconds: 2,
      pollingIntervalSeconds: LOOK_SECONDS,
      notifyPollingIntervalSeconds: IDLE_LOOK_SECONDS,
      ...(kind.maxPerOrganization && { groupConcurrency: kind.maxPerOrganization }),
    };
    const slots: Slot[] = [];
    this.slots.set(kind, slots);
    for (let count = kind.concurrency ?? DEFAULT_CONCURRENCY; count > 0; count--) {
      const slot: Slot = { loop: '', isBusy: false };
      slots.push(slot);
      slot.loop = await boss.work<WakeUp>(kind.kind, settings, async ([job]) => {
        slot.isBusy = true;
        // Where there is one there may be more: neither another slot nor, at the end, this one waits for the next look.
        this.wakeIdleSlot(slots);
        try {
          if (job) await this.attempt(kind, job);
        } finally {
          slot.isBusy = false;
          boss.notifyWorker(slot.loop);
        }
      });
    }
  }

  private wakeIdleSlot(slots: readonly Slot[]): void {
    const idle = slots.find(({ isBusy }) => !isBusy);
    if (idle) this.options.queue.boss.notifyWorker(idle.loop);
  }

  private async attempt(kind: JobKind, wakeUp: Job<WakeUp>): Promise<void> {
    const { db, log: parent } = this.options;
    const job = { organizationId: wakeUp.data.organization_id, id: wakeUp.data.id };
    const begun = await beginAttempt(db, kind.table, job);
    if (!begun) return; // it has ended, or is gone: nothing to be woken for
    const log = parent.child({ job: kind.kind, id: job.id, attempt: begun.attempt });
    const running = { ...job, table: kind.table, cancel: new AbortController() };
    const turn = new Turn(this.options, kind, wakeUp, job, begun, log);
    if (begun.cancel_requested_at) return turn.end('cancelled', null);
    this.running.add(running);
    try {
      const signal = AbortSignal.any([wakeUp.signal, running.cancel.signal, this.stopping.signal]);
      await turn.settle(await turn.step(signal), running.cancel.signal.aborted);
    } catch (error) {
      if (error instanceof Superseded) log.warn('another attempt has taken over');
      else if (running.cancel.signal.aborted) await turn.end('cancelled', null);
      else if (this.stopping.signal.aborted) await turn.again(wakeUp.data.failures, 0);
      else if (wakeUp.signal.aborted) log.warn('the claim on the job was lost');
      else await turn.fail(error);
    } finally {
      this.running.delete(running);
    }
  }

  private async passOnCancels(): Promise<void> {
    for (const [table, running] of Map.groupBy(this.running, (job) => job.table)) {
      try {
        const cancelled = await findCancelled(this.options.db, table, running);
        for (const { id, cancel } of running) {
          if (cancelled.has(id)) cancel.abort(new Error('the job was cancelled'));
        }
      } catch (error) {
        this.options.log.warn({ err: error }, 'could not look for cancelled jobs');
      }
    }
  }

  /** Its workers died again and again: the row must not wait for ever. */
  private async giveUp(wakeUp: JobWithMetadata<WakeUp> | undefined): Promise<void> {
    const kind = this.options.kinds.find((one) => one.kind === wakeUp?.sourceName);
    if (!wakeUp || !kind) return;
    const job = { organizationId: wakeUp.data.organization_id, id: wakeUp.data.id };
    this.options.log.error({ job: kind.kind, id: job.id }, 'given up: its workers died or took too long');
    await transaction(this.options.db, async (trx) => {
      const hasEnded = await endJob(trx, kind.table, job, 'failed', 'Its workers stopped several times.');
      if (hasEnded) await kind.ended?.(trx, job, 'failed');
    });
  }
}

/** One attempt at one row, and the ways in which it can end. */
class Turn {
  private readonly options: WorkerOptions;
  private readonly kind: JobKind;
  private readonly wakeUp: Job<WakeUp>;
  private readonly job: JobRef;
  private readonly begun: Attempt;
  private readonly log: Log;

  constructor(
    options: WorkerOptions,
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
