/** Where credits are enforced: what the balance does not pay for is refused before anybody is called. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { answers, dropsMidStream, fails, garbage, startModelProvider } from '../../../test/model-provider.ts';

const server = await startTestServer({
  DRYDOCK_CREDITS: 'enforced',
  DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1',
});
const provider = await startModelProvider();
afterAll(() => provider.close());
const owner = server.as(server.owner);

/** A credit for a token of either kind. */
const models = [{ name: 'dear', input_price: 1_000, output_price: 1_000, max_output_tokens: 100 }];
const local = { name: 'local', kind: 'openai_compatible', base_url: provider.baseUrl, models };
expect((await owner.put('/org/main/inference/providers', { providers: [local] })).status).toBe(200);

const messages = [{ role: 'user', content: 'Hi' }];
const ask = (more: object = {}) =>
  owner.post('/org/main/inference/v1/chat/completions', { model: 'local/dear', messages, ...more });
const credits = async () => (await owner.get('/org/main/credits')).body;
const adjust = (amount: number) => owner.post('/org/main/credits/adjust', { amount });

beforeEach(async () => {
  provider.always(answers());
  const { available } = await credits();
  if (available !== 0) await adjust(-available);
});

test.each([true, false])('without credits nobody is called, streamed: %s', async (stream) => {
  const before = provider.requests.length;
  const refusal = await ask({ stream });
  expect(refusal).toMatchObject({
    status: 429,
    body: {
      type: 'usage_limit_exceeded_error',
      detail: expect.stringContaining('credit'),
      error: { type: 'insufficient_quota', code: 'insufficient_quota' },
    },
  });
  expect(provider.requests).toHaveLength(before);
  expect(await credits()).toMatchObject({ balance: 0, reserved: 0, mode: 'enforced' });
});

test('what a call may cost is held while it lasts, and what it cost is charged', async () => {
  await adjust(200);
  const { promise: held, resolve } = Promise.withResolvers<unknown>();
  provider.next((request, response) => {
    const answer = async () => {
      resolve(await credits());
      answers()(request, response);
    };
    void answer();
  });
  const answer = await ask();
  expect(answer.status).toBe(200);
  // The most output, and a quarter of the bytes that were sent.
  const { reserved } = (await held) as { reserved: number };
  expect(reserved).toBeGreaterThan(100);
  expect(reserved).toBeLessThan(130);
  expect(await credits()).toMatchObject({ balance: 188, reserved: 0, available: 188, mode: 'enforced' });
});

test('a limit of the caller counts for what is held, whichever of the two it is', async () => {
  await adjust(100);
  expect((await ask({ max_tokens: 10 })).status).toBe(200);
  expect((await ask({ max_tokens: 5_000 })).status).toBe(429);
  expect((await ask({ max_completion_tokens: 1, max_tokens: 5_000 })).status).toBe(429);
  expect((await ask({ max_completion_tokens: 5, n: 200 })).status).toBe(429);
});

test('what fails holds nothing afterwards, and costs what was said', async () => {
  await adjust(1_000);
  const limited = { max_tokens: 5 };
  for (const script of [fails(400), fails(401), garbage()]) {
    provider.next(script);
    expect((await ask(limited)).status).toBeGreaterThanOrEqual(400);
    expect(await credits()).toMatchObject({ balance: 1_000, reserved: 0 });
  }
  provider.next(dropsMidStream(3));
  expect((await ask({ ...limited, stream: true })).status).toBe(200);
  const { balance, reserved } = await credits();
  expect(reserved).toBe(0);
  expect(balance).toBeLessThan(1_000);
});

test('of calls that come at once, as many are let in as the balance pays for', async () => {
  await adjust(250);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => ask()));
  const statuses = outcomes.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  const { balance, reserved } = await credits();
  expect({ balance, reserved }).toEqual({
    balance: 250 - 12 * statuses.filter((status) => status === 200).length,
    reserved: 0,
  });
});

test('simulated models cost nothing', async () => {
  expect(await ask({ model: 'sim/echo' })).toMatchObject({ status: 200 });
});
