/** Builds the columns of spans for the statement, in the decoding thread. */
import { foldCase } from '../../platform/letter-case.ts';
import type { SpanFacts } from '../dialects/facts.ts';
import type { DecodedSpan, SpanEvent, SpanLink, SpanSource } from '../otlp/model.ts';
import { attributesToJson, toJson } from '../otlp/value-json.ts';
import { type SourceContent, toContent } from './source-content.ts';
import type { ChunkSource, SpanChunk } from './span-chunk.ts';
import { findParent, isSpanId, isTraceId } from './span-ids.ts';
import { COLUMN_NAMES, makeWriters } from './span-rows.ts';
import { UnpricedCallWriter } from './unpriced-calls.ts';

/** A source with its position in the chunk. */
interface Known {
  readonly index: number;
  readonly bytes: number;
  readonly source: Omit<ChunkSource, 'spans'> & { spans: number };
}

export class SpanColumns {
  private readonly to = makeWriters();
  private readonly unpriced = new UnpricedCallWriter();
  private sourceIndexes: number[] = [];
  /** Sources by id and by the project that their spans name. */
  private sources = new Map<string, Known>();
  private bytesOfSources = 0;
  private madeBytes = 0;
  /** Cache of the last source, since spans of one source are consecutive. */
  private last: { readonly source: SpanSource; readonly content: SourceContent } | undefined;

  get count(): number {
    return this.sourceIndexes.length;
  }

  /** Bytes of a chunk with the spans so far. */
  get bytes(): number {
    let bytes = this.bytesOfSources;
    for (const name of COLUMN_NAMES) bytes += this.to[name].bytes;
    return bytes;
  }

  /** Bytes of all sources so far. A resource counts once per scope and chunk, since it is sent that often. */
  get bytesOfAllSources(): number {
    return this.madeBytes;
  }

  /** @param span with ids that can be stored: see span-ids */
  add(span: DecodedSpan, facts: SpanFacts, source: SpanSource): void {
    const known = this.know(source, facts.project);
    known.source.spans++;
    this.unpriced.add(this.count, facts);
    this.sourceIndexes.push(known.index);
    this.addSpan(span);
    this.addFacts(facts);
    this.to.search_text.text(toSearchText(span, facts, known.source.serviceName));
    this.to.size_bytes.integer(known.bytes + this.addContent(span));
  }

  /** Takes the spans that were added since the last call. */
  take(): SpanChunk {
    const chunk = {
      spans: this.count,
      bytes: this.bytes,
      sourceIndexes: Int32Array.from(this.sourceIndexes),
      columns: COLUMN_NAMES.map((name) => this.to[name].take()),
      sources: [...this.sources.values()].map(({ source }) => source),
      unpriced: this.unpriced.take(),
    };
    this.sourceIndexes = [];
    this.sources = new Map();
    this.bytesOfSources = 0;
    return chunk;
  }

  /** @param project that the span names; a project named by the resource takes precedence */
  private know(given: SpanSource, project: string | null): Known {
    if (this.last?.source !== given) {
      this.last = { source: given, content: toContent(given) };
      this.madeBytes += this.last.content.bytes;
    }
    const { source, bytes } = this.last.content;
    const spanProject = source.project === undefined && project !== null ? project : undefined;
    const key = spanProject === undefined ? source.id : `${source.id} ${spanProject}`;
    const known = this.sources.get(key);
    if (known) return known;
    const added = { index: this.sources.size, bytes, source: { ...source, spanProject, spans: 0 } };
    this.sources.set(key, added);
    this.bytesOfSources += bytes;
    this.madeBytes += bytes;
    return added;
  }

  private addSpan(span: DecodedSpan): void {
    const { to } = this;
    to.trace_id.binary(span.traceId);
    to.span_id.binary(span.spanId);
    to.parent_span_id.binary(findParent(span));
    to.start_time.time(span.startTimeUnixNano);
    to.start_ns.smallint(Number(span.startTimeUnixNano % 1_000n));
    to.end_time.time(span.endTimeUnixNano);
    to.end_ns.smallint(Number(span.endTimeUnixNano % 1_000n));
    to.name.text(span.name);
    to.kind.smallint(span.kind);
    to.status_code.smallint(span.statusCode);
    to.status_message.text(span.statusMessage || null);
    to.trace_state.text(span.traceState || null);
    to.flags.count(span.flags);
    to.dropped_attributes_count.count(span.droppedAttributesCount);
    to.dropped_events_count.count(span.droppedEventsCount);
  }

  /** @returns the approximate size of the span for a reader */
  private addContent(span: DecodedSpan): number {
    const { to } = this;
    const { attributes, events, links } = to;
    const before = attributes.bytes + events.bytes + links.bytes;
    const given = linksToJson(span.links);
    attributes.text(attributesToJson(span.attributes));
    events.text(eventsToJson(span.events));
    links.text(given.json);
    to.dropped_links_count.count(span.droppedLinksCount + given.dropped);
    const texts = span.name.length + span.statusMessage.length + span.traceState.length;
    return attributes.bytes + events.bytes + links.bytes - before + texts;
  }

  private addFacts(facts: SpanFacts): void {
    const { to } = this;
    to.session_id.binary(toUuid(facts.conversationId));
    to.assessment_id.binary(toUuid(facts.assessmentId));
    to.span_type.text(facts.spanType);
    to.operation.text(facts.operation);
    to.provider.text(facts.provider);
    to.model.text(facts.model);
    to.agent_name.text(facts.agentName);
    to.tool_name.text(facts.toolName);
    to.conversation_id.text(facts.conversationId);
    to.input_tokens.count(facts.inputTokens);
    to.output_tokens.count(facts.outputTokens);
    to.cache_read_input_tokens.count(facts.cacheReadInputTokens);
    to.cache_creation_input_tokens.count(facts.cacheCreationInputTokens);
    to.cost_usd.double(facts.costUsd);
    const { inferenceCallId } = facts;
    to.inference_call_id.binary(inferenceCallId === null ? null : Buffer.from(inferenceCallId, 'hex'));
  }
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** A text in the form of a UUID may be the id of a session. */
const toUuid = (text: string | null) =>
  text !== null && UUID.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : null;

/** Noncharacter that separates two texts, so that no search matches across them. */
const BOUNDARY = '\uFFFF';
/** Characters of a span's name that are searchable. */
const MAX_SEARCHED = 1_000;

function toSearchText(span: DecodedSpan, facts: SpanFacts, serviceName: string | null): string {
  const { model, agentName, toolName, conversationId, inputPreview, outputPreview } = facts;
  const name = span.name.slice(0, MAX_SEARCHED);
  const texts = [name, serviceName, model, agentName, toolName, conversationId, inputPreview, outputPreview];
  return texts
    .filter((text) => text !== null)
    .map((text) => foldCase(text).replaceAll(BOUNDARY, '\uFFFD'))
    .join(BOUNDARY);
}

/** @returns null without events */
function eventsToJson(events: readonly SpanEvent[]): string | null {
  return events.length === 0 ? null : `[${events.map(eventToJson).join(',')}]`;
}

/**
 * Links with invalid ids are left out.
 * @returns null without links
 */
function linksToJson(links: readonly SpanLink[]): {
  readonly json: string | null;
  readonly dropped: number;
} {
  if (links.length === 0) return { json: null, dropped: 0 };
  const kept = links.filter(({ traceId, spanId }) => isTraceId(traceId) && isSpanId(spanId));
  const json = kept.length === 0 ? null : `[${kept.map(linkToJson).join(',')}]`;
  return { json, dropped: links.length - kept.length };
}

const eventToJson = ({ timeUnixNano, name, attributes, droppedAttributesCount }: SpanEvent) =>
  `{"time_unix_nano":"${timeUnixNano}","name":${toJson(name)},"attributes":${attributesToJson(attributes)},` +
  `"dropped_attributes_count":${droppedAttributesCount}}`;

const linkToJson = ({ traceId, spanId, traceState, flags, attributes, droppedAttributesCount }: SpanLink) =>
  `{"trace_id":"${hexOf(traceId)}","span_id":"${hexOf(spanId)}","trace_state":${toJson(traceState)},"flags":${flags},` +
  `"attributes":${attributesToJson(attributes)},"dropped_attributes_count":${droppedAttributesCount}}`;

const hexOf = (id: Uint8Array) => Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('hex');
