/** Callers who disconnect at every possible moment: each call is stored once, and its provider request is cancelled. */
import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { answers, sends, stalls, stallsMidStream, toChunks, toEvent } from '../../../test/model-provider.ts';
import { large, scripted, startOpenAiWorld, whileUnwritable } from '../../../test/openai-world.ts';

const { server, provider, chatUrl, written, writtenLater } = await startOpenAiWorld();
const { owner, db } = server;

interface Asking {
  readonly outgoing: ClientRequest;
  text: string;
}

function ask(body: object): Asking {
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
  const outgoing = sendRequest(chatUrl, { method: 'POST', headers }).on('error', () => undefined);
  const asking = { outgoing, text: '' };
  outgoing.on('response', (response) =>
    response
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        asking.text += bytes.toString();
      }),
  );
  outgoing.end(JSON.stringify(body));
  return asking;
}

const isAskedSince = (count: number) => vi.waitUntil(() => provider.requests.length > count, { interval: 5 });
const isLeft = () => vi.waitUntil(() => provider.requests.at(-1)?.isAborted, { interval: 5 });

/** Checks that no second entry follows. */
async function writtenOnce() {
  await writtenLater();
  await sleep(100);
  const calls = await written();
  expect(calls).toHaveLength(1);
  return calls[0];
}

test.each([true, false])(
  'disconnecting before any output counts nothing (stream: %s)',
  async (isStreamed) => {
    provider.next(stalls());
    const count = provider.requests.length;
    const { outgoing } = ask({ ...large, stream: isStreamed });
    await isAskedSince(count);
    outgoing.destroy();
    await isLeft();
    expect(await writtenOnce()).toMatchObject({ status: 'cancelled', error_type: null, input_tokens: null });
  },
);

test('disconnecting during a retry of the provider prevents further attempts', async () => {
  provider.always((_, response) => void response.writeHead(503).end());
  const count = provider.requests.length;
  const { outgoing } = ask(large);
  await isAskedSince(count);
  await sleep(20);
  outgoing.destroy();
  expect(await writtenOnce()).toMatchObject({ status: 'cancelled', input_tokens: null });
  await sleep(400);
  expect(provider.requests).toHaveLength(count + 1);
});

test('disconnecting after the first byte counts the output so far', async () => {
  provider.next(stallsMidStream(3));
  const asking = ask({ ...large, stream: true });
  await expect.poll(() => asking.text).toContain('from ');
  asking.outgoing.destroy();
  await isLeft();
  expect(await writtenOnce()).toMatchObject({
    status: 'cancelled',
    error_type: null,
    output_tokens: Math.ceil('Hello from '.length / 4),
    is_estimated: true,
  });
});

test('disconnecting after more output than reported usage counts all of it', async () => {
  const [, chunk = {}] = toChunks({ text: '12345678' }, {});
  const early = { ...chunk, usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } };
  provider.next((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toEvent(early) + toEvent(chunk));
  });
  const asking = ask({ ...large, stream: true });
  await expect.poll(() => asking.text.match(/12345678/g)?.length).toBe(2);
  asking.outgoing.destroy();
  expect(await writtenOnce()).toMatchObject({ input_tokens: 10, output_tokens: 4, is_estimated: true });
});

test.each([true, false])(
  'disconnecting while the call is being stored leaves it completed (stream: %s)',
  async (isStreamed) => {
    const count = provider.requests.length;
    await whileUnwritable(db, async () => {
      const asking = ask({ ...large, stream: isStreamed });
      await isAskedSince(count);
      if (isStreamed) await expect.poll(() => asking.text).toContain('"finish_reason":"stop"');
      await sleep(100);
      asking.outgoing.destroy();
      await sleep(100);
      expect(await written()).toEqual([]);
    });
    expect(await writtenOnce()).toMatchObject({ status: 'completed', input_tokens: 7, output_tokens: 5 });
  },
);

describe('disconnecting after the end of the output and before the usage', () => {
  const usage = { prompt_tokens: 50, completion_tokens: 20_400, total_tokens: 20_450 };
  const usageEvent = `${toEvent({ choices: [], usage })}data: [DONE]\n\n`;

  /** Ends the output with this text, and sends the usage when the test says so. */
  function finishes(content: string) {
    let upstream: ServerResponse | undefined;
    provider.next((_, response) => {
      upstream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      upstream.write(toEvent({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] }));
    });
    return { sendUsage: (text = usageEvent) => void upstream?.end(text) };
  }

  test.each([false, true])('waits for the usage and counts it (requested: %s)', async (isAsked) => {
    const model = finishes('Hello');
    const asking = ask({
      ...large,
      stream: true,
      ...(isAsked && { stream_options: { include_usage: true } }),
    });
    await expect.poll(() => asking.text).toContain('"stop"');
    asking.outgoing.destroy();
    await sleep(200);
    expect(await written()).toEqual([]);
    model.sendUsage();
    const counted = { input_tokens: 50, output_tokens: 20_400, is_estimated: false };
    expect(await writtenOnce()).toMatchObject({ status: 'cancelled', error_type: null, ...counted });
  });

  test('counts the usage, even when it is lower than the estimate', async () => {
    const model = finishes('x'.repeat(400));
    const asking = ask({ ...large, stream: true });
    await expect.poll(() => asking.text).toContain('"stop"');
    asking.outgoing.destroy();
    await sleep(50);
    model.sendUsage(usageEvent.replace('20400', '9'));
    expect(await writtenOnce()).toMatchObject({ output_tokens: 9, is_estimated: false });
  });

  test('counts the usage, even when the last output was not read yet', async () => {
    const model = finishes('x'.repeat(15 * 1024 * 1024));
    const { outgoing } = ask({ ...large, stream: true });
    const response = await new Promise<IncomingMessage>((resolve) => outgoing.once('response', resolve));
    response.pause();
    await sleep(300);
    outgoing.destroy();
    await sleep(50);
    model.sendUsage();
    expect(await writtenOnce()).toMatchObject({ status: 'cancelled', output_tokens: 20_400 });
  });

  /** @returns the time until the call was stored, in milliseconds */
  async function leaveAfter(upstream?: string): Promise<number> {
    const model = finishes('12345678');
    const asking = ask({ ...large, stream: true });
    await expect.poll(() => asking.text).toContain('"stop"');
    const started = performance.now();
    asking.outgoing.destroy();
    await sleep(50);
    if (upstream !== undefined) model.sendUsage(upstream);
    expect(await writtenOnce()).toMatchObject({ status: 'cancelled', output_tokens: 2, is_estimated: true });
    return performance.now() - started;
  }

  test('waits for the usage for one second only', async () => {
    expect(await leaveAfter()).toBeGreaterThan(1_000);
    await isLeft();
  });

  // This normally takes 0.2 s. Retries discard attempts during which the machine was busy.
  test('does not wait when the response ends without usage', { retry: 4 }, async () => {
    expect(await leaveAfter('data: [DONE]\n\n')).toBeLessThan(1_000);
  });
});

test('disconnecting from a simulated model works between its chunks, and before the first', async () => {
  const slow = scripted([{ say: 'one two three', chunk_delay_ms: 60 }]);
  const asking = ask({ ...slow, stream: true });
  await expect.poll(() => asking.text).toContain('one');
  asking.outgoing.destroy();
  expect(await writtenOnce()).toMatchObject({ status: 'cancelled', is_estimated: true });
});

test('a slow reader slows down the provider', async () => {
  const chunk = toEvent({
    choices: [{ index: 0, delta: { content: 'x'.repeat(65_536) }, finish_reason: null }],
  });
  const last = toEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  let sent = 0;
  provider.next((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = () => {
      while (sent < 800) {
        sent++;
        if (response.write(chunk)) continue;
        response.once('drain', send);
        return;
      }
      response.end(`${last}data: [DONE]\n\n`);
    };
    send();
  });
  const asking = ask({ ...large, stream: true });
  const response = await new Promise<IncomingMessage>((resolve) => asking.outgoing.once('response', resolve));
  response.pause();
  let before = -1;
  const isStill = () => {
    const isSame = sent === before;
    before = sent;
    return isSame;
  };
  await expect.poll(isStill, { interval: 300 }).toBe(true);
  // Only the buffers of two connections and a small one in the gateway are filled.
  expect(sent).toBeLessThan(400);
  response.resume();
  await expect.poll(() => asking.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(asking.text.length).toBeGreaterThan(800 * 65_536);
});

test('many callers disconnecting at any moment are each stored once, and leave nothing behind', async () => {
  const leave = async (n: number) => {
    const { outgoing } = ask({ ...large, stream: n % 2 === 0 });
    await sleep(n % 25);
    outgoing.destroy();
  };
  const pieces = toChunks({}, { stream_options: { include_usage: true } }).map(toEvent);
  provider.always((request, response) =>
    (request.body.stream ? sends([...pieces, 'data: [DONE]\n\n']) : answers({ delayMs: 8 }))(
      request,
      response,
    ),
  );
  for (let round = 0; round < 8; round++)
    await Promise.all(Array.from({ length: 25 }, (_, n) => leave(round * 25 + n)));
  await sleep(500);
  const calls = await written();
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  expect(calls.length).toBeLessThanOrEqual(200);
  for (const { status, input_tokens, first_byte_ms } of calls) {
    expect(['completed', 'cancelled']).toContain(status);
    expect(input_tokens === null).toBe(first_byte_ms === null);
  }
  await expect.poll(() => provider.requests.filter(({ isAborted }) => isAborted).length).toBeGreaterThan(0);
});
