/**
 * Scorings: evaluations that score a candidate of an optimization job. They run like all others, but belong to the job: lists leave them
 * out, and users cannot change them. A retry of the job reads the same ones.
 */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import type { Trx } from '../platform/db/transaction.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import { requestCancel } from '../platform/jobs/job-row.ts';
import type { JobQueue } from '../platform/jobs/queue.ts';
import type { RewardRecipe } from '../platform/rewards/rewards.ts';
import { uuidv7 } from '../platform/uuid.ts';
import type { FoundTask } from '../registry/service.ts';
import { enqueueAgain, requeue } from './control/retry.ts';
import type { EvaluatedRow } from './creation/dataset-rows.ts';
import type { PinnedCapability } from './creation/find-agent.ts';
import { type EvaluationOwner, insertEvaluation } from './creation/insert.ts';
import { EVALUATION } from './evaluation-kind.ts';
import type { ItemCounts } from './item-states.ts';
import type { EvaluationState, ScoreOf, VerificationOf } from './schema.ts';
import type { EvaluatedDataset, StoredExecution } from './stored-request.ts';

export interface Scoring extends Pick<StoredExecution, 'agent' | 'systemPrompt' | 'capabilityCopy'> {
  readonly jobId: string;
  readonly name: string;
  readonly model: string;
  readonly projectId: string | null;
  readonly concurrency: number;
  readonly timeoutSeconds: number | null;
  readonly capability: PinnedCapability;
  readonly dataset: EvaluatedDataset | null;
  /** Computes the score `reward` of each sample. */
  readonly recipe: Required<RewardRecipe>;
  readonly tasks: readonly FoundTask[];
  readonly rows: readonly EvaluatedRow[];
}

const MAX_RETRIES = 2;
const MAX_TURNS = 50;
/** The key of the recipe's score. */
const REWARD = 'reward';

export async function startScoring(
  trx: Trx,
  queue: Pick<JobQueue, 'enqueue'>,
  owner: EvaluationOwner,
  scoring: Scoring,
): Promise<string> {
  const { jobId, name, model, projectId, concurrency, timeoutSeconds, capability, recipe, tasks, rows } =
    scoring;
  const { agent, systemPrompt, capabilityCopy, dataset } = scoring;
  const id = uuidv7();
  await insertEvaluation(trx, owner, {
    id,
    name,
    model,
    projectId,
    tags: [],
    concurrency,
    repetitions: 1,
    budgetUsd: null,
    request: {
      task_names: tasks.length > 0 ? tasks.map((task) => `${task.name}@${task.version}`) : null,
      task_set: null,
      dataset: null,
      scorers: [{ type: 'reward', name: REWARD, recipe }],
      agent: agent?.name ?? null,
      capability: { name: capability.name, version: capability.version },
      repetitions: 1,
      limits: { max_turns: MAX_TURNS, task_timeout_seconds: timeoutSeconds },
      max_retries: MAX_RETRIES,
      runtime_id: null,
      secret_ids: [],
      seed: null,
    },
    execution: {
      agent,
      template: null,
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(capabilityCopy && { capabilityCopy }),
    },
    tasks,
    rows,
    capability,
    dataset,
    skipped: [],
    parent: { optimizationJobId: jobId },
  });
  await queue.enqueue(trx, EVALUATION, { organizationId: owner.organizationId, id });
  return id;
}

export interface ScoringState {
  /** `paused` once the samples under way have ended. */
  readonly status: EvaluationState;
  readonly pauseReason: string | null;
  readonly error: string | null;
  /** Samples that have ended without a result: cancelled, or not run for reasons of infrastructure. */
  readonly unscoredCount: number;
}

export async function getScoring(db: Db, { organizationId, id }: JobRef): Promise<ScoringState> {
  const { rows } = await sql<{
    status: EvaluationState;
    pauseReason: string | null;
    error: string | null;
    counts: ItemCounts;
  }>`
    SELECT status, pause_reason AS "pauseReason", error, item_counts AS counts FROM evaluations
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`evaluation ${id} is gone`);
  const { counts, ...state } = row;
  return { ...state, unscoredCount: (counts.cancelled ?? 0) + (counts.infra_error ?? 0) };
}

/**
 * Runs the samples without a result again, on behalf of this user, since the previous one may have lost the rights.
 * @returns false when there are none, because another job runs them again
 */
export async function retryUnscored(
  trx: Trx,
  queue: Pick<JobQueue, 'enqueue'>,
  { organizationId, id }: JobRef,
  userId: string,
): Promise<boolean> {
  const count = await requeue(trx, organizationId, id, sql`i.status IN ('cancelled', 'infra_error')`);
  if (count === 0) return false;
  await sql`
    UPDATE evaluations SET created_by = ${userId} WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    trx,
  );
  await enqueueAgain(trx, queue, { organizationId, id });
  return true;
}

/** Cancels these evaluations, except those that have ended. */
export async function cancelScorings(
  trx: Trx,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM evaluations
     WHERE organization_id = ${organizationId} AND id = ANY (${[...ids]}::uuid[])
       AND status IN ('queued', 'running', 'paused') ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  for (const { id } of rows) await requestCancel(trx, EVALUATION, { organizationId, id });
}

/** The result of one sample. */
export interface ScoredSample {
  readonly position: number;
  /** null for a sample that failed without a score, and for one without a result. */
  readonly score: number | null;
  readonly reward: ScoreOf | null;
  readonly metrics: Readonly<Record<string, unknown>> | null;
  readonly isScored: boolean;
  readonly error: string | null;
}

/** The answer of a sample and how it was verified. */
export interface SampleOutput {
  readonly answer: string | null;
  readonly verification: VerificationOf | null;
  readonly sessionId: string | null;
}

/** @returns in the order of the tasks or rows */
export async function listScored(db: Db, { organizationId, id }: JobRef): Promise<ScoredSample[]> {
  const { rows } = await sql<ScoredSample>`
    SELECT position, score, scores -> ${REWARD} AS reward, metrics, error,
           status IN ('passed', 'failed', 'timed_out') AS "isScored"
      FROM evaluation_items
     WHERE organization_id = ${organizationId} AND evaluation_id = ${id} ORDER BY position`.execute(db);
  return rows;
}

/** @returns in the order of the tasks or rows */
export async function listOutputs(db: Db, { organizationId, id }: JobRef): Promise<SampleOutput[]> {
  const { rows } = await sql<SampleOutput>`
    SELECT answer, verification, session_id AS "sessionId" FROM evaluation_items
     WHERE organization_id = ${organizationId} AND evaluation_id = ${id} ORDER BY position`.execute(db);
  return rows;
}
