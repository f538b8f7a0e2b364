/** Model calls from code, without HTTP: the same catalog, limits, metering and credits as the gateway. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { atEndOfFile } from '../../test/end-of-file.ts';
import { SECRET_KEY, startTestServer } from '../../test/harness.ts';
import { answers, dropsMidStream, fails, stalls, startModelProvider } from '../../test/model-provider.ts';
import { createLog } from '../platform/log.ts';
import { createVault } from '../platform/secrets/envelope.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { Inference } from './service.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' });
const { db, owner } = server;
const client = server.as(owner);
const provider = await startModelProvider();
const { body: workspace } = await client.get('/org/main/ws/main');
const organizationId = String(workspace.org_id);
await client.put('/org/main/inference/providers', {
  providers: [
    {
      name: 'acme',
      kind: 'openai_compatible',
      base_url: provider.baseUrl,
      models: [{ name: 'large', input_price: 1_000, output_price: 2_000 }],
    },
  ],
});

const inference = new Inference({
  db,
  vault: createVault(SECRET_KEY),
  log: createLog('fatal'),
  credits: 'unlimited',
  allowsPrivate: true,
});
atEndOfFile(async () => {
  await inference.close();
  await provider.close();
});

const request = { model: 'acme/large', messages: [{ role: 'user', content: 'Hi' }] };
const { signal } = new AbortController();
const call = (more: Partial<Parameters<Inference['callModel']>[0]> = {}) =>
  inference.callModel({ organizationId, userId: owner.id, request, signal, ...more });

async function stored(callId: string) {
  const { rows } = await sql<Record<string, unknown>>`
    SELECT c.status, c.session_id, c.is_streamed, u.input_tokens, u.output_tokens, u.cost_usd, u.credits, t.amount
      FROM inference_calls AS c
      LEFT JOIN usage_events AS u
        ON u.organization_id = c.organization_id AND u.source = 'gateway' AND u.external_id = c.id::text
      LEFT JOIN credit_transactions AS t ON t.organization_id = c.organization_id AND t.reference = c.id::text
     WHERE c.organization_id = ${organizationId} AND c.id = ${callId}`.execute(db);
  return rows[0];
}

test('callModel returns the completion with usage, cost and credits, after the call is stored', async () => {
  const sessionId = uuidv7();
  const result = await call({ links: { sessionId, traceId: null, spanId: null } });
  expect(result).toMatchObject({
    completion: {
      id: `chatcmpl-${result.callId.replaceAll('-', '')}`,
      choices: [{ message: { role: 'assistant' } }],
    },
    usage: { inputTokens: 7, outputTokens: 5 },
    isEstimated: false,
    costUsd: 0.017,
    credits: 17,
  });
  expect(await stored(result.callId)).toEqual({
    status: 'completed',
    session_id: sessionId,
    is_streamed: false,
    input_tokens: 7,
    output_tokens: 5,
    cost_usd: 0.017,
    credits: 17,
    amount: -17,
  });
});

test('callModel counts towards the usage and the ledger that users read', async () => {
  const before = (await client.get('/org/main/credits/inference-usage')).body.total_credits;
  await call();
  const { body } = await client.get('/org/main/credits/inference-usage');
  expect(body.total_credits - before).toBe(17);
  const { body: ledger } = await client.get('/org/main/credits/transactions');
  expect(ledger.items[0]).toMatchObject({ kind: 'charge', amount: -17 });
});

test('streamModel yields chunks as they arrive, and its totals after they have ended', async () => {
  const stream = await inference.streamModel({ organizationId, userId: owner.id, request, signal });
  const chunks = (await Array.fromAsync(stream.chunks)).flat();
  const texts = chunks.map(
    ({ choices }) => (choices[0] as { delta?: { content?: string } })?.delta?.content ?? '',
  );
  expect(texts.join('')).toBe('Hello from the provider.');
  expect(stream.totals).toMatchObject({ usage: { inputTokens: 7, outputTokens: 5 }, credits: 17 });
  expect(await stored(stream.callId)).toMatchObject({ status: 'completed', is_streamed: true, credits: 17 });
});

test('streamModel charges for the part of a stream that broke', async () => {
  provider.next(dropsMidStream());
  const stream = await inference.streamModel({ organizationId, userId: owner.id, request, signal });
  await expect(Array.fromAsync(stream.chunks)).rejects.toMatchObject({ type: 'bad_gateway_error' });
  expect(stream.totals).toBeUndefined();
  expect(await stored(stream.callId)).toMatchObject({ status: 'failed' });
});

test("callModel fails with the provider's error, and stores the failed call", async () => {
  provider.next(fails(400, 'No such tool.'));
  const callId = uuidv7();
  await expect(call({ callId })).rejects.toMatchObject({ type: 'invalid_error', message: /No such tool/ });
  expect(await stored(callId)).toMatchObject({ status: 'failed', credits: null, amount: null });
});

test('callModel ends with its signal, and stores the call as cancelled', async () => {
  const leaving = new AbortController();
  const callId = uuidv7();
  provider.next(stalls());
  const count = provider.requests.length;
  const calling = call({ callId, signal: leaving.signal });
  await expect.poll(() => provider.requests.length).toBe(count + 1);
  leaving.abort(new Error('the job was cancelled'));
  await expect(calling).rejects.toThrow('the job was cancelled');
  expect(await stored(callId)).toMatchObject({ status: 'cancelled', credits: null });
});

test('callModel passes on 10 MB of input, and refuses more than 16 MiB', async () => {
  const long = (bytes: number) => ({ ...request, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });
  provider.next(answers({ usage: { prompt_tokens: 2_500_000, completion_tokens: 1 } }));
  expect(await call({ request: long(10_000_000) })).toMatchObject({ usage: { inputTokens: 2_500_000 } });
  expect(provider.requests.at(-1)?.text.length).toBeGreaterThan(10_000_000);
  const count = provider.requests.length;
  await expect(call({ request: long(17 * 1024 * 1024) })).rejects.toMatchObject({
    type: 'invalid_error',
    message: /may have 16777216\. Shorten its messages\./,
  });
  expect(provider.requests).toHaveLength(count);
});

test('callModel refuses a model that the organization does not have', async () => {
  await expect(call({ request: { ...request, model: 'acme/none' } })).rejects.toMatchObject({ status: 404 });
});

test('callModel refuses a call that the balance does not cover, without calling the provider', async () => {
  const enforced = new Inference({
    db,
    vault: createVault(SECRET_KEY),
    log: createLog('fatal'),
    credits: 'enforced',
    allowsPrivate: true,
  });
  const count = provider.requests.length;
  const calling = enforced.callModel({ organizationId, userId: owner.id, request, signal });
  await expect(calling).rejects.toMatchObject({ type: 'usage_limit_exceeded_error' });
  expect(provider.requests).toHaveLength(count);
  await enforced.close();
});
