/** Translated models with providers that fail or send invalid data, and with callers that disconnect. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { anthropicError, BEGUN, FINISHED, MESSAGE } from '../../../../test/anthropic-responses.ts';
import {
  anthropicEvents,
  events,
  googleEvents,
  hangUp,
  json,
  stall,
  useForeignProvider,
} from '../../../../test/foreign-provider.ts';
import { settlesSoon } from '../../../../test/soon.ts';
import {
  chunksOf,
  completionOf,
  type Streamed,
  translatedCall,
  translatedModel,
} from '../../../../test/translated-calls.ts';

const provider = await useForeignProvider();

const KEY = 'sk-ant-secret';
const OVERLOADED = anthropicError('overloaded_error', 'Overloaded');
const claude = translatedModel('anthropic', provider.url);
const gemini = translatedModel('google', provider.url);
const ask = (body: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal) =>
  claude.complete(translatedCall(body, signal && { signal }));

describe('an error response of the provider', () => {
  test.each([
    [400, 'invalid_error', 400],
    [413, 'invalid_error', 400],
    [422, 'invalid_error', 400],
    [401, 'bad_gateway_error', 502],
    [403, 'bad_gateway_error', 502],
    [404, 'bad_gateway_error', 502],
    [302, 'bad_gateway_error', 502],
  ])('(status %i) becomes %s, without retries and without the key', async (status, type, own) => {
    const location = 'http://169.254.169.254/';
    provider.turns.push(json(status, anthropicError('some_error', `It is so: ${KEY}.`), { location }));
    const error = await ask().catch((error: unknown) => error);
    expect(error).toMatchObject({ type, status: own });
    expect(inspect(error, { depth: 20 })).not.toContain(KEY);
    expect(provider.received).toHaveLength(1);
  });

  test('is quoted with at most a thousand characters', async () => {
    provider.turns.push(
      json(400, anthropicError('invalid_request_error', `max_tokens: ${'x'.repeat(5_000)}`)),
    );
    const error = await ask().catch((error: Error) => error);
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^The provider far refused the request: max_tokens: x/),
    );
    expect((error as Error).message.length).toBeLessThan(1_100);
  });

  test('from Google about its key is not blamed on the caller', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    const message = 'API key not valid. Please pass a valid API key.';
    provider.turns.push(json(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } }));
    await expect(gemini.complete(translatedCall({}, { kind: 'google' }))).rejects.toMatchObject({
      type: 'bad_gateway_error',
      message: expect.stringContaining('refused its API key'),
    });
  });

  test.each([
    ['429', json(429, anthropicError('rate_limit_error', 'Slow down'), { 'retry-after': '0' })],
    ['529', json(529, OVERLOADED)],
    ['a connection that is closed', hangUp],
  ])('is retried twice: %s', async (_, turn) => {
    provider.turns.push(turn, turn, json(200, MESSAGE));
    expect(completionOf(await ask()).choices[0].message.content).toBe('Hi');
    expect(provider.received).toHaveLength(3);
  });

  test('is returned after the last retry', async () => {
    provider.turns.push(json(500, 'no'), json(503, ''), json(529, OVERLOADED), json(200, MESSAGE));
    await expect(ask()).rejects.toMatchObject({
      type: 'bad_gateway_error',
      message: expect.stringContaining('Overloaded'),
    });
    expect(provider.received).toHaveLength(3);
  });

  test.each([
    ['says so itself', json(529, OVERLOADED, { 'x-should-retry': 'false' })],
    ['may have been answered behind a gateway', json(504, 'no')],
  ])('is not retried when it %s', async (_, turn) => {
    provider.turns.push(turn, json(200, MESSAGE));
    await expect(ask()).rejects.toMatchObject({ type: 'bad_gateway_error' });
    expect(provider.received).toHaveLength(1);
  });

  test('that asks for a long wait is passed on with the delay', async () => {
    provider.turns.push(json(429, anthropicError('rate_limit_error', 'Slow down'), { 'retry-after': '30' }));
    await expect(ask()).rejects.toMatchObject({
      type: 'usage_limit_exceeded_error',
      headers: { 'Retry-After': '30' },
    });
    expect(provider.received).toHaveLength(1);
  });
});

describe('an invalid response of the provider', () => {
  test.each([
    ['no JSON', '<html>Welcome</html>'],
    ['other JSON', { hello: 'there' }],
    ['JSON that is cut', JSON.stringify(MESSAGE).slice(0, -20)],
    ['an empty body', ''],
  ])('(%s) is a bad gateway and is not retried', async (_, body) => {
    provider.turns.push(json(200, body));
    await expect(ask()).rejects.toMatchObject({ type: 'bad_gateway_error' });
    expect(provider.received).toHaveLength(1);
  });

  test.each(['{}', '[]', '{"candidates": []}'])('from Google is a bad gateway: %s', async (body) => {
    provider.turns.push(json(200, body));
    const call = translatedCall({}, { kind: 'google' });
    await expect(gemini.complete(call)).rejects.toMatchObject({ type: 'bad_gateway_error' });
  });

  test.each([
    ['a page', '<html>Welcome</html>'],
    ['events of something else', 'data: {"hello": "there"}\n\n'],
    ['nothing', ''],
  ])('to a stream request fails before anything is sent: %s', async (_, text) => {
    provider.turns.push(events(text), events(text));
    await expect(claude.stream(translatedCall({ stream: true }))).rejects.toMatchObject({
      type: 'bad_gateway_error',
    });
    await expect(gemini.stream(translatedCall({ stream: true }, { kind: 'google' }))).rejects.toMatchObject({
      type: 'bad_gateway_error',
    });
  });
});

describe('a stream that breaks', () => {
  const read = async (turn: (typeof provider.turns)[number], kind: 'anthropic' | 'google' = 'anthropic') => {
    provider.turns.push(turn);
    const seen: Streamed = { chunks: [], usage: undefined, outputLength: 0 };
    const model = kind === 'anthropic' ? claude : gemini;
    const error = await chunksOf(model, translatedCall({ stream: true }, { kind }), seen).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { ...seen, error };
  };

  test.each(['cut', 'end'] as const)('at any position (%s) yields its content, and fails', async (ending) => {
    const whole = Buffer.from(anthropicEvents(...FINISHED));
    const begun = Buffer.byteLength(anthropicEvents(...BEGUN));
    for (let at = begun; at < whole.length - 1; at += 37) {
      const { chunks, outputLength, error } = await read(events(whole.toString('utf8', 0, at), ending));
      expect(chunks).toHaveLength(2);
      expect(outputLength).toBe(4);
      expect(error).toMatchObject({ type: 'bad_gateway_error' });
    }
    expect((await read(events(whole.toString()))).error).toBeUndefined();
  });

  test('yields the overload error in its middle', async () => {
    const { chunks, error, usage } = await read(events(anthropicEvents(...BEGUN, OVERLOADED)));
    expect(chunks).toHaveLength(2);
    expect(usage).toBeUndefined();
    expect(error).toMatchObject({
      type: 'bad_gateway_error',
      message: expect.stringContaining('Overloaded'),
    });
  });

  test('yields the rate limit error in its middle, also from Google', async () => {
    const limit = { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } };
    const half = { candidates: [{ content: { role: 'model', parts: [{ text: 'Half' }] } }] };
    const { chunks, error } = await read(events(googleEvents(half, limit)), 'google');
    expect(chunks).toHaveLength(2);
    expect(error).toMatchObject({ type: 'usage_limit_exceeded_error' });
  });

  test('is retried after an overload error at its very start', async () => {
    provider.turns.push(events(anthropicEvents(OVERLOADED)), events(anthropicEvents(...FINISHED)));
    expect((await chunksOf(claude, translatedCall({ stream: true }))).chunks).toHaveLength(3);
    expect(provider.received).toHaveLength(2);
  });
});

describe('a caller that disconnects', () => {
  test('ends the call before the response, and gets its own reason', async () => {
    provider.turns.push(stall);
    const leave = new AbortController();
    const left = expect(ask({}, leave.signal)).rejects.toThrow('gone');
    await expect.poll(() => provider.received.length).toBe(1);
    leave.abort(new Error('gone'));
    await left;
    await provider.abandoned();
  });

  test('ends the call between two attempts', async () => {
    provider.turns.push(json(429, OVERLOADED, { 'retry-after': '5' }));
    const leave = new AbortController();
    const left = expect(ask({}, leave.signal)).rejects.toThrow('gone');
    await expect.poll(() => provider.received.length).toBe(1);
    await sleep(50);
    leave.abort(new Error('gone'));
    expect(await settlesSoon(left)).toBe(true);
    await left;
  });

  test('ends the call in the middle of a stream, by its signal', async () => {
    provider.turns.push(events(anthropicEvents(...BEGUN), 'stall'));
    const leave = new AbortController();
    const seen: Streamed = { chunks: [], usage: undefined, outputLength: 0 };
    const reading = chunksOf(claude, translatedCall({ stream: true }, { signal: leave.signal }), seen);
    const left = expect(reading).rejects.toThrow('gone');
    await expect.poll(() => seen.chunks.length).toBe(2);
    leave.abort(new Error('gone'));
    await left;
    await provider.abandoned();
  });

  test.each([0, 1])('ends the call after %i pieces of a stream', async (count) => {
    provider.turns.push(events(anthropicEvents(...BEGUN), 'stall'));
    const pieces = (await claude.stream(translatedCall({ stream: true })))[Symbol.asyncIterator]();
    for (let taken = 0; taken < count; taken++) await pieces.next();
    await pieces.return?.();
    await provider.abandoned();
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });

  test('sends no request when it disconnected before', async () => {
    await expect(ask({}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(provider.received).toEqual([]);
  });
});
