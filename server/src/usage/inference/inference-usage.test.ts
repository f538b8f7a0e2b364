import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import {
  begunCall,
  callEnd,
  completionIdOf,
  type ModelSpan,
  offeredModel,
  randomHex,
  spansOf,
} from '../../../test/metered-calls.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { MeteredCalls } from '../../inference/metering/metered-calls.ts';
import { createLog } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { db, owner } = server;
const organizationId = await findOrganizationId(server, 'main');
const book = new MeteredCalls({ db, credits: 'unlimited', log: createLog('fatal') });
const PATH = '/org/main/credits/inference-usage';

/** Creates a user for one test, without other usage. */
let count = 0;
const newcomer = () => server.addPerson(`person-${count++}`, { role: 'member' });
const usageOf = async (who: Parameters<typeof server.as>[0], query = '') =>
  (await server.as(who).get(`${PATH}${query}`)).body;
const toUs = (moment: string) => BigInt(Date.parse(moment)) * 1_000n;
const spanAt = (startUs: bigint, span: Partial<ModelSpan> = {}): ModelSpan => ({
  traceId: randomHex(16),
  spanId: randomHex(8),
  startUs,
  model: 'span-model',
  inputTokens: 10,
  outputTokens: 1,
  ...span,
});
const send = async (who: Parameters<typeof server.as>[0], spans: readonly ModelSpan[], org = 'main') =>
  expect(await server.as(who).post(`/org/${org}/otel/traces`, spansOf(spans))).toMatchObject({
    status: 200,
    body: {},
  });

test('calls and spans are summed by model, those with the most tokens first', async () => {
  const mia = await newcomer();
  const model = offeredModel('test/priced', { input_price: 0.1, output_price: 2 });
  const call = begunCall({ organizationId, userId: mia.id, model });
  const free = begunCall({ organizationId, userId: mia.id, model: offeredModel('sim/echo') });
  await book.end(call, callEnd(3, 1));
  await book.end(free, callEnd(3, 1));
  const now = BigInt(Date.now()) * 1_000n;
  await send(mia, [
    spanAt(now, { costUsd: 0.1 }),
    spanAt(now, { costUsd: 0.2 }),
    spanAt(now, { model: undefined, inputTokens: undefined, operation: 'embeddings' }),
    spanAt(now, { operation: 'invoke_agent', inputTokens: 1_000 }),
  ]);
  const usage = await usageOf(mia);
  expect(usage).toMatchObject({
    models: [
      {
        model: 'span-model',
        cost_usd: 0.3,
        credits: 0,
        input_tokens: 20,
        output_tokens: 2,
        request_count: 2,
        total_tokens: 22,
      },
      {
        model: 'sim/echo',
        cost_usd: 0,
        credits: 0,
        input_tokens: 3,
        output_tokens: 1,
        request_count: 1,
        total_tokens: 4,
      },
      {
        model: 'test/priced',
        cost_usd: 0.0000023,
        credits: 1,
        input_tokens: 3,
        output_tokens: 1,
        request_count: 1,
        total_tokens: 4,
      },
      {
        model: 'unknown',
        cost_usd: 0,
        credits: 0,
        input_tokens: 0,
        output_tokens: 1,
        request_count: 1,
        total_tokens: 1,
      },
    ],
    total_cost_usd: 0.3000023,
    total_credits: 1,
    total_input_tokens: 26,
    total_output_tokens: 5,
    total_request_count: 5,
  });
  const month = new Date().toISOString().slice(0, 7);
  expect(usage.start_date).toBe(`${month}-01T00:00:00.000Z`);
  expect(Math.abs(Date.now() - Date.parse(usage.end_date))).toBeLessThan(300_000);
});

test('a span that reports a call of the gateway does not count again, except for another organization', async () => {
  const mia = await newcomer();
  await addOrganization(server, owner, 'other');
  const links = { sessionId: null, traceId: randomHex(16), spanId: randomHex(8) };
  const call = begunCall({ organizationId, userId: mia.id, links });
  const now = toUs(call.startedAt);
  const byResponse = spanAt(now, { responseId: completionIdOf(call.id) });
  const byName = spanAt(now, { traceId: links.traceId, spanId: links.spanId });
  await send(mia, [byResponse]);
  expect((await usageOf(mia)).total_request_count).toBe(1);
  await book.end(call, callEnd(7, 7));
  await send(mia, [byResponse, byName]);
  expect(await usageOf(mia)).toMatchObject({ total_request_count: 1, total_input_tokens: 7 });
  await send(owner, [byResponse, byName], 'other');
  const others = await server.as(owner).get('/org/other/credits/inference-usage?user_id=all');
  expect(others.body).toMatchObject({ total_request_count: 2, total_input_tokens: 20 });
});

test('getInferenceUsage counts a call once when spans around and below it report it', async () => {
  const mia = await newcomer();
  const [http, llm, wrapper, above, below] = Array.from({ length: 5 }, () => randomHex(8)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const call = (spanId: string | null, traceId: string | null = randomHex(16)) =>
    begunCall({ organizationId, userId: mia.id, links: { sessionId: null, traceId, spanId } });
  // The gateway receives the span of the HTTP client, whose parent is the call; or the span above the call; or none at all.
  const [byClient, byParent, byResponse] = [call(http), call(above), call(null, null)];
  const now = toUs(byClient.startedAt);
  for (const each of [byClient, byParent, byResponse]) await book.end(each, callEnd(7, 7));
  const traceOf = ({ links }: typeof byClient) => links.traceId ?? randomHex(16);
  const id = completionIdOf(byResponse.id);
  await send(mia, [
    spanAt(now, { traceId: traceOf(byClient), spanId: llm, parentSpanId: wrapper }),
    spanAt(now, { traceId: traceOf(byClient), spanId: http, parentSpanId: llm, kind: 3, operation: 'GET' }),
    spanAt(now, { traceId: traceOf(byParent), spanId: above, operation: 'invoke_agent' }),
    spanAt(now, { traceId: traceOf(byParent), spanId: below, parentSpanId: above }),
    spanAt(now, { outputValue: JSON.stringify({ id, choices: [{ message: { content: 'hi' } }] }) }),
  ]);
  expect(await usageOf(mia)).toMatchObject({ total_request_count: 3, total_input_tokens: 21 });
  // An id within the text of the response does not count as its id.
  const quoted = JSON.stringify({ content: JSON.stringify({ id }) });
  await send(mia, [spanAt(now, { outputValue: quoted }), spanAt(now, { traceId: traceOf(byClient) })]);
  expect(await usageOf(mia)).toMatchObject({ total_request_count: 5, total_input_tokens: 41 });
});

test('getInferenceUsage leaves out calls that failed without usage', async () => {
  const mia = await newcomer();
  const now = BigInt(Date.now()) * 1_000n;
  const nothing = { inputTokens: undefined, outputTokens: undefined };
  await send(mia, [
    spanAt(now, { model: 'nope', isError: true, ...nothing }),
    spanAt(now, { model: 'cut-off', isError: true }),
    spanAt(now, { model: 'silent', ...nothing }),
  ]);
  const { models } = await usageOf(mia);
  expect(models.map(({ model }: { model: string }) => model)).toEqual(['cut-off', 'silent']);
});

test('getInferenceUsage prices calls by the price lists, and returns how many have no price', async () => {
  // Prices of an organization are cached for a moment, and this one has no spans yet.
  await addOrganization(server, owner, 'priced');
  const provider = {
    name: 'acme',
    kind: 'openai_compatible',
    base_url: 'https://models.example/v1',
    models: [{ name: 'large', input_price: 3, output_price: 15 }],
  };
  const put = await server.as(owner).put('/org/priced/inference/providers', { providers: [provider] });
  expect(put.status, JSON.stringify(put.body)).toBe(200);
  const now = BigInt(Date.now()) * 1_000n;
  const traceId = randomHex(16);
  const spans = [
    spanAt(now, { traceId, model: 'acme/large', inputTokens: 420, outputTokens: 17 }),
    spanAt(now, { traceId, model: 'large', provider: 'acme', inputTokens: 420, outputTokens: 17 }),
    spanAt(now, { model: 'gpt-4o-2024-08-06', provider: 'openai', inputTokens: 1_000, outputTokens: 100 }),
    spanAt(now, { model: 'in-house', inputTokens: 5, outputTokens: 5 }),
    spanAt(now, { model: 'in-house', costUsd: 0.5 }),
  ];
  await send(owner, spans, 'priced');
  const usage = (await server.as(owner).get('/org/priced/credits/inference-usage')).body;
  const reported = Object.fromEntries(
    usage.models.map((one: { model: string; cost_usd: number; unpriced_request_count: number }) => [
      one.model,
      [one.cost_usd, one.unpriced_request_count],
    ]),
  );
  expect(reported).toEqual({
    'acme/large': [0.001515, 0],
    large: [0.001515, 0],
    'gpt-4o-2024-08-06': [0.0035, 0],
    'in-house': [0.5, 1],
  });
  expect(usage).toMatchObject({ total_cost_usd: 0.50653, total_unpriced_request_count: 1 });
  const trace = `/org/priced/ws/main/traces/${traceId}`;
  expect((await server.as(owner).get(trace)).body.cost_usd).toBe(0.00303);
  const unpriced = spans[3] as ModelSpan;
  const { body } = await server.as(owner).get(`/org/priced/ws/main/traces/${unpriced.traceId}/spans`);
  expect(body.items[0].cost_usd).toBeNull();
  const query = 'SELECT cost_usd FROM inference_usage ORDER BY cost_usd';
  const { rows } = (await server.as(owner).post('/org/priced/ws/main/query', { query })).body;
  expect(rows.flat().map((cost: string | null) => cost && Number(cost))).toEqual([
    0.001515,
    0.001515,
    0.0035,
    0.5,
    null,
  ]);
});

test('both ends of the window are inclusive to the microsecond, and the response returns the window used', async () => {
  const mia = await newcomer();
  const base = toUs('2026-03-01T12:00:00.000Z');
  await send(
    mia,
    [-1n, 0n, 1n, 999n, 1_000n, 1_001n].map((us, n) => spanAt(base + us, { model: `m${n}` })),
  );
  const models = async (start: string, end: string) => {
    const query = new URLSearchParams({ start_date: start, end_date: end });
    const { start_date, end_date, models: found } = await usageOf(mia, `?${query.toString()}`);
    return [start_date, end_date, found.map(({ model }: { model: string }) => model).join(' ')];
  };
  expect(await models('2026-03-01T12:00:00Z', '2026-03-01T12:00:00.001Z')).toEqual([
    '2026-03-01T12:00:00.000Z',
    '2026-03-01T12:00:00.001Z',
    'm1 m2 m3 m4',
  ]);
  expect(await models('2026-03-01T13:00:00.000001+01:00', '2026-03-01T12:00:00.000999Z')).toEqual([
    '2026-03-01T12:00:00.000001Z',
    '2026-03-01T12:00:00.000999Z',
    'm2 m3',
  ]);
  expect(await models('2026-03-01T12:00:00.001001Z', '2026-03-01T12:00:00.001001Z')).toEqual([
    '2026-03-01T12:00:00.001001Z',
    '2026-03-01T12:00:00.001001Z',
    'm5',
  ]);
});

describe('access to usage', async () => {
  const [mia, admin] = [await newcomer(), await server.addPerson('the-admin', { role: 'admin' })];
  const statusOf = async (who: typeof mia, query: string) =>
    (await server.as(who).get(`${PATH}${query}`)).status;

  test('every user can read their own usage', async () => {
    expect(await statusOf(mia, '')).toBe(200);
    expect(await statusOf(mia, `?user_id=${mia.id.toUpperCase()}`)).toBe(200);
  });

  test('an admin can read the usage of another user, an owner that of all users, and no one else can', async () => {
    expect(await statusOf(mia, `?user_id=${admin.id}`)).toBe(403);
    expect(await statusOf(mia, '?user_id=all')).toBe(403);
    expect(await statusOf(admin, `?user_id=${mia.id}`)).toBe(200);
    expect(await statusOf(admin, '?user_id=all')).toBe(403);
    expect(await statusOf(owner, '?user_id=all')).toBe(200);
  });

  test('the usage of an unknown user is empty', async () => {
    expect(await usageOf(admin, `?user_id=${uuidv7()}`)).toMatchObject({
      models: [],
      total_cost_usd: 0,
      total_credits: 0,
      total_input_tokens: 0,
      total_output_tokens: 0,
      total_request_count: 0,
    });
  });
});

test.each([
  ['user_id=nonsense', 'user_id'],
  ['user_id=ALL', 'user_id'],
  ['start_date=yesterday', 'start_date'],
  ['end_date=2026-02-30T00:00:00Z', 'end_date'],
  ['start_date=2026-03-02T00:00:00Z&end_date=2026-03-01T00:00:00Z', 'start_date'],
  ['start_date=2026-03-01T00:00:00.000002Z&end_date=2026-03-01T00:00:00.000001Z', 'start_date'],
  ['end_date=2020-01-01T00:00:00Z', 'end_date'],
  ['start_date=2999-01-01T00:00:00Z', 'start_date'],
])('usage with %s is refused', async (query, parameter) => {
  const { status, body } = await server.as(owner).get(`${PATH}?${query}`);
  expect({ status, type: body.type }).toEqual({ status: 422, type: 'validation_error' });
  expect(JSON.stringify(body)).toContain(`"${parameter}"`);
});

test('invalid token counts are ignored and do not affect other spans', async () => {
  const mia = await newcomer();
  const now = BigInt(Date.now()) * 1_000n;
  const absurd = [-1, 1.5, 2 ** 40, 1e300, Number.MAX_SAFE_INTEGER];
  const spans = absurd.map((tokens) =>
    spanAt(now, { inputTokens: tokens, outputTokens: tokens, costUsd: -Math.abs(tokens) }),
  );
  await send(mia, [...spans, spanAt(now)]);
  expect(await usageOf(mia)).toMatchObject({
    total_request_count: 6,
    total_input_tokens: 10,
    total_output_tokens: 1,
    total_cost_usd: 0,
  });
});
