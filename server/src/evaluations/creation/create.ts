/** Stores a planned evaluation with its tasks or rows and its items, and enqueues its job. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { recordSet } from '../../platform/db/record-set.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { invalidValue, notFound } from '../../platform/errors.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { pinVersions } from '../../registry/service.ts';
import { EVALUATION } from '../evaluation-kind.ts';
import { getEvaluation } from '../reading/store.ts';
import type { EvaluationOf } from '../schema.ts';
import type { StoredExecution, StoredRequest } from '../stored-request.ts';
import { type EvaluationPlan, type PlanOptions, planEvaluation } from './plan.ts';
import { EvaluationLimits, type EvaluationRequest } from './schema.ts';

export interface CreateOptions extends PlanOptions {
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export async function createEvaluation(
  options: CreateOptions,
  scope: WorkspaceScope,
  request: EvaluationRequest,
  signal: AbortSignal,
): Promise<EvaluationOf> {
  const plan = await planEvaluation(options, scope, request, signal);
  const { organizationId } = scope;
  const id = uuidv7();
  return transaction(options.db, async (trx) => {
    await insertEvaluation(trx, scope, id, request, plan);
    await insertTasks(trx, organizationId, id, plan);
    await insertRows(trx, organizationId, id, plan);
    await insertItems(trx, organizationId, id, request.repetitions, plan);
    await options.queue.enqueue(trx, EVALUATION, { organizationId, id });
    const { name, model, budget_usd = null } = request;
    const after = {
      workspace_id: scope.workspaceId,
      name,
      model,
      total_samples: plan.totalSamples,
      budget_usd,
    };
    await audit(trx, scope, { action: 'evaluation.created', resource: `evaluations/${id}`, after });
    return getEvaluation(trx, scope, id);
  });
}

async function insertEvaluation(
  trx: Trx,
  scope: WorkspaceScope,
  id: string,
  request: EvaluationRequest,
  plan: EvaluationPlan,
): Promise<void> {
  const { agent, template } = plan;
  const execution: StoredExecution = {
    agent: agent && { name: agent.name, systemPrompt: agent.systemPrompt },
    template,
  };
  const insert = trx
    .insertInto('evaluations')
    .values({
      organization_id: scope.organizationId,
      id,
      workspace_id: scope.workspaceId,
      project_id: request.project_id ?? null,
      created_by: scope.principal.userId,
      name: request.name,
      model: request.model,
      tags: [...(request.tags ?? [])],
      concurrency: request.concurrency,
      budget_usd: request.budget_usd ?? null,
      request: JSON.stringify(toStoredRequest(request, plan)),
      execution: JSON.stringify(execution),
      skipped_members: JSON.stringify(plan.skipped),
      total_samples: plan.totalSamples,
      item_counts: JSON.stringify({ queued: plan.totalSamples }),
    })
    .execute();
  await explainViolation(insert, {
    evaluations_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
  });
}

function toStoredRequest(request: EvaluationRequest, plan: EvaluationPlan): StoredRequest {
  const { task_names, task_set, dataset, agent, repetitions, max_retries } = request;
  const { runtime_id, secret_ids, seed } = request;
  return {
    task_names: task_names ?? null,
    task_set: task_set ?? null,
    dataset: dataset && plan.datasetVersion !== null ? { ...dataset, version: plan.datasetVersion } : null,
    scorers: plan.scorers,
    agent: typeof agent === 'string' ? agent : null,
    capability: plan.agent?.capability ?? null,
    repetitions,
    limits: EvaluationLimits.parse({ ...request.limits, task_timeout_seconds: plan.timeoutSeconds }),
    max_retries,
    runtime_id: runtime_id ?? null,
    secret_ids: secret_ids ?? [],
    seed: seed ?? null,
  };
}

const TASKS = recordSet({
  position: 'integer',
  task_name: 'text',
  task_version: 'text',
  owner_id: 'uuid',
  version_id: 'uuid',
  details: 'jsonb',
  tags: 'text[]',
  difficulty: 'text',
});

/** Tasks in one statement. An instruction has up to 200,000 characters, and 10,000 of these are more than a string can hold. */
const TASK_BATCH = 200;

async function insertTasks(trx: Trx, organizationId: string, id: string, { tasks }: EvaluationPlan) {
  if (tasks.length === 0) return;
  const versions = tasks.map(({ ownerId, versionId }) => ({ ownerId, versionId }));
  const distinct = new Set(versions.map(({ versionId }) => versionId)).size;
  if ((await pinVersions(trx, versions, id)) < distinct)
    throw invalidValue(['body'], 'A task was deleted while the evaluation was created. Create it again.');
  const rows = tasks.map(({ name, version, ownerId, versionId, details, tags, difficulty }, position) => ({
    position,
    task_name: name,
    task_version: version,
    owner_id: ownerId,
    version_id: versionId,
    details: details as never,
    tags: tags as never,
    difficulty,
  }));
  for (let start = 0; start < rows.length; start += TASK_BATCH) {
    const batch = rows.slice(start, start + TASK_BATCH);
    await sql`
      INSERT INTO evaluation_tasks (organization_id, evaluation_id, ${TASKS.names})
      SELECT ${organizationId}::uuid, ${id}::uuid, t.* FROM (${TASKS.select(batch)}) AS t`.execute(trx);
  }
}

const ROWS = recordSet({
  position: 'integer',
  input: 'text',
  expected: 'text',
  system: 'text',
  files: 'jsonb',
  columns: 'jsonb',
});
/** Rows in one statement: about a megabyte for rows of 2 KB. */
const BATCH = 500;

async function insertRows(
  trx: Trx,
  organizationId: string,
  id: string,
  { rows }: EvaluationPlan,
): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH) as never;
    await sql`
      INSERT INTO evaluation_rows (organization_id, evaluation_id, ${ROWS.names})
      SELECT ${organizationId}::uuid, ${id}::uuid, t.* FROM (${ROWS.select(batch)}) AS t`.execute(trx);
  }
}

/** Items are ordered by repetition, then by task or row, so that every task has a result early. */
async function insertItems(
  trx: Trx,
  organizationId: string,
  id: string,
  repetitions: number,
  { tasks, totalSamples }: EvaluationPlan,
): Promise<void> {
  const isTask = tasks.length > 0;
  const perRepetition = totalSamples / repetitions;
  for (let start = 0; start < totalSamples; start += 10_000) {
    const count = Math.min(10_000, totalSamples - start);
    const ids = Array.from({ length: count }, () => uuidv7()).toSorted();
    await sql`
      INSERT INTO evaluation_items
             (organization_id, id, evaluation_id, position, source_position, task_name, task_version, row_index, sample)
      SELECT ${organizationId}::uuid, i.id, ${id}::uuid, p.position, p.position % ${perRepetition}::integer,
             t.task_name, t.task_version, CASE WHEN ${isTask} THEN NULL ELSE p.position % ${perRepetition}::integer END,
             p.position / ${perRepetition}::integer + 1
        FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS i (id, place)
       CROSS JOIN LATERAL (SELECT ${start}::integer + i.place::integer - 1 AS position) AS p
        LEFT JOIN evaluation_tasks AS t ON t.organization_id = ${organizationId} AND t.evaluation_id = ${id}
                                       AND t.position = p.position % ${perRepetition}::integer`.execute(trx);
  }
}
