/** Enforced credits: reservations, refused callers, and the remaining balance. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  answers,
  dropsMidStream,
  fails,
  garbage,
  stalls,
  stallsMidStream,
} from '../../../test/model-provider.ts';
import { failureOf, hello, startOpenAiWorld } from '../../../test/openai-world.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';

const { server, provider, clientOf, written } = await startOpenAiWorld({ DRYDOCK_CREDITS: 'enforced' });
const { owner, db } = server;
const organizationId = await findOrganizationId(server, 'main');
const { completions } = clientOf(owner.key).chat;
/** One credit per token. */
const dear = { model: 'acme/dear/est', messages: hello };

const credits = async () => (await server.as(owner).get('/org/main/credits')).body;
const held = async () =>
  (
    await db
      .selectFrom('credit_reservations')
      .select('amount')
      .where('organization_id', '=', organizationId)
      .execute()
  ).map(({ amount }) => amount);

async function setAvailable(amount: number): Promise<void> {
  const { available } = await credits();
  if (available === amount) return;
  const adjusted = await server.as(owner).post('/org/main/credits/adjust', { amount: amount - available });
  expect(adjusted.status).toBe(201);
}

beforeEach(() => setAvailable(10_000));

describe('the reservation', () => {
  test.each([
    [{}, 1_000],
    [{ max_tokens: 50 }, 50],
    [{ max_tokens: 50, max_completion_tokens: 70 }, 70],
    [{ max_tokens: 50, n: 3 }, 150],
    [{ max_tokens: 5, n: 1_000 }, 5_000],
    [{ max_tokens: -1 }, 1_000],
    [{ max_tokens: null, n: null }, 1_000],
  ])('for %j covers an output of %i tokens, and the input', async (limits, output) => {
    provider.next(stalls());
    const leaving = new AbortController();
    const body = { ...dear, ...limits };
    const asking = failureOf(completions.create(body, { signal: leaving.signal }));
    await expect.poll(held).toEqual([output + Math.ceil(JSON.stringify(body).length / 4)]);
    leaving.abort();
    await asking;
    await expect.poll(held).toEqual([]);
  });

  test('createChatCompletion refuses limits that no balance could cover', async () => {
    const error = await failureOf(completions.create({ ...dear, max_tokens: 1e15, n: 128 }));
    expect(error).toMatchObject({ status: 429, code: 'insufficient_quota' });
  });
});

test('createChatCompletion refuses a caller without credits before the provider is called, and forbids retries', async () => {
  await setAvailable(100);
  const count = provider.requests.length;
  let tries = 0;
  const counting = clientOf(owner.key, 5).withOptions({
    fetch: (...asked) => {
      tries += 1;
      return fetch(...asked);
    },
  });
  const error = await failureOf(counting.chat.completions.create(dear));
  expect(tries).toBe(1);
  expect(error).toMatchObject({ status: 429, type: 'insufficient_quota', code: 'insufficient_quota' });
  expect(error.headers?.get('x-should-retry')).toBe('false');
  expect(error.error).toMatchObject({ message: expect.stringContaining('credits') });
  expect([provider.requests.length, await written(), await held()]).toEqual([count, [], []]);
});

test('createChatCompletion with a free model needs no credits', async () => {
  await setAvailable(0);
  expect((await completions.create({ ...dear, model: 'sim/echo' })).id).toBeTruthy();
});

test.each([
  ['refuses', fails(400)],
  ['fails', fails(501)],
  ['answers garbage', garbage()],
  ['breaks off', dropsMidStream(2)],
])('createChatCompletion releases the reservation when a provider %s', async (_, script) => {
  for (const stream of [true, false]) {
    provider.always(script);
    await Promise.resolve(completions.create({ ...dear, stream }))
      .then(async (response) => Array.fromAsync(response as AsyncIterable<unknown>))
      .catch(() => undefined);
    await expect.poll(held).toEqual([]);
  }
});

test('createChatCompletion releases the reservation when the caller disconnects', async () => {
  provider.always(stallsMidStream(2));
  for await (const _ of await completions.create({ ...dear, stream: true })) break;
  await expect.poll(held).toEqual([]);
});

test('64 concurrent calls spend no more than the balance, and everything used is charged', async () => {
  // Each call reserves 1,000 and its input, and uses 12.
  provider.always(answers({ delayMs: 30 }));
  await setAvailable(10_000);
  const before = (await credits()).balance;
  const count = provider.requests.length;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 64 }, (_, n) => completions.create({ ...dear, stream: n % 2 === 0 })),
  );
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled' && Symbol.asyncIterator in outcome.value)
      await Array.fromAsync(outcome.value);
  const letIn = outcomes.filter(({ status }) => status === 'fulfilled').length;
  expect(letIn).toBeGreaterThanOrEqual(9);
  expect(provider.requests.length - count).toBe(letIn);
  expect(await credits()).toMatchObject({ balance: before - 12 * letIn, reserved: 0 });
  expect((await written()).length).toBe(letIn);
});

test('createChatCompletion charges usage beyond the reservation in full', async () => {
  provider.next(answers({ usage: { prompt_tokens: 4_000, completion_tokens: 5_000, total_tokens: 9_000 } }));
  await completions.create({ ...dear, max_tokens: 10 });
  expect((await credits()).available).toBe(1_000);
});
