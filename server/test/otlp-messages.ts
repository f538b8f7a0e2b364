/** Batches of spans as exporters send them, in both encodings, written without any code of the decoders. */
import {
  type AnyValue,
  type DecodedSpan,
  Double,
  type KeyValue,
  KeyValueList,
  type SpanEvent,
  type SpanLink,
  type SpanSource,
} from '../src/traces/otlp/model.ts';

export interface SpanBatch {
  readonly source: SpanSource;
  readonly spans: readonly DecodedSpan[];
}

export const makeSource = (
  attributes: readonly KeyValue[] = [{ key: 'service.name', value: 'agent' }],
  scope: Partial<SpanSource['scope']> = {},
): SpanSource => ({
  resource: { attributes, droppedAttributesCount: 0, schemaUrl: '' },
  scope: { name: 'tests', version: '1', attributes: [], droppedAttributesCount: 0, schemaUrl: '', ...scope },
});

/** Creates a span of one second, with ids derived from `index`. */
export function makeSpan(index: number, fields: Partial<DecodedSpan> = {}): DecodedSpan {
  const id = (index + 1).toString(16);
  const startTimeUnixNano = 1_790_000_000_000_000_001n + BigInt(index) * 1_000_000n;
  return {
    traceId: hexBytes(id.padStart(32, '0')),
    spanId: hexBytes(id.padStart(16, '0')),
    parentSpanId: new Uint8Array(0),
    traceState: '',
    flags: 0,
    name: `span ${index}`,
    kind: 1,
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano + 1_000_000_000n,
    attributes: [],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    statusCode: 0,
    statusMessage: '',
    ...fields,
  };
}

/** Attributes from an object: a number that is not an integer becomes a double. */
export const attributesOf = (values: Readonly<Record<string, AnyValue>>): KeyValue[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' && !Number.isSafeInteger(value) ? new Double(value) : value,
  }));

/** A typical model call: about 1.2 KB in protobuf. */
export function makeChatSpan(index: number, fields: Partial<DecodedSpan> = {}): DecodedSpan {
  const question = `What does the log of build ${index} say about the failing step, and what would you try next?`;
  const reply = `Step ${index % 17} failed because the cache was stale; clearing it and running it again is worth a try, before anything else.`;
  const attributes = attributesOf({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
    'gen_ai.response.id': `chatcmpl-${index.toString(36).padStart(29, 'x')}`,
    'gen_ai.conversation.id': `00000000-0000-4000-8000-${(index % 1000).toString().padStart(12, '0')}`,
    'gen_ai.request.temperature': 0.7,
    'gen_ai.request.max_tokens': 1024,
    'gen_ai.usage.input_tokens': 420 + (index % 50),
    'gen_ai.usage.output_tokens': 96,
    'gen_ai.response.finish_reasons': ['stop'],
    'server.address': 'api.openai.com',
    'server.port': 443,
    'gen_ai.input.messages': JSON.stringify([
      {
        role: 'system',
        parts: [
          {
            type: 'text',
            content:
              'You look after the builds of a team. Answer in a few sentences, and name the files that you mean.',
          },
        ],
      },
      { role: 'user', parts: [{ type: 'text', content: question }] },
    ]),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'text', content: reply }], finish_reason: 'stop' },
    ]),
  });
  return makeSpan(index, { name: 'chat gpt-4o-mini', kind: 3, attributes, ...fields });
}

export const hexBytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

// The protobuf encoding.

export const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
};

export const varintField = (number: number, value: number | bigint) =>
  Buffer.concat([varint(number * 8), varint(value)]);

export const bytesField = (number: number, content: Uint8Array | string) => {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};

export function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

export function fixed32Field(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return Buffer.concat([varint(number * 8 + 5), bytes]);
}

const NOTHING = Buffer.alloc(0);
const text = (number: number, value: string) => (value === '' ? NOTHING : bytesField(number, value));
const id = (number: number, value: Uint8Array) => (value.length === 0 ? NOTHING : bytesField(number, value));
const count = (number: number, value: number) => (value === 0 ? NOTHING : varintField(number, value));

export function encodeProtobuf(batches: readonly SpanBatch[]): Buffer {
  return Buffer.concat(batches.map((batch) => bytesField(1, resourceSpans(batch))));
}

function resourceSpans({ source: { resource, scope }, spans }: SpanBatch): Buffer {
  const described = Buffer.concat([
    ...keyValues(1, resource.attributes),
    count(2, resource.droppedAttributesCount),
  ]);
  const scoped = Buffer.concat([
    text(1, scope.name),
    text(2, scope.version),
    ...keyValues(3, scope.attributes),
    count(4, scope.droppedAttributesCount),
  ]);
  const inScope = [
    bytesField(1, scoped),
    ...spans.map((span) => bytesField(2, encodeSpan(span))),
    text(3, scope.schemaUrl),
  ];
  return Buffer.concat([
    bytesField(1, described),
    bytesField(2, Buffer.concat(inScope)),
    text(3, resource.schemaUrl),
  ]);
}

export function encodeSpan(span: DecodedSpan): Buffer {
  const status = Buffer.concat([text(2, span.statusMessage), count(3, span.statusCode)]);
  return Buffer.concat([
    id(1, span.traceId),
    id(2, span.spanId),
    text(3, span.traceState),
    id(4, span.parentSpanId),
    text(5, span.name),
    count(6, span.kind),
    fixed64Field(7, span.startTimeUnixNano),
    fixed64Field(8, span.endTimeUnixNano),
    ...keyValues(9, span.attributes),
    count(10, span.droppedAttributesCount),
    ...span.events.map((event) => bytesField(11, encodeEvent(event))),
    count(12, span.droppedEventsCount),
    ...span.links.map((link) => bytesField(13, encodeLink(link))),
    count(14, span.droppedLinksCount),
    status.length === 0 ? NOTHING : bytesField(15, status),
    span.flags === 0 ? NOTHING : fixed32Field(16, span.flags),
  ]);
}

function encodeEvent(event: SpanEvent): Buffer {
  return Buffer.concat([
    fixed64Field(1, event.timeUnixNano),
    text(2, event.name),
    ...keyValues(3, event.attributes),
    count(4, event.droppedAttributesCount),
  ]);
}

function encodeLink(link: SpanLink): Buffer {
  return Buffer.concat([
    id(1, link.traceId),
    id(2, link.spanId),
    text(3, link.traceState),
    ...keyValues(4, link.attributes),
    count(5, link.droppedAttributesCount),
    link.flags === 0 ? NOTHING : fixed32Field(6, link.flags),
  ]);
}

const keyValues = (number: number, attributes: readonly KeyValue[]) =>
  attributes.map(({ key, value }) =>
    bytesField(number, Buffer.concat([bytesField(1, key), bytesField(2, encodeValue(value))])),
  );

export function encodeValue(value: AnyValue): Buffer {
  if (value === null) return NOTHING;
  if (typeof value === 'string') return bytesField(1, value);
  if (typeof value === 'boolean') return varintField(2, value ? 1 : 0);
  if (typeof value === 'number' || typeof value === 'bigint') return varintField(3, value);
  if (value instanceof Double) return doubleField(4, value.value);
  if (value instanceof Uint8Array) return bytesField(7, value);
  if (value instanceof KeyValueList) return bytesField(6, Buffer.concat(keyValues(1, value.entries)));
  return bytesField(5, Buffer.concat(value.map((item) => bytesField(1, encodeValue(item)))));
}

// The JSON encoding.

export function encodeJson(batches: readonly SpanBatch[]): Buffer {
  return Buffer.from(JSON.stringify(toDocument(batches)));
}

/** The document before serialization, in which a test can break something. */
export function toDocument(batches: readonly SpanBatch[]) {
  return {
    resourceSpans: batches.map(({ source: { resource, scope }, spans }) => ({
      resource: {
        attributes: jsonAttributes(resource.attributes),
        droppedAttributesCount: resource.droppedAttributesCount,
      },
      scopeSpans: [
        {
          scope: {
            name: scope.name,
            version: scope.version,
            attributes: jsonAttributes(scope.attributes),
            droppedAttributesCount: scope.droppedAttributesCount,
          },
          spans: spans.map(jsonSpan),
          schemaUrl: scope.schemaUrl,
        },
      ],
      schemaUrl: resource.schemaUrl,
    })),
  };
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const jsonSpan = (span: DecodedSpan) => ({
  traceId: hex(span.traceId),
  spanId: hex(span.spanId),
  traceState: span.traceState,
  parentSpanId: hex(span.parentSpanId),
  flags: span.flags,
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: span.startTimeUnixNano.toString(),
  endTimeUnixNano: span.endTimeUnixNano.toString(),
  attributes: jsonAttributes(span.attributes),
  droppedAttributesCount: span.droppedAttributesCount,
  events: span.events.map((event) => ({
    timeUnixNano: event.timeUnixNano.toString(),
    name: event.name,
    attributes: jsonAttributes(event.attributes),
    droppedAttributesCount: event.droppedAttributesCount,
  })),
  droppedEventsCount: span.droppedEventsCount,
  links: span.links.map((link) => ({
    traceId: hex(link.traceId),
    spanId: hex(link.spanId),
    traceState: link.traceState,
    flags: link.flags,
    attributes: jsonAttributes(link.attributes),
    droppedAttributesCount: link.droppedAttributesCount,
  })),
  droppedLinksCount: span.droppedLinksCount,
  status: { code: span.statusCode, message: span.statusMessage },
});

const jsonAttributes = (attributes: readonly KeyValue[]) =>
  attributes.map(({ key, value }) => ({ key, value: jsonValue(value) }));

function jsonValue(value: AnyValue): object {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { intValue: value.toString() };
  if (value instanceof Double) return { doubleValue: jsonDouble(value.value) };
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') };
  if (value instanceof KeyValueList) return { kvlistValue: { values: jsonAttributes(value.entries) } };
  return { arrayValue: { values: value.map(jsonValue) } };
}

/** JSON cannot express some doubles, and `JSON.stringify` loses one more. */
const jsonDouble = (value: number) =>
  Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value);
