/** The columns of a domain's row that control its processing: the current attempt, the progress, and whether it was cancelled. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import { ApiError, notFound } from '../errors.ts';
import type { EndStatus, JobDefinition, JobKind, JobRef } from './job-kind.ts';

/** Another attempt has taken over the row, or the job has ended: this attempt can write no more. */
export class Superseded extends Error {}

/** Cancelling was requested: the abort reason of a step, and the error of its writes before it has noticed. */
export class JobCancelled extends Error {}

export interface Attempt {
  readonly attempt: number;
  readonly checkpoint: unknown;
  readonly cancel_requested_at: string | null;
}

export const isRow = ({ organizationId, id }: JobRef): RawBuilder<unknown> =>
  sql`${sql.ref('organization_id')} = ${organizationId} AND id = ${id}`;

/** The queue's data on a wake-up; `retryCount` identifies the claim, since each one increments it. */
export interface Claim {
  readonly id: string;
  readonly retryCount: number;
}

/** Takes the row for one attempt; undefined when there is nothing left to do, 'full' when it must wait for its organization's limit. */
export async function beginAttempt(
  db: Db,
  kind: JobDefinition,
  job: JobRef,
  claim: Claim,
): Promise<Attempt | 'full' | undefined> {
  if (kind.maxPerOrganization === undefined) return takeRow(db, kind, job, claim);
  const { maxPerOrganization } = kind;
  return transaction(db, async (trx) => {
    const counter = `jobs ${kind.kind} ${job.organizationId}`;
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${counter}, 0))`.execute(trx);
    if ((await countOthers(trx, kind, job)) >= maxPerOrganization) return 'full';
    return takeRow(trx, kind, job, claim);
  });
}

/** The last condition keeps a worker that was frozen after its claim from taking the row from the current worker. */
async function takeRow(db: Db, { kind, table }: JobKind, job: JobRef, claim: Claim) {
  const { rows } = await sql<Attempt>`
    UPDATE ${sql.table(table)}
       SET status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, now())
     WHERE ${isRow(job)} AND status IN ('queued', 'running')
       AND EXISTS (SELECT FROM pgboss.job AS j WHERE j.name = ${kind} AND j.id = ${claim.id}
                      AND j.state = 'active' AND j.retry_count = ${claim.retryCount})
    RETURNING attempt, checkpoint, cancel_requested_at
  `.execute(db);
  return rows[0];
}

/** Counts other started jobs of the same organization that a worker holds. */
async function countOthers(trx: Trx, { kind, table }: JobKind, job: JobRef): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count
      FROM pgboss.job AS j
      JOIN ${sql.table(table)} AS t ON t.id = (j.data ->> 'id')::uuid AND t.organization_id = ${job.organizationId}
     WHERE j.name = ${kind} AND j.state = 'active' AND j.group_id = ${job.organizationId}
       AND t.status = 'running' AND t.id <> ${job.id}
  `.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Locks the job's row while this attempt is current. */
export async function holdAttempt(trx: Trx, table: string, job: JobRef, attempt: number): Promise<void> {
  const { rows } = await sql`
    SELECT attempt FROM ${sql.table(table)}
     WHERE ${isRow(job)} AND status = 'running' AND attempt = ${attempt} FOR NO KEY UPDATE
  `.execute(trx);
  if (rows.length === 0) throw new Superseded(`attempt ${attempt} of ${table}/${job.id} is over`);
}

/**
 * Requires that this attempt is the current one and the job is not cancelled, even if its step has not noticed yet. It takes the weakest
 * row lock: rows of the job are fenced by their own locks, and a write of one may change the job's row, too.
 */
export async function requireAttempt(trx: Trx, table: string, job: JobRef, attempt: number): Promise<void> {
  const { rows } = await sql<Pick<Attempt, 'cancel_requested_at'>>`
    SELECT cancel_requested_at FROM ${sql.table(table)}
     WHERE ${isRow(job)} AND status = 'running' AND attempt = ${attempt} FOR KEY SHARE
  `.execute(trx);
  const [current] = rows;
  if (!current) throw new Superseded(`attempt ${attempt} of ${table}/${job.id} is over`);
  if (current.cancel_requested_at !== null) throw new JobCancelled(`${table}/${job.id} is cancelled`);
}

export async function saveCheckpoint(
  trx: Trx,
  table: string,
  job: JobRef,
  checkpoint: unknown,
): Promise<void> {
  await sql`
    UPDATE ${sql.table(table)} SET checkpoint = ${JSON.stringify(checkpoint)}::jsonb WHERE ${isRow(job)}
  `.execute(trx);
}

/**
 * Requires that the row's attempt is held.
 * @returns false if a cancel was requested in the meantime, which another step has to carry out
 */
export async function pauseJob(trx: Trx, table: string, job: JobRef): Promise<boolean> {
  const { rows } = await sql`
    UPDATE ${sql.table(table)} SET status = 'paused'
     WHERE ${isRow(job)} AND status = 'running' AND cancel_requested_at IS NULL RETURNING id
  `.execute(trx);
  return rows.length > 0;
}

/** Requires that the row's attempt is held, or that the row has none. */
export async function endJob(
  trx: Trx,
  table: string,
  job: JobRef,
  status: EndStatus,
  error: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE ${sql.table(table)} SET status = ${status}, error = ${error}, completed_at = now()
     WHERE ${isRow(job)} AND status IN ('queued', 'running') RETURNING id
  `.execute(trx);
  return rows.length > 0;
}

/** Ends a job that has not started at once; a running step is notified within seconds. Ended jobs stay as they are: 409. */
export async function requestCancel(trx: Trx, kind: JobKind, job: JobRef): Promise<void> {
  const { table, ended } = kind;
  const { rows } = await sql<{ status: string }>`
    UPDATE ${sql.table(table)}
       SET cancel_requested_at = coalesce(cancel_requested_at, now()),
           completed_at = CASE status WHEN 'running' THEN completed_at ELSE now() END,
           status = CASE status WHEN 'running' THEN 'running' ELSE 'cancelled' END
     WHERE ${isRow(job)} AND status IN ('pending', 'queued', 'running', 'paused') RETURNING status
  `.execute(trx);
  const [changed] = rows;
  if (changed?.status === 'cancelled') await ended?.(trx, job, 'cancelled');
  if (!changed) throw await refusal(trx, table, job);
  if (changed.status === 'running') await hurry(trx, kind, job);
}

/** Makes the next step due now: between two steps, or in the pause after a failure, there is no worker to notify. */
async function hurry(trx: Trx, { kind }: JobKind, job: JobRef): Promise<void> {
  await sql`
    UPDATE pgboss.job SET start_after = now()
     WHERE name = ${kind} AND coalesce(singleton_key, '') = ${wakeUpKey(job)} AND policy = 'exclusive'
       AND state <= 'active' -- as the index has it
       AND state <> 'active' AND start_after > now()
  `.execute(trx);
}

/** Key in the queue that allows one wake-up per row at a time. */
export const wakeUpKey = ({ organizationId, id }: JobRef) => `${organizationId}/${id}`;

async function refusal(trx: Trx, table: string, job: JobRef): Promise<ApiError> {
  const { rows } = await sql<{ status: string }>`
    SELECT status FROM ${sql.table(table)} WHERE ${isRow(job)}
  `.execute(trx);
  const [row] = rows;
  if (!row) return notFound(`"${job.id}"`);
  return new ApiError(
    'conflict_error',
    `It is ${row.status}; only a job that waits or runs can be cancelled.`,
  );
}

/** Returns those of the given jobs that were cancelled. */
export async function findCancelled(
  db: Db,
  table: string,
  jobs: readonly JobRef[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT t.id FROM ${sql.table(table)} AS t
      JOIN unnest(${jobs.map((job) => job.organizationId)}::uuid[], ${jobs.map((job) => job.id)}::uuid[])
           AS mine (organization_id, id) ON t.organization_id = mine.organization_id AND t.id = mine.id
     WHERE t.cancel_requested_at IS NOT NULL
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}
