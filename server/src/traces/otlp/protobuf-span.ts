/** Reads a span with its events and links from protobuf. */

import { checkCount } from './member-count.ts';
import type { DecodedSpan, KeyValue, SpanEvent, SpanLink } from './model.ts';
import { knownKind, knownStatus } from './open-enums.ts';
import { readKeyValue } from './protobuf-values.ts';
import type { WireReader } from './wire-reader.ts';

const NO_BYTES = new Uint8Array(0);
const NOTHING: readonly never[] = [];

/** Field tags within a span: field number and wire type. */
const TRACE_ID = (1 << 3) | 2;
const SPAN_ID = (2 << 3) | 2;
const TRACE_STATE = (3 << 3) | 2;
const PARENT_SPAN_ID = (4 << 3) | 2;
const NAME = (5 << 3) | 2;
const KIND = 6 << 3;
const START_TIME = (7 << 3) | 1;
const END_TIME = (8 << 3) | 1;
const ATTRIBUTE = (9 << 3) | 2;
const DROPPED_ATTRIBUTES = 10 << 3;
const EVENT = (11 << 3) | 2;
const DROPPED_EVENTS = 12 << 3;
const LINK = (13 << 3) | 2;
const DROPPED_LINKS = 14 << 3;
const STATUS = (15 << 3) | 2;
const FLAGS = (16 << 3) | 5;

const MAX_SPAN_BYTES = 16 * 2 ** 20;

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

export function readSpan(reader: WireReader): DecodedSpan {
  const outer = reader.enter();
  reader.startCount(MAX_SPAN_BYTES);
  const attributes: KeyValue[] = [];
  const span: Draft<DecodedSpan> = {
    traceId: NO_BYTES,
    spanId: NO_BYTES,
    parentSpanId: NO_BYTES,
    traceState: '',
    flags: 0,
    name: '',
    kind: 0,
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    attributes,
    droppedAttributesCount: 0,
    events: NOTHING,
    droppedEventsCount: 0,
    links: NOTHING,
    droppedLinksCount: 0,
    statusCode: 0,
    statusMessage: '',
  };
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === ATTRIBUTE) attributes.push(readKeyValue(reader));
    else readField(reader, tag, span);
  }
  reader.leave(outer);
  return span;
}

function readField(reader: WireReader, tag: number, span: Draft<DecodedSpan>): void {
  switch (tag) {
    case TRACE_ID:
      span.traceId = reader.view8();
      break;
    case SPAN_ID:
      span.spanId = reader.view8();
      break;
    case TRACE_STATE:
      span.traceState = reader.text();
      break;
    case PARENT_SPAN_ID:
      span.parentSpanId = reader.view8();
      break;
    case NAME:
      span.name = reader.text();
      break;
    case KIND:
      span.kind = knownKind(reader.uint32());
      break;
    case START_TIME:
      span.startTimeUnixNano = reader.fixed64();
      break;
    case END_TIME:
      span.endTimeUnixNano = reader.fixed64();
      break;
    case DROPPED_ATTRIBUTES:
      span.droppedAttributesCount = reader.uint32();
      break;
    case EVENT:
      span.events = added(span.events, readEvent(reader));
      break;
    case DROPPED_EVENTS:
      span.droppedEventsCount = reader.uint32();
      break;
    case LINK:
      span.links = added(span.links, readLink(reader));
      break;
    case DROPPED_LINKS:
      span.droppedLinksCount = reader.uint32();
      break;
    case STATUS:
      readStatus(reader, span);
      break;
    case FLAGS:
      span.flags = reader.fixed32();
      break;
    default:
      reader.skip(tag, 16);
  }
}

/** Creates the list with its first item, since most spans have none. */
function added<T>(items: readonly T[], item: T): readonly T[] {
  if (items.length === 0) return [item];
  checkCount(items.length + 1);
  (items as T[]).push(item);
  return items;
}

function readEvent(reader: WireReader): SpanEvent {
  const outer = reader.enter();
  reader.countValue();
  const attributes: KeyValue[] = [];
  let timeUnixNano = 0n;
  let name = '';
  let droppedAttributesCount = 0;
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | 1)) timeUnixNano = reader.fixed64();
    else if (tag === ((2 << 3) | 2)) name = reader.text();
    else if (tag === ((3 << 3) | 2)) attributes.push(readKeyValue(reader));
    else if (tag === 4 << 3) droppedAttributesCount = reader.uint32();
    else reader.skip(tag, 4);
  }
  reader.leave(outer);
  return { timeUnixNano, name, attributes, droppedAttributesCount };
}

function readLink(reader: WireReader): SpanLink {
  const outer = reader.enter();
  reader.countValue();
  const attributes: KeyValue[] = [];
  let traceId: Uint8Array = NO_BYTES;
  let spanId: Uint8Array = NO_BYTES;
  let traceState = '';
  let droppedAttributesCount = 0;
  let flags = 0;
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | 2)) traceId = reader.view8();
    else if (tag === ((2 << 3) | 2)) spanId = reader.view8();
    else if (tag === ((3 << 3) | 2)) traceState = reader.text();
    else if (tag === ((4 << 3) | 2)) attributes.push(readKeyValue(reader));
    else if (tag === 5 << 3) droppedAttributesCount = reader.uint32();
    else if (tag === ((6 << 3) | 5)) flags = reader.fixed32();
    else reader.skip(tag, 6);
  }
  reader.leave(outer);
  return { traceId, spanId, traceState, flags, attributes, droppedAttributesCount };
}

/** Field 1 of a status predates the stable OTLP and is ignored. */
function readStatus(reader: WireReader, span: Draft<DecodedSpan>): void {
  const outer = reader.enter();
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === ((2 << 3) | 2)) span.statusMessage = reader.text();
    else if (tag === 3 << 3) span.statusCode = knownStatus(reader.uint32());
    else reader.skip(tag, 3, 2);
  }
  reader.leave(outer);
}
