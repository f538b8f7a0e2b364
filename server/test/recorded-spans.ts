/** Spans recorded with the OpenTelemetry SDK for JavaScript: of every kind, with all its features. */
import {
  type Attributes,
  createTraceState,
  type HrTime,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

const SECOND = 1_790_000_000;
const at = (nanoseconds: number): HrTime => [SECOND, nanoseconds];

export const EVERY_TYPE: Attributes = {
  text: 'Grüße, 世界 🌍',
  'empty text': '',
  'text with a NUL and half a pair': 'a\0b\ud800c',
  integer: 42,
  negative: -7,
  zero: 0,
  'largest integer': Number.MAX_SAFE_INTEGER,
  'smallest integer': Number.MIN_SAFE_INTEGER,
  double: 0.1,
  'small double': 5e-324,
  'negative double': -1234.5678,
  yes: true,
  no: false,
  bytes: new Uint8Array([0, 1, 127, 128, 255]),
  'no bytes': new Uint8Array(0),
  nothing: null,
  texts: ['a', '', 'ü'],
  integers: [1, -2, 3],
  doubles: [1.5, -2.25],
  flags: [true, false],
  empty: [],
  mixed: ['a', 1, 2.5, null, true, new Uint8Array([7]), ['inner', []], { key: 'value' }],
  nested: {
    list: [{ deep: { deeper: [1, { deepest: 'yes' }] } }],
    'empty list': [],
    'empty map': {},
    flag: false,
  },
  // Looks like the encoding of a value that JSON cannot express.
  'like ours': { bytesValue: 'AAE=' },
};

/** Their stored text. */
export const EVERY_TYPE_STORED = [
  '"text":"Grüße, 世界 🌍"',
  '"empty text":""',
  '"text with a NUL and half a pair":"a\ufffdb\ufffdc"',
  '"integer":42',
  '"negative":-7',
  '"zero":0',
  '"largest integer":9007199254740991',
  '"smallest integer":-9007199254740991',
  '"double":0.1',
  '"small double":5e-324',
  '"negative double":-1234.5678',
  '"yes":true',
  '"no":false',
  '"bytes":{"bytesValue":"AAF/gP8="}',
  '"no bytes":{"bytesValue":""}',
  '"nothing":null',
  '"texts":["a","","ü"]',
  '"integers":[1,-2,3]',
  '"doubles":[1.5,-2.25]',
  '"flags":[true,false]',
  '"empty":[]',
  '"mixed":["a",1,2.5,null,true,{"bytesValue":"Bw=="},["inner",[]],{"key":"value"}]',
  '"nested":{"list":[{"deep":{"deeper":[1,{"deepest":"yes"}]}}],"empty list":[],"empty map":{},"flag":false}',
  '"like ours":{"kvlistValue":{"bytesValue":"AAE="}}',
].join(',');

export const REMOTE_PARENT: SpanContext = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
  traceState: createTraceState('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'),
};

const LINKS: Link[] = [
  { context: REMOTE_PARENT, attributes: EVERY_TYPE },
  { context: { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: TraceFlags.NONE } },
];

const KINDS = [SpanKind.INTERNAL, SpanKind.SERVER, SpanKind.CLIENT, SpanKind.PRODUCER, SpanKind.CONSUMER];

/** Records spans of two resources, with two scopes each. */
export async function recordSpans(): Promise<ReadableSpan[]> {
  const resource = {
    'service.name': 'checkout',
    'process.pid': 4711,
    'process.uptime': 1.5,
    'process.command_args': ['node', 'main.js'],
    'feature.on': true,
  };
  const options = { schemaUrl: 'https://opentelemetry.io/schemas/1.30.0' };
  return [
    ...(await recordOf(
      (provider) => {
        recordEverything(provider);
        recordKinds(provider);
      },
      resourceFromAttributes(resource, options),
    )),
    ...(await recordOf(recordLosses, resourceFromAttributes({}), {
      attributeCountLimit: 2,
      eventCountLimit: 1,
      linkCountLimit: 1,
    })),
  ];
}

async function recordOf(
  record: (provider: TracerProvider) => void,
  resource: ReturnType<typeof resourceFromAttributes>,
  spanLimits = {},
): Promise<ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const provider = new TracerProvider({ resource, spanProcessors, spanLimits });
  record(provider);
  await provider.forceFlush();
  return exporter.getFinishedSpans();
}

function recordEverything(provider: TracerProvider): void {
  const tracer = provider.getTracer('checkout', '1.2.3', { schemaUrl: 'https://example.com/schema' });
  const parent = trace.setSpanContext(ROOT_CONTEXT, REMOTE_PARENT);
  const options = { kind: SpanKind.SERVER, attributes: EVERY_TYPE, links: LINKS, startTime: at(123_456_789) };
  const span = tracer.startSpan('everything', options, parent);
  span.addEvent(
    'first',
    { text: 'ü', integer: 1, double: 0.5, flag: true, list: ['a', 'b'] },
    at(200_000_001),
  );
  span.addEvent('without attributes', at(200_000_002));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'The card was refused.' });
  span.end(at(987_654_321));
}

/** Records spans of every kind and status, with parents. */
function recordKinds(provider: TracerProvider): void {
  const tracer = provider.getTracer('kinds');
  let context = ROOT_CONTEXT;
  for (const [number, kind] of KINDS.entries()) {
    const span = tracer.startSpan(`kind ${kind}`, { kind, startTime: at(kind) }, context);
    if (number > 0) span.setStatus({ code: number % 2 === 0 ? SpanStatusCode.OK : SpanStatusCode.ERROR });
    span.end(at(kind + 1_000_000));
    context = trace.setSpan(context, span);
  }
}

/** Records spans with attributes that the SDK drops and counts. */
function recordLosses(provider: TracerProvider): void {
  const attributes = { a: 1, b: 2, c: 3, d: 4, e: 5 };
  const span = provider.getTracer('').startSpan('losses', { attributes, links: LINKS, startTime: at(1) });
  for (const name of ['x', 'y', 'z']) span.addEvent(name, { a: 1 }, at(2));
  span.end(at(3));
}

/** @returns what went wrong, or nothing */
export function exportSpans(
  exporter: SpanExporter,
  spans: readonly ReadableSpan[],
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    exporter.export([...spans], ({ error }) => resolve(error));
  });
}
