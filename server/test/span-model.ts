/** Computes the expected content of the trace tables for some spans in the simplest way. */
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { foldCase } from '../src/platform/letter-case.ts';
import { toStorableText } from '../src/platform/storable-text.ts';
import type { SpanFacts } from '../src/traces/dialects/facts.ts';
import type { DecodedSpan, SpanSource } from '../src/traces/otlp/model.ts';
import { attributesToJson } from '../src/traces/otlp/value-json.ts';
import { bitOf } from '../src/traces/span-types.ts';
import type { GivenSpan } from './colliding-spans.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const parentOf = ({ parentSpanId }: DecodedSpan) =>
  parentSpanId.some((byte) => byte !== 0) ? hex(parentSpanId) : null;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const sessionOf = ({ conversationId }: SpanFacts) =>
  conversationId !== null && UUID.test(conversationId) ? conversationId : null;
const serviceOf = ({ resource }: SpanSource) =>
  (resource.attributes.find(({ key }) => key === 'service.name')?.value ?? null) as string | null;
const storable = (text: string | null) => (text === null ? null : toStorableText(text));
const microseconds = (nanoseconds: bigint) => nanoseconds / 1_000n;
/** Types of spans whose usage repeats that of the spans within them. */
const REPEATING: ReadonlySet<string> = new Set([
  'agent',
  'chain',
  'tool',
  'task',
  'evaluation',
  'study',
  'trial',
  'sample',
  'transform',
]);

export class SpanModel {
  private readonly stored = new Map<string, GivenSpan>();
  private readonly knownSessions: ReadonlySet<string>;

  /** @param knownSessions every session that ever existed here, as `<id of its owner> <id>` */
  constructor(knownSessions: readonly string[]) {
    this.knownSessions = new Set(knownSessions);
  }

  add(given: GivenSpan): void {
    const { span, from } = given;
    const start = String(microseconds(span.startTimeUnixNano)).padStart(20, '0');
    const key = [from.organizationId, hex(span.traceId), start, hex(span.spanId)].join(' ');
    if (!this.stored.has(key)) this.stored.set(key, given);
  }

  /** All spans, ordered by key. */
  get spans(): unknown[] {
    return [...this.stored].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, given]) => toRow(given));
  }

  /** All parts, ordered by key. */
  get parts(): unknown[] {
    const byKey = Map.groupBy(this.stored.values(), partKey);
    return [...byKey]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, spans]) => Object.assign(keyOf(spans[0] as GivenSpan), this.sumUp(spans)));
  }

  private sumUp(given: readonly GivenSpan[]) {
    const counted = given.map(({ facts }) => facts).filter(({ spanType }) => !REPEATING.has(spanType));
    const total = (read: (facts: SpanFacts) => number | null) =>
      counted.reduce((sum, facts) => sum + (read(facts) ?? 0), 0);
    const micros = given.map(({ span }) => microseconds(span.startTimeUnixNano)).toSorted(byValue);
    const ends = given.map(({ span }) => microseconds(span.endTimeUnixNano)).toSorted(byValue);
    const root = given.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))[0] as GivenSpan;
    const session = sessionOf(root.facts);
    return {
      session_was_known: session !== null && this.knownSessions.has(`${root.from.userId} ${session}`),
      span_count: given.length,
      error_count: given.filter(({ span }) => span.statusCode === 2).length,
      span_types: given.reduce((bits, { facts }) => bits | bitOf(facts.spanType), 0),
      models: [...new Set(given.flatMap(({ facts }) => facts.model ?? []))].toSorted(),
      first_start: String(micros[0]),
      last_start: String(micros.at(-1)),
      last_end: String(ends.at(-1)),
      input_tokens: total((facts) => facts.inputTokens),
      output_tokens: total((facts) => facts.outputTokens),
      cache_read_input_tokens: total((facts) => facts.cacheReadInputTokens),
      cache_creation_input_tokens: total((facts) => facts.cacheCreationInputTokens),
      cost_usd: total(({ costUsd }) => costUsd && Math.round(costUsd * 1e6)) / 1e6,
      unpriced_count: counted.filter(isUnpriced).length,
      root_has_parent: parentOf(root.span) !== null,
      root_start: String(microseconds(root.span.startTimeUnixNano)),
      root_span_id: hex(root.span.spanId),
      root_name: toStorableText(root.span.name.slice(0, 1_000)),
      root_service_name: serviceOf(root.source),
    };
  }
}

const byValue = (a: bigint, b: bigint) => (a < b ? -1 : 1);

const isUnpriced = ({ costUsd, inputTokens, outputTokens }: SpanFacts) =>
  costUsd === null && (inputTokens ?? 0) + (outputTokens ?? 0) > 0;

const rankOf = ({ span }: GivenSpan) =>
  `${parentOf(span) === null ? 0 : 1} ${String(microseconds(span.startTimeUnixNano)).padStart(20, '0')} ${hex(span.spanId)}`;

const keyOf = ({ span, facts, from, place }: GivenSpan) => ({
  organization_id: from.organizationId,
  workspace_id: place.workspaceId,
  trace_id: hex(span.traceId),
  user_id: from.userId,
  session_id: sessionOf(facts),
  project_id: place.projectId,
});

const partKey = (given: GivenSpan) =>
  Object.values(keyOf(given))
    .map((part) => part ?? 'none')
    .join(' ');

function toRow({ span, facts, source, from, place }: GivenSpan) {
  const links = span.links.filter(
    ({ traceId, spanId }) => traceId.length === 16 && spanId.some((byte) => byte !== 0),
  );
  const texts = [span.name.slice(0, 1_000), serviceOf(source), facts.model, facts.agentName, facts.toolName];
  const searched = [...texts, facts.conversationId, facts.inputPreview, facts.outputPreview];
  return {
    organization_id: from.organizationId,
    trace_id: hex(span.traceId),
    span_id: hex(span.spanId),
    start: String(span.startTimeUnixNano),
    end: String(span.endTimeUnixNano),
    parent_span_id: parentOf(span),
    workspace_id: place.workspaceId,
    project_id: place.projectId,
    session_id: sessionOf(facts),
    user_id: from.userId,
    service_name: serviceOf(source),
    resource: `{"attributes":${attributesToJson(source.resource.attributes)},"dropped_attributes_count":0,"schema_url":""}`,
    scope: '{"name":"test","version":"","attributes":{},"dropped_attributes_count":0,"schema_url":""}',
    name: storable(span.name),
    kind: span.kind,
    status_code: span.statusCode,
    status_message: storable(span.statusMessage || null),
    trace_state: storable(span.traceState || null),
    flags: span.flags,
    attributes: attributesToJson(span.attributes),
    events: span.events.map(({ timeUnixNano, name, attributes, droppedAttributesCount }) => ({
      time_unix_nano: String(timeUnixNano),
      name: storable(name),
      attributes: plain(attributes),
      dropped_attributes_count: droppedAttributesCount,
    })),
    links: links.map(({ traceId, spanId, traceState, flags, attributes, droppedAttributesCount }) => ({
      trace_id: hex(traceId),
      span_id: hex(spanId),
      trace_state: storable(traceState),
      flags,
      attributes: plain(attributes),
      dropped_attributes_count: droppedAttributesCount,
    })),
    dropped: [
      span.droppedAttributesCount,
      span.droppedEventsCount,
      span.droppedLinksCount + span.links.length - links.length,
    ],
    span_type: facts.spanType,
    operation: facts.operation,
    provider: facts.provider,
    model: facts.model,
    agent_name: facts.agentName,
    tool_name: facts.toolName,
    conversation_id: facts.conversationId,
    tokens: [
      facts.inputTokens,
      facts.outputTokens,
      facts.cacheReadInputTokens,
      facts.cacheCreationInputTokens,
    ],
    cost_usd: facts.costUsd,
    search_text: searched
      .filter((text) => text !== null)
      .map((text) => toStorableText(foldCase(text)).replaceAll('\uFFFF', '\uFFFD'))
      .join('\uFFFF'),
  };
}

const plain = (attributes: DecodedSpan['attributes']) => JSON.parse(attributesToJson(attributes)) as unknown;

const MICROSECONDS = (column: string) => sql`trunc(extract(epoch FROM ${sql.ref(column)}) * 1000000)::text`;

/** Reads spans in the form of the model. */
export async function readSpans(db: Db): Promise<unknown[]> {
  const { rows } = await sql<Record<string, string | null>>`
    SELECT s.organization_id, encode(s.trace_id, 'hex') AS trace_id, encode(s.span_id, 'hex') AS span_id,
           trunc(extract(epoch FROM s.start_time) * 1000000000 + s.start_ns)::text AS start,
           trunc(extract(epoch FROM s.end_time) * 1000000000 + s.end_ns)::text AS end,
           encode(s.parent_span_id, 'hex') AS parent_span_id, s.workspace_id, s.project_id, s.session_id, s.user_id,
           o.service_name, o.resource::text, o.scope::text,
           s.name, s.kind, s.status_code, s.status_message, s.trace_state, s.flags, s.attributes, s.events, s.links,
           ARRAY[s.dropped_attributes_count, s.dropped_events_count, s.dropped_links_count] AS dropped, s.span_type,
           s.operation, s.provider, s.model, s.agent_name, s.tool_name, s.conversation_id,
           to_json(ARRAY[s.input_tokens, s.output_tokens, s.cache_read_input_tokens, s.cache_creation_input_tokens]) AS tokens,
           s.cost_usd, s.search_text
      FROM spans AS s
      JOIN span_sources AS o ON o.organization_id = s.organization_id AND o.id = s.source_id
     ORDER BY s.organization_id, s.trace_id, s.start_time, s.span_id`.execute(db);
  return rows.map((row) => {
    const [events, links] = [row['events'], row['links']].map((json) => JSON.parse(json ?? '[]') as unknown);
    return Object.assign(row, { events, links });
  });
}

/** Reads parts in the form of the model. */
export async function readParts(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    SELECT organization_id, workspace_id, encode(trace_id, 'hex') AS trace_id, user_id, session_id, project_id, session_was_known,
           span_count, error_count, span_types, models, ${MICROSECONDS('first_start')} AS first_start,
           ${MICROSECONDS('last_start')} AS last_start, ${MICROSECONDS('last_end')} AS last_end, input_tokens, output_tokens,
           cache_read_input_tokens, cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent,
           ${MICROSECONDS('root_start')} AS root_start, encode(root_span_id, 'hex') AS root_span_id, root_name, root_service_name
      FROM sender_parts WHERE organization_id = organization_id
     ORDER BY organization_id, workspace_id, trace_id, user_id, coalesce(session_id::text, 'none'), coalesce(project_id::text, 'none')
  `.execute(db);
  return rows;
}
