/** Summarizes a trace: the sum of the parts that the caller sees. */
import type { Db } from '../../platform/db/connect.ts';
import { parseTimestamp } from '../../platform/db/timestamp.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { TraceSummaryOf } from '../schema.ts';
import { bitOf, SPAN_TYPES } from '../span-types.ts';
import { toCost, toCount } from './figures.ts';
import { earliest, latest, millisecondsBetween } from './moments.ts';
import type { PartRow } from './parts.ts';
import { getSeenTrace } from './seen-trace.ts';

export async function getTrace(db: Db, viewer: Viewer, given: string): Promise<TraceSummaryOf> {
  return toSummary((await getSeenTrace(db, viewer, given)).parts);
}

/** @param parts the visible parts of one trace, at least one */
export function toSummary(parts: readonly PartRow[]): TraceSummaryOf {
  const root = parts.reduce((first, part) => (isBefore(part, first) ? part : first));
  const start = earliest(parts.map(({ first_start }) => first_start));
  const end = latest(parts.map(({ last_end }) => last_end));
  const bits = parts.reduce((all, { span_types }) => all | span_types, 0);
  const error_count = sum(parts, 'error_count');
  return {
    trace_id: root.trace_id,
    name: root.root_name,
    service_name: root.root_service_name,
    root_span_id: root.root_span_id,
    project_ids: distinct(parts.flatMap(({ has_project, project_id }) => (has_project ? project_id : null))),
    session_ids: distinct(parts.flatMap(({ has_session, session_id }) => (has_session ? session_id : null))),
    status: error_count > 0 ? 'error' : 'ok',
    start_time: parseTimestamp(start),
    end_time: parseTimestamp(end),
    duration_ms: millisecondsBetween(start, end),
    span_count: sum(parts, 'span_count'),
    error_count,
    span_types: SPAN_TYPES.filter((type) => bits & bitOf(type)),
    models: distinct(parts.flatMap(({ models }) => models)),
    input_tokens: sum(parts, 'input_tokens'),
    output_tokens: sum(parts, 'output_tokens'),
    cache_read_input_tokens: sum(parts, 'cache_read_input_tokens'),
    cache_creation_input_tokens: sum(parts, 'cache_creation_input_tokens'),
    cost_usd: sum(parts, 'unpriced_count') > 0 ? null : toCost(parts.map(({ cost_usd }) => cost_usd)),
  };
}

/** Parts with a root span come first, then earlier ones. */
function isBefore(a: PartRow, b: PartRow): boolean {
  if (a.root_has_parent !== b.root_has_parent) return b.root_has_parent;
  if (a.root_start !== b.root_start) return a.root_start < b.root_start;
  return a.root_span_id < b.root_span_id;
}

type Figure = { [Name in keyof PartRow]: PartRow[Name] extends number ? Name : never }[keyof PartRow];

const sum = (parts: readonly PartRow[], name: Figure) =>
  toCount(parts.reduce((total, part) => total + part[name], 0));

const distinct = (values: readonly (string | null)[]) =>
  [...new Set(values.filter((value) => value !== null))].toSorted();
