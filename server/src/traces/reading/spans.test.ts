/** A span is returned exactly as it was sent, and pages continue where they ended. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { connect } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import { type SpanOf, TraceListQuery } from '../schema.ts';
import { listTraces } from './list.ts';

const TRACES = '/org/main/ws/main/traces';
const server = await startTestServer();
const { owner } = server;
const client = server.as(owner);

interface Sent {
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano?: string;
  /** JSON text, since the tests check digits that a number would lose. */
  readonly attributes?: string;
  readonly events?: string;
  readonly resource?: string;
}

let count = 0;
const START = 1_790_000_000_000_000_001n;

async function send(traceId: string, ...spans: readonly Sent[]): Promise<string[]> {
  const ids = spans.map(({ spanId }) => spanId ?? randomBytes(8).toString('hex'));
  for (const [index, span] of spans.entries()) {
    const start = span.startTimeUnixNano ?? String(START + BigInt(count++) * 1_000_000n);
    const rest = {
      name: 'n',
      parentSpanId: span.parentSpanId,
      startTimeUnixNano: start,
      endTimeUnixNano: start,
    };
    const body = `{"resourceSpans":[{"resource":{"attributes":${span.resource ?? '[]'}},"scopeSpans":[{"spans":[{
      "traceId":"${traceId}","spanId":"${ids[index]}","attributes":${span.attributes ?? '[]'},"events":${span.events ?? '[]'},
      ${JSON.stringify(rest).slice(1)}]}]}]}`;
    const pushed = await client.post('/org/main/otel/traces', body);
    expect(pushed).toMatchObject({ status: 200, body: {} });
  }
  return ids;
}

const newTraceId = () => randomBytes(16).toString('hex');

/** Returns the raw response body. */
async function getText(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${owner.key}` };
  const response = await server.app.inject({ url: `/api/v1${path}`, headers });
  expect(response.statusCode, response.body.slice(0, 1_000)).toBe(200);
  return response.body;
}

const nested = (depth: number): string =>
  depth === 0 ? '{"stringValue":"deep"}' : `{"arrayValue":{"values":[${nested(depth - 1)}]}}`;

const attribute = (key: string, value: string) => `{"key":${JSON.stringify(key)},"value":${value}}`;
const text = (value: string) => JSON.stringify({ stringValue: value });

describe('getSpan', () => {
  test('returns every digit of numbers, and values that JSON cannot represent', async () => {
    const traceId = newTraceId();
    const values = {
      max: ['{"intValue":"9223372036854775807"}', '9223372036854775807'],
      min: ['{"intValue":-9223372036854775808}', '-9223372036854775808'],
      small: ['{"intValue":"7"}', '7'],
      one: ['{"doubleValue":1.0}', '1.0'],
      tenth: ['{"doubleValue":0.1}', '0.1'],
      large: ['{"doubleValue":1e300}', '1e+300'],
      nan: ['{"doubleValue":"NaN"}', '{"doubleValue":"NaN"}'],
      bytes: ['{"bytesValue":"AQI="}', '{"bytesValue":"AQI="}'],
      list: [
        '{"arrayValue":{"values":[{"intValue":"9007199254740993"},{"boolValue":true}]}}',
        '[9007199254740993,true]',
      ],
      map: ['{"kvlistValue":{"values":[{"key":"a","value":{"doubleValue":2}}]}}', '{"a":2.0}'],
      none: ['{}', 'null'],
    } as const;
    const sent = Object.entries(values).map(([key, [value]]) => attribute(key, value));
    const event = `[{"timeUnixNano":"18446744073709551615","name":"e","attributes":[${sent.join(',')}]}]`;
    const [spanId] = await send(traceId, {
      attributes: `[${sent.join(',')}]`,
      events: event,
      resource: `[${sent.join(',')}]`,
    });
    const expected = `{${Object.entries(values)
      .map(([key, [, value]]) => `"${key}":${value}`)
      .join(',')}}`;
    for (const path of ['spans', `spans/${spanId}`]) {
      const body = await getText(`${TRACES}/${traceId}/${path}`);
      expect(body.split(`"attributes":${expected}`)).toHaveLength(4);
      expect(body).toContain('"time_unix_nano":"18446744073709551615"');
    }
  });

  test('returns start and end times in every supported form', async () => {
    const traceId = newTraceId();
    const times = ['0', '1', '999', '18446744073709551615', '1790000000123456789'];
    await send(traceId, ...times.map((startTimeUnixNano) => ({ startTimeUnixNano })));
    const { body } = await client.get(`${TRACES}/${traceId}/spans`);
    expect(body.items.map((span: SpanOf) => span.start_time_unix_nano).toSorted()).toEqual(times.toSorted());
    expect(body.items.at(-1)).toMatchObject({ start_time: '2554-07-21T23:34:33.709Z', duration_ms: 0 });
    expect((await client.get(`${TRACES}/${traceId}/stats`)).body).toMatchObject({
      span_count: 5,
      error_count: 0,
    });
    expect((await client.get(`${TRACES}/${traceId}`)).body.start_time).toBe('1970-01-01T00:00:00.000Z');
  });

  test('returns content that could break a reader, and the page stays readable', async () => {
    const traceId = newTraceId();
    const odd = [
      '__proto__',
      'constructor',
      'toString',
      '',
      '\u0000',
      '\ud800',
      'gen_ai.input.messages',
      'llm.input_messages.9999999999.message.role',
    ];
    const attributes = [
      ...odd.map((key) => attribute(key, text('x'))),
      ...odd.map((key) =>
        attribute(key, `{"kvlistValue":{"values":[{"key":"__proto__","value":${text('x')}}]}}`),
      ),
    ];
    const hostile = [
      ...attributes,
      attribute('deep', nested(15)),
      attribute('gen_ai.input.messages', text('['.repeat(100_000))),
      attribute('gen_ai.output.messages', text(`${'[{"parts":'.repeat(20_000)}1`)),
      attribute('gen_ai.prompt', text('{"a":'.repeat(50_000))),
      attribute('large', text('\u00e9'.repeat(500_000))),
      ...['role', 'content', 'tool_calls'].map((name) => attribute(`gen_ai.prompt.0.${name}`, nested(5))),
    ];
    const ids = await send(
      traceId,
      ...hostile.map((one) => ({
        attributes: `[${one}]`,
        events: `[{"name":"gen_ai.user.message","attributes":[${one}]}]`,
      })),
    );
    const { items } = JSON.parse(await getText(`${TRACES}/${traceId}/spans?limit=200`));
    expect(items.map((span: SpanOf) => span.span_id)).toEqual(ids);
    const [proto] = items;
    expect(Object.entries(proto.attributes)).toEqual([['__proto__', 'x']]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test('returns messages of every convention', async () => {
    const traceId = newTraceId();
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }];
    const [spanId] = await send(traceId, {
      attributes: `[${attribute('gen_ai.input.messages', text(JSON.stringify(messages)))}]`,
    });
    const { body } = await client.get(`${TRACES}/${traceId}/spans/${spanId}`);
    expect(body.input_messages).toEqual([{ role: 'user', content: 'Hello' }]);
    expect(body.output_messages).toEqual([]);
  });
});

describe('listSpans', () => {
  test('ends a page early when its spans are large, with at least one span', async () => {
    const traceId = newTraceId();
    const large = `[${attribute('large', text('x'.repeat(1_500_000)))}]`;
    const larger = `[${attribute('large', text('x'.repeat(6_000_000)))}]`;
    const ids = await send(
      traceId,
      ...[large, large, large, large, larger, large].map((attributes) => ({ attributes })),
    );
    const lengths: number[] = [];
    const read: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await client.get(`${TRACES}/${traceId}/spans${cursor && `?after=${cursor}`}`);
      lengths.push(body.items.length);
      read.push(...body.items.map((span: SpanOf) => span.span_id));
      cursor = body.next_cursor;
    }
    expect(read).toEqual(ids);
    expect(lengths).toEqual([3, 2, 1]);
  });

  test('continues after the previous page, whatever spans arrived in between', async () => {
    const traceId = newTraceId();
    const ids = await send(traceId, {}, {}, {}, {});
    const first = (await client.get(`${TRACES}/${traceId}/spans?limit=2`)).body;
    expect(first.items.map((span: SpanOf) => span.span_id)).toEqual(ids.slice(0, 2));
    await send(traceId, { startTimeUnixNano: '1' });
    const later = await send(traceId, {});
    const rest = (await client.get(`${TRACES}/${traceId.toUpperCase()}/spans?after=${first.next_cursor}`))
      .body;
    expect(rest.items.map((span: SpanOf) => span.span_id)).toEqual([...ids.slice(2), ...later]);
    expect(rest.next_cursor).toBeNull();
  });

  test('accepts only a cursor of the same trace and level', async () => {
    const [traceId, other] = [newTraceId(), newTraceId()];
    const [parent] = await send(traceId, {}, {}, {});
    await send(traceId, { parentSpanId: parent ?? '' }, { parentSpanId: parent ?? '' });
    await send(other, {}, {});
    const cursor = (await client.get(`${TRACES}/${traceId}/spans?limit=1`)).body.next_cursor;
    for (const path of [
      `${other}/spans?`,
      `${traceId}/spans?parent=root&`,
      `${traceId}/spans?parent=${parent}&`,
    ]) {
      const { status, body } = await client.get(`${TRACES}/${path}after=${cursor}`);
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toContain('"after"');
    }
    for (const bad of ['', 'x', `${cursor}x`])
      expect((await client.get(`${TRACES}/${traceId}/spans?after=${bad}`)).status).toBe(422);
  });
});

test.each([
  ['/x', 404],
  [`/${'0'.repeat(32)}`, 404],
  [`/${'z'.repeat(32)}`, 404],
  [`/${'0'.repeat(31)}/spans`, 404],
  [`/${'0'.repeat(32)}/stats`, 404],
  [`/${'0'.repeat(32)}/spans/0`, 404],
  [`/${'0'.repeat(32)}/spans?parent=x`, 422],
  [`/${'0'.repeat(32)}/spans?limit=201`, 422],
  ['?limit=101', 422],
  ['?page=0', 422],
  ['?status=unset', 422],
  ['?span_type=x', 422],
  ['?session_id=x', 422],
  ['?from=yesterday', 422],
  [`?search=${'x'.repeat(201)}`, 422],
])('GET /traces%s returns %d', async (path, status) => {
  expect((await client.get(`${TRACES}${path}`)).status).toBe(status);
});

test('a search that takes too long returns an error with advice', async () => {
  await send(newTraceId(), {});
  const url = new URL(server.url);
  url.searchParams.set('options', '-c statement_timeout=300');
  const hurried = connect({ url: url.href, poolSize: 1, namedStatements: true, log: createLog('fatal') });
  onTestFinished(() => hurried.destroy());
  const lock = await server.db.startTransaction().execute();
  await sql`LOCK TABLE spans IN ACCESS EXCLUSIVE MODE`.execute(lock);
  const viewer = {
    organizationId: await findOrganizationId(server, 'main'),
    workspaceId: (await client.get('/org/main/ws/main')).body.id,
    principal: { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
  };
  await expect(listTraces(hurried, viewer, TraceListQuery.parse({ search: 'x' }))).rejects.toMatchObject({
    type: 'validation_error',
    issues: [
      {
        loc: ['query', 'search'],
        msg: 'takes too long among so many spans; narrow the traces by from and to, or by session_id',
      },
    ],
  });
  await lock.commit().execute();
});
