/** Table `inference_usage` for SQL queries of users: one row for each model call that usage counts. */
import { type RawBuilder, sql } from 'kysely';
import type { Bounds } from '../platform/sql-tables/bounds.ts';
import { column, type SqlColumn, type SqlTable, type SqlViewer } from '../platform/sql-tables/sql-table.ts';
import { isShown } from '../sessions/service.ts';
import { isUnrecorded, peopleOf } from './inference/store.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';
const ofGateway = 'null where a span tells of it';

const COLUMNS: readonly SqlColumn[] = [
  column(
    'source',
    'VARCHAR',
    sql`c.source`,
    'What tells of it: gateway, where it went through the platform; span, where a program sent a span of it.',
  ),
  column('user_id', 'UUID', sql`c.user_id`, 'Whose credential called it.'),
  column('username', 'VARCHAR', sql`u.username`, 'Name of that user.'),
  column('model', 'VARCHAR', sql`c.model`, 'The model that was called; unknown where a span does not say.'),
  column('occurred_at', TIME, sql`c.occurred_at`, 'When the call began.'),
  column(
    'input_tokens',
    'BIGINT',
    sql`c.input_tokens`,
    'Tokens that the model was given, cached ones included.',
  ),
  column('output_tokens', 'BIGINT', sql`c.output_tokens`, 'Tokens that the model wrote.'),
  column('total_tokens', 'BIGINT', sql`c.input_tokens + c.output_tokens`, 'Both together.'),
  column(
    'cache_read_input_tokens',
    'BIGINT',
    sql`c.cache_read_input_tokens`,
    `Of input_tokens: read from a cache; ${ofGateway}.`,
  ),
  column(
    'cache_creation_input_tokens',
    'BIGINT',
    sql`c.cache_creation_input_tokens`,
    `Of input_tokens: written to a cache; ${ofGateway}.`,
  ),
  column(
    'cost_usd',
    'DECIMAL(38,18)',
    sql`c.cost_usd`,
    'US dollars; null where a span does not say and no price list has its model.',
  ),
  column('credits', 'BIGINT', sql`c.credits`, 'Credits that were charged for it; spans charge none.'),
  column(
    'session_id',
    'UUID',
    sql`c.session_id`,
    'The session of its caller that it named; null for none, for one of another user, and for one that you cannot see.',
  ),
  column(
    'sandbox_id',
    'UUID',
    sql`c.sandbox_id`,
    'The sandbox whose program called, by its platform_access; null for calls from elsewhere.',
  ),
  column('status', 'VARCHAR', sql`c.status`, `completed, failed or cancelled; ${ofGateway}.`),
  column('error_type', 'VARCHAR', sql`c.error_type`, 'What was answered where it failed.'),
  column(
    'is_streamed',
    'BOOLEAN',
    sql`c.is_streamed`,
    `Whether the answer came piece by piece; ${ofGateway}.`,
  ),
  column(
    'is_estimated',
    'BOOLEAN',
    sql`c.is_estimated`,
    `Whether the tokens are a guess, since the provider did not say; ${ofGateway}.`,
  ),
  column(
    'first_byte_ms',
    'INTEGER',
    sql`c.first_byte_ms`,
    `Milliseconds until the answer began; ${ofGateway}.`,
  ),
  column('duration_ms', 'INTEGER', sql`c.duration_ms`, `Milliseconds until it had ended; ${ofGateway}.`),
];

/** Sessions of other users stay hidden, even where their usage is visible. */
const seenSession = (viewer: SqlViewer) => sql`(
  SELECT s.id FROM sessions AS s
   WHERE s.organization_id = ${viewer.organizationId} AND s.id = e.session_id AND s.user_id = u.user_id
     AND s.workspace_id IS NOT DISTINCT FROM ${viewer.workspaceId}
     AND ${isShown({ ...viewer, principal: { userId: viewer.userId } }, 's')})`;

const inTime = (bounds: Bounds, moment: RawBuilder<unknown>) => {
  const { from, to } = bounds.time('occurred_at');
  return sql`${from === null ? sql`` : sql`AND ${moment} >= ${from}::timestamptz`}
    ${to === null ? sql`` : sql`AND ${moment} <= ${to}::timestamptz`}`;
};

const gatewayCalls = (viewer: SqlViewer, bounds: Bounds) => sql`
  SELECT 'gateway' AS source, u.user_id, u.item AS model, u.occurred_at::timestamptz AS occurred_at, u.input_tokens, u.output_tokens,
         u.cache_read_input_tokens, u.cache_creation_input_tokens, u.cost_usd, u.credits, ${seenSession(viewer)} AS session_id,
         e.sandbox_id, e.status, e.error_type, e.is_streamed, e.is_estimated, e.first_byte_ms, e.duration_ms
    FROM (WITH RECURSIVE ${peopleOf('usage_events', toQuestion(viewer))} SELECT user_id FROM usage_events_people) AS s
   CROSS JOIN LATERAL (
     SELECT u.user_id, u.item, u.external_id, u.occurred_at, u.input_tokens, u.output_tokens, u.cache_read_input_tokens,
            u.cache_creation_input_tokens, u.cost_usd, u.credits
       FROM usage_events AS u
      WHERE u.organization_id = ${viewer.organizationId} AND u.user_id = s.user_id AND u.kind = 'inference'
        ${inTime(bounds, sql`u.occurred_at`)} OFFSET 0
   ) AS u
   CROSS JOIN LATERAL (
     SELECT e.session_id, e.sandbox_id, e.status, e.error_type, e.is_streamed, e.is_estimated, e.first_byte_ms, e.duration_ms
       FROM inference_calls AS e
      WHERE e.organization_id = ${viewer.organizationId} AND e.id = u.external_id::uuid OFFSET 0
   ) AS e`;

const spanCalls = (viewer: SqlViewer, bounds: Bounds) => sql`
  SELECT 'span', c.user_id, coalesce(c.model, 'unknown'), c.start_time, coalesce(c.input_tokens, 0),
         coalesce(c.output_tokens, 0), NULL::bigint, NULL::bigint, c.cost_usd, 0::bigint, NULL::uuid, NULL::uuid,
         NULL::text, NULL::text, NULL::boolean, NULL::boolean, NULL::integer, NULL::integer
    FROM (WITH RECURSIVE ${peopleOf('span_usage', toQuestion(viewer))} SELECT user_id FROM span_usage_people) AS s
   CROSS JOIN LATERAL (
     SELECT c.user_id, c.model, c.start_time, c.input_tokens, c.output_tokens, c.cost_usd, c.inference_call_id, c.trace_id, c.span_id,
            c.parent_span_id
       FROM span_usage AS c
      WHERE c.organization_id = ${viewer.organizationId} AND c.user_id = s.user_id ${inTime(bounds, sql`c.start_time`)} OFFSET 0
   ) AS c
   WHERE ${isUnrecorded(viewer.organizationId)}`;

const toQuestion = ({ organizationId, userId, seesAllUsage }: SqlViewer) => ({
  organizationId,
  userId: seesAllUsage ? undefined : userId,
});

const inferenceUsage: SqlTable = {
  name: 'inference_usage',
  comment:
    'Calls of models in all workspaces of the organization: your own; where you are an owner of it, those of everybody. A call that the gateway and a span tell of is there once.',
  columns: COLUMNS,
  rows: (viewer, bounds) => sql`
    FROM (${gatewayCalls(viewer, bounds)} UNION ALL ${spanCalls(viewer, bounds)}) AS c
    LEFT JOIN users AS u ON u.id = c.user_id
   WHERE true`,
};

export const usageTables: readonly SqlTable[] = [inferenceUsage];
