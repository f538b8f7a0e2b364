/** Columns that each span sends, and their binary encoding. */
import { type ElementType, ElementWriter } from './binary-arrays.ts';

/** The largest columns come first, so that the message to PostgreSQL is copied less often while it grows. */
export const SPAN_COLUMNS = {
  attributes: 'text',
  search_text: 'text',
  events: 'text',
  links: 'text',
  trace_id: 'bytea',
  span_id: 'bytea',
  parent_span_id: 'bytea',
  start_time: 'timestamptz',
  start_ns: 'smallint',
  end_time: 'timestamptz',
  end_ns: 'smallint',
  session_id: 'uuid',
  assessment_id: 'uuid',
  name: 'text',
  kind: 'smallint',
  status_code: 'smallint',
  status_message: 'text',
  trace_state: 'text',
  flags: 'bigint',
  dropped_attributes_count: 'bigint',
  dropped_events_count: 'bigint',
  dropped_links_count: 'bigint',
  span_type: 'text',
  operation: 'text',
  provider: 'text',
  model: 'text',
  agent_name: 'text',
  tool_name: 'text',
  conversation_id: 'text',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  cache_read_input_tokens: 'bigint',
  cache_creation_input_tokens: 'bigint',
  cost_usd: 'double precision',
  inference_call_id: 'uuid',
  size_bytes: 'integer',
} as const satisfies Record<string, ElementType>;

export type SpanColumn = keyof typeof SPAN_COLUMNS;

export const COLUMN_NAMES = Object.keys(SPAN_COLUMNS) as SpanColumn[];

export const makeWriters = () =>
  Object.fromEntries(COLUMN_NAMES.map((name) => [name, new ElementWriter()])) as Record<
    SpanColumn,
    ElementWriter
  >;
