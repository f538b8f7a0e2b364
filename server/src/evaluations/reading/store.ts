/** Reads evaluations. Every member of the workspace sees all of them. */
import { type RawBuilder, sql } from 'kysely';
import { identityOf } from '../../accounts/service.ts';
import type { OrgScope, WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import { type ItemCounts, toFullCounts } from '../item-states.ts';
import type { EvaluationOf } from '../schema.ts';
import type { StoredRequest } from '../stored-request.ts';
import type { EvaluationFilters, EvaluationListQuery } from './schema.ts';
import { listSources, toTaskResults } from './source-results.ts';

export type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>;

export const evaluationNotFound = (given: string) => notFound(`Evaluation "${given}"`);

interface EvaluationRow
  extends Pick<
      EvaluationOf,
      'id' | 'name' | 'model' | 'status' | 'tags' | 'concurrency' | 'budget_usd' | 'project_id'
    >,
    Pick<
      EvaluationOf,
      'total_samples' | 'skipped_members' | 'stop_reason' | 'pause_reason' | 'error' | 'cost_usd'
    >,
    Pick<
      EvaluationOf,
      'analytics_snapshot' | 'created_by_user' | 'created_at' | 'started_at' | 'completed_at'
    > {
  readonly request: StoredRequest;
  readonly has_sandboxes: boolean;
  readonly item_counts: ItemCounts;
  readonly score_sum: number;
  readonly scored_count: number;
  readonly max_sandboxes: number | null;
}

/** Columns of an evaluation, from the rows `e` of evaluations, `u` of creators, `p` of projects and `o` of organizations. */
const COLUMNS = sql`e.id, e.name, e.model, e.shown_status AS status, e.tags, e.concurrency, e.budget_usd, p.id AS project_id,
  e.request, e.execution -> 'agent' <> 'null' AS has_sandboxes, e.total_samples, e.skipped_members, e.stop_reason,
  e.pause_reason, e.error, e.cost_usd, e.item_counts, e.score_sum, e.scored_count,
  CASE WHEN u.id IS NOT NULL THEN ${identityOf('u')} END AS created_by_user, o.max_concurrent_sandboxes AS max_sandboxes,
  e.created_at, e.started_at, e.completed_at`;

const JOINS = sql`
  JOIN organizations AS o ON o.id = e.organization_id
  LEFT JOIN users AS u ON u.id = e.created_by
  LEFT JOIN projects AS p ON p.organization_id = e.organization_id AND p.workspace_id = e.workspace_id AND p.id = e.project_id`;

const isIn = ({ organizationId, workspaceId }: Place) =>
  sql<boolean>`e.organization_id = ${organizationId} AND e.workspace_id = ${workspaceId}`;

export async function getEvaluation(db: Db, scope: Place, given: string): Promise<EvaluationOf> {
  const { rows } = await sql<EvaluationRow>`
    SELECT ${COLUMNS}, e.analytics_snapshot FROM evaluations AS e ${JOINS} WHERE ${isIn(scope)} AND e.id = ${idOf(given)}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw evaluationNotFound(given);
  // A dataset has up to 10,000 rows and no tasks, so its items are not read.
  const sources = row.request.dataset
    ? []
    : await listSources(db, { organizationId: scope.organizationId, id: row.id });
  return toEvaluation(row, toTaskResults(sources));
}

/** @throws {ApiError} `not_found_error` for a text that is not an id */
export function idOf(given: string): string {
  if (!isUuid(given)) throw evaluationNotFound(given);
  return given.toLowerCase();
}

/** @throws {ApiError} `not_found_error` where the workspace has no such evaluation */
export async function requireEvaluation(db: Db, scope: Place, given: string): Promise<string> {
  const id = idOf(given);
  const { rows } = await sql`SELECT FROM evaluations AS e WHERE ${isIn(scope)} AND e.id = ${id}`.execute(db);
  if (rows.length === 0) throw evaluationNotFound(given);
  return id;
}

const SORTS: Readonly<Record<EvaluationListQuery['sort_by'], RawBuilder<unknown>>> = {
  created_at: sql`e.created_at`,
  name: sql`e.name`,
};

const matches = (
  scope: Place,
  { status, project_id, model, search }: EvaluationFilters,
) => sql<boolean>`${isIn(scope)} AND e.optimization_job_id IS NULL AND e.airt_finding_id IS NULL
    AND (${status ?? null}::text IS NULL OR e.shown_status = ${status ?? null})
    AND (${project_id ?? null}::uuid IS NULL OR e.project_id = ${project_id ?? null})
    AND (${model ?? null}::text IS NULL OR e.model = ${model ?? null})
    AND (${search ?? null}::text IS NULL OR strpos(lower(e.name), lower(${search ?? null})) > 0)`;

/** How many evaluations each value of a filter would leave, beside the other filters. */
export async function getFacets(db: Db, scope: Place, filters: EvaluationFilters) {
  const count = async (column: RawBuilder<unknown>, others: EvaluationFilters) => {
    const { rows } = await sql<{ value: string; count: number }>`
      SELECT ${column} AS value, count(*) AS count FROM evaluations AS e WHERE ${matches(scope, others)}
       GROUP BY ${column} ORDER BY count DESC, value LIMIT 100`.execute(db);
    return rows;
  };
  return {
    statuses: await count(sql`e.shown_status`, { ...filters, status: undefined }),
    models: await count(sql`e.model`, { ...filters, model: undefined }),
  };
}

export async function listEvaluations(db: Db, scope: OrgScope & Place, query: EvaluationListQuery) {
  const { page, page_size, sort_by, sort_dir } = query;
  const where = matches(scope, query);
  const direction = sql.raw(sort_dir === 'asc' ? 'ASC' : 'DESC');
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM evaluations AS e WHERE ${where}`.execute(db);
  const { rows } = await sql<EvaluationRow>`
    SELECT ${COLUMNS}, NULL AS analytics_snapshot
      FROM (SELECT e.organization_id, e.id FROM evaluations AS e WHERE ${where}
             ORDER BY ${SORTS[sort_by]} ${direction}, e.id ${direction}
             LIMIT ${page_size} OFFSET ${(page - 1) * page_size}) AS shown
      JOIN evaluations AS e ON e.organization_id = shown.organization_id AND e.id = shown.id ${JOINS}
     ORDER BY ${SORTS[sort_by]} ${direction}, e.id ${direction}`.execute(db);
  const items = rows.map((row) => toEvaluation(row, null));
  return { items, total: counted[0]?.total ?? 0, page, page_size };
}

function toEvaluation(row: EvaluationRow, task_breakdown: EvaluationOf['task_breakdown']): EvaluationOf {
  const { request, has_sandboxes, item_counts, score_sum, scored_count, max_sandboxes, ...shown } = row;
  const counts = toFullCounts(item_counts);
  const { passed, failed, timed_out, infra_error } = counts;
  const judged = passed + failed + timed_out;
  const most = has_sandboxes ? (max_sandboxes ?? row.concurrency) : row.concurrency;
  return {
    ...shown,
    ...request,
    task_names: request.task_names && [...request.task_names],
    scorers: [...request.scorers],
    secret_ids: [...request.secret_ids],
    item_counts: counts,
    passed_count: passed,
    failed_count: failed + timed_out,
    error_count: infra_error,
    pass_rate: judged === 0 ? null : passed / judged,
    mean_score: scored_count === 0 ? null : score_sum / scored_count,
    requested_concurrency: row.concurrency,
    effective_concurrency: Math.min(row.concurrency, most),
    task_breakdown,
  };
}
