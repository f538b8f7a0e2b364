/**
 * Takes the reports of trainers. Records are numbered within an attempt, and each is stored once, in one transaction with the number of the
 * last one: a trainer that got no response sends the same again.
 */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { recordSet } from '../../platform/db/record-set.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { appendEvents, type NewEvent } from '../../platform/events/event-log.ts';
import { isUuid } from '../../platform/fields.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { toStorable } from '../../platform/storable-text.ts';
import type { PublishStore } from '../../registry/service.ts';
import { completeCheckpoint, requireParts } from '../checkpoint-store.ts';
import { type CreditRule, hasCredits } from '../credits.ts';
import {
  appendLogs,
  creditsOf,
  endJob,
  holdsLease,
  LEASE_SECONDS,
  type LogLine,
  renewLease,
} from '../job-state.ts';
import { publishFinal } from '../publishing/publish.ts';
import { findStoredJob, jobNotFound, lockStoredJob, type StoredJob } from '../stored-job.ts';
import { keyOf } from './claim.ts';
import type { ProgressOf, ProgressRequest, ReportOf } from './schema.ts';

export interface WorkStore extends PublishStore, CreditRule {}

/** @throws {ApiError} `conflict_error` for a trainer that has lost the job; `validation_error` for records that are out of order */
export async function reportProgress(
  store: WorkStore,
  scope: WorkspaceScope,
  jobId: string,
  { attempt, records }: ProgressRequest,
  signal: AbortSignal,
): Promise<ProgressOf> {
  if (!isUuid(jobId)) throw jobNotFound(jobId);
  const job = { organizationId: scope.organizationId, id: jobId.toLowerCase() };
  const wrong = records.findIndex(({ type }, index) => isEnd(type) && index < records.length - 1);
  if (wrong >= 0)
    throw invalidValue(['body', 'records', wrong, 'type'], 'ends the job, so nothing can follow it');
  const end = records.find(({ type }) => type === 'training_end');
  const before = end ? records.filter(({ seq }) => seq < end.seq) : records;
  const response = await storeRecords(store, scope, job, attempt, before);
  if (end?.type !== 'training_end' || response.next_seq > end.seq) return response;
  if (response.action === 'cancel') {
    const { seq, timestamp } = end;
    return storeRecords(store, scope, job, attempt, [{ seq, timestamp, type: 'cancelled' }]);
  }
  // Publishing takes as long as the model is large. It is not part of a transaction: a trainer that gets no response sends the same
  // again, and publishing the same again changes nothing.
  const problem = await findPublishProblem(publishFinal(store, job, end.checkpoint_step, signal));
  const last = problem === undefined ? end : toFailure(end, problem);
  return storeRecords(store, scope, job, attempt, [last]);
}

/** @returns why the model cannot be published. Temporary errors, such as an unreachable object storage, are thrown, so that the trainer sends the report again. */
async function findPublishProblem(publishing: Promise<unknown>): Promise<string | undefined> {
  try {
    await publishing;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.issues?.[0]?.msg ?? error.message;
    throw error;
  }
}

const toFailure = ({ seq, timestamp }: ReportOf, problem: string): ReportOf => ({
  seq,
  timestamp,
  type: 'training_error',
  kind: 'error',
  message: `The model is trained, but could not be published: ${problem.replace(/\.$/, '')}. Its checkpoints are kept; publish one of them.`,
});

async function storeRecords(
  store: WorkStore,
  scope: WorkspaceScope,
  job: JobRef,
  attempt: number,
  records: readonly ReportOf[],
): Promise<ProgressOf> {
  const saved = records.filter(({ type }) => type === 'checkpoint_saved');
  if (saved.length > 0) {
    // A trainer that has lost the job gets an error that says so, and nothing of the job.
    const found = await findStoredJob(store.db, job);
    if (found?.workspace_id !== scope.workspaceId) throw jobNotFound(job.id);
    const holds = holdsLease(found, attempt, keyOf(scope), records.at(-1)?.seq ?? 0);
    const fresh = saved.filter(({ seq }) => seq > found.progress_seq);
    for (const one of holds ? fresh : [])
      if (one.type === 'checkpoint_saved') await requireParts(store, job, { step: one.step, attempt });
  }
  return transactionFor(store.db, scope, async (trx) => {
    const stored = await lockStoredJob(trx, job);
    if (!stored || stored.workspace_id !== scope.workspaceId) throw jobNotFound(job.id);
    const lastSeq = records.at(-1)?.seq ?? 0;
    const response = { action: 'continue' as const, lease: { seconds: LEASE_SECONDS } };
    if (!holdsLease(stored, attempt, keyOf(scope), lastSeq))
      return { ...response, next_seq: stored.progress_seq + 1 };
    const fresh = requireOrder(stored, records);
    const next_seq = stored.progress_seq + fresh.length + 1;
    await renewLease(trx, job, next_seq - 1);
    await new Reports(trx, stored, job).store(fresh);
    if (await isOutOfCredits(store, trx, stored)) {
      const hasEnded = fresh.some(({ type }) => isEnd(type));
      if (!hasEnded)
        await endJob(
          trx,
          stored,
          'failed',
          'The credits of the organization are used up. Add credits, then retry the job: it continues from its last checkpoint.',
        );
      return { ...response, action: 'cancel', next_seq };
    }
    return { ...response, action: stored.cancel_requested_at === null ? 'continue' : 'cancel', next_seq };
  });
}

const isEnd = (type: ReportOf['type']) =>
  type === 'training_end' || type === 'training_error' || type === 'cancelled';

/** @returns the records that are not stored yet */
function requireOrder({ progress_seq }: StoredJob, records: readonly ReportOf[]): ReportOf[] {
  const fresh = records.filter(({ seq }) => seq > progress_seq);
  const wrong = fresh.findIndex(({ seq }, index) => seq !== progress_seq + 1 + index);
  if (wrong < 0) return fresh;
  const loc = ['body', 'records', records.indexOf(fresh[wrong] as ReportOf), 'seq'];
  throw invalidValue(loc, `must be ${progress_seq + 1 + wrong}: records are sent in order and without a gap`);
}

async function isOutOfCredits(rule: CreditRule, trx: Trx, { organization_id, id }: StoredJob) {
  if (rule.credits === 'unlimited') return false;
  const { rows } = await sql<{ trainer_ms: number }>`
    SELECT trainer_ms FROM training_jobs
     WHERE organization_id = ${organization_id} AND id = ${id} AND status = 'running'`.execute(trx);
  const [running] = rows;
  return (
    running !== undefined && !(await hasCredits(trx, rule, organization_id, creditsOf(running.trainer_ms)))
  );
}

const METRICS = recordSet({ name: 'text', step: 'integer', value: 'double precision' });

/** Stores records of one request. */
class Reports {
  readonly #trx: Trx;
  readonly #stored: StoredJob;
  readonly #job: JobRef;
  readonly #metrics: { name: string; step: number; value: number }[] = [];
  readonly #logs: LogLine[] = [];
  readonly #events: NewEvent[] = [];

  constructor(trx: Trx, stored: StoredJob, job: JobRef) {
    this.#trx = trx;
    this.#stored = stored;
    this.#job = job;
  }

  async store(records: readonly ReportOf[]): Promise<void> {
    for (const record of records) await this.#take(record);
    await this.#insertMetrics();
    await appendLogs(this.#trx, this.#job, toStorable(this.#logs));
    const { organizationId, id: streamId } = this.#job;
    if (this.#events.length > 0) await appendEvents(this.#trx, { organizationId, streamId }, this.#events);
    const last = records.at(-1);
    if (last && isEnd(last.type)) await this.#end(last);
  }

  async #take(record: ReportOf): Promise<void> {
    const { seq: _seq, timestamp, type, ...data } = record;
    if (type !== 'log') this.#events.push({ type, data });
    switch (record.type) {
      case 'training_start':
        return this.#begin(record, data);
      case 'step_complete':
        this.#addMetrics(record.step, record.metrics);
        return this.#advance(record);
      case 'eval_complete':
        return this.#addMetrics(record.step, record.metrics);
      case 'checkpoint_saved':
        this.#logs.push({ level: 'info', message: `Checkpoint ${record.step} is saved.`, timestamp });
        return this.#completeCheckpoint(record.step, record.metrics);
      case 'log':
        this.#logs.push({ level: record.level, message: record.message, data: record.data, timestamp });
    }
  }

  async #begin(
    record: Extract<ReportOf, { type: 'training_start' }>,
    data: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { step, timestamp, num_examples, num_tokens, total_steps, truncated_examples } = record;
    const from = step === 0 ? 'Training begins' : `Training continues after step ${step}`;
    this.#logs.push({
      level: 'info',
      message: `${from}: ${num_examples} examples of ${num_tokens} tokens, ${total_steps} steps; ${truncated_examples} examples are cut to the longest sequence.`,
      timestamp,
    });
    // Steps after the checkpoint are trained again, so their figures do not count any more.
    await this.#update(sql`step = ${step}, start_report = ${JSON.stringify(toStorable(data))}::jsonb`);
  }

  #addMetrics(step: number, metrics: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(metrics)) this.#metrics.push({ name, step, value });
  }

  async #advance(record: Extract<ReportOf, { type: 'step_complete' }>): Promise<void> {
    const { step, num_tokens_processed: tokens, epoch, metrics } = record;
    const loss = metrics['train/loss'];
    // The last loss is in the row as well, for lists.
    const figures = {
      'train/epochs_completed': epoch,
      ...(loss !== undefined && { 'train/loss_last': loss }),
    };
    await this.#update(
      sql`step = ${step}, num_tokens = ${tokens}, summary = summary || ${JSON.stringify(figures)}::jsonb`,
    );
  }

  #completeCheckpoint(step: number, metrics: Readonly<Record<string, number>>): Promise<void> {
    return completeCheckpoint(this.#trx, this.#job, { step, attempt: this.#stored.attempt, metrics });
  }

  async #insertMetrics(): Promise<void> {
    if (this.#metrics.length === 0) return;
    const { organizationId, id } = this.#job;
    // The values are sent as JSON, in which JavaScript writes every digit that distinguishes a double from its neighbours.
    await sql`
      INSERT INTO training_metrics (organization_id, job_id, attempt, ${METRICS.names})
      SELECT ${organizationId}::uuid, ${id}::uuid, ${this.#stored.attempt}::integer, m.* FROM (${METRICS.select(this.#metrics)}) AS m
      ON CONFLICT DO NOTHING`.execute(this.#trx);
  }

  async #end(record: ReportOf): Promise<void> {
    switch (record.type) {
      case 'training_end':
        await this.#update(sql`summary = summary || ${JSON.stringify(record.metrics)}::jsonb`);
        return endJob(this.#trx, this.#stored, 'completed');
      case 'cancelled':
        return endJob(this.#trx, this.#stored, 'cancelled');
      case 'training_error': {
        const { field, message } = toStorable(record);
        return endJob(this.#trx, this.#stored, 'failed', field ? `${field}: ${message}` : message);
      }
      default:
        throw new ApiError('server_error', `"${record.type}" does not end a job.`);
    }
  }

  async #update(change: ReturnType<typeof sql>): Promise<void> {
    const { organizationId, id } = this.#job;
    await sql`
      UPDATE training_jobs SET ${change} WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
      this.#trx,
    );
  }
}
