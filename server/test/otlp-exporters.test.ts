/** The exporters of the OpenTelemetry SDK for JavaScript, as programs use them, against a listening server. */
import { once } from 'node:events';
import http from 'node:http';
import { DiagLogLevel, diag, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { addOrganization } from './other-organization.ts';
import { until } from './processes.ts';
import { EVERY_TYPE_STORED, exportSpans, REMOTE_PARENT, recordSpans } from './recorded-spans.ts';
import { readSpans, type StoredSpan } from './stored-spans.ts';

const server = await startTestServer();
const { owner } = server;
const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

type Settings = NonNullable<ConstructorParameters<typeof ProtobufExporter>[0]>;

const exporters: SpanExporter[] = [];
afterAll(() => Promise.all(exporters.map((exporter) => exporter.shutdown())));

function open(Exporter: typeof JsonExporter | typeof ProtobufExporter, path: string, more: Settings = {}) {
  const exporter = new Exporter({
    url: `${url}/api/v1/org/${path}`,
    headers: { authorization: `Bearer ${owner.key}` },
    ...more,
  });
  exporters.push(exporter);
  return exporter;
}

/** The enum of compressions is in a package that nothing else here needs. */
const gzip = { compression: 'gzip' as NonNullable<Settings['compression']> };

const WAYS = [
  ['protobuf', ProtobufExporter, 'otel/traces', {}],
  ['json', JsonExporter, 'otel/traces', {}],
  ['protobuf-gzip', ProtobufExporter, 'otel/v1/traces', gzip],
  ['json-gzip', JsonExporter, 'otel/v1/traces', gzip],
] as const;

/** Log messages of the exporters. */
const output: string[] = [];
const listen = (message: string, ...more: unknown[]) => void output.push([message, ...more].join(' '));
diag.setLogger(
  { error: listen, warn: listen, info: listen, debug: listen, verbose: listen },
  DiagLogLevel.ALL,
);

describe('spans of the JavaScript SDK', async () => {
  const spans = await recordSpans();
  const stored: Record<string, StoredSpan[]> = {};
  for (const [org, Exporter, path, more] of WAYS) {
    const organizationId = await addOrganization(server, owner, org);
    expect(await exportSpans(open(Exporter, `${org}/${path}`, more), spans)).toBeUndefined();
    stored[org] = await readSpans(server.db, organizationId);
  }
  const find = (name: string) => stored['protobuf']?.find((row) => row['name'] === name);

  test.each(WAYS)('give the same rows through %s', (org) => {
    expect(stored[org]).toHaveLength(spans.length);
    expect(stored[org]).toEqual(stored['protobuf']);
  });

  test('keep attributes of every type, events, links, status, times and their origin', () => {
    const [span] = spans;
    expect(find('everything')).toMatchObject({
      trace_id: `\\x${REMOTE_PARENT.traceId}`,
      span_id: `\\x${span?.spanContext().spanId}`,
      parent_span_id: `\\x${REMOTE_PARENT.spanId}`,
      trace_state: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
      flags: 0x301,
      kind: 2,
      status_code: 2,
      status_message: 'The card was refused.',
      start_time: '2026-09-21T14:13:20.123456+00:00',
      start_ns: 789,
      end_time: '2026-09-21T14:13:20.987654+00:00',
      end_ns: 321,
      attributes: `{${EVERY_TYPE_STORED}}`,
      service_name: 'checkout',
      user_id: owner.id,
    });
  });

  test('keep complete events and links', () => {
    const { events, links } = find('everything') ?? {};
    expect(events).toBe(
      '[{"time_unix_nano":"1790000000200000001","name":"first",' +
        '"attributes":{"text":"ü","integer":1,"double":0.5,"flag":true,"list":["a","b"]},"dropped_attributes_count":0},' +
        '{"time_unix_nano":"1790000000200000002","name":"without attributes","attributes":{},"dropped_attributes_count":0}]',
    );
    expect(links).toBe(
      `[{"trace_id":"${REMOTE_PARENT.traceId}","span_id":"${REMOTE_PARENT.spanId}",` +
        '"trace_state":"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE","flags":769,' +
        `"attributes":{${EVERY_TYPE_STORED}},"dropped_attributes_count":0},` +
        `{"trace_id":"${'1'.repeat(32)}","span_id":"${'2'.repeat(16)}","trace_state":"","flags":256,` +
        '"attributes":{},"dropped_attributes_count":0}]',
    );
  });

  test('keep resources and scopes', () => {
    expect(JSON.parse(String(find('everything')?.['resource']))).toEqual({
      attributes: {
        'service.name': 'checkout',
        'process.pid': 4711,
        'process.uptime': 1.5,
        'process.command_args': ['node', 'main.js'],
        'feature.on': true,
      },
      dropped_attributes_count: 0,
      schema_url: 'https://opentelemetry.io/schemas/1.30.0',
    });
    expect(JSON.parse(String(find('everything')?.['scope']))).toEqual({
      name: 'checkout',
      version: '1.2.3',
      attributes: {},
      dropped_attributes_count: 0,
      schema_url: 'https://example.com/schema',
    });
    expect(JSON.parse(String(find('losses')?.['scope']))).toMatchObject({ name: '', version: '' });
  });

  test('have every kind and status, and parents', () => {
    const kinds = [0, 1, 2, 3, 4].map((kind) => find(`kind ${kind}`));
    expect(kinds.map((row) => row?.['kind'])).toEqual([1, 2, 3, 4, 5]);
    expect(kinds.map((row) => row?.['status_code'])).toEqual([0, 2, 1, 2, 1]);
    expect(kinds.map((row) => row?.['parent_span_id'])).toEqual([
      null,
      ...kinds.slice(0, -1).map((row) => row?.['span_id']),
    ]);
    expect(new Set(kinds.map((row) => row?.['trace_id'])).size).toBe(1);
  });

  test('report what the SDK has dropped', () => {
    expect(find('losses')).toMatchObject({
      attributes: '{"a":1,"b":2}',
      dropped_attributes_count: 3,
      dropped_events_count: 2,
      dropped_links_count: 1,
    });
  });

  test('are read back unchanged', async () => {
    const path = `/org/json/ws/main/traces/${REMOTE_PARENT.traceId}/spans?parent=root`;
    const { body } = await server.as(owner).get(path);
    expect(body).toMatchObject({
      items: [
        {
          name: 'everything',
          kind: 'server',
          parent_span_id: REMOTE_PARENT.spanId,
          status: { code: 'error', message: 'The card was refused.' },
          start_time_unix_nano: '1790000000123456789',
          end_time_unix_nano: '1790000000987654321',
          attributes: JSON.parse(`{${EVERY_TYPE_STORED}}`),
          events: [{ name: 'first' }, { name: 'without attributes' }],
          links: [{ attributes: JSON.parse(`{${EVERY_TYPE_STORED}}`) }, { trace_id: '1'.repeat(32) }],
          resource: { attributes: { 'process.pid': 4711 } },
          scope: { name: 'checkout', version: '1.2.3' },
        },
      ],
      next_cursor: null,
    });
  });

  test('are stored once when they are sent again', async () => {
    const again = await addOrganization(server, owner, 'again');
    for (const [, Exporter, path, more] of WAYS)
      expect(await exportSpans(open(Exporter, `again/${path}`, more), spans)).toBeUndefined();
    expect(await readSpans(server.db, again)).toEqual(stored['protobuf']);
    const { body } = await server.as(owner).get('/org/again/ws/main/traces?search=kind');
    expect(body).toMatchObject({ traces: [{ span_count: 5, error_count: 2 }], total: 1 });
  });
});

test('lose values that JSON cannot express in the JSON exporter only', async () => {
  const attributes = { none: Number.NaN, most: Number.POSITIVE_INFINITY, least: Number.NEGATIVE_INFINITY };
  const found: unknown[] = [];
  for (const [org, Exporter] of [
    ['odd-protobuf', ProtobufExporter],
    ['odd-json', JsonExporter],
  ] as const) {
    const organizationId = await addOrganization(server, owner, org);
    const exporter = open(Exporter, `${org}/otel/traces`);
    const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
    provider.getTracer('odd').startSpan('odd', { attributes }).end();
    await provider.forceFlush();
    const [row] = await readSpans(server.db, organizationId);
    found.push(row?.['attributes']);
  }
  expect(found).toEqual([
    '{"none":{"doubleValue":"NaN"},"most":{"doubleValue":"Infinity"},"least":{"doubleValue":"-Infinity"}}',
    '{"none":null,"most":null,"least":null}',
  ]);
});

test.each([
  ['protobuf', ProtobufExporter],
  ['json', JsonExporter],
] as const)('a long trace arrives batch by batch through %s', async (way, Exporter) => {
  const resource = resourceFromAttributes({ 'service.name': 'batches', 'drydock.project': 'default' });
  const exporter = open(Exporter, 'main/otel/traces', gzip);
  const spanProcessors = [new BatchSpanProcessor({ exporter, maxQueueSize: 5_000 })];
  const provider = new TracerProvider({ resource, spanProcessors });
  const tracer = provider.getTracer('batches');
  const root = tracer.startSpan('batches');
  const below = trace.setSpan(ROOT_CONTEXT, root);
  for (let number = 0; number < 2_999; number++) tracer.startSpan(`${way} ${number}`, {}, below).end();
  root.end();
  await provider.shutdown();
  const path = `/org/main/ws/main/traces/${root.spanContext().traceId}`;
  const { body } = await server.as(owner).get(path);
  expect(body).toMatchObject({ name: 'batches', span_count: 3_000, project_ids: [expect.any(String)] });
});

test.each([
  ['protobuf', ProtobufExporter],
  ['json', JsonExporter],
] as const)(
  'the exporter for %s reports refused spans and treats them as delivered',
  async (_way, Exporter) => {
    const spans = await recordSpans();
    const [first, ...others] = spans.map((span) =>
      span.name === 'losses'
        ? Object.assign(Object.create(span) as typeof span, {
            resource: resourceFromAttributes({ 'drydock.workspace': 'nowhere' }),
          })
        : span,
    );
    output.length = 0;
    const exporter = open(Exporter, 'main/otel/traces');
    expect(await exportSpans(exporter, [...(first ? [first] : []), ...others])).toBeUndefined();
    const warning = output.find((line) => line.startsWith('Received Partial Success'));
    expect(warning).toMatch(/"rejectedSpans":"?1\b/);
    expect(warning).toContain('nowhere');
  },
);

/**
 * Occupies memory budget with a body that never arrives.
 * @returns a function that releases it
 */
async function holdBack(mebibytes: number): Promise<() => void> {
  const request = http.request(`${url}/api/v1/org/main/otel/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.key}`,
      'content-type': 'application/json',
      'content-length': mebibytes * 1024 * 1024,
      expect: '100-continue',
    },
  });
  request.on('error', () => undefined); // released
  request.flushHeaders();
  await once(request, 'continue'); // the request is accepted
  return () => void request.destroy();
}

test.each([
  ['protobuf', ProtobufExporter],
  ['json', JsonExporter],
] as const)('the exporter for %s waits for Retry-After and delivers', async (way, Exporter) => {
  const letGo = [await holdBack(16), await holdBack(8)];
  output.length = 0;
  const spans = await recordSpans();
  const exporter = open(Exporter, 'main/otel/traces', { timeoutMillis: 20_000 });
  const delivery = exportSpans(exporter, spans);
  await until('it waits', () => output.some((line) => /^Scheduling export retry in [1-9]000ms/.test(line)));
  for (const leave of letGo) leave();
  expect(await delivery, way).toBeUndefined();
  const traceId = spans.find(({ name }) => name === 'losses')?.spanContext().traceId;
  const { body } = await server.as(owner).get(`/org/main/ws/main/traces/${traceId}`);
  expect(body).toMatchObject({ name: 'losses', span_count: 1 });
});

test('a key without permission to send gets an error that says so', async () => {
  const reader = await server.addPerson('reader', { role: 'member', scopes: ['traces:read'] });
  const exporter = open(ProtobufExporter, 'main/otel/traces', {
    headers: { authorization: `Bearer ${reader.key}` },
  });
  expect(await exportSpans(exporter, await recordSpans())).toMatchObject({ code: 403 });
});
