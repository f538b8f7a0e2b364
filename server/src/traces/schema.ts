/** Traces on the wire, as they are returned. */
import { z } from 'zod';
import { DateTime, Id, Timestamp, Uuid } from '../platform/fields.ts';
import {
  boundedTotal,
  cursorPageOf,
  exactTotalQuery,
  pageOf,
  pageQuery,
} from '../platform/http/responses/pages.ts';
import { OTHER_NAMES, SPAN_TYPES, type SpanTypeName } from './span-types.ts';

export const STATUSES = ['ok', 'error'] as const;
export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
export const STATUS_CODES = ['unset', 'ok', 'error'] as const;

const TRACE_ID = '32 hexadecimal digits';
const SPAN_ID = '16 hexadecimal digits';
const TraceId = z.string().describe(TRACE_ID);
const SpanId = z.string().describe(SPAN_ID);
const Cost = z.number().nullable().describe('US dollars; null when something with tokens has no known cost');
const Tokens = z.int().describe('Cached ones included');

/** An object that is returned as sent: it is not validated, so that every key and digit is kept. */
const AnyObject = (description: string) =>
  z.unknown().meta({ type: 'object', additionalProperties: true, description });

/** Fields shared by all sums over spans. */
const sums = {
  input_tokens: Tokens,
  output_tokens: z.int(),
  cache_read_input_tokens: z.int().describe('Of input_tokens: read from a cache'),
  cache_creation_input_tokens: z.int().describe('Of input_tokens: written to a cache'),
  cost_usd: Cost,
};

export const TraceSummary = z
  .object({
    trace_id: TraceId,
    name: z
      .string()
      .describe(
        'Of its root: the first span without a parent, or else the first. Its first 1,000 characters',
      ),
    service_name: z.string().nullable().describe('Of its root'),
    root_span_id: SpanId,
    project_ids: z.array(Id).describe('Of projects that its spans name'),
    session_ids: z.array(Id).describe('Of sessions that its spans belong to'),
    status: z.enum(STATUSES).describe('`error` when a span has one'),
    start_time: Timestamp.describe('When its first span began'),
    end_time: Timestamp.describe('When its last span ended'),
    duration_ms: z.number().describe('Between the two, to the microsecond'),
    span_count: z.int(),
    error_count: z.int().describe('Spans with the status `error`'),
    span_types: z.array(z.enum(SPAN_TYPES)),
    models: z.array(z.string()).describe('By name; at most fifty of a session'),
    ...sums,
  })
  .meta({ id: 'TraceSummary' });

export type TraceSummaryOf = z.output<typeof TraceSummary>;

export const TraceListResponse = pageOf('traces', TraceSummary)
  .extend(boundedTotal)
  .meta({ id: 'TraceListResponse' });

const MAX_SEARCH = 200;

export const TraceListQuery = z.object({
  ...pageQuery({ defaultLimit: 50, maxLimit: 100 }),
  ...exactTotalQuery('traces'),
  project_id: z.string().optional().describe('With a span of this project: its id or key'),
  page_size: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Another name of limit; where both are given, it counts'),
  span_type: z
    .enum([...SPAN_TYPES, ...Object.keys(OTHER_NAMES)] as [SpanTypeName, ...SpanTypeName[]])
    .optional()
    .describe('With a span of this type; `generation` is `llm`, and `scorer` is `evaluator`'),
  status: z.enum(STATUSES).optional().describe('`error`: with a span that has one; `ok`: with none'),
  session_id: Uuid.optional().describe('With a span of this session: one that its owner sent'),
  search: z
    .string()
    .max(MAX_SEARCH)
    .optional()
    .describe(
      'A part of a name, of what was asked or of what was answered, whatever its case; or the first 4 or more digits of the id',
    ),
  from: DateTime.optional().describe('That began then or later, to the millisecond'),
  to: DateTime.optional().describe('That began then or earlier, to the millisecond'),
});

export type TraceListQueryOf = z.output<typeof TraceListQuery>;

export const TraceParams = z.object({ trace_id: TraceId });
export const SpanParams = z.object({ trace_id: TraceId, span_id: SpanId });

const MAX_OFFSET = 1_000_000;

export const SpanListQuery = z.object({
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(100)
    .describe('At most; a page ends sooner when its spans are large'),
  after: z.string().optional().describe('next_cursor of the previous response'),
  offset: z
    .int()
    .min(0)
    .max(MAX_OFFSET)
    .default(0)
    .describe(
      'How many spans to pass over; the next page begins at the sum of this and the spans that were returned',
    ),
  order_by: z
    .enum(['start_time', 'Timestamp'])
    .optional()
    .describe('Both are the time at which a span began'),
  order_dir: z.enum(['asc', 'desc', 'ASC', 'DESC']).optional(),
  parent: z
    .string()
    .regex(/^(root|[0-9a-f]{16})$/i, 'must be a span id of 16 hexadecimal digits, or root')
    .transform((parent) => parent.toLowerCase())
    .optional()
    .describe('Only the children of this span; `root` for spans without a stored parent'),
});

export type SpanListQueryOf = z.output<typeof SpanListQuery>;

const SpanToolCall = z
  .object({
    id: z.string().nullable(),
    name: z.string().nullable(),
    arguments: z.unknown().describe('As the model gave them'),
  })
  .meta({ id: 'SpanToolCall' });

export const SpanMessage = z
  .object({
    role: z.string(),
    content: z
      .unknown()
      .meta({ description: 'Text; a list of parts where there is more than text; null where there is none' }),
    tool_calls: z.array(SpanToolCall).optional(),
    tool_call_id: z.string().optional(),
    name: z.string().optional(),
  })
  .meta({ id: 'SpanMessage' });

const UnixNano = z.string().describe('Nanoseconds since 1970');
const attributes = AnyObject('Numbers keep every digit that was sent');
const dropped_attributes_count = z.int().describe('Not sent, because there were too many');

const SpanEvent = z
  .object({ time_unix_nano: UnixNano, name: z.string(), attributes, dropped_attributes_count })
  .meta({ id: 'SpanEvent' });

const SpanLink = z
  .object({
    trace_id: TraceId,
    span_id: SpanId,
    trace_state: z.string(),
    flags: z.int(),
    attributes,
    dropped_attributes_count,
  })
  .meta({ id: 'SpanLink' });

const SpanResource = z
  .object({ attributes, dropped_attributes_count, schema_url: z.string() })
  .meta({ id: 'SpanResource' });

const SpanScope = z
  .object({
    name: z.string(),
    version: z.string(),
    attributes,
    dropped_attributes_count,
    schema_url: z.string(),
  })
  .meta({ id: 'SpanScope' });

const nullableTokens = z.int().nullable();

export const Span = z
  .object({
    trace_id: TraceId,
    span_id: SpanId,
    parent_span_id: SpanId.nullable(),
    has_children: z.boolean().describe('Whether a span that you see has it as its parent'),
    name: z.string(),
    kind: z.enum(SPAN_KINDS),
    span_type: z.enum(SPAN_TYPES),
    start_time: Timestamp,
    end_time: Timestamp,
    start_time_unix_nano: UnixNano,
    end_time_unix_nano: UnixNano,
    duration_ms: z.number().describe('With a fraction, to the nanosecond; 0 where it ended before it began'),
    status: z.object({ code: z.enum(STATUS_CODES), message: z.string().nullable() }),
    trace_state: z.string().nullable().describe('`tracestate` of W3C Trace Context'),
    flags: z.int().describe('The lowest eight bits are the flags of W3C Trace Context'),
    operation: z.string().nullable().describe('`chat`, `execute_tool`, `invoke_agent`…'),
    provider: z.string().nullable().describe('`openai`, `anthropic`…'),
    model: z.string().nullable().describe('The model that responded, or else the requested model'),
    agent_name: z.string().nullable(),
    tool_name: z.string().nullable(),
    conversation_id: z.string().nullable().describe('As the span gives it'),
    session_id: Id.nullable().describe('The session of its sender with that id, if there is one'),
    project_id: Id.nullable().describe('The project that its resource names, if there still is one'),
    user_id: Id.describe('User whose credential sent it'),
    input_tokens: nullableTokens.describe('Cached ones included'),
    output_tokens: nullableTokens,
    cache_read_input_tokens: nullableTokens.describe('Of input_tokens: read from a cache'),
    cache_creation_input_tokens: nullableTokens.describe('Of input_tokens: written to a cache'),
    cost_usd: z
      .number()
      .nullable()
      .describe('US dollars: as the span gives it, else by the price list; null when neither knows'),
    input_messages: z
      .array(SpanMessage)
      .describe('What the model was given, read from attributes and events'),
    output_messages: z.array(SpanMessage).describe('Output messages of the operation'),
    attributes,
    events: z.array(SpanEvent),
    links: z.array(SpanLink),
    resource: SpanResource,
    scope: SpanScope,
    service_name: z.string().nullable().describe('`service.name` of its resource'),
    dropped_attributes_count,
    dropped_events_count: z.int().describe('Not sent, because there were too many'),
    dropped_links_count: z.int().describe('Not sent, or sent with ids that are none'),
    received_at: Timestamp.describe('When it was stored'),
  })
  .meta({ id: 'Span' });

export type SpanOf = z.output<typeof Span>;

export const SpanPage = cursorPageOf(Span).meta({ id: 'SpanPage' });

export const TraceStats = z
  .object({
    trace_id: TraceId,
    span_count: z.int(),
    error_count: z.int(),
    duration_ms: z.number().describe('From the beginning of its first span to the end of its last'),
    ...sums,
    by_type: z.array(
      z.object({
        span_type: z.enum(SPAN_TYPES),
        span_count: z.int(),
        error_count: z.int(),
        total_duration_ms: z.number().describe('Of each span by itself, whether or not others ran meanwhile'),
        min_duration_ms: z.number(),
        p50_duration_ms: z.number(),
        p95_duration_ms: z.number(),
        max_duration_ms: z.number(),
        ...sums,
      }),
    ),
    by_model: z.array(z.object({ model: z.string(), span_count: z.int(), error_count: z.int(), ...sums })),
  })
  .meta({ id: 'TraceStats' });

export type TraceStatsOf = z.output<typeof TraceStats>;
