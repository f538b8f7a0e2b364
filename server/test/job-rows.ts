/** A table of jobs, as a domain has one, and the job kinds of the tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../src/platform/db/connect.ts';
import { type Trx, transaction } from '../src/platform/db/transaction.ts';
import {
  completed,
  defineJob,
  failed,
  type JobKind,
  type JobRef,
  unfinished,
} from '../src/platform/jobs/job-kind.ts';
import type { JobQueue } from '../src/platform/jobs/queue.ts';
import { uuidv7 } from '../src/platform/uuid.ts';

/** `effects` gets one row each time a job takes effect. */
export async function createJobTables(db: Db): Promise<void> {
  await sql`
    CREATE TABLE errands (
      organization_id     uuid NOT NULL,
      id                  uuid NOT NULL,
      status              text NOT NULL DEFAULT 'queued',
      attempt             integer NOT NULL DEFAULT 0,
      checkpoint          jsonb,
      error               text,
      cancel_requested_at timestamptz(3),
      started_at          timestamptz(3),
      completed_at        timestamptz(3),
      plan                jsonb NOT NULL,
      PRIMARY KEY (organization_id, id))`.execute(db);
  await sql`CREATE INDEX errands_open ON errands (organization_id, id) WHERE status IN ('queued', 'running')`.execute(
    db,
  );
  await sql`
    CREATE TABLE effects (
      organization_id uuid NOT NULL,
      errand_id       uuid NOT NULL,
      attempt         integer NOT NULL,
      pid             integer NOT NULL,
      at              timestamptz(3) NOT NULL DEFAULT clock_timestamp())`.execute(db);
}

export const ERRAND: JobKind = { kind: 'errands.run', table: 'errands' };

const Plan = z.object({
  /** Each entry is one step and its duration. */
  stepsMs: z.array(z.number()).default([0]),
  /** Number of first attempts that throw. */
  throws: z.number().default(0),
  /** Whether a step ignores its signal. */
  isDeaf: z.boolean().default(false),
  /** A mistake of the user, which becomes the job's error. */
  mistake: z.string().optional(),
});

export type Plan = z.input<typeof Plan>;

export function errands(db: Db, options: { concurrency?: number; maxPerOrganization?: number } = {}) {
  return defineJob(ERRAND, {
    ...options,
    checkpoint: z.object({ done: z.number() }),
    step: async (work) => {
      const { organizationId, id, attempt, signal } = work;
      const { rows } = await sql<{ plan: unknown }>`
        SELECT plan FROM errands WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
      const plan = Plan.parse(rows[0]?.plan);
      const done = work.checkpoint?.done ?? 0;
      if (attempt <= plan.throws) throw new Error('out of order');
      await sleep(plan.stepsMs[done] ?? 0, undefined, plan.isDeaf ? {} : { signal });
      if (plan.mistake) return failed(plan.mistake);
      if (done + 1 < plan.stepsMs.length) return unfinished({ done: done + 1 });
      return completed(async (trx) => {
        await sql`INSERT INTO effects (organization_id, errand_id, attempt, pid)
                  VALUES (${organizationId}, ${id}, ${attempt}, ${process.pid})`.execute(trx);
      });
    },
  });
}

/** Enqueues an errand as a handler would: row and wake-up in one transaction. */
export async function sendErrand(
  db: Db,
  queue: JobQueue,
  organizationId: string,
  plan: Plan = {},
  /** Writes rows of the job in the same transaction. */
  write?: (trx: Trx, job: JobRef) => Promise<unknown>,
): Promise<JobRef> {
  const job = { organizationId, id: uuidv7() };
  await transaction(db, async (trx) => {
    await sql`INSERT INTO errands (organization_id, id, plan)
              VALUES (${organizationId}, ${job.id}, ${JSON.stringify(plan)}::jsonb)`.execute(trx);
    await write?.(trx, job);
    await queue.enqueue(trx, ERRAND, job);
  });
  return job;
}
