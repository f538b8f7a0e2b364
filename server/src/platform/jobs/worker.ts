/**
 * Runs jobs: one attempt at a row at a time, fenced, cancellable, and continued elsewhere when this process ends. When a worker crashes, the
 * heartbeat of its jobs expires (`queue.ts`), and their next attempt reclaims their rows (`row-claims.ts`).
 */
import type { Job } from 'pg-boss';
import { type AttemptOptions, JobAttempt } from './job-attempt.ts';
import { type JobDefinition, type JobRef, maxStepSecondsOf, WorkerStopping } from './job-kind.ts';
import { beginAttempt, findCancelled, JobCancelled, Superseded } from './job-row.ts';
import type { WakeUp } from './queue.ts';
import { retryUntilAborted } from './retry-until-aborted.ts';

export interface WorkerOptions extends AttemptOptions {
  readonly kinds: readonly JobDefinition[];
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
/** Seconds between queries for jobs without a notification, such as one whose worker died. One query covers all kinds. */
const POLL_INTERVAL_SECONDS = 2;
/**
 * Seconds between a slot's own polls. That query wakes the slots, so they need none: with about 160 slots, polls every 30 s would be 336
 * statements a minute on an idle server.
 */
const SLOT_POLL_SECONDS = 3_600;
const CANCEL_CHECK_MS = 1_000;
const DEFAULT_MAX_LOST_WORKERS = 5;

export class JobWorker {
  private readonly options: WorkerOptions;
  private readonly running = new Set<Running>();
  private readonly stopping = new AbortController();
  private readonly slots = new Map<JobDefinition, Slot[]>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isAsking = false;
  private isPolling = false;

  constructor(options: WorkerOptions) {
    this.options = options;
  }

  async start(): Promise<void> {
    for (const kind of this.options.kinds) await this.work(kind);
    this.timers.push(
      setInterval(() => void this.poll(), POLL_INTERVAL_SECONDS * 1_000),
      setInterval(() => void this.passOnCancels(), CANCEL_CHECK_MS),
    );
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      const waiting = await this.options.queue.findWaiting([...this.slots.keys()].map(({ kind }) => kind));
      for (const [{ kind }, slots] of this.slots) if (waiting.has(kind)) this.wakeIdleSlot(slots);
    } catch (error) {
      this.options.log.warn({ err: error }, 'could not look for jobs that wait');
    } finally {
      this.isPolling = false;
    }
  }

  get runningCount(): number {
    return this.running.size;
  }

  /** Asks every running step to end; unfinished steps are continued elsewhere. The queue's stop waits for them. */
  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.abort(new WorkerStopping());
  }

  /** Each slot is a loop of its own in the queue, which sleeps until it is notified. */
  private async work(kind: JobDefinition): Promise<void> {
    const { boss } = this.options.queue;
    const settings = {
      heartbeatRefreshSeconds: 2,
      pollingIntervalSeconds: SLOT_POLL_SECONDS,
      notifyPollingIntervalSeconds: SLOT_POLL_SECONDS,
      // This check is not exact: two workers at once may both find a free slot. Beginning an attempt checks again, under a lock.
      ...(kind.maxPerOrganization && { groupConcurrency: kind.maxPerOrganization }),
    };
    const slots: Slot[] = [];
    this.slots.set(kind, slots);
    for (let count = kind.concurrency ?? DEFAULT_CONCURRENCY; count > 0; count--) {
      const slot: Slot = { loop: '', isBusy: false };
      slots.push(slot);
      slot.loop = await boss.work<WakeUp>(kind.kind, settings, async ([job]) => {
        slot.isBusy = true;
        // If there is one job, there may be more: neither another slot nor, at the end, this one waits for the next poll.
        this.wakeIdleSlot(slots);
        try {
          if (job) await this.handleWakeUp(kind, job);
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

  /** Never rejects: for the queue a rejection means a dead worker, and a database problem is not one. */
  private async handleWakeUp(kind: JobDefinition, wakeUp: Job<WakeUp>): Promise<void> {
    const { db, log: parent } = this.options;
    const job = { organizationId: wakeUp.data.organization_id, id: wakeUp.data.id };
    const log = parent.child({ job: kind.kind, id: job.id });
    const untilLost = AbortSignal.any([wakeUp.signal, this.stopping.signal]);
    const begun = await retryUntilAborted(untilLost, log, () => beginAttempt(db, kind, job, wakeUp));
    if (begun === undefined) return; // the job has ended, is gone, or belongs to another worker: nothing to do
    const attempt = new JobAttempt(this.options, kind, wakeUp, job, begun, log);
    if (begun === 'full') return retryUntilAborted(untilLost, log, () => attempt.waitForRoom());
    try {
      await this.run(kind, attempt, { ...job, table: kind.table, cancel: new AbortController() });
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
      log.warn({ attempt: begun.attempt }, 'another attempt has taken over');
    }
  }

  private async run(kind: JobDefinition, attempt: JobAttempt, running: Running): Promise<void> {
    const { wakeUp } = attempt;
    if (attempt.isCancelled) return attempt.end('cancelled', null);
    if (wakeUp.retryCount >= (kind.maxLostWorkers ?? DEFAULT_MAX_LOST_WORKERS)) return attempt.giveUp();
    const { cancel } = running;
    const seconds = maxStepSecondsOf(kind);
    const overdue = AbortSignal.timeout(seconds * 1_000);
    this.running.add(running);
    try {
      const signal = AbortSignal.any([wakeUp.signal, cancel.signal, this.stopping.signal, overdue]);
      const outcome = await attempt.step(signal);
      overdue.throwIfAborted(); // a step that ignores its signal has exceeded the limit all the same
      await attempt.settle(outcome, cancel.signal.aborted);
    } catch (error) {
      if (error instanceof Superseded) throw error;
      if (cancel.signal.aborted || error instanceof JobCancelled) await attempt.end('cancelled', null);
      else if (this.stopping.signal.aborted) await attempt.again(wakeUp.data.failures, 0);
      else if (wakeUp.signal.aborted) attempt.log.warn('the claim on the job was lost');
      else if (overdue.aborted) await attempt.fail(new Error(`a step took longer than ${seconds} s`));
      else await attempt.fail(error);
    } finally {
      this.running.delete(running);
    }
  }

  private async passOnCancels(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      for (const [table, running] of Map.groupBy(this.running, (job) => job.table)) {
        const cancelled = await findCancelled(this.options.db, table, running);
        for (const { id, cancel } of running) {
          if (cancelled.has(id)) cancel.abort(new JobCancelled('the job was cancelled'));
        }
      }
    } catch (error) {
      this.options.log.warn({ err: error }, 'could not look for cancelled jobs');
    } finally {
      this.isAsking = false;
    }
  }
}
