/** Reads training jobs. Every member of the workspace sees all of them. */
import { sql } from 'kysely';
import { identityOf } from '../../accounts/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid } from '../../platform/fields.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { FoundJob } from '../schema.ts';
import { jobNotFound, type StoredRequest } from '../stored-job.ts';
import { readMetrics } from './metrics.ts';
import { listPublications } from './publications.ts';
import type { JobListQuery } from './schema.ts';

export type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>;

/** The fields that a response takes from the row as they are. */
const SAME = [
  'id',
  'organization_id',
  'workspace_id',
  'name',
  'backend',
  'trainer_type',
  'status',
  'model',
  'project_ref',
  'tags',
  'retry_of',
  'worker',
  'attempt',
  'step',
  'error',
  'cancel_requested_at',
  'started_at',
  'completed_at',
  'created_at',
  'created_by',
  'created_by_email',
  'created_by_user',
] as const satisfies readonly (keyof FoundJob)[];

type Same = (typeof SAME)[number];

interface JobRow extends Pick<FoundJob, Same> {
  readonly request: StoredRequest;
  readonly num_tokens: number;
  readonly trainer_ms: number;
  readonly start_report: Readonly<Record<string, unknown>> | null;
  readonly summary: Readonly<Record<string, number>>;
}

/** Columns of a job, from the rows `j` of jobs, `u` of creators and `p` of projects. */
const COLUMNS = sql`j.id, j.organization_id, j.workspace_id, j.name, j.backend, j.trainer_type, j.status, j.model, p.key AS project_ref,
  j.tags, j.retry_of, j.worker, j.attempt, j.step, j.error, j.cancel_requested_at, j.started_at, j.completed_at, j.created_at,
  j.created_by, u.email_address AS created_by_email, CASE WHEN u.id IS NOT NULL THEN ${identityOf('u')} END AS created_by_user,
  j.request, j.num_tokens, j.trainer_ms, j.start_report, j.summary`;

const JOINS = sql`
  LEFT JOIN users AS u ON u.id = j.created_by
  LEFT JOIN projects AS p ON p.organization_id = j.organization_id AND p.workspace_id = j.workspace_id AND p.id = j.project_id`;

const isIn = ({ organizationId, workspaceId }: Place) =>
  sql<boolean>`j.organization_id = ${organizationId} AND j.workspace_id = ${workspaceId}`;

export async function getJob(db: Db, scope: Place, given: string): Promise<FoundJob> {
  const { rows } = await sql<JobRow>`
    SELECT ${COLUMNS} FROM training_jobs AS j ${JOINS} WHERE ${isIn(scope)} AND j.id = ${idOf(given)}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw jobNotFound(given);
  const ref = { organizationId: scope.organizationId, id: row.id };
  const published = await listPublications(db, ref);
  const model = published.find(({ is_final }) => is_final) ?? null;
  return toJob(row, { model, published }, await readMetrics(db, ref));
}

/** @throws {ApiError} `not_found_error` for a text that is not an id */
function idOf(given: string): string {
  if (!isUuid(given)) throw jobNotFound(given);
  return given.toLowerCase();
}

/** @throws {ApiError} `not_found_error` where the workspace has no such job */
export async function requireJob(db: Db, scope: Place, given: string): Promise<JobRef> {
  const id = idOf(given);
  const { rows } = await sql`SELECT FROM training_jobs AS j WHERE ${isIn(scope)} AND j.id = ${id}`.execute(
    db,
  );
  if (rows.length === 0) throw jobNotFound(given);
  return { organizationId: scope.organizationId, id };
}

export async function listJobs(db: Db, scope: Place, query: JobListQuery) {
  const { page, page_size, status = null, backend = null, trainer_type = null, project_ref = null } = query;
  const isProject = isUuid(project_ref ?? '')
    ? sql`q.id = ${project_ref}::uuid`
    : sql`q.key = ${project_ref}`;
  const where = sql`${isIn(scope)}
    AND (${status}::text IS NULL OR j.status = ${status})
    AND (${backend}::text IS NULL OR j.backend = ${backend})
    AND (${trainer_type}::text IS NULL OR j.trainer_type = ${trainer_type})
    AND (${project_ref}::text IS NULL OR j.project_id = (
          SELECT q.id FROM projects AS q
           WHERE q.organization_id = j.organization_id AND q.workspace_id = j.workspace_id AND ${isProject}))`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM training_jobs AS j WHERE ${where}`.execute(db);
  const { rows } = await sql<JobRow>`
    SELECT ${COLUMNS}
      FROM (SELECT j.organization_id, j.id FROM training_jobs AS j WHERE ${where}
             ORDER BY j.created_at DESC, j.id DESC LIMIT ${page_size} OFFSET ${(page - 1) * page_size}) AS shown
      JOIN training_jobs AS j ON j.organization_id = shown.organization_id AND j.id = shown.id ${JOINS}
     ORDER BY j.created_at DESC, j.id DESC`.execute(db);
  return { items: rows.map((row) => toJob(row, {}, {})), total: counted[0]?.total ?? 0, page, page_size };
}

function toJob(
  row: JobRow,
  artifacts: FoundJob['artifacts'],
  measured: Readonly<Record<string, unknown>>,
): FoundJob {
  const { request, start_report: start, summary } = row;
  const { name, version, artifactId, digest } = request.capability;
  return {
    ...(Object.fromEntries(SAME.map((field) => [field, row[field]])) as Pick<JobRow, Same>),
    algorithm: null,
    capability: { name, version, artifact_id: artifactId, runtime_digest: digest },
    config: request.config,
    dataset_ref: request.dataset_ref,
    prompt_dataset_ref: null,
    trajectory_dataset_refs: [...request.trajectory_dataset_refs],
    run_ref: request.run_ref,
    task_ref: null,
    artifacts,
    metrics: {
      ...summary,
      effective_config: request.effective,
      engine: start?.['engine'] ?? null,
      data: start?.['data'] ?? null,
      total_steps: start?.['total_steps'] ?? null,
      truncated_examples: start?.['truncated_examples'] ?? null,
      skipped_examples: start?.['skipped_examples'] ?? null,
      trainer_seconds: row.trainer_ms / 1_000,
      'train/num_examples': start?.['num_examples'] ?? null,
      'train/num_tokens_processed': row.num_tokens,
      ...measured,
    },
  };
}
