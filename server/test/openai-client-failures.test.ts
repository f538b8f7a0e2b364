/** How OpenAI's own client reports errors, and how the gateway handles a client that disconnects. */
import {
  APIConnectionTimeoutError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { echoesKey, fails, refusesMore, stalls, stallsMidStream } from './model-provider.ts';
import { failureOf, hello, large, PROVIDER_KEY, scripted, startOpenAiWorld } from './openai-world.ts';

const { server, provider, clientOf, written, writtenLater } = await startOpenAiWorld();
const { owner } = server;
const reader = await server.addPerson('reader', { role: 'member', scopes: ['inference:read'] });
const { completions } = clientOf(owner.key).chat;

describe('errors', () => {
  test.each(['nobody/large', 'acme/small', 'sim/other', 'large'])('the missing model %s', async (model) => {
    const error = await failureOf(completions.create({ model, messages: hello }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', type: 'invalid_request_error' });
    expect(error.message).toContain(model);
    expect(error.requestID).toBeTruthy();
  });

  test('a key that is invalid, of another organization, or without permission', async () => {
    const nobody = await failureOf(clientOf('dd_nobody').chat.completions.create(large));
    expect(nobody).toBeInstanceOf(AuthenticationError);
    expect(nobody).toMatchObject({ status: 401, code: 'invalid_api_key' });
    const stranger = await failureOf(clientOf(owner.key, 0, 'elsewhere').chat.completions.create(large));
    expect(stranger).toBeInstanceOf(PermissionDeniedError);
    const mayNot = await failureOf(clientOf(reader.key).chat.completions.create(large));
    expect(mayNot).toBeInstanceOf(PermissionDeniedError);
  });

  test('a request without messages', async () => {
    const error = await failureOf(completions.create({ model: 'sim/echo' } as typeof large));
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error).toMatchObject({ param: 'messages', type: 'invalid_request_error' });
    expect(error.message).toContain('messages');
  });

  test('a request that the provider, or the script, refuses', async () => {
    provider.next(fails(400, 'temperature is too high'));
    const refused = await failureOf(completions.create(large));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.message).toContain('temperature is too high');
    const mistake = await failureOf(completions.create(scripted([{ say: 5 }])));
    expect(mistake).toBeInstanceOf(BadRequestError);
    expect(mistake.message).toContain('steps[0].say');
    expect(await written()).toMatchObject([
      { status: 'failed', error_type: 'invalid_error', input_tokens: null },
      { status: 'failed', error_type: 'invalid_error', input_tokens: null },
    ]);
  });

  test('a provider that refuses further requests for now', async () => {
    provider.always(refusesMore('9'));
    const error = await failureOf(completions.create(large));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error' });
    expect(error.headers?.get('retry-after')).toBe('9');
  });

  test('the client retries, and the model can tell', async () => {
    const steps = [{ error: { status: 429, retry_after: 0, times: 2 }, say: 'At last.' }];
    const response = await clientOf(owner.key, 2).chat.completions.create(scripted(steps));
    expect(response.choices[0]?.message.content).toBe('At last.');
    expect((await written()).map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
    const error = await failureOf(clientOf(owner.key, 1).chat.completions.create(scripted(steps)));
    expect(error).toBeInstanceOf(RateLimitError);
  });

  test.each([
    [fails(500), 502],
    [echoesKey(401), 502],
    [fails(404), 502],
  ])('a provider that fails', async (behaviour, status) => {
    provider.always(behaviour);
    const error = await failureOf(completions.create(large));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status, type: 'server_error' });
    expect(JSON.stringify([error.message, error.error])).not.toContain(PROVIDER_KEY);
    expect(await written()).toMatchObject([
      { status: 'failed', error_type: 'bad_gateway_error', input_tokens: null },
    ]);
  });

  test('a provider that is too slow', async () => {
    provider.always(stalls());
    const error = await failureOf(completions.create({ ...large, model: 'hasty/large' }));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 504, type: 'server_error' });
    expect(await written()).toMatchObject([{ status: 'failed', error_type: 'gateway_timeout_error' }]);
  });
});

describe('a disconnecting client', () => {
  const upstreamLeft = () => vi.waitUntil(() => provider.requests.at(-1)?.isAborted, { interval: 10 });

  test("before the response: the provider's connection is closed too", async () => {
    provider.always(stalls());
    const controller = new AbortController();
    const count = provider.requests.length;
    const asking = failureOf(completions.create(large, { signal: controller.signal }));
    await vi.waitUntil(() => provider.requests.length > count);
    controller.abort();
    expect(await asking).toBeInstanceOf(APIUserAbortError);
    await upstreamLeft();
    expect(await writtenLater()).toMatchObject([{ status: 'cancelled', input_tokens: null }]);
  });

  test.each(['signal', 'controller'])(
    'in the middle of a stream, by its %s: the received tokens are metered',
    async (by) => {
      provider.always(stallsMidStream(3));
      const controller = new AbortController();
      const stream = await completions.create({ ...large, stream: true }, { signal: controller.signal });
      let chunks = 0;
      for await (const _ of stream)
        if (++chunks === 3) (by === 'signal' ? controller : stream.controller).abort();
      expect(chunks).toBe(3);
      await upstreamLeft();
      const [call] = await writtenLater();
      expect(call).toMatchObject({ status: 'cancelled', is_estimated: true });
      expect(call?.output_tokens).toBe(3);
    },
  );

  test('when it breaks out of the loop', async () => {
    provider.always(stallsMidStream(2));
    for await (const _ of await completions.create({ ...large, stream: true })) break;
    await upstreamLeft();
    expect(await writtenLater()).toMatchObject([{ status: 'cancelled' }]);
  });

  test('when its timeout expires', async () => {
    provider.always(stalls());
    const error = await failureOf(completions.create(large, { timeout: 200 }));
    expect(error).toBeInstanceOf(APIConnectionTimeoutError);
    await upstreamLeft();
    const slow = completions.create(scripted([{ say: 'a', delay_ms: 50_000 }]), { timeout: 200 });
    expect(await failureOf(slow)).toBeInstanceOf(APIConnectionTimeoutError);
    expect((await writtenLater(2)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });
});

test('leaves no connection to the provider open except the one kept for the next request', async () => {
  await completions.create(large);
  await vi.waitUntil(() => provider.openSockets() <= 1);
});
