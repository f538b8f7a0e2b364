/** Works jobs off: one attempt at a row at a time, fenced, cancellable, continued elsewhere when this process ends. */
import type { Job, JobWithMetadata } from 'pg-boss';
import { transaction } from '../db/transaction.ts';
import type { JobKind, JobRef } from './job-kind.ts';
import { beginAttempt, endJob, findCancelled, Superseded } from './job-row.ts';
import { GIVEN_UP, type WakeUp } from './queue.ts';
import { Turn, type TurnOptions } from './turn.ts';

export interface WorkerOptions extends TurnOptions {
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
/** One idle slot of each kind looks so often, for what nobody is notified of, such as a job whose worker died. */
const LOOK_SECONDS = 2;
/** The others look because one of them found something. */
const IDLE_LOOK_SECONDS = 30;
const CANCEL_CHECK_MS = 1_000;

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
