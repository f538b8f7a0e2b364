import { setTimeout as sleep, setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  answers,
  dropsAtOnce,
  dropsLate,
  dropsMidStream,
  fails,
  garbage,
  type ModelProvider,
  refusesMore,
  type Script,
  sends,
  stalls,
  stallsMidStream,
  startModelProvider,
  toChunks,
  toCompletion,
  toEvent,
} from '../../../../test/model-provider.ts';
import {
  ask,
  askStream,
  ID,
  JSON_TYPE,
  KEY,
  openModelOf,
  stream,
} from '../../../../test/passed-through-chats.ts';
import { settlesSoon } from '../../../../test/soon.ts';

const USAGE = { inputTokens: 7, outputTokens: 5, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };
const TEXT = 'Hello from the provider.';

let provider: ModelProvider;
beforeEach(async () => {
  provider = await startModelProvider();
  return () => provider.close();
});

type Options = Parameters<typeof openModelOf> extends [unknown, ...infer Rest] ? Rest : never;
const openModel = (...options: Options) => openModelOf(provider, ...options);

describe('the request of an OpenAI-compatible model', () => {
  test("is passed on with the key, and without the caller's connection headers", async () => {
    const request = {
      temperature: 0.5,
      metadata: { a: 'b' },
      unknown_field: [1, { deep: null }],
      stream: false,
    };
    await openModel().complete(ask(request));
    expect(provider.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { ...JSON_TYPE, authorization: `Bearer ${KEY}`, 'accept-encoding': 'identity' },
      },
    ]);
    expect(provider.requests[0]?.body).toEqual({
      model: 'large',
      messages: [{ role: 'user', content: 'Hi' }],
      ...request,
    });
  });

  test('has no key when none is set, and no double slash', async () => {
    await openModel({ apiKey: undefined, baseUrl: `${provider.baseUrl}//` }).complete(ask());
    expect(provider.requests[0]).toMatchObject({ path: '/v1/chat/completions' });
    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([undefined, null, {}, { include_usage: false, other: 1 }])(
    'requests the usage of streams: %j',
    async (options) => {
      await stream(openModel(), askStream(options === undefined ? {} : { stream_options: options }));
      expect(provider.requests[0]?.body).toMatchObject({
        stream: true,
        stream_options: { ...options, include_usage: true },
      });
    },
  );
});

describe('a whole response of an OpenAI-compatible model', () => {
  test('is passed on unchanged except for the id', async () => {
    const text =
      '{ "seed":12345678901234567890, "choices":[{"id":"a","message":{"content":"ü\\u00fc"}}],\n "id": "chatcmpl-x", "usage":null }';
    provider.next(sends([text.slice(0, 30), text.slice(30)], JSON_TYPE));
    const response = await openModel().complete(ask());
    expect(JSON.stringify(response.completion)).toBe(
      `{"seed":12345678901234567890,"choices":[{"id":"a","message":{"content":"üü"}}],"id":"${ID}","usage":null}`,
    );
    expect(response).toMatchObject({ upstreamId: 'chatcmpl-x', usage: undefined, outputLength: 2 });
  });

  test('yields usage, output length, and tool calls', async () => {
    expect(await openModel().complete(ask())).toMatchObject({ usage: USAGE, outputLength: TEXT.length });
    provider.next(
      answers({
        toolCalls: [{ id: 'call_1', name: 'look', arguments: '{"at":"it"}' }],
        usage: { prompt_tokens: -1, completion_tokens: 2 },
      }),
    );
    const called = await openModel().complete(ask());
    expect(called).toMatchObject({ usage: undefined, outputLength: 15 });
    expect(called.completion).toMatchObject({
      id: ID,
      choices: [{ message: { tool_calls: [{ id: 'call_1' }] }, finish_reason: 'tool_calls' }],
    });
  });

  test('is decompressed', async () => {
    const text = JSON.stringify(toCompletion({}, {}));
    provider.next(sends([gzipSync(text)], { ...JSON_TYPE, 'content-encoding': 'gzip' }));
    const { completion } = await openModel().complete(ask());
    expect(completion).toEqual({ ...JSON.parse(text), id: ID });
  });

  test.each([
    ['with a line\\n', undefined],
    ['ü', undefined],
    [`x${KEY}x`, undefined],
    ['resp-1', 'resp-1'],
  ])('yields for the id %j the upstream id %j', async (id, expected) => {
    provider.next(sends([`{"id":"${id}","choices":[]}`], JSON_TYPE));
    expect((await openModel().complete(ask())).upstreamId).toBe(expected);
  });
});

describe('a streamed response of an OpenAI-compatible model', () => {
  test('is passed on unchanged except for the id, the usage and the end', async () => {
    const response = await stream(openModel(), askStream());
    const chunks = toChunks({ id: ID }, { model: 'large' });
    expect(response).toEqual({ chunks, usage: USAGE, outputLength: TEXT.length });
  });

  test('includes the usage chunk when requested', async () => {
    const options = { stream_options: { include_usage: true } };
    const response = await stream(openModel(), askStream(options));
    expect(response.chunks).toEqual(toChunks({ id: ID }, { model: 'large', ...options }));
    expect(response.usage).toEqual(USAGE);
  });

  const chunk = (more: object) => toEvent({ id: 'x', ...more });
  const own = (more: object) => ({ id: ID, ...more });
  const delta = { choices: [{ index: 0, delta: { content: 'ü😀' }, finish_reason: null }] };
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const used = { usage: { prompt_tokens: 7, completion_tokens: 5 } };
  test.each([
    [
      'usage with the last choice is passed on',
      chunk(delta) + chunk({ ...last, ...used }),
      [own(delta), own({ ...last, ...used })],
      USAGE,
    ],
    [
      'usage without choices is not',
      chunk(delta) + chunk(last) + chunk(used),
      [own(delta), own(last)],
      USAGE,
    ],
    [
      'usage: null is',
      chunk({ ...delta, usage: null }) + chunk(last),
      [own({ ...delta, usage: null }), own(last)],
      undefined,
    ],
    [
      'wrong usage is not believed',
      chunk(delta) + chunk(last) + chunk({ choices: [], usage: { prompt_tokens: 'x' } }),
      [own(delta), own(last)],
      undefined,
    ],
    [
      'choices that are empty at first',
      chunk({ choices: [], prompt_filter_results: [] }) + chunk(delta) + chunk(last),
      [own({ choices: [], prompt_filter_results: [] }), own(delta), own(last)],
      undefined,
    ],
    [
      'what comes after the end is nothing',
      `${chunk(delta)}data: [DONE]\n\ndata: garbage\n\n`,
      [own(delta)],
      undefined,
    ],
    ['an end without [DONE]', chunk(delta) + chunk(last), [own(delta), own(last)], undefined],
    ['an end without a blank line', `${chunk(delta)}data: [DONE]`, [own(delta)], undefined],
    [
      'data of several lines',
      'data: {"id":"x",\ndata:"choices":[]}\n\ndata: [DONE]\n\n',
      [own({ choices: [] })],
      undefined,
    ],
    [
      'comments and CRLF',
      `: hi\r\n\r\ndata:{"id":"x","choices":[]}\r\n\r\ndata: [DONE]\r\n\r\n`,
      [own({ choices: [] })],
      undefined,
    ],
    ['no id', 'data: {"choices":[]}\n\ndata: [DONE]\n\n', [own({ choices: [] })], undefined],
  ])('%s', async (_, given, chunks, usage) => {
    const bytes = Buffer.from(given);
    const cut = Array.from({ length: Math.ceil(bytes.length / 11) }, (__, n) =>
      bytes.subarray(11 * n, 11 * n + 11),
    );
    for (const pieces of [[bytes], cut]) {
      provider.next(sends(pieces));
      expect(await stream(openModel(), askStream())).toMatchObject({ chunks, usage });
    }
  });

  test('is decompressed', async () => {
    const chunks = toChunks({}, { model: 'large' });
    provider.next(
      sends([gzipSync(`${chunks.map(toEvent).join('')}data: [DONE]\n\n`)], {
        'content-encoding': 'gzip',
        'content-type': 'text/event-stream',
      }),
    );
    expect((await stream(openModel(), askStream())).chunks).toEqual(toChunks({ id: ID }, { model: 'large' }));
  });

  test('is passed on while it is generated', async () => {
    provider.next(stallsMidStream(2));
    const pieces = await openModel().stream(askStream());
    const seen: unknown[] = [];
    for await (const { chunks } of pieces) {
      seen.push(...chunks);
      if (JSON.stringify(chunks).includes('Hello')) break;
    }
    expect(seen).toMatchObject([{ id: ID }, { id: ID, choices: [{ delta: { content: 'Hello ' } }] }]);
  });
});

describe('connections to a provider', () => {
  test('are reused, even after streams and errors', async () => {
    const model = openModel();
    for (let n = 0; n < 5; n++) {
      provider.next(answers(), answers(), fails(400));
      await model.complete(ask());
      await stream(model, askStream());
      // The end of the body arrives after [DONE], which ends the stream: the event loop has to process it.
      await turnOfEventLoop();
      await expect(model.complete(ask())).rejects.toMatchObject({ status: 400 });
    }
    expect(provider.socketCount()).toBe(1);
  });

  test.each([
    ['before the head', stalls()],
    ['in the middle', stallsMidStream()],
  ])('are closed when the caller disconnects, %s', async (_, script) => {
    const abort = new AbortController();
    const reason = new Error('left');
    provider.next(script);
    const reading = stream(openModel(), askStream({}, abort.signal));
    await expect.poll(() => provider.requests.length).toBe(1);
    setTimeout(() => abort.abort(reason), 30);
    await expect(reading).rejects.toBe(reason);
    await expect.poll(provider.openSockets).toBe(0);
    expect(provider.requests).toMatchObject([{ isAborted: true }]);
  });

  test('are closed when a stream is left early', async () => {
    provider.next(stallsMidStream());
    for await (const _ of await openModel().stream(askStream())) break;
    await expect.poll(provider.openSockets).toBe(0);
    expect(provider.requests).toMatchObject([{ isAborted: true }]);
  });

  test('a caller that disconnects between retries ends the call at once', async () => {
    const abort = new AbortController();
    provider.always(refusesMore('4'));
    const left = expect(openModel().complete(ask({}, abort.signal))).rejects.toThrow('left');
    await expect.poll(() => provider.requests.length).toBe(1);
    await sleep(30);
    abort.abort(new Error('left'));
    expect(await settlesSoon(left)).toBe(true);
    await left;
    expect(provider.requests).toHaveLength(1);
  });
});

describe('retries', () => {
  test.each([
    ['dropped connections', [dropsAtOnce(), dropsAtOnce()], 3],
    ['500, then fine', [fails(500)], 2],
    ['503 and 408', [fails(503), fails(408)], 3],
    ['429 with a short wait', [refusesMore('1')], 2],
  ] as const)('continue after %s', async (_, scripts, count) => {
    provider.next(...scripts);
    expect(await openModel().complete(ask())).toMatchObject({ usage: USAGE });
    expect(provider.requests).toHaveLength(count);
    expect(new Set(provider.requests.map(({ text }) => text)).size).toBe(1);
  });

  test.each<[string, Script, number]>([
    ['three times at most', fails(500), 3],
    ['not where it takes long', refusesMore('6'), 1],
    ['not what was refused', fails(400), 1],
    ['not a refused key', fails(401), 1],
    ['not garbage', garbage(), 1],
    ['not what has begun', dropsMidStream(), 1],
    ['not what a gateway was too impatient for', fails(504), 1],
    ['not what says so itself', fails(500, 'No.', { 'x-should-retry': 'false' }), 1],
    ['not what may have been worked on', dropsLate(200), 1],
  ])('%s', async (_, script, count) => {
    provider.always(script);
    await expect(openModel().complete(ask())).rejects.toThrow('The provider acme');
    await expect(stream(openModel(), askStream())).rejects.toThrow('The provider acme');
    expect(provider.requests).toHaveLength(2 * count);
  });

  test("stop at the provider's timeout", async () => {
    provider.always(fails(500, 'No.', { 'retry-after': '5' }));
    await expect(openModel({ timeoutMs: 4_900 }).complete(ask())).rejects.toMatchObject({ status: 502 });
    expect(provider.requests).toHaveLength(1);
  });
});
