/**
 * The state machine of training jobs: queued → running → completed, failed or cancelled, and back to queued when a trainer is lost. All
 * changes of `status`, `attempt` and the lease are made here, under the lock of the job's row or by one guarded statement.
 */
import { sql } from 'kysely';
import type { WorkspacePlace } from '../accounts/service.ts';
import type { CleanUp } from '../platform/clean-up.ts';
import type { Db } from '../platform/db/connect.ts';
import { recordSet } from '../platform/db/record-set.ts';
import { type Trx, transaction } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import { appendEvents, type NewEvent } from '../platform/events/event-log.ts';
import type { EndStatus, JobRef } from '../platform/jobs/job-kind.ts';
import { settle } from '../platform/metering/credits.ts';
import { recordUsages } from '../platform/metering/usage.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { findStoredJob, lockStoredJob, refOf, type StoredJob } from './stored-job.ts';

/** A trainer that has not reported for this long is lost. Trainers report every 5 seconds or sooner. */
export const LEASE_SECONDS = 30;
/** Lost trainers after which a job goes back to the queue. The next one that is lost fails the job. */
const MAX_LOST_WORKERS = 3;

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  /** Now by default. */
  readonly timestamp?: string;
}

const isJob = ({ organizationId, id }: JobRef) => sql`organization_id = ${organizationId} AND id = ${id}`;

const LOG_LINES = recordSet({
  id: 'uuid',
  level: 'text',
  message: 'text',
  data: 'jsonb',
  created_at: 'timestamptz',
});

export async function appendLogs(
  trx: Trx,
  { organizationId, id }: JobRef,
  lines: readonly LogLine[],
): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map(({ level, message, data, timestamp }) => ({
    id: uuidv7(),
    level,
    message,
    data: (data ?? null) as never,
    created_at: timestamp ?? new Date().toISOString(),
  }));
  await sql`
    INSERT INTO training_logs (organization_id, job_id, ${LOG_LINES.names})
    SELECT ${organizationId}::uuid, ${id}::uuid, l.* FROM (${LOG_LINES.select(rows)}) AS l`.execute(trx);
}

/** Stores what happened, for readers of the log and of the events. */
async function report(trx: Trx, job: JobRef, line: LogLine, event: NewEvent, isLast = false): Promise<void> {
  await appendLogs(trx, job, [line]);
  const { organizationId, id: streamId } = job;
  await appendEvents(trx, { organizationId, streamId }, [event], { close: isLast });
}

export interface Claimant {
  readonly worker: string;
  readonly keyId: string;
}

/** Gives a trainer the oldest queued job of the workspace. */
export async function takeJob(
  db: Db,
  { organizationId, workspaceId }: WorkspacePlace,
  { worker, keyId }: Claimant,
): Promise<StoredJob | undefined> {
  return transaction(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM training_jobs
       WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} AND status = 'queued'
       ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`.execute(trx);
    const [found] = rows;
    if (!found) return undefined;
    const ref = { organizationId, id: found.id };
    await sql`
      UPDATE training_jobs
         SET status = 'running', attempt = attempt + 1, worker = ${worker}, worker_key_id = ${keyId}, progress_seq = 0,
             lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}), reported_at = now(),
             started_at = coalesce(started_at, now())
       WHERE ${isJob(ref)}`.execute(trx);
    const job = await findStoredJob(trx, ref);
    if (!job) throw new Error(`training job ${found.id} is gone`);
    const { attempt } = job;
    const message = `Trainer "${worker}" has claimed the job (attempt ${attempt}).`;
    await report(
      trx,
      ref,
      { level: 'info', message },
      { type: 'job_claimed', data: { status: 'running', worker, attempt } },
    );
    return job;
  });
}

/** @returns true where the trainer has the job; false where it has ended and the trainer only repeats itself */
export function holdsLease(job: StoredJob, attempt: number, keyId: string, lastSeq: number): boolean {
  const isOwn = job.attempt === attempt && job.worker_key_id === keyId;
  if (isOwn && job.status === 'running') return true;
  if (isOwn && job.status !== 'queued' && lastSeq <= job.progress_seq) return false;
  throw new ApiError(
    'conflict_error',
    'This trainer does not have the job any more: the job has ended, waits for another trainer, or was claimed by one. Stop, and claim another job.',
  );
}

/** Renews the lease, and counts the time since the last report. Time in which the trainer was lost is not counted. */
export async function renewLease(trx: Trx, job: JobRef, progressSeq: number): Promise<void> {
  await sql`
    UPDATE training_jobs
       SET lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}), progress_seq = ${progressSeq}, reported_at = now(),
           trainer_ms = trainer_ms + least(1000 * extract(epoch FROM now() - reported_at), ${LEASE_SECONDS * 1_000})::bigint
     WHERE ${isJob(job)} AND status = 'running'`.execute(trx);
}

/** Ends a job that is queued or running, and charges its time. The row must be locked. */
export async function endJob(
  trx: Trx,
  job: StoredJob,
  status: EndStatus,
  error: string | null = null,
): Promise<void> {
  const ref = refOf(job);
  const { rows } = await sql<{ trainer_ms: number }>`
    UPDATE training_jobs SET status = ${status}, error = ${error}, completed_at = now(), lease_expires_at = NULL
     WHERE ${isJob(ref)} AND status IN ('queued', 'running') RETURNING trainer_ms`.execute(trx);
  const [ended] = rows;
  if (!ended) throw new ApiError('conflict_error', `The job is ${job.status}; it has ended already.`);
  await charge(trx, job, ended.trainer_ms);
  const message = error ?? `The job is ${status}.`;
  const level = error === null ? 'info' : 'error';
  await report(trx, ref, { level, message }, { type: 'job_ended', data: { status, error } }, true);
}

/** 0.0552 credits for a second, as for a sandbox, rounded up once for a job. */
export const creditsOf = (trainerMs: number) => Math.ceil((trainerMs * 552) / 10_000_000);

async function charge(trx: Trx, job: StoredJob, trainerMs: number): Promise<void> {
  if (trainerMs === 0) return;
  const { organization_id: organizationId, id } = job;
  const credits = creditsOf(trainerMs);
  await settle(trx, { organizationId, reference: `training/${id}`, amount: credits });
  await recordUsages(trx, [
    {
      organizationId,
      source: 'training',
      externalId: id,
      userId: job.created_by,
      kind: 'training',
      item: job.model.slice(0, 255),
      occurredAt: new Date().toISOString(),
      quantities: { seconds: trainerMs / 1_000, credits },
    },
  ]);
}

/** Ends a waiting job at once; the trainer of a running one is notified in the response to its next report. */
export async function cancelJob(trx: Trx, job: StoredJob): Promise<void> {
  if (job.status !== 'queued' && job.status !== 'running')
    throw new ApiError(
      'conflict_error',
      `The job is ${job.status}; only a job that waits or runs can be cancelled.`,
    );
  await sql`
    UPDATE training_jobs SET cancel_requested_at = coalesce(cancel_requested_at, now())
     WHERE ${isJob(refOf(job))}`.execute(trx);
  if (job.status === 'queued') return endJob(trx, job, 'cancelled');
  if (job.cancel_requested_at !== null) return;
  const message = 'The job is being cancelled: its trainer is told with its next report.';
  const data = { status: 'running', worker: job.worker, attempt: job.attempt };
  await report(trx, refOf(job), { level: 'info', message }, { type: 'cancel_requested', data });
}

/** Puts jobs of a workspace whose trainers are lost back into the queue, where they continue from their last checkpoint. */
export async function returnLostJobs(
  db: Db,
  { organizationId, workspaceId }: WorkspacePlace,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM training_jobs
     WHERE status = 'running' AND lease_expires_at < now() AND organization_id = ${organizationId}
       AND workspace_id = ${workspaceId}`.execute(db);
  for (const { id } of rows) await returnLostJob(db, { organizationId, id });
  return rows.length;
}

/** Does the same for all workspaces, also where no trainer asks for jobs any more. */
export const lostTrainers: CleanUp = {
  name: 'lost trainers',
  async run(db) {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM training_jobs /* of every organization */
       WHERE status = 'running' AND lease_expires_at < now() ORDER BY lease_expires_at LIMIT 1000`.execute(
      db,
    );
    for (const row of rows) await returnLostJob(db, refOf(row));
    return rows.length;
  },
};

async function returnLostJob(db: Db, ref: JobRef): Promise<void> {
  await transaction(db, async (trx) => {
    const job = await lockStoredJob(trx, ref);
    const { rows } = await sql`
      SELECT FROM training_jobs WHERE ${isJob(ref)} AND status = 'running' AND lease_expires_at < now()`.execute(
      trx,
    );
    if (!job || rows.length === 0) return;
    if (job.cancel_requested_at !== null) return endJob(trx, job, 'cancelled');
    if (job.lost_workers >= MAX_LOST_WORKERS)
      return endJob(
        trx,
        job,
        'failed',
        `Trainer "${job.worker}" was lost, the ${ordinal(job.lost_workers + 1)} of this job. Look at the logs of the trainers, then retry the job: it continues from its last checkpoint.`,
      );
    await sql`
      UPDATE training_jobs SET status = 'queued', lease_expires_at = NULL, lost_workers = lost_workers + 1
       WHERE ${isJob(ref)}`.execute(trx);
    const message = `Trainer "${job.worker}" has not reported for ${LEASE_SECONDS} seconds. The job waits for another one, which continues from the last checkpoint.`;
    const data = { status: 'queued', worker: job.worker, attempt: job.attempt };
    await report(trx, ref, { level: 'warning', message }, { type: 'worker_lost', data });
  });
}

const ordinal = (count: number) => ['first', 'second', 'third', 'fourth'][count - 1] ?? `${count}th`;
