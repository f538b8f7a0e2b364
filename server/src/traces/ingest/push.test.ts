import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import {
  bytesField,
  encodeJson,
  encodeProtobuf,
  makeChatSpan,
  makeSource,
  makeSpan,
  varintField,
} from '../../../test/otlp-messages.ts';
import {
  countStored,
  deleteSpans,
  JSON_TYPE,
  listStored,
  PROTOBUF,
  push,
  pushJson,
  pushProtobuf,
  spansOf,
} from '../../../test/span-senders.ts';

const server = await startTestServer();
const batch = [spansOf(3)];
const MEBIBYTE = 1024 * 1024;

beforeEach(() => deleteSpans(server));

describe('pushTraces', () => {
  test.each([
    ['application/x-protobuf', encodeProtobuf(batch), ''],
    ['application/protobuf', encodeProtobuf(batch), ''],
    ['application/json', encodeJson(batch), '{}\n'],
    ['Application/JSON; charset=utf-8', encodeJson(batch), '{}\n'],
  ])('stores spans sent as %s and responds in the same encoding', async (type, body, responseText) => {
    const pushed = await push(server, body, { 'content-type': type });
    expect(pushed).toMatchObject({ status: 200, bytes: Buffer.from(responseText) });
    expect(String(pushed.headers['content-type']).split(';')[0]).toBe(type.split(';')[0]?.toLowerCase());
    expect(pushed.headers['x-request-id']).toBeDefined();
    const stored = (await listStored(server)).map((span) => Object.values(span));
    expect(stored).toEqual([0, 1, 2].map((index) => [`span ${index}`, 'main', null, 'owner']));
  });

  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['zstd', zstdCompressSync],
    ['identity', (bytes: Buffer) => bytes],
    ['none', (bytes: Buffer) => bytes],
    ['', (bytes: Buffer) => bytes],
  ])('unpacks the content encoding "%s" for every content type', async (encoding, pack) => {
    const header = { 'content-encoding': encoding };
    expect(await push(server, pack(encodeJson([spansOf(2)])), { ...JSON_TYPE, ...header })).toMatchObject({
      status: 200,
      body: {},
    });
    const rest = pack(encodeProtobuf([spansOf(2, {}, 2)]));
    expect(await push(server, rest, { ...PROTOBUF, ...header })).toMatchObject({ status: 200 });
    expect(await countStored(server)).toBe(4);
  });

  test('accepts spans at the standard OTLP path', async () => {
    const path = '/org/main/otel/v1/traces';
    expect(await pushProtobuf(server, batch, { path })).toMatchObject({ status: 200 });
    expect(await countStored(server)).toBe(3);
    expect(await pushProtobuf(server, batch, { path, who: 'nonsense' })).toMatchObject({ status: 401 });
    expect(Object.keys(server.app.swagger().paths ?? {}).filter((name) => name.includes('/otel/'))).toEqual([
      '/api/v1/org/{org}/otel/traces',
    ]);
  });

  test('stores repeated spans once, even when both requests arrive concurrently', async () => {
    const responses = await Promise.all([
      pushProtobuf(server, batch),
      pushJson(server, batch),
      pushProtobuf(server, [spansOf(5)]),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await pushProtobuf(server, batch)).toMatchObject({ status: 200 });
    expect(await countStored(server)).toBe(5);
  });

  test('accepts a request without spans', async () => {
    for (const body of ['', encodeProtobuf([spansOf(0)])])
      expect(await push(server, body)).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    for (const body of ['{}', '{"resourceSpans":[]}', '{"resourceSpans":null}'])
      expect(await push(server, body, JSON_TYPE)).toMatchObject({ status: 200, body: {} });
  });

  test('accepts a hundred thousand spans in one request', async () => {
    const many = [{ source: makeSource(), spans: Array.from({ length: 100_000 }, (_, at) => makeSpan(at)) }];
    const body = gzipSync(encodeProtobuf(many), { level: 1 });
    expect(await push(server, body, { ...PROTOBUF, 'content-encoding': 'gzip' })).toMatchObject({
      status: 200,
    });
    expect(await countStored(server)).toBe(100_000);
  });

  test('stores the spans of many concurrent clients', async () => {
    const senders = Array.from({ length: 60 }, (_, sender) => async () => {
      const spans = Array.from({ length: 40 }, (_, at) => makeChatSpan(sender * 40 + at));
      const send = sender % 2 ? pushJson : pushProtobuf;
      return send(server, [{ source: makeSource(), spans }]);
    });
    const responses = await Promise.all(senders.map((send) => send()));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await countStored(server)).toBe(2_400);
  });
});

describe('partial success of pushTraces', () => {
  const zero = new Uint8Array(16);
  const bad = [
    makeSpan(1, { traceId: zero }),
    makeSpan(2, { traceId: zero.subarray(0, 15) }),
    makeSpan(3, { spanId: zero.subarray(0, 8) }),
    makeSpan(4, { spanId: new Uint8Array(0) }),
    makeSpan(5, { parentSpanId: new Uint8Array([1, 2]) }),
  ];
  const mixed = [
    {
      source: makeSource(),
      spans: [makeSpan(0), ...bad, makeSpan(6, { parentSpanId: zero.subarray(0, 8) })],
    },
  ];

  test('reports the count and the reasons in the encoding of the request, and stores the rest', async () => {
    const inJson = await pushJson(server, mixed);
    expect(inJson).toMatchObject({
      status: 200,
      body: { partialSuccess: { rejectedSpans: '5', errorMessage: expect.stringContaining('16 bytes') } },
    });
    const { errorMessage } = inJson.body.partialSuccess;
    const inProtobuf = await pushProtobuf(server, mixed);
    const expected = bytesField(1, Buffer.concat([varintField(1, 5), bytesField(2, errorMessage)]));
    expect(inProtobuf).toMatchObject({ status: 200, bytes: expected });
    expect((await listStored(server)).map(({ name }) => name)).toEqual(['span 0', 'span 6']);
  });

  test('is a success even when every span is rejected', async () => {
    expect(await pushJson(server, [{ source: makeSource(), spans: bad }])).toMatchObject({
      status: 200,
      body: { partialSuccess: { rejectedSpans: '5' } },
    });
    expect(await countStored(server)).toBe(0);
  });
});

describe('invalid requests of pushTraces', () => {
  const good = encodeProtobuf(batch);
  const gzip = { 'content-encoding': 'gzip' };
  const bomb = (mebibytes: number) => gzipSync(Buffer.alloc(mebibytes * MEBIBYTE, ' '));
  const nested = `{"resourceSpans":${'['.repeat(70)}${']'.repeat(70)}}`;

  test.each([
    [
      'with another type',
      good,
      { 'content-type': 'text/plain' },
      /application\/x-protobuf or application\/protobuf or/,
    ],
    ['without a type', good, { 'content-type': '' }, /application\/json/],
    ['in an unknown encoding', good, { ...PROTOBUF, 'content-encoding': 'br' }, /"br".*gzip/],
    ['in two encodings', good, { ...PROTOBUF, 'content-encoding': 'gzip, gzip' }, /gzip, gzip/],
    ['that does not match its encoding', good, { ...PROTOBUF, ...gzip }, /gzip/],
    ['with truncated compression', gzipSync(good).subarray(0, -9), { ...PROTOBUF, ...gzip }, /ends before/],
    ['in truncated protobuf', good.subarray(0, -1), PROTOBUF, /./],
    ['in truncated JSON', encodeJson(batch).subarray(0, -1), JSON_TYPE, /./],
    ['in JSON sent as protobuf', encodeJson(batch), PROTOBUF, /./],
    ['in protobuf sent as JSON', good, JSON_TYPE, /./],
    ['without a byte of JSON', '', JSON_TYPE, /./],
    ['nested too deep', nested, JSON_TYPE, /64/],
    ['that unpacks to more than the limit', bomb(129), { ...JSON_TYPE, ...gzip }, /128 MiB/],
    ['over the size limit', Buffer.alloc(16 * MEBIBYTE + 1), PROTOBUF, /16 MiB/],
  ])('a request %s is refused in JSON, and stores nothing', async (_what, body, headers, detail) => {
    expect(await push(server, body, headers)).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { code: 400, type: 'invalid_error', detail: expect.stringMatching(detail) },
    });
    expect(await countStored(server)).toBe(0);
  });

  test('a request without a body and Content-Type is refused', async () => {
    expect(await server.as(server.owner).post('/org/main/otel/traces')).toMatchObject({ status: 400 });
  });

  test('a request with wrong shapes is refused with an issue for each of them', async () => {
    const body = JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [{ name: 1 }, { kind: 'x' }] }] }],
    });
    const refused = await push(server, body, JSON_TYPE);
    expect(refused).toMatchObject({ status: 422, body: { type: 'validation_error' } });
    expect(refused.body.errors[0].loc.slice(0, 3)).toEqual(['body', 'resourceSpans', 0]);
  });

  test('an unauthorized caller is refused before the body is checked', async () => {
    const outsider = await server.addPerson('nobody');
    const reader = await server.addPerson('reads', { role: 'member', scopes: ['traces:read'] });
    const type = { 'content-type': 'text/plain' };
    expect(await push(server, good, type, { who: 'nonsense' })).toMatchObject({ status: 401 });
    expect(await push(server, good, type, { who: outsider })).toMatchObject({ status: 403 });
    expect(await push(server, good, type, { who: reader })).toMatchObject({ status: 403 });
  });
});
