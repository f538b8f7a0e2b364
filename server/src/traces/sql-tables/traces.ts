/** One row per trace, with the figures of its summary. */
import { sql } from 'kysely';
import type { Bounds } from '../../platform/sql-tables/bounds.ts';
import {
  column,
  type SqlColumn,
  type SqlTable,
  type SqlViewer,
} from '../../platform/sql-tables/sql-table.ts';
import { bitOf, SPAN_TYPES } from '../span-types.ts';
import { beganBetween, seenParts } from './seen-parts.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

/** Parts with a root span come first, then earlier ones. */
const ofRoot = (name: string) =>
  sql`(array_agg(${sql.ref(`p.${name}`)} ORDER BY p.root_has_parent, p.root_start, p.root_span_id))[1]`;

const sum = (name: string) => sql`least(sum(${sql.ref(`p.${name}`)}), 9007199254740991)::bigint`;

const idsOf = (name: string) =>
  sql`coalesce(array_agg(DISTINCT ${sql.ref(`p.${name}`)}) FILTER (WHERE ${sql.ref(`p.${name}`)} IS NOT NULL), '{}')`;

/** PostgreSQL computes only the columns of these that the query selects. */
const FIGURES = sql`
  p.trace_id, min(p.first_start) AS start_time, max(p.last_end) AS end_time, sum(p.span_count)::bigint AS span_count,
  sum(p.error_count)::bigint AS error_count, bit_or(p.span_types) AS span_types, jsonb_agg(to_jsonb(p.models)) AS models,
  min(p.models) AS least_models, max(p.models) AS greatest_models,
  ${ofRoot('root_name')} AS name, ${ofRoot('root_service_name')} AS service_name, ${ofRoot('root_span_id')} AS root_span_id,
  ${idsOf('named_project_id')} AS project_ids, ${idsOf('named_session_id')} AS session_ids,
  ${sum('input_tokens')} AS input_tokens, ${sum('output_tokens')} AS output_tokens,
  ${sum('cache_read_input_tokens')} AS cache_read_input_tokens,
  ${sum('cache_creation_input_tokens')} AS cache_creation_input_tokens,
  CASE WHEN sum(p.unpriced_count) = 0 THEN sum(p.cost_usd) END AS cost_usd`;

const NAMES_OF_TYPES = sql`array_remove(ARRAY[${sql.raw(
  SPAN_TYPES.map((type) => `CASE WHEN t.span_types & ${bitOf(type)} <> 0 THEN '${type}' END`).join(', '),
)}], NULL)`;

/** Usually all parts have the same models, already sorted. */
const MODELS = sql`CASE WHEN t.least_models = t.greatest_models THEN t.least_models ELSE ARRAY(
  SELECT DISTINCT model COLLATE "C" FROM jsonb_array_elements(t.models) AS part, jsonb_array_elements_text(part) AS model
   ORDER BY 1) END`;

const COLUMNS: readonly SqlColumn[] = [
  {
    ...column('trace_id', 'VARCHAR', sql`encode(t.trace_id, 'hex')`, '32 hexadecimal digits.'),
    bytes: sql`t.trace_id`,
  },
  column('name', 'VARCHAR', sql`t.name`, 'Of its root: the first span without a parent, or else the first.'),
  column(
    'service_name',
    'VARCHAR',
    sql`t.service_name`,
    'service.name of the program that its root came from.',
  ),
  {
    ...column(
      'root_span_id',
      'VARCHAR',
      sql`encode(t.root_span_id, 'hex')`,
      'Of its root: 16 hexadecimal digits.',
    ),
    bytes: sql`t.root_span_id`,
  },
  column('project_ids', 'VARCHAR[]', sql`t.project_ids`, 'Ids of the projects that its spans name.'),
  column('session_ids', 'VARCHAR[]', sql`t.session_ids`, 'Ids of the sessions that its spans belong to.'),
  column(
    'status',
    'VARCHAR',
    sql`CASE WHEN t.error_count > 0 THEN 'error' ELSE 'ok' END`,
    'error when a span of it has one, else ok.',
  ),
  column('start_time', TIME, sql`t.start_time`, 'When its first span began.'),
  column('end_time', TIME, sql`t.end_time`, 'When its last span ended.'),
  column(
    'duration_ms',
    'DOUBLE',
    sql`(greatest(0, extract(epoch FROM t.end_time - t.start_time)) * 1000)::double precision`,
    'Milliseconds between the two, to the microsecond.',
  ),
  column('span_count', 'BIGINT', sql`t.span_count`, 'How many spans it has.'),
  column('error_count', 'BIGINT', sql`t.error_count`, 'How many of its spans have the status error.'),
  column(
    'span_types',
    'VARCHAR[]',
    NAMES_OF_TYPES,
    `What its spans are, each once: ${SPAN_TYPES.join(', ')}.`,
  ),
  column('models', 'VARCHAR[]', MODELS, 'Names of the models that were called; at most fifty of a session.'),
  column(
    'input_tokens',
    'BIGINT',
    sql`t.input_tokens`,
    'Tokens that models were given, cached ones included.',
  ),
  column('output_tokens', 'BIGINT', sql`t.output_tokens`, 'Tokens that models wrote.'),
  column(
    'cache_read_input_tokens',
    'BIGINT',
    sql`t.cache_read_input_tokens`,
    'Of input_tokens: read from a cache.',
  ),
  column(
    'cache_creation_input_tokens',
    'BIGINT',
    sql`t.cache_creation_input_tokens`,
    'Of input_tokens: written to a cache.',
  ),
  column(
    'cost_usd',
    'DECIMAL(38,18)',
    sql`t.cost_usd`,
    'US dollars: of its spans; null when something with tokens has no known cost.',
  ),
];

/** A trace belongs to a project as soon as one of its spans does. */
const isOfProject = ({ projectId }: SqlViewer) =>
  projectId === null ? sql`true` : sql`t.project_ids @> ARRAY[${projectId}::uuid]`;

const candidatesOf = (viewer: SqlViewer, bounds: Bounds) => {
  const times = bounds.time('start_time');
  return times.from === null && times.to === null ? undefined : beganBetween(viewer, times);
};

export const traces: SqlTable = {
  name: 'traces',
  comment: 'What programs with OpenTelemetry did, one row for each trace, as far as you can see its spans.',
  columns: COLUMNS,
  rows: (viewer, bounds) => sql`
    FROM (
      SELECT ${FIGURES} FROM ${seenParts(viewer, candidatesOf(viewer, bounds))} GROUP BY p.trace_id
    ) AS t
   WHERE ${isOfProject(viewer)}`,
};
