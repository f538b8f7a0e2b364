/** Reads the items of an evaluation, their attempts and their sessions. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import type { AttemptOf, EvaluationItemOf } from '../schema.ts';
import type { ItemListQuery } from './schema.ts';
import { type Place, requireEvaluation } from './store.ts';

const itemNotFound = (given: string) => notFound(`Evaluation item "${given}"`);

/** Columns of the outcome of the last attempt, from the row `i` of its item. */
const OUTCOME = sql`i.passed, i.score, i.scores, i.metrics, i.stop_reason, i.error, i.error_kind, i.session_id, i.agent_sandbox_id,
  i.env_sandbox_id, i.requested_resources, i.enforced_resources, i.turn_count, i.answer, i.verification, i.changed_files, i.duration_ms,
  i.started_at, i.agent_finished_at, i.completed_at,
  jsonb_build_object('input_tokens', i.input_tokens, 'output_tokens', i.output_tokens,
    'cache_read_input_tokens', i.cache_read_input_tokens, 'cache_creation_input_tokens', i.cache_creation_input_tokens,
    'cost_usd', i.cost_usd) AS usage`;

/** The source of contamination is a column of the task or row, which repetitions share. */
const CONTAMINATED_BY = sql`CASE WHEN i.row_index IS NULL
  THEN (SELECT t.contaminated_by FROM evaluation_tasks AS t
         WHERE t.organization_id = i.organization_id AND t.evaluation_id = i.evaluation_id AND t.position = i.source_position)
  ELSE (SELECT r.contaminated_by FROM evaluation_rows AS r
         WHERE r.organization_id = i.organization_id AND r.evaluation_id = i.evaluation_id AND r.position = i.row_index) END`;

const COLUMNS = sql`i.id, i.evaluation_id, i.position, i.task_name, i.task_version, i.row_index, i.sample, i.status AS item_status,
  i.retry_count, (e.request ->> 'max_retries')::integer AS max_retries, i.queued_at,
  ${CONTAMINATED_BY} AS contaminated_by, ${OUTCOME}`;

export const FROM = sql`FROM evaluation_items AS i
  JOIN evaluations AS e ON e.organization_id = i.organization_id AND e.id = i.evaluation_id`;

const SORTS: Readonly<Record<ItemListQuery['sort_by'], RawBuilder<unknown>>> = {
  position: sql`i.position`,
  score: sql`i.score`,
  duration_ms: sql`i.duration_ms`,
  cost_usd: sql`i.cost_usd`,
};

type ItemRow = Omit<EvaluationItemOf, 'contaminated'>;

const toItem = (row: ItemRow): EvaluationItemOf => ({ ...row, contaminated: row.contaminated_by !== null });

export async function listItems(db: Db, scope: Place, evaluation: string, query: ItemListQuery) {
  const id = await requireEvaluation(db, scope, evaluation);
  const { page, page_size, item_status, passed, task_name, min_score, max_score, sort_by, sort_dir } = query;
  const given = (column: string, value: unknown) =>
    value === undefined ? sql`` : sql`AND ${sql.ref(`i.${column}`)} = ${value}`;
  const where = sql`i.organization_id = ${scope.organizationId} AND i.evaluation_id = ${id}
    ${given('status', item_status)} ${given('passed', passed)} ${given('task_name', task_name)}
    ${min_score === undefined ? sql`` : sql`AND i.score >= ${min_score}`}
    ${max_score === undefined ? sql`` : sql`AND i.score <= ${max_score}`}`;
  const direction = sql.raw(sort_dir === 'asc' ? 'ASC' : 'DESC');
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM evaluation_items AS i WHERE ${where}`.execute(db);
  const { rows } = await sql<ItemRow>`
    SELECT ${COLUMNS} ${FROM} WHERE ${where}
     ORDER BY ${SORTS[sort_by]} ${direction} NULLS LAST, i.position LIMIT ${page_size} OFFSET ${(page - 1) * page_size}`.execute(
    db,
  );
  return { items: rows.map(toItem), total: counted[0]?.total ?? 0, page, page_size };
}

/** @throws {ApiError} `not_found_error`, also for an item of another evaluation */
export async function getItem(
  db: Db,
  scope: Place,
  evaluation: string,
  item: string,
): Promise<EvaluationItemOf> {
  const id = await requireEvaluation(db, scope, evaluation);
  if (!isUuid(item)) throw itemNotFound(item);
  const { rows } = await sql<ItemRow>`
    SELECT ${COLUMNS} ${FROM}
     WHERE i.organization_id = ${scope.organizationId} AND i.evaluation_id = ${id} AND i.id = ${item}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw itemNotFound(item);
  return toItem(found);
}

/** Attempts are listed in the order in which they began; the last one counts. */
export async function listAttempts(
  db: Db,
  scope: Place,
  evaluation: string,
  item: string,
): Promise<AttemptOf[]> {
  const { id } = await getItem(db, scope, evaluation, item);
  const { rows: past } = await sql<{ outcome: AttemptOf }>`
    SELECT outcome || '{"is_counted": false}' AS outcome FROM evaluation_item_attempts
     WHERE organization_id = ${scope.organizationId} AND item_id = ${id} ORDER BY number`.execute(db);
  const { rows: current } = await sql<AttemptOf>`
    SELECT ${ATTEMPT} FROM evaluation_items AS i
     WHERE i.organization_id = ${scope.organizationId} AND i.id = ${id} AND i.attempt_id IS NOT NULL`.execute(
    db,
  );
  return [...past.map(({ outcome }) => withTimes(outcome)), ...current];
}

/** PostgreSQL writes times within JSON in a form of its own, such as `2026-01-01T00:00:00.12+00:00`. */
function withTimes(attempt: AttemptOf): AttemptOf {
  const toTime = (time: string | null) => time && new Date(time).toISOString();
  const { started_at, agent_finished_at, completed_at } = attempt;
  return {
    ...attempt,
    started_at: toTime(started_at),
    agent_finished_at: toTime(agent_finished_at),
    completed_at: toTime(completed_at),
  };
}

/** Columns of the attempt that counts, from the row `i` of its item. */
export const ATTEMPT = sql`i.attempt_id AS id, i.attempt_number AS number, i.status, true AS is_counted, ${OUTCOME}`;

/** @throws {ApiError} `not_found_error` when the item has no session yet */
export async function getItemSession(
  db: Db,
  scope: Place,
  evaluation: string,
  item: string,
): Promise<string> {
  const { session_id } = await getItem(db, scope, evaluation, item);
  if (session_id === null) throw notFound(`The session of evaluation item "${item}"`);
  return session_id;
}

export interface SampleSession {
  readonly session_id: string;
  readonly score: number | null;
  readonly passed: boolean | null;
  /** null where the evaluation belongs to an optimization job or a finding. */
  readonly evaluation_id: string | null;
}

/** Lists the sessions of attempts that count with their scores, for domains that learn from them, in the order of the samples. Evaluations that the workspace does not have are left out. */
export async function listSampleSessions(
  db: Db,
  { organizationId, workspaceId }: Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>,
  evaluationIds: readonly string[],
): Promise<SampleSession[]> {
  const { rows } = await sql<SampleSession>`
    SELECT i.session_id, i.score, i.passed,
           CASE WHEN e.optimization_job_id IS NULL AND e.airt_finding_id IS NULL THEN e.id END AS evaluation_id
      FROM evaluations AS e
      JOIN evaluation_items AS i ON i.organization_id = e.organization_id AND i.evaluation_id = e.id
     WHERE e.organization_id = ${organizationId} AND e.workspace_id = ${workspaceId}
       AND e.id = ANY (${[...evaluationIds]}::uuid[]) AND i.session_id IS NOT NULL
     ORDER BY e.id, i.position`.execute(db);
  return rows;
}
