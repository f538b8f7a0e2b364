import { beforeEach, describe, expect, test } from 'vitest';
import {
  commentsMidStream,
  dropsAtOnce,
  dropsMidStream,
  echoesKey,
  fails,
  garbage,
  garbageEvents,
  type ModelProvider,
  redirects,
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
import { memoryBudget } from '../../admission/budget.ts';
import type { ChatCompletion, StreamPiece } from '../chat-model.ts';

let provider: ModelProvider;
beforeEach(async () => {
  provider = await startModelProvider();
  return () => provider.close();
});

type Options = Parameters<typeof openModelOf> extends [unknown, ...infer Rest] ? Rest : never;
const openModel = (...options: Options) => openModelOf(provider, ...options);

interface Fault {
  readonly script: Script;
  readonly type: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('a faulty provider', () => {
  const both: Record<string, Fault> = {
    'stalls before the head': {
      script: stalls(),
      type: 'gateway_timeout_error',
      detail: 'did not begin to respond within',
    },
    'stalls in the middle': {
      script: stallsMidStream(1),
      type: 'gateway_timeout_error',
      detail: 'stopped in the middle',
    },
    'drops in the middle': { script: dropsMidStream(), type: 'bad_gateway_error', detail: 'broke off' },
    'drops at once': { script: dropsAtOnce(), type: 'bad_gateway_error', detail: 'broke off' },
    'sends an HTML page': { script: garbage(), type: 'bad_gateway_error', detail: 'The provider acme' },
    'returns 400': { script: fails(400, 'No such tool.'), type: 'invalid_error', detail: 'No such tool.' },
    'returns 401': { script: fails(401), type: 'bad_gateway_error', detail: 'refused its API key' },
    'returns 404': { script: fails(404), type: 'bad_gateway_error', detail: 'no such model' },
    'returns 429': {
      script: refusesMore('60'),
      type: 'usage_limit_exceeded_error',
      detail: '429',
      headers: { 'Retry-After': '60' },
    },
    'returns 500': { script: fails(500, 'Oops.'), type: 'bad_gateway_error', detail: 'It said 500: Oops.' },
    'redirects to the metadata address of a cloud': {
      script: redirects(),
      type: 'bad_gateway_error',
      detail: 'redirects are not followed',
    },
    'returns 200 with an error': {
      script: sends(['{"error":{"message":"Overloaded."}}'], JSON_TYPE),
      type: 'bad_gateway_error',
      detail: 'Overloaded.',
    },
  };
  test.each(Object.entries(both))('that %s', async (_, { script, type, detail, headers = {} }) => {
    provider.always(script);
    const model = openModel(type === 'gateway_timeout_error' ? { timeoutMs: 2_000 } : {});
    const expected = { type, message: expect.stringContaining(detail), headers };
    await expect(model.complete(ask())).rejects.toMatchObject(expected);
    await expect(stream(model, askStream())).rejects.toMatchObject(expected);
    // Connections kept alive for the next request may stay open.
    if (detail.includes('middle') || detail.includes('begin') || detail.includes('off')) {
      await expect.poll(provider.openSockets).toBe(0);
    } else expect(provider.openSockets()).toBeLessThanOrEqual(1);
  });

  test.each([0, 1])('that streams only comments after %i chunks', async (count) => {
    provider.always(commentsMidStream(count));
    const seen: StreamPiece[] = [];
    const reading = async () => {
      for await (const piece of await openModel({ timeoutMs: 2_000 }).stream(askStream())) seen.push(piece);
    };
    await expect(reading()).rejects.toMatchObject({
      type: 'gateway_timeout_error',
      message: expect.stringContaining('acme is too slow'),
    });
    expect(seen).toHaveLength(count);
    await expect.poll(provider.openSockets).toBe(0);
  });

  test('that sends a long event slowly does not count as silent', async () => {
    const chunks = toChunks({ text: 'x'.repeat(1024 * 1024) }, { model: 'large', messages: [] });
    const bytes = Buffer.from(chunks.map(toEvent).join(''));
    const pieces = Array.from({ length: 11 }, (_, n) => bytes.subarray(n * 100_000, (n + 1) * 100_000));
    provider.always(sends([...pieces, 'data: [DONE]\n\n'], { 'content-type': 'text/event-stream' }, 300));
    const { outputLength } = await stream(openModel({ timeoutMs: 3_000 }), askStream());
    expect(outputLength).toBe(1024 * 1024);
  });

  test('that exceeds the memory budget together with other responses', async () => {
    const room = memoryBudget('large responses');
    room.open('me').take(60 * 1024 * 1024);
    const pieces = Array.from({ length: 6 }, () => Buffer.alloc(1024 * 1024, ' '));
    const refusal = { status: 429, message: expect.stringContaining('large responses') };
    provider.always(sends(pieces, JSON_TYPE));
    await expect(openModel().complete({ ...ask(), room: room.open('me') })).rejects.toMatchObject(refusal);
    provider.always(sends(['data: ', ...pieces]));
    await expect(stream(openModel(), { ...askStream(), room: room.open('me') })).rejects.toMatchObject(
      refusal,
    );
    await expect.poll(provider.openSockets).toBe(0);
    expect(provider.requests).toHaveLength(2);
  });

  test.each<[string, Script, string]>([
    ['a number', garbage('7'), 'not a chat completion'],
    ['half an object', garbage('{"choices":['), 'not a chat completion'],
    ['something else', garbage('{"models":[]}'), 'not a chat completion'],
    [
      'lists nested too deeply to serialize',
      garbage(`{"choices":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
      'not a chat completion',
    ],
    [
      'objects that fill memory',
      garbage(`{"choices":[${'{},'.repeat(1_000_001)}{}]}`),
      'not a chat completion',
    ],
    ['nothing', garbage(''), 'not a chat completion'],
    ['invalid gzip', sends(['x'], { ...JSON_TYPE, 'content-encoding': 'gzip' }), 'not valid HTTP'],
    [
      'too much',
      sends(
        Array.from({ length: 66 }, () => Buffer.alloc(1024 * 1024, ' ')),
        JSON_TYPE,
      ),
      'more than 64 MiB',
    ],
  ])('that responds with %s', async (_, script, detail) => {
    provider.always(script);
    await expect(openModel().complete(ask())).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining(detail),
    });
  });

  test.each<[string, Script, string]>([
    ['nothing', garbage(''), 'broke its stream off'],
    ['nothing but the end', garbage('data: [DONE]\n\n'), 'before it said anything'],
    ['nothing but comments', garbage(': hi\n\n'), 'broke its stream off'],
    ['a whole answer', sends([JSON.stringify(toCompletion({}, {}))], JSON_TYPE), 'did not stream'],
    ['an error', garbage('data: {"error":{"message":"Overloaded."}}\n\n'), 'Overloaded.'],
    ['no JSON', garbage('data: oops\n\n'), 'not a chunk'],
    [
      'an event without an end',
      sends(['data: ', ...Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, ' '))]),
      'without an end',
    ],
  ])('that streams %s', async (_, script, detail) => {
    provider.always(script);
    await expect(openModel().stream(askStream())).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining(detail),
    });
    await expect.poll(provider.openSockets).toBeLessThanOrEqual(1);
  });

  test.each<[string, Script, string]>([
    ['garbage', garbageEvents(), 'not a chunk'],
    ['an error', garbageEvents('data: {"error":{"message":"Overloaded."}}\n\n'), 'Overloaded.'],
    ['the end of the connection', dropsMidStream(), 'broke off'],
    [
      'the end of the stream',
      sends([toEvent({ id: 'x', choices: [{ delta: { content: 'Hi' } }] })]),
      'broke its stream off',
    ],
  ])('that sends %s in the middle of a stream: everything before is passed on', async (_, script, detail) => {
    provider.always(script);
    const pieces = await openModel().stream(askStream());
    const seen: ChatCompletion[] = [];
    const reading = (async () => {
      for await (const { chunks } of pieces) seen.push(...chunks);
    })();
    await expect(reading).rejects.toMatchObject({ status: 502, message: expect.stringContaining(detail) });
    expect(seen[0]).toMatchObject({ id: ID });
  });

  test.each([400, 401, 429, 500])(
    'that repeats the key with status %d does not reveal it',
    async (status) => {
      provider.always(echoesKey(status));
      const error: unknown = await openModel()
        .complete(ask())
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message: expect.stringContaining('Bearer [API key].') });
      expect(JSON.stringify([error, (error as Error).stack, (error as Error).cause])).not.toContain(KEY);
    },
  );

  test('at an address that is not public', async () => {
    const asking = openModel({}, {}).complete(ask());
    await expect(asking).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/no public address.*DRYDOCK_ALLOW_PRIVATE_PROVIDERS=1/),
    });
    expect(provider.socketCount()).toBe(0);
  });
});
