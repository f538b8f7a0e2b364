/** Enforced credits: a call that the balance does not cover is refused before the provider is called. */
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

/** One credit per input or output token. */
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

test.each([true, false])(
  'createChatCompletion without credits calls no provider, streamed: %s',
  async (stream) => {
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
  },
);

test('createChatCompletion reserves the maximum cost during the call, and charges the actual cost', async () => {
  await adjust(200);
  const { promise: held, resolve } = Promise.withResolvers<unknown>();
  provider.next((request, response) => {
    const respond = async () => {
      resolve(await credits());
      answers()(request, response);
    };
    void respond();
  });
  const received = await ask();
  expect(received.status).toBe(200);
  // The reservation is the maximum output, and a quarter of the bytes sent.
  const { reserved } = (await held) as { reserved: number };
  expect(reserved).toBeGreaterThan(100);
  expect(reserved).toBeLessThan(130);
  expect(await credits()).toMatchObject({ balance: 188, reserved: 0, available: 188, mode: 'enforced' });
});

test("createChatCompletion reserves for the caller's limit, in either of its two fields", async () => {
  await adjust(100);
  expect((await ask({ max_tokens: 10 })).status).toBe(200);
  expect((await ask({ max_tokens: 5_000 })).status).toBe(429);
  expect((await ask({ max_completion_tokens: 1, max_tokens: 5_000 })).status).toBe(429);
  expect((await ask({ max_completion_tokens: 5, n: 200 })).status).toBe(429);
});

test('createChatCompletion releases the reservation of a failed call, and charges its output', async () => {
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

test('createChatCompletion admits as many concurrent calls as the balance covers', async () => {
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

test('createChatCompletion with a simulated model costs nothing', async () => {
  expect(await ask({ model: 'sim/echo' })).toMatchObject({ status: 200 });
});
