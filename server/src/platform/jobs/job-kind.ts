/** What a domain declares to have work done in the background: a kind of job over the rows of one of its tables. */
import type { z } from 'zod';
import type { Trx } from '../db/transaction.ts';
import type { Log } from '../log.ts';

/** The domain's row that is worked on. The row is the truth; the queue only wakes a worker up. */
export interface JobRef {
  readonly organizationId: string;
  readonly id: string;
}

export type EndStatus = 'completed' | 'failed' | 'cancelled';

/**
 * The table is this kind's alone. It holds `organization_id, id, status, attempt, checkpoint, error,
 * cancel_requested_at, started_at, completed_at`, and an index on (organization_id, id) of the rows that are `queued` or
 * `running`; a row that waits to be worked on is `queued`.
 */
export interface JobSpec<Checkpoint> {
  /** `<domain>.<verb>`, such as `exports.run`. */
  readonly kind: `${string}.${string}`;
  readonly table: string;
  /** How much of it one process does at once. */
  readonly concurrency?: number;
  /** How much of it is done for one organization at once, over all processes. Without it only the turns are fair. */
  readonly maxPerOrganization?: number;
  /** How often a step may throw before its job has failed. A worker that dies is counted apart. */
  readonly maxFailures?: number;
  /** What a step left for the next one. */
  readonly checkpoint?: z.ZodType<Checkpoint>;
  /**
   * One step, of at most an hour. It may run twice: all that it writes goes through `work.save` or its outcome. What
   * went wrong with the user's own things is an outcome; what it throws is our trouble, and is tried again.
   */
  readonly step: (work: Work<Checkpoint>) => Promise<Outcome<Checkpoint>>;
  /** Runs in the transaction that ends the job, whatever ended it. */
  readonly ended?: (trx: Trx, job: JobRef, status: EndStatus) => Promise<void>;
}

export interface Work<Checkpoint> extends JobRef {
  /** Which attempt this is; a later one makes this one's writes void. */
  readonly attempt: number;
  /** undefined in the first step. */
  readonly checkpoint: Checkpoint | undefined;
  /** Aborted when the job is cancelled, when this process stops, and when another attempt has taken over. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** A transaction that commits only while this attempt is the current one. */
  save<T>(write: (trx: Trx) => Promise<T>): Promise<T>;
}

type Write = (trx: Trx) => Promise<void>;

export type Outcome<Checkpoint> =
  | { readonly status: 'completed'; readonly write: Write | undefined }
  | { readonly status: 'failed'; readonly error: string; readonly write: Write | undefined }
  | { readonly status: 'unfinished'; readonly checkpoint: Checkpoint; readonly afterSeconds: number };

/** The job is done. `write` is committed together with that. */
export const completed = (write?: Write) => ({ status: 'completed' as const, write });

/** The job cannot be done, and never will be. `error` is for the user. */
export const failed = (error: string, write?: Write) => ({ status: 'failed' as const, error, write });

/** Another step follows, here or in another process, and begins with this checkpoint. */
export const unfinished = <Checkpoint>(checkpoint: Checkpoint, { afterSeconds = 0 } = {}) => ({
  status: 'unfinished' as const,
  checkpoint,
  afterSeconds,
});

/** A declared kind, whatever its checkpoint is made of. */
export type JobKind = Omit<JobSpec<unknown>, 'checkpoint'>;

export function defineJob<Checkpoint = never>(spec: JobSpec<Checkpoint>): JobKind {
  const { checkpoint: schema, step, ...kind } = spec;
  return {
    ...kind,
    step: async (work) => {
      const isFirst = work.checkpoint === undefined || work.checkpoint === null;
      // A newer server may read what an older one left.
      const checkpoint = isFirst ? undefined : schema?.parse(work.checkpoint);
      return step({ ...work, checkpoint });
    },
  };
}
