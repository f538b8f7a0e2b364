/** What a domain declares to run background work: a kind of job over the rows of one of its tables. */
import type { z } from 'zod';
import type { Trx } from '../db/transaction.ts';
import type { Log } from '../log.ts';

/** The domain's row that is worked on. The row is authoritative; the queue only wakes a worker. */
export interface JobRef {
  readonly organizationId: string;
  readonly id: string;
}

/** The abort reason of a step's signal when its process stops. Another process continues the job. */
export class WorkerStopping extends Error {
  constructor() {
    super('this process is stopping');
  }
}

const END_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof END_STATUSES)[number];

export const isEndStatus = (status: string): status is EndStatus =>
  (END_STATUSES as readonly string[]).includes(status);

/**
 * A kind as routes need it, to enqueue and to cancel. The table belongs to this kind alone. It has the columns `organization_id, id,
 * status, attempt, checkpoint, error, cancel_requested_at, started_at, completed_at`, and an index on (organization_id, id) of the rows
 * that are `queued` or `running`; a row that waits to be worked on is `queued`.
 */
export interface JobKind {
  /** Name in the form `<domain>.<verb>`, such as `exports.run`. */
  readonly kind: `${string}.${string}`;
  readonly table: string;
  /** Runs in the transaction that ends the job, with any outcome. */
  readonly ended?: (trx: Trx, job: JobRef, status: EndStatus) => Promise<void>;
}

interface JobLimits {
  /** Steps that one process runs at once, 2 by default. */
  readonly concurrency?: number;
  /** Steps that run for one organization at once, across all processes. Unlimited by default. */
  readonly maxPerOrganization?: number;
  /** How many times in a row a step may throw before its job fails, 3 by default. A worker that dies is counted separately. */
  readonly maxFailures?: number;
  /** How many workers may die in a row while they run a step, 5 by default. After that the job is assumed to be the cause, and fails. */
  readonly maxLostWorkers?: number;
  /** Longest step in seconds, an hour by default, at most a day. A step that takes longer is aborted, and counts as a failure. */
  readonly maxStepSeconds?: number;
}

export interface JobSpec<Checkpoint> extends JobLimits {
  /** Schema of the state that a step leaves for the next one. */
  readonly checkpoint?: z.ZodType<Checkpoint>;
  /**
   * One step. It may run more than once: what it writes to the database goes through `work.save` or its outcome. Model calls, sandboxes and
   * publishing are not fenced and happen at least once, so a step saves each result before it continues. A problem with the user's own data
   * is an outcome; an exception is an internal problem, and the step is retried.
   */
  readonly step: (work: Work<Checkpoint>) => Promise<Outcome<Checkpoint>>;
}

/** A kind with its step, as workers need it. */
export interface JobDefinition extends JobKind, JobLimits {
  readonly step: (work: Work<unknown>) => Promise<Outcome<unknown>>;
}

export interface Work<Checkpoint> extends JobRef {
  /** The number of this attempt. A later attempt voids the writes of this one. */
  readonly attempt: number;
  /** undefined in the first step. */
  readonly checkpoint: Checkpoint | undefined;
  /** Aborted when the job is cancelled, the step takes too long, this process stops, or another attempt has taken over. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Runs a transaction that commits only while this attempt is the current one. A requested cancel does not stop it; `signal` reports that. */
  save<T>(write: (trx: Trx) => Promise<T>): Promise<T>;
  /** Runs long work and saves its progress every two seconds; ends it when another attempt has taken over. */
  readonly follow: Follow;
  /** Works on rows that belong to this job, several at once, until none can be claimed. */
  readonly claimRows: ClaimRows;
}

/**
 * @param save writes the progress so far; called also when nothing has changed, since it notices a lost attempt
 * @param run gets a signal that is also aborted when the attempt is lost
 */
export type Follow = <Result>(
  save: (trx: Trx) => Promise<unknown>,
  run: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

export interface RowClaimOptions {
  readonly table: string;
  /** The column that holds the id of the job. */
  readonly parent: string;
  /** The statuses of rows that have not ended. */
  readonly open: readonly string[];
  /** Returns how many rows may be worked on at once. It is read again before every claim; at 0 no more rows are claimed. */
  readonly concurrency: (trx: Trx) => Promise<number>;
  /**
   * Works on one row, and changes its status through `row.save`. A row that keeps an open status is claimed again only by the next attempt.
   * An exception ends the step; a failed row is only data.
   */
  readonly run: (row: ClaimedRow) => Promise<void>;
}

export interface ClaimedRow {
  readonly id: string;
  /** Aborted with the step, and when another row of the step threw. */
  readonly signal: AbortSignal;
  /**
   * Runs a transaction that locks the row. It is refused if, at its start, another attempt is current, the job is cancelled, or this
   * attempt has not claimed the row. A cancel during the transaction does not undo it.
   */
  save<T>(write: (trx: Trx) => Promise<T>): Promise<T>;
  /** Releases the row in the caller's transaction. It is claimed again as soon as `run` returns, so this is not a delayed retry. */
  release(trx: Trx): Promise<void>;
}

/**
 * Resolves when no row runs and none can be claimed. Rows may still be open: the concurrency was 0, or `run` left the status as it was.
 * A step counts its open rows before it returns `completed`.
 */
export type ClaimRows = (options: RowClaimOptions) => Promise<void>;

type Write = (trx: Trx) => Promise<void>;

export type Outcome<Checkpoint> =
  | { readonly status: 'completed'; readonly write: Write | undefined }
  | { readonly status: 'failed'; readonly error: string; readonly write: Write | undefined }
  | { readonly status: 'unfinished'; readonly checkpoint: Checkpoint; readonly afterSeconds: number }
  | { readonly status: 'paused'; readonly isStillPaused: (trx: Trx) => Promise<boolean> };

/** The job is done. `write` is committed together with that. */
export const completed = (write?: Write) => ({ status: 'completed' as const, write });

/** The job has failed permanently. `error` is for the user. */
export const failed = (error: string, write?: Write) => ({ status: 'failed' as const, error, write });

/** Another step follows, here or in another process, and starts from this checkpoint. */
export const unfinished = <Checkpoint>(checkpoint: Checkpoint, { afterSeconds = 0 } = {}) => ({
  status: 'unfinished' as const,
  checkpoint,
  afterSeconds,
});

/**
 * The job leaves the queue with the status `paused`. Its domain resumes it by setting the status to `running` and enqueuing it again.
 * @param isStillPaused is evaluated under the lock of the job's row; if the job was resumed in the meantime, another step follows at once
 */
export const paused = (isStillPaused: (trx: Trx) => Promise<boolean>) => ({
  status: 'paused' as const,
  isStillPaused,
});

const DEFAULT_STEP_SECONDS = 3_600;
/** The queue accepts no expiration longer than a day. */
export const MAX_STEP_SECONDS = 86_400;

export const maxStepSecondsOf = ({ maxStepSeconds = DEFAULT_STEP_SECONDS }: JobLimits) => maxStepSeconds;

export function defineJob<Checkpoint = never>(kind: JobKind, spec: JobSpec<Checkpoint>): JobDefinition {
  const { checkpoint: schema, step, ...limits } = spec;
  const seconds = maxStepSecondsOf(limits);
  if (!(seconds > 0 && seconds <= MAX_STEP_SECONDS))
    throw new RangeError(
      `${kind.kind}: maxStepSeconds is ${seconds}, and must be from 1 to ${MAX_STEP_SECONDS}`,
    );
  return {
    ...kind,
    ...limits,
    step: async (work) => {
      const isFirst = work.checkpoint === undefined || work.checkpoint === null;
      // A newer server may read a checkpoint that an older one left.
      const checkpoint = isFirst ? undefined : schema?.parse(work.checkpoint);
      return step({ ...work, checkpoint });
    },
  };
}
