/** Passes spans directly to the writer, with as few attributes as possible. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../src/platform/db/connect.ts';
import type { SpanFacts } from '../src/traces/dialects/facts.ts';
import { sumUpParts } from '../src/traces/ingest/part-sums.ts';
import { SpanColumns } from '../src/traces/ingest/span-columns.ts';
import { SpanWriter } from '../src/traces/ingest/span-writer.ts';
import type { DecodedSpan } from '../src/traces/otlp/model.ts';

export interface Owner {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

export interface SimpleSpan {
  readonly traceId?: Buffer;
  readonly spanId?: Buffer;
  readonly parentSpanId?: Buffer | null;
  readonly start: Date;
  readonly sessionId?: string | null;
  readonly model?: string | null;
  readonly tokens?: number;
  readonly isError?: boolean;
  readonly content?: string;
}

export interface StoreOptions {
  readonly projectId?: string | null;
  /** Each value is a separate source. */
  readonly scope?: string;
  /** The time at which it counts as received. */
  readonly receivedAt?: Date;
}

export const traceId = () => randomBytes(16);
export const spanId = () => randomBytes(8);

export async function store(
  db: Db,
  { organizationId, workspaceId, userId }: Owner,
  spans: readonly SimpleSpan[],
  { projectId = null, scope = 'shop', receivedAt }: StoreOptions = {},
): Promise<void> {
  const columns = new SpanColumns();
  const source = { resource: RESOURCE, scope: { ...RESOURCE, name: scope, version: '' } };
  const ids = spans.map((span) => span.spanId ?? spanId());
  for (const [index, span] of spans.entries())
    columns.add(toDecoded(span, ids[index] as Buffer), toFacts(span), source);
  const writer = new SpanWriter(db);
  const refused = await writer.write(columns.take(), { organizationId, userId }, [
    { workspaceId, projectId },
  ]);
  await writer.drain();
  if (!receivedAt || refused.length > 0) return;
  await sql`
    UPDATE spans SET received_at = ${receivedAt.toISOString()}::timestamptz
     WHERE organization_id = ${organizationId} AND span_id = ANY(${ids})`.execute(db);
  await sql`
    UPDATE sender_parts AS p SET first_received_at = n.first_received_at FROM (${sumUpParts(sql`spans`)}) AS n
     WHERE p.organization_id = ${organizationId} AND n.organization_id = p.organization_id AND n.workspace_id = p.workspace_id
       AND n.trace_id = p.trace_id AND n.user_id = p.user_id AND n.session_id IS NOT DISTINCT FROM p.session_id
       AND n.project_id IS NOT DISTINCT FROM p.project_id`.execute(db);
}

const RESOURCE = {
  attributes: [{ key: 'service.name', value: 'shop' }],
  droppedAttributesCount: 0,
  schemaUrl: '',
};

function toDecoded(span: SimpleSpan, id: Buffer): DecodedSpan {
  const start = BigInt(span.start.getTime()) * 1_000_000n;
  return {
    traceId: span.traceId ?? traceId(),
    spanId: id,
    parentSpanId: span.parentSpanId ?? Buffer.alloc(0),
    traceState: '',
    flags: 0,
    name: `span ${id.toString('hex')}`,
    kind: 1,
    startTimeUnixNano: start,
    endTimeUnixNano: start + 5_000_000n,
    attributes: [{ key: 'content', value: span.content ?? '' }],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    statusCode: span.isError ? 2 : 0,
    statusMessage: '',
  };
}

function toFacts({ tokens = 0, model = null, sessionId = null }: SimpleSpan): SpanFacts {
  return {
    spanType: tokens > 0 ? 'llm' : 'span',
    operation: null,
    provider: null,
    model,
    agentName: null,
    toolName: null,
    assessmentId: null,
    project: null,
    isPending: false,
    conversationId: sessionId,
    inputTokens: tokens > 0 ? tokens : null,
    outputTokens: tokens > 0 ? tokens : null,
    cacheReadInputTokens: null,
    cacheCreationInputTokens: null,
    costUsd: tokens > 0 && tokens % 3 === 0 ? tokens / 4 : null,
    inferenceCallId: null,
    inputPreview: null,
    outputPreview: null,
  };
}

const FIGURES = sql.raw(
  `span_count, error_count, span_types, models, first_start, last_start, last_end, first_received_at, input_tokens, output_tokens,
   cache_read_input_tokens, cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent, root_start, root_span_id,
   root_name`,
);

/** Requires that the stored data of traces equals the sum of their spans, and that no trace lacks spans. */
export async function expectAgreement(db: Db): Promise<void> {
  const key = sql.raw('organization_id, workspace_id, trace_id, user_id, session_id, project_id');
  const reported = sql`SELECT ${key}, ${FIGURES} FROM sender_parts`;
  const counted = sql`SELECT ${key}, ${FIGURES} FROM (${sumUpParts(sql`spans`)}) AS n`;
  const { rows } = await sql`
    SELECT /* of every organization */ 'told' AS only, x.* FROM (${reported} EXCEPT ${counted}) AS x
    UNION ALL SELECT 'counted', x.* FROM (${counted} EXCEPT ${reported}) AS x`.execute(db);
  expect(rows).toEqual([]);
}

/** Hexadecimal ids of all spans, with the partitions that hold them. */
export async function whereSpansLie(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; place: string }>`
    SELECT /* of every organization */ encode(span_id, 'hex') AS id, tableoid::regclass::text AS place FROM spans`.execute(
    db,
  );
  return new Map(rows.map(({ id, place }) => [id, place]));
}
