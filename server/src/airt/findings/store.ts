/** Reads findings. Every member of the workspace sees all of them. */
import { type RawBuilder, sql } from 'kysely';
import { findProjectId } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import { successRate } from '../../platform/red-team/scoring/rates.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import { type Place, requireAssessment } from '../assessments/store.ts';
import type { FindingDetailOf, FindingSummaryOf } from '../schema.ts';
import { listTopTrials } from '../trials/store.ts';
import { findRemediation } from './evidence.ts';
import { listRetests } from './retests.ts';
import { listReviews } from './reviews.ts';
import type { ListQuery } from './schema.ts';

export const findingNotFound = (given: string) => notFound(`Finding "${given}"`);
export const projectNotFound = (given: string) => notFound(`Project "${given}"`);

/** Characters of long texts that lists show. */
const SHOWN = 2_000;

type Reported = Pick<
  FindingSummaryOf,
  | 'category'
  | 'sub_category'
  | 'risk_domain'
  | 'adversarial_class'
  | 'attack_domain'
  | 'distance_norm'
  | 'distance_value'
  | 'input_modality'
  | 'original_class'
>;

const NOT_REPORTED: Reported = {
  category: null,
  sub_category: null,
  risk_domain: null,
  adversarial_class: null,
  attack_domain: null,
  distance_norm: null,
  distance_value: null,
  input_modality: null,
  original_class: null,
};

type FindingRow = Omit<FindingSummaryOf, keyof Reported | 'success' | 'pass_rate' | 'is_jailbreak'> & {
  readonly jailbreak_trials: number;
  readonly reported: Partial<Reported>;
  readonly retest_of: string | null;
};

const columns = (long: (column: string) => RawBuilder<unknown>) => sql`
  f.id, f.assessment_id, a.name AS assessment_name, a.retest_of, f.attack_name, f.goal_category, f.status, f.severity,
  f.original_severity, f.finding_status, f.finding_type, f.best_score, f.finished_trials, f.total_trials, f.jailbreak_trials,
  f.execution_time_s, f.compliance_tags, f.transforms_applied, f.target_model, f.attacker_model, f.evaluator_model, f.error,
  f.cost_usd, f.trace_id, f.span_id, f.reported, f.created_at, f.updated_at, f.completed_at, ${long('goal')} AS goal,
  ${long('notes')} AS notes, ${long('best_candidate')} AS best_candidate,
  ${long('best_transformed_prompt')} AS best_transformed_prompt, ${long('best_response')} AS best_response,
  ${long('best_judge_reasoning')} AS best_judge_reasoning`;

const WHOLE = columns((column) => sql.ref(`f.${column}`));
const CUT = columns((column) => sql`left(${sql.ref(`f.${column}`)}, ${sql.lit(SHOWN)})`);

const FROM = sql`airt_findings AS f
  JOIN airt_assessments AS a ON a.organization_id = f.organization_id AND a.id = f.assessment_id`;

function toSummary({ jailbreak_trials, reported, ...row }: Omit<FindingRow, 'retest_of'>): FindingSummaryOf {
  const { finished_trials: finished } = row;
  return {
    ...NOT_REPORTED,
    ...row,
    ...reported,
    is_jailbreak: jailbreak_trials > 0,
    pass_rate: finished === 0 ? null : 1 - jailbreak_trials / finished,
    success: successRate({ finished, jailbreaks: jailbreak_trials }),
  };
}

/** @throws {ApiError} `not_found_error` */
export async function getFinding(
  db: Db,
  { organizationId, workspaceId }: Place,
  given: string,
): Promise<FindingDetailOf> {
  if (!isUuid(given)) throw findingNotFound(given);
  const { rows } = await sql<FindingRow>`
    SELECT ${WHOLE} FROM ${FROM}
     WHERE f.organization_id = ${organizationId} AND f.workspace_id = ${workspaceId} AND f.id = ${given}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw findingNotFound(given);
  const { retest_of, ...rest } = row;
  const summary = toSummary(rest);
  const retests = await listRetests(db, organizationId, row.id, summary.success);
  return {
    ...summary,
    review_events: (await listReviews(db, organizationId, [row.id])).get(row.id) ?? [],
    top_trials: await listTopTrials(db, organizationId, row.id),
    retest_of,
    retests,
    remediation: await findRemediation(db, organizationId, { id: row.id, retests }),
  };
}

/**
 * Reads findings with their history but without trials, of which 500 findings have too many.
 * @returns in the order of the ids
 */
export async function listReviewed(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<FindingDetailOf[]> {
  const { rows } = await sql<FindingRow>`
    SELECT ${CUT} FROM ${FROM}
     WHERE f.organization_id = ${organizationId} AND f.id = ANY (${[...ids]}::uuid[])
     ORDER BY array_position(${[...ids]}::uuid[], f.id)`.execute(db);
  const reviews = await listReviews(db, organizationId, ids);
  return rows.map(({ retest_of, ...row }) => {
    const review_events = reviews.get(row.id) ?? [];
    return Object.assign(toSummary(row), {
      review_events,
      top_trials: [],
      retest_of,
      retests: [],
      remediation: null,
    });
  });
}

/** The findings of one assessment, also those that have not ended. */
export async function listAssessmentFindings(db: Db, scope: Place, given: string, query: ListQuery) {
  const id = await requireAssessment(db, scope, given);
  return listFindings(
    db,
    sql`f.organization_id = ${scope.organizationId} AND f.assessment_id = ${id}`,
    query,
  );
}

/** The findings of a project whose attacks have ended. */
export async function listProjectFindings(db: Db, scope: Place, project: string, query: ListQuery) {
  const projectId = await findProjectId(db, scope, project);
  if (projectId === undefined) throw projectNotFound(project);
  const where = sql`f.organization_id = ${scope.organizationId} AND f.project_id = ${projectId}
    AND f.status IN ('completed', 'failed')`;
  return listFindings(db, where, query);
}

async function listFindings(db: Db, within: RawBuilder<unknown>, query: ListQuery) {
  const { page, page_size } = query;
  const where = sql`${within} ${toFilter(query)}`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM airt_findings AS f WHERE ${where}`.execute(db);
  const order = toOrder(query);
  const { rows } = await sql<FindingRow>`
    SELECT ${CUT}
      FROM (SELECT f.organization_id, f.id FROM airt_findings AS f WHERE ${where}
             ORDER BY ${order} LIMIT ${page_size} OFFSET ${(page - 1) * page_size}) AS shown
      JOIN airt_findings AS f ON f.organization_id = shown.organization_id AND f.id = shown.id
      JOIN airt_assessments AS a ON a.organization_id = f.organization_id AND a.id = f.assessment_id
     ORDER BY ${order}`.execute(db);
  return { items: rows.map(toSummary), total: counted[0]?.total ?? 0, page, page_size };
}

/** Each part stands only where its filter is given, so that the planner sees what the statement needs. */
function toFilter(query: ListQuery): RawBuilder<unknown> {
  const parts: RawBuilder<unknown>[] = [];
  const isOneOf = (column: string, values: readonly string[] | undefined) => {
    if (values) parts.push(sql`AND ${sql.ref(`f.${column}`)} = ANY (${[...values]}::text[])`);
  };
  isOneOf('severity', query.severity);
  isOneOf('goal_category', query.category);
  isOneOf('attack_name', query.attack_name);
  isOneOf('finding_status', query.finding_status);
  isOneOf('finding_type', query.finding_type);
  if (query.min_score !== undefined) parts.push(sql`AND f.best_score >= ${query.min_score}`);
  if (query.created_after !== undefined) parts.push(sql`AND f.created_at > ${query.created_after}`);
  if (query.search !== undefined) {
    const pattern = `%${query.search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    parts.push(
      sql`AND (f.goal ILIKE ${pattern} OR f.attack_name ILIKE ${pattern} OR f.notes ILIKE ${pattern})`,
    );
  }
  return parts.length === 0 ? sql`` : sql.join(parts, sql` `);
}

const SEVERITY_RANK = sql`array_position(ARRAY[${sql.join(SEVERITIES.toReversed().map((name) => sql.lit(name)))}], f.severity)`;

function toOrder({ sort_by, sort_dir }: ListQuery): RawBuilder<unknown> {
  const direction = sort_dir === 'asc' ? sql`ASC` : sql`DESC`;
  const fields = {
    score: sql`f.best_score ${direction} NULLS LAST`,
    severity: sql`${SEVERITY_RANK} ${direction}, f.best_score DESC NULLS LAST`,
    created_at: sql`f.created_at ${direction}`,
    attack_name: sql`f.attack_name ${direction}`,
  };
  return sql`${fields[sort_by]}, f.id`;
}
