/** Builds spans as the decoders return them, from plain values. */
import { type AnyValue, type DecodedSpan, KeyValueList, type SpanSource } from '../src/traces/otlp/model.ts';

export type Plain = AnyValue | readonly Plain[] | { readonly [key: string]: Plain };

export type Attributes = Readonly<Record<string, Plain>>;

export interface PlainSpan {
  readonly attributes?: Attributes;
  readonly events?: readonly { readonly name: string; readonly attributes: Attributes }[];
}

export const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));

/** Objects without a class become lists of keys and values. */
function toAnyValue(value: Plain): AnyValue {
  if (Array.isArray(value)) return value.map((item: Plain) => toAnyValue(item));
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype
    ? new KeyValueList(keyValues(value as Attributes))
    : (value as AnyValue);
}

export const decodedSpan = ({ attributes = {}, events = [] }: PlainSpan = {}): DecodedSpan => ({
  traceId: new Uint8Array(16).fill(1),
  spanId: new Uint8Array(8).fill(2),
  parentSpanId: new Uint8Array(0),
  traceState: '',
  flags: 1,
  name: 'chat',
  kind: 3,
  startTimeUnixNano: 1_760_000_000_000_000_000n,
  endTimeUnixNano: 1_760_000_001_000_000_000n,
  attributes: keyValues(attributes),
  droppedAttributesCount: 0,
  events: events.map((event) => ({
    timeUnixNano: 1_760_000_000_500_000_000n,
    name: event.name,
    attributes: keyValues(event.attributes),
    droppedAttributesCount: 0,
  })),
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  statusCode: 0,
  statusMessage: '',
});

export const spanSource = (attributes: Attributes = { 'service.name': 'agent' }): SpanSource => ({
  resource: { attributes: keyValues(attributes), droppedAttributesCount: 0, schemaUrl: '' },
  scope: { name: 'test', version: '', attributes: [], droppedAttributesCount: 0, schemaUrl: '' },
});
