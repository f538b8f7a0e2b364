/** Reads optimization jobs. Every member of the workspace sees all of them. */
import { sql } from 'kysely';
import type { z } from 'zod';
import { identityOf } from '../../accounts/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import type { OptimizationJobOf } from '../schema.ts';
import type { StoredRequest } from '../stored-job.ts';
import { listMetrics, listPromotions } from './progress.ts';
import type { ExampleListQuery, JobListQuery, OptimizationExample } from './schema.ts';

export type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>;

export const jobNotFound = (given: string) => notFound(`Optimization job "${given}"`);

/** The fields that a response takes from the row as they are. */
const SAME = [
  'id',
  'organization_id',
  'workspace_id',
  'name',
  'status',
  'target_kind',
  'model',
  'project',
  'tags',
  'retry_of',
  'error',
  'cancel_requested_at',
  'started_at',
  'completed_at',
  'created_at',
  'created_by',
  'created_by_email',
  'created_by_user',
] as const satisfies readonly (keyof OptimizationJobOf)[];

type Same = (typeof SAME)[number];

interface JobRow extends Pick<OptimizationJobOf, Same> {
  readonly request: StoredRequest;
  readonly train_size: number;
  readonly val_size: number;
  readonly holdout_size: number;
  readonly warnings: string[];
  readonly iteration: number;
  readonly metric_calls: number;
  readonly running_ms: number;
  readonly frontier_size: number;
  readonly stop_reason: string | null;
  readonly best_index: number | null;
  readonly best_texts: Record<string, string> | null;
  readonly best_score: number | null;
  readonly best_objectives: Record<string, number> | null;
  readonly best_holdout: number | null;
  readonly seed_score: number | null;
  readonly seed_holdout: number | null;
  readonly candidate_count: number;
  readonly holdout_calls: number;
  readonly reflection_calls: number;
  readonly cost_usd: number;
}

/** Columns of a job, from the rows `j` of jobs, `u` of creators, `p` of projects, `b` of the best candidate and `s` of the seed. */
const COLUMNS = sql`j.id, j.organization_id, j.workspace_id, j.name, j.status, j.target_kind, j.model, p.key AS project, j.tags,
  j.retry_of, j.error, j.cancel_requested_at, j.started_at, j.completed_at, j.created_at, j.created_by,
  u.email_address AS created_by_email, CASE WHEN u.id IS NOT NULL THEN ${identityOf('u')} END AS created_by_user, j.request,
  j.train_size, j.val_size, j.holdout_size, j.warnings, j.iteration, j.metric_calls, j.running_ms,
  cardinality(j.frontier) AS frontier_size, j.stop_reason, j.best_index, b.texts AS best_texts, b.mean_score AS best_score,
  b.objectives AS best_objectives, b.holdout_score AS best_holdout, s.mean_score AS seed_score,
  s.holdout_score AS seed_holdout,
  (SELECT count(*) FROM optimization_candidates AS c WHERE c.organization_id = j.organization_id AND c.job_id = j.id)
    AS candidate_count,
  j.holdout_size * (SELECT count(c.holdout_score) FROM optimization_candidates AS c
    WHERE c.organization_id = j.organization_id AND c.job_id = j.id) AS holdout_calls,
  r.reflection_calls, r.cost_usd + (
    SELECT coalesce(sum(e.cost_usd), 0) FROM evaluations AS e
     WHERE e.organization_id = j.organization_id AND e.optimization_job_id = j.id) AS cost_usd`;

const JOINS = sql`
  LEFT JOIN users AS u ON u.id = j.created_by
  LEFT JOIN projects AS p ON p.organization_id = j.organization_id AND p.workspace_id = j.workspace_id AND p.id = j.project_id
  LEFT JOIN optimization_candidates AS b ON b.organization_id = j.organization_id AND b.job_id = j.id AND b.index = j.best_index
  LEFT JOIN optimization_candidates AS s ON s.organization_id = j.organization_id AND s.job_id = j.id AND s.index = 0
  CROSS JOIN LATERAL (
    SELECT count(*) AS reflection_calls, coalesce(sum(r.cost_usd) FILTER (WHERE r.paid_by = j.id), 0) AS cost_usd
      FROM optimization_reflections AS r
     WHERE r.organization_id = j.organization_id AND r.job_id = j.id AND r.iteration <= j.iteration) AS r`;

const isIn = ({ organizationId, workspaceId }: Place) =>
  sql<boolean>`j.organization_id = ${organizationId} AND j.workspace_id = ${workspaceId}`;

export async function getJob(db: Db, scope: Place, given: string): Promise<OptimizationJobOf> {
  const { rows } = await sql<JobRow>`
    SELECT ${COLUMNS} FROM optimization_jobs AS j ${JOINS} WHERE ${isIn(scope)} AND j.id = ${idOf(given)}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw jobNotFound(given);
  const ref = { organizationId: scope.organizationId, id: row.id };
  return toJob(row, {
    metrics: await listMetrics(db, ref),
    artifacts: { promoted: await listPromotions(db, ref) },
  });
}

/** @throws {ApiError} `not_found_error` for a text that is not an id */
function idOf(given: string): string {
  if (!isUuid(given)) throw jobNotFound(given);
  return given.toLowerCase();
}

/** @throws {ApiError} `not_found_error` where the workspace has no such job */
export async function requireJob(db: Db, scope: Place, given: string): Promise<string> {
  const id = idOf(given);
  const { rows } =
    await sql`SELECT FROM optimization_jobs AS j WHERE ${isIn(scope)} AND j.id = ${id}`.execute(db);
  if (rows.length === 0) throw jobNotFound(given);
  return id;
}

export async function listJobs(db: Db, scope: Place, query: JobListQuery) {
  const { page, page_size, status = null, target_kind = null, project = null } = query;
  const isProject = isUuid(project ?? '') ? sql`q.id = ${project}::uuid` : sql`q.key = ${project}`;
  const where = sql`${isIn(scope)}
    AND (${status}::text IS NULL OR j.status = ${status})
    AND (${target_kind}::text IS NULL OR j.target_kind = ${target_kind})
    AND (${project}::text IS NULL OR j.project_id = (
          SELECT q.id FROM projects AS q
           WHERE q.organization_id = j.organization_id AND q.workspace_id = j.workspace_id AND ${isProject}))`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM optimization_jobs AS j WHERE ${where}`.execute(db);
  const { rows } = await sql<JobRow>`
    SELECT ${COLUMNS}
      FROM (SELECT j.organization_id, j.id FROM optimization_jobs AS j WHERE ${where}
             ORDER BY j.created_at DESC, j.id DESC LIMIT ${page_size} OFFSET ${(page - 1) * page_size}) AS shown
      JOIN optimization_jobs AS j ON j.organization_id = shown.organization_id AND j.id = shown.id ${JOINS}
     ORDER BY j.created_at DESC, j.id DESC`.execute(db);
  const items = rows.map((row) => toJob(row, { metrics: {}, artifacts: {} }));
  return { items, total: counted[0]?.total ?? 0, page, page_size };
}

function toJob(row: JobRow, more: Pick<OptimizationJobOf, 'metrics' | 'artifacts'>): OptimizationJobOf {
  const { request, train_size, val_size, best_texts, best_score, best_objectives, frontier_size } = row;
  const { capability, config, metric_calls_floor, ...given } = request;
  const { name, version, artifactId, digest } = capability;
  return {
    ...pickSame(row),
    ...given,
    ...more,
    components: [...given.components] as OptimizationJobOf['components'],
    task_refs: given.task_refs && [...given.task_refs],
    val_task_refs: given.val_task_refs && [...given.val_task_refs],
    task_set: given.task_set ?? null,
    reward_recipe: { ...given.reward_recipe },
    backend: 'optimizer_a',
    capability: { name, version, artifact_id: artifactId, runtime_digest: digest },
    config,
    summary: {
      best_candidate: best_texts,
      best_score,
      best_scores: best_objectives ?? {},
      frontier_size,
      objective: given.objective,
      train_size,
      val_size,
      metadata: toMetadata(row, metric_calls_floor),
    },
  };
}

const pickSame = (row: JobRow) =>
  Object.fromEntries(SAME.map((name) => [name, row[name]])) as Pick<JobRow, Same>;

const toMetadata = (row: JobRow, metric_calls_floor: number) => ({
  budget: {
    metric_calls_used: row.metric_calls,
    metric_calls_limit: row.request.config.max_metric_calls ?? null,
    metric_calls_floor,
    holdout_calls: row.holdout_calls,
    reflection_calls: row.reflection_calls,
    cost_usd: row.cost_usd,
  },
  warnings: row.warnings,
  iteration: row.iteration,
  candidate_count: row.candidate_count,
  best_index: row.best_index,
  seed_score: row.seed_score,
  holdout_size: row.holdout_size,
  holdout_score: row.best_holdout,
  seed_holdout_score: row.seed_holdout,
  stop_reason: row.stop_reason,
  running_seconds: row.running_ms / 1_000,
});

export async function listExamples(db: Db, scope: Place, given: string, query: ExampleListQuery) {
  const { page, page_size, split = null } = query;
  const id = await requireJob(db, scope, given);
  const where = sql`organization_id = ${scope.organizationId} AND job_id = ${id} AND (${split}::text IS NULL OR split = ${split})`;
  const { rows } = await sql<z.output<typeof OptimizationExample>>`
    SELECT split, position, row_index, task_name, task_version,
           left(coalesce(source ->> 'input', source -> 'details' ->> 'instruction', ''), 500) AS input
      FROM optimization_examples WHERE ${where}
     ORDER BY split, position LIMIT ${page_size} OFFSET ${(page - 1) * page_size}`.execute(db);
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM optimization_examples WHERE ${where}`.execute(db);
  return { items: rows, total: counted[0]?.total ?? 0, page, page_size };
}
