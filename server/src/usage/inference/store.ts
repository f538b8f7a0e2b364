/** The usage of model calls, from the gateway's records and from spans: each call counts once. */
import { type RawBuilder, sql } from 'kysely';
import { isOrgAdmin, type OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { forbidden, invalidValue } from '../../platform/errors.ts';
import type { InferenceUsageOf, InferenceUsageQuery } from './schema.ts';

export interface UsageQuestion {
  readonly organizationId: string;
  /** Omit to sum over all users. */
  readonly userId: string | undefined;
  /** Both ends are inclusive. */
  readonly from: string;
  readonly to: string;
}

export async function sumInferenceUsage(
  db: Db,
  scope: OrgScope,
  query: InferenceUsageQuery,
): Promise<InferenceUsageOf> {
  const userId = whose(scope, query.user_id);
  const { from, to } = windowOf(query);
  const rows = await readUsage(db, { organizationId: scope.organizationId, userId, from, to });
  const models = rows.flatMap(({ model, ...figures }) => (model === null ? [] : { model, ...figures }));
  const total = rows.find(({ model }) => model === null);
  return {
    start_date: from,
    end_date: to,
    models,
    total_cost_usd: total?.cost_usd ?? 0,
    total_credits: total?.credits ?? 0,
    total_input_tokens: total?.input_tokens ?? 0,
    total_output_tokens: total?.output_tokens ?? 0,
    total_request_count: total?.request_count ?? 0,
    total_unpriced_request_count: total?.unpriced_request_count ?? 0,
  };
}

/** @returns undefined for all users */
function whose(scope: OrgScope, requested: string | undefined): string | undefined {
  const { userId: own, apiKey } = scope.principal;
  if (requested !== undefined && requested !== own && apiKey?.workspaceId)
    throw forbidden('This key is limited to one workspace; leave out user_id for your own usage.');
  if (requested === 'all') {
    if (scope.role !== 'owner')
      throw forbidden('Only an owner of the organization can see the usage of all users.');
    return undefined;
  }
  if (requested !== undefined && requested !== own && !isOrgAdmin(scope))
    throw forbidden(
      'Only an admin of the organization can see the usage of another user; leave out user_id for your own.',
    );
  return requested ?? own;
}

function windowOf({ start_date, end_date }: InferenceUsageQuery): { from: string; to: string } {
  const now = new Date().toISOString();
  const to = end_date ?? now;
  const from = start_date ?? `${now.slice(0, 'yyyy-mm'.length)}-01T00:00:00.000Z`;
  if (toComparable(from) <= toComparable(to)) return { from, to };
  const parameter = start_date === undefined ? 'end_date' : 'start_date';
  throw invalidValue(['query', parameter], `the window begins (${from}) after it ends (${to})`);
}

/** Pads to six digits, so that texts sort by time. */
const toComparable = (moment: string) => moment.slice(0, -1).padEnd('yyyy-mm-ddThh:mm:ss.ffffff'.length, '0');

interface ModelRow {
  /** Null for the sum over all models. */
  readonly model: string | null;
  readonly cost_usd: number;
  readonly credits: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly request_count: number;
  readonly unpriced_request_count: number;
  readonly total_tokens: number;
}

/** Reads everything in one statement and thus one snapshot. */
export async function readUsage(db: Db, question: UsageQuestion): Promise<ModelRow[]> {
  const { rows } = await sql<ModelRow>`
    WITH RECURSIVE ${peopleOf('usage_events', question)}, ${peopleOf('span_usage', question)},
    calls AS (${gatewayCalls(question)} UNION ALL ${spanCalls(question)})
    SELECT model,
           coalesce(sum(cost_usd), 0) AS cost_usd,
           coalesce(sum(credits), 0) AS credits,
           coalesce(sum(input_tokens), 0) AS input_tokens,
           coalesce(sum(output_tokens), 0) AS output_tokens,
           count(*) AS request_count,
           count(*) FILTER (WHERE cost_usd IS NULL) AS unpriced_request_count,
           coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) AS total_tokens
      FROM calls
     GROUP BY GROUPING SETS ((model), ())
     ORDER BY total_tokens DESC, model COLLATE "C"`.execute(db);
  return rows;
}

/** Both have an index that starts with organization and user. */
type CountedTable = 'usage_events' | 'span_usage';

/** Finds the users with rows in the table one by one in its index, without reading anything else. */
export function peopleOf(
  table: CountedTable,
  { organizationId, userId }: Pick<UsageQuestion, 'organizationId' | 'userId'>,
): RawBuilder<unknown> {
  const people = sql.ref(`${table}_people`);
  if (userId !== undefined) return sql`${people} (user_id) AS (SELECT ${userId}::uuid)`;
  const next = (after: RawBuilder<unknown>) => sql`(
    SELECT n.user_id FROM ${sql.table(table)} AS n
     WHERE n.organization_id = ${organizationId} ${after} ORDER BY n.user_id LIMIT 1)`;
  return sql`
    ${people} (user_id) AS (
      SELECT ${next(sql``)}
      UNION ALL
      SELECT ${next(sql`AND n.user_id > s.user_id`)} FROM ${people} AS s WHERE s.user_id IS NOT NULL
    )`;
}

function gatewayCalls({ organizationId, from, to }: UsageQuestion): RawBuilder<unknown> {
  return sql`
    SELECT c.item AS model, c.cost_usd, c.credits, c.input_tokens, c.output_tokens
      FROM usage_events_people AS s
     CROSS JOIN LATERAL (
       SELECT c.item, c.cost_usd, c.credits, c.input_tokens, c.output_tokens
         FROM usage_events AS c
        WHERE c.organization_id = ${organizationId} AND c.user_id = s.user_id AND c.kind = 'inference'
          AND c.occurred_at BETWEEN ${from} AND ${to} OFFSET 0
     ) AS c`;
}

/** Usage of calls that only spans report. */
function spanCalls({ organizationId, from, to }: UsageQuestion): RawBuilder<unknown> {
  return sql`
    SELECT coalesce(c.model, 'unknown'), c.cost_usd, 0, coalesce(c.input_tokens, 0), coalesce(c.output_tokens, 0)
      FROM span_usage_people AS s
     CROSS JOIN LATERAL (
       SELECT c.model, c.cost_usd, c.input_tokens, c.output_tokens, c.inference_call_id, c.trace_id, c.span_id,
              c.parent_span_id, c.user_id
         FROM span_usage AS c
        WHERE c.organization_id = ${organizationId} AND c.user_id = s.user_id
          AND c.start_time BETWEEN ${from} AND ${to} OFFSET 0
     ) AS c
     WHERE ${isUnrecorded(organizationId)}`;
}

/**
 * A condition on a row `c` of span_usage: the gateway has not recorded this call. It has if the span reports the id of the gateway's
 * response, or if the gateway's call names the span, its parent or a child of it in `traceparent`. Then both must be of one user: ids of
 * spans can be guessed or seen, while only the caller has the id of a response. OFFSET 0 makes PostgreSQL look up each call instead of
 * joining all calls ever made. See docs/design/metering.md.
 */
export const isUnrecorded = (organizationId: string): RawBuilder<boolean> => sql<boolean>`
  (c.inference_call_id IS NULL OR NOT EXISTS (
    SELECT FROM inference_calls AS g
     WHERE g.organization_id = ${organizationId} AND g.id = c.inference_call_id OFFSET 0))
  AND NOT EXISTS (
    SELECT FROM inference_calls AS g
     WHERE g.organization_id = ${organizationId} AND g.trace_id = c.trace_id AND g.span_id = c.span_id
       AND g.user_id = c.user_id OFFSET 0)
  AND (c.parent_span_id IS NULL OR NOT EXISTS (
    SELECT FROM inference_calls AS g
     WHERE g.organization_id = ${organizationId} AND g.trace_id = c.trace_id AND g.span_id = c.parent_span_id
       AND g.user_id = c.user_id OFFSET 0))
  AND NOT EXISTS (
    SELECT FROM inference_call_parents AS p
     WHERE p.organization_id = ${organizationId} AND p.trace_id = c.trace_id AND p.span_id = c.span_id
       AND p.user_id = c.user_id OFFSET 0)`;
