/** Converts events and links of a span to the JSON that is stored. */
import type { SpanEvent, SpanLink } from '../otlp/model.ts';
import { attributesToJson, toJson } from '../otlp/value-json.ts';
import { isSpanId, isTraceId } from './span-ids.ts';

/** @returns null without events */
export function eventsToJson(events: readonly SpanEvent[]): string | null {
  return events.length === 0 ? null : `[${events.map(eventToJson).join(',')}]`;
}

/**
 * Links with invalid ids are left out.
 * @returns null without links
 */
export function linksToJson(links: readonly SpanLink[]): {
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
