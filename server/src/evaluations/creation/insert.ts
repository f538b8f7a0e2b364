/** Inserts an evaluation with its tasks or rows and its items. */
import { sql } from 'kysely';
import { recordSet } from '../../platform/db/record-set.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { invalidValue, notFound } from '../../platform/errors.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type FoundTask, pinVersions } from '../../registry/service.ts';
import type { EvaluatedDataset, StoredExecution, StoredRequest } from '../stored-request.ts';
import { type Contamination, findContamination, NOT_CONTAMINATED } from './contamination.ts';
import type { EvaluatedRow } from './dataset-rows.ts';
import type { PinnedCapability } from './find-agent.ts';
import { findLineage, recordEvaluation } from './lineage.ts';
import type { SkippedMemberOf } from './schema.ts';

/** The workspace of an evaluation, and the user on whose behalf it runs. */
export interface EvaluationOwner {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

/** What an evaluation that no user has created belongs to. Lists leave it out, and users cannot change it. */
export type EvaluationParent =
  | { readonly optimizationJobId: string; readonly airtFindingId?: never }
  | { readonly airtFindingId: string; readonly optimizationJobId?: never };

export interface NewEvaluation {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly projectId: string | null;
  readonly tags: readonly string[];
  readonly concurrency: number;
  readonly repetitions: number;
  readonly budgetUsd: number | null;
  readonly request: StoredRequest;
  readonly execution: StoredExecution;
  /** Tasks or rows, never both. */
  readonly tasks: readonly FoundTask[];
  readonly rows: readonly EvaluatedRow[];
  /** The published version that samples use; null where that is unknown or there is none. */
  readonly capability: PinnedCapability | null;
  /** The dataset of the rows; null where they are of none. */
  readonly dataset: EvaluatedDataset | null;
  readonly skipped: readonly SkippedMemberOf[];
  /** The optimization job or the red-team finding that the evaluation belongs to; null for one of a user. */
  readonly parent: EvaluationParent | null;
  /** The check of a gate that it was made for. */
  readonly gateCheckId?: string | null;
}

/** The caller enqueues its job in the same transaction. */
export async function insertEvaluation(
  trx: Trx,
  owner: EvaluationOwner,
  evaluation: NewEvaluation,
): Promise<void> {
  const { organizationId } = owner;
  const { id, tasks, rows, repetitions } = evaluation;
  const lineage = await findLineage(trx, organizationId, evaluation);
  await insertRow(trx, owner, { ...evaluation, execution: { ...evaluation.execution, lineage } });
  if (!evaluation.parent) await recordEvaluation(trx, owner, id, lineage);
  // The tasks of an optimization job are pinned by the job.
  if (!evaluation.parent?.optimizationJobId) await pinTasks(trx, id, tasks);
  const contamination = evaluation.parent ? NOT_CONTAMINATED : await findContamination(trx, owner, lineage);
  await insertTasks(trx, { organizationId, id }, tasks, contamination);
  await insertRows(trx, { organizationId, id }, rows, contamination);
  await insertItems(trx, organizationId, id, {
    repetitions,
    isTask: tasks.length > 0,
    perRepetition: tasks.length + rows.length,
  });
}

async function insertRow(trx: Trx, owner: EvaluationOwner, evaluation: NewEvaluation): Promise<void> {
  const { organizationId, workspaceId, userId } = owner;
  const { id, name, model, concurrency, repetitions, tasks, rows } = evaluation;
  const totalSamples = (tasks.length + rows.length) * repetitions;
  const insert = trx
    .insertInto('evaluations')
    .values({
      organization_id: organizationId,
      id,
      workspace_id: workspaceId,
      project_id: evaluation.projectId,
      created_by: userId,
      name,
      model,
      tags: [...evaluation.tags],
      concurrency,
      budget_usd: evaluation.budgetUsd,
      request: JSON.stringify(evaluation.request),
      // Prompts come from files, which may hold anything.
      execution: JSON.stringify(toStorable(evaluation.execution)),
      skipped_members: JSON.stringify(evaluation.skipped),
      total_samples: totalSamples,
      item_counts: JSON.stringify({ queued: totalSamples }),
      optimization_job_id: evaluation.parent?.optimizationJobId ?? null,
      gate_check_id: evaluation.gateCheckId ?? null,
      airt_finding_id: evaluation.parent?.airtFindingId ?? null,
    })
    .execute();
  await explainViolation(insert, {
    evaluations_workspace_fkey: () => notFound(`Workspace "${workspaceId}"`),
  });
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
  contaminated_by: 'jsonb',
});

/** Tasks in one statement. An instruction has up to 200,000 characters, and 10,000 of these are more than a string can hold. */
const TASK_BATCH = 200;

async function pinTasks(trx: Trx, id: string, tasks: readonly FoundTask[]): Promise<void> {
  if (tasks.length === 0) return;
  const versions = tasks.map(({ ownerId, versionId }) => ({ ownerId, versionId }));
  const distinct = new Set(versions.map(({ versionId }) => versionId)).size;
  if ((await pinVersions(trx, versions, id)) < distinct)
    throw invalidValue(['body'], 'A task was deleted while the evaluation was created. Create it again.');
}

async function insertTasks(
  trx: Trx,
  { organizationId, id }: JobRef,
  tasks: readonly FoundTask[],
  contamination: Contamination,
): Promise<void> {
  const rows = tasks.map(({ name, version, ownerId, versionId, details, tags, difficulty }, position) => ({
    position,
    task_name: name,
    task_version: version,
    owner_id: ownerId,
    version_id: versionId,
    details: details as never,
    tags: tags as never,
    difficulty,
    contaminated_by: contamination.ofTask(versionId) as never,
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
  contaminated_by: 'jsonb',
});
/** Rows in one statement: about a megabyte for rows of 2 KB. */
const BATCH = 500;

async function insertRows(
  trx: Trx,
  { organizationId, id }: JobRef,
  rows: readonly EvaluatedRow[],
  contamination: Contamination,
): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows
      .slice(start, start + BATCH)
      .map((row) => Object.assign({ contaminated_by: contamination.ofRow(row.position) }, row)) as never;
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
  { repetitions, isTask, perRepetition }: { repetitions: number; isTask: boolean; perRepetition: number },
): Promise<void> {
  const totalSamples = repetitions * perRepetition;
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
