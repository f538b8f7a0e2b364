/** Timeouts of translated models, and the memory that responses use. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { anthropicError, BEGUN, delta, FINISHED, MESSAGE } from '../../../../test/anthropic-responses.ts';
import {
  anthropicEvents,
  events,
  json,
  stall,
  useForeignProvider,
} from '../../../../test/foreign-provider.ts';
import {
  chunksOf,
  type Streamed,
  translatedCall,
  translatedModel,
} from '../../../../test/translated-calls.ts';
import { memoryBudget } from '../../admission/budget.ts';

const provider = await useForeignProvider();

const EVENTS = { 'content-type': 'text/event-stream' };
const claude = translatedModel('anthropic', provider.url);

describe('a slow provider', () => {
  const slow = translatedModel('anthropic', provider.url, { timeoutMs: 2_000 });

  test('that does not start responding is a gateway timeout, and its connection is closed', async () => {
    provider.turns.push(stall);
    await expect(slow.complete(translatedCall({}))).rejects.toMatchObject({ type: 'gateway_timeout_error' });
    await provider.abandoned();
    expect(provider.received).toHaveLength(1);
  });

  test.each(['stall', 'pings'] as const)(
    'that stops responding is a gateway timeout after its content: %s',
    async (how) => {
      provider.turns.push(events(anthropicEvents(...BEGUN), how));
      const seen: Streamed = { chunks: [], usage: undefined, outputLength: 0 };
      await expect(chunksOf(slow, translatedCall({ stream: true }), seen)).rejects.toMatchObject({
        type: 'gateway_timeout_error',
      });
      expect(seen.chunks).toHaveLength(2);
      await provider.abandoned();
    },
  );
});

test('endless pings do not count as a response', async () => {
  provider.turns.push(events('', 'pings'));
  const slow = translatedModel('anthropic', provider.url, { timeoutMs: 2_000 });
  await expect(slow.stream(translatedCall({ stream: true }))).rejects.toMatchObject({
    type: 'gateway_timeout_error',
  });
  await provider.abandoned();
  expect(provider.received).toHaveLength(1);
});

test("a slow reader does not count against the provider's timeout", async () => {
  const words = Array.from({ length: 12 }, (_, word) => `w${word} `);
  provider.turns.push(async (response) => {
    response.writeHead(200, EVENTS);
    response.write(anthropicEvents(...BEGUN));
    for (const word of words) {
      response.write(anthropicEvents(delta(word)));
      await sleep(200);
    }
    response.end(anthropicEvents(...FINISHED.slice(BEGUN.length)));
  });
  const slow = translatedModel('anthropic', provider.url, { timeoutMs: 3_000 });
  const pieces = await slow.stream(translatedCall({ stream: true }));
  let text = '';
  for await (const { chunks } of pieces) {
    if (text === '') await sleep(4_000);
    text += JSON.stringify(chunks);
  }
  for (const word of words) expect(text).toContain(`"${word}"`);
});

test('a long event that arrives slowly does not count as silence', async () => {
  const much = Buffer.from(anthropicEvents(...BEGUN.slice(0, 2), delta('x'.repeat(1024 * 1024))));
  provider.turns.push(async (response) => {
    response.writeHead(200, EVENTS);
    for (let at = 0; at < much.length; at += 100_000) {
      response.write(much.subarray(at, at + 100_000));
      await sleep(300);
    }
    response.end(anthropicEvents(...FINISHED.slice(BEGUN.length)));
  });
  const slow = translatedModel('anthropic', provider.url, { timeoutMs: 3_000 });
  const { outputLength } = await chunksOf(slow, translatedCall({ stream: true }));
  expect(outputLength).toBe(1024 * 1024);
});

test.each<[string, readonly { readonly type: string }[]]>([
  ['its end', FINISHED],
  ['an error', [anthropicError('invalid_request_error', 'No.')]],
])('data after %s is not buffered, and read only briefly', async (_, sent) => {
  const room = memoryBudget('large responses', { perOwner: 3 * 1024 * 1024 });
  const share = room.open('me');
  provider.turns.push(async (response) => {
    response.writeHead(200, EVENTS);
    response.write(anthropicEvents(...sent));
    await sleep(200);
    const pings = anthropicEvents({ type: 'ping' }).repeat(1_000);
    while (!response.closed) {
      response.write(pings);
      await sleep(1);
    }
  });
  await chunksOf(claude, translatedCall({ stream: true }, { room: share })).catch(() => undefined);
  share.free();
  await provider.abandoned();
  expect(room.open('me').take(3 * 1024 * 1024)).toBeUndefined();
});

test('a stream that begins with an error is closed at once, however slow the provider is', async () => {
  provider.turns.push(events(anthropicEvents(anthropicError('invalid_request_error', 'No.')), 'pings'));
  const patient = translatedModel('anthropic', provider.url, { timeoutMs: 600_000 });
  await expect(patient.stream(translatedCall({ stream: true }))).rejects.toMatchObject({ status: 400 });
  await provider.abandoned();
});

test('a response beyond the memory budget is refused', async () => {
  const room = memoryBudget('large responses');
  room.open('me').take(60 * 1024 * 1024);
  const refusal = { status: 429, message: expect.stringContaining('large responses') };
  const much = ' '.repeat(6 * 1024 * 1024);
  provider.turns.push(json(200, `${much}${JSON.stringify(MESSAGE)}`), events(`data: ${much}`, 'stall'));
  await expect(claude.complete(translatedCall({}, { room: room.open('me') }))).rejects.toMatchObject(refusal);
  const call = translatedCall({ stream: true }, { room: room.open('me') });
  await expect(claude.stream(call)).rejects.toMatchObject(refusal);
  await provider.abandoned();
  expect(provider.received).toHaveLength(2);
});
