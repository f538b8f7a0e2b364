import { describe, expect, test } from 'vitest';
import {
  ask,
  askInPieces,
  assistant,
  callOf,
  chatOf,
  toolResult,
  user,
} from '../../../../test/simulated-responses.ts';
import type { ChatRequest } from '../chat-model.ts';
import { MAX_OUTPUT_CHARACTERS } from './tokens.ts';

const say = (text: string, more: Partial<ChatRequest> = {}) => ask({ messages: [user(text)], ...more });

test.each<[string, Partial<ChatRequest>, string]>([
  [
    'the last message of the user',
    { messages: [user('a'), assistant('b'), user('c'), toolResult('d')] },
    'c',
  ],
  [
    'the text among parts',
    { messages: [user([{ type: 'text', text: 'a' }, { type: 'image_url' }, { text: 'b' }])] },
    'ab',
  ],
  [
    'every character unchanged',
    { messages: [user(' \n\t Grüße, 世界 🌍\u2028\r\n  x')] },
    ' \n\t Grüße, 世界 🌍\u2028\r\n  x',
  ],
  ['nothing without a user message', { messages: [{ role: 'system', content: 'a' }] }, ''],
  ['nothing for an empty message', { messages: [user(null)] }, ''],
  ['the text before a stop sequence', { messages: [user('one two three')], stop: ['three', ' two'] }, 'one'],
  ['everything when no stop sequence occurs', { messages: [user('one')], stop: 'x' }, 'one'],
  [
    'an object when one is requested',
    { messages: [user('a"b')], response_format: { type: 'json_object' } },
    '{"echo":"a\\"b"}',
  ],
])('sim/echo says %s', async (_, request, content) => {
  const response = await ask(request);
  expect(response.message).toEqual({ role: 'assistant', content, refusal: null });
  expect(response.finishReason).toBe('stop');
  expect(response.outputLength).toBe(content.length);
});

test('sim/echo labels its response as simulated, whole and streamed', async () => {
  const label = { id: 'chatcmpl-1', model: 'sim/echo', system_fingerprint: 'simulated', simulated: true };
  const { completion } = await chatOf('echo').complete(callOf({ messages: [user('a')] }));
  expect(completion).toMatchObject({ ...label, object: 'chat.completion' });
  const { chunks } = await askInPieces({ messages: [user('a b')] });
  expect(chunks).toHaveLength(4);
  for (const chunk of chunks) expect(chunk).toMatchObject({ ...label, object: 'chat.completion.chunk' });
});

test('sim/echo counts the same tokens each time, whole and streamed', async () => {
  const request = { messages: [user('Tell me, please: why?')] };
  const whole = await ask(request);
  // Tell| me|,| please|:| why|?
  expect(whole.usage).toEqual({
    inputTokens: Math.ceil(JSON.stringify([request.messages, []]).length / 4),
    outputTokens: 7,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
  });
  expect((await askInPieces(request)).usage).toEqual(whole.usage);
});

test.each<[Partial<ChatRequest>, string, string]>([
  [{ max_tokens: 2 }, 'one two', 'length'],
  [{ max_completion_tokens: 1, max_tokens: 2 }, 'one', 'length'],
  [{ max_tokens: 3 }, 'one two three', 'stop'],
  [{ max_tokens: null }, 'one two three', 'stop'],
  [{ max_tokens: 1, stop: ' three' }, 'one', 'length'],
  [{ max_tokens: 2, stop: ' three' }, 'one two', 'stop'],
])('sim/echo applies %j', async (limits, content, finishReason) => {
  const response = await say('one two three', limits);
  expect(response).toMatchObject({ message: { content }, finishReason });
});

test('sim/echo stops at the output limit, however long the message', async () => {
  const { usage, finishReason, message } = await say('x '.repeat(2_000_000));
  expect({ usage, finishReason }).toMatchObject({ usage: { outputTokens: 8_192 }, finishReason: 'length' });
  expect(message.content?.length).toBe(8_192 * 2 - 1);
});

test.each<[Partial<ChatRequest>, RegExp]>([
  [{ n: 2 }, /one answer/],
  [{ max_tokens: 0 }, /"max_tokens" must be a whole number/],
  [{ max_completion_tokens: 1.5 }, /"max_completion_tokens" must be a whole number/],
  [{ max_tokens: 'many' }, /"max_tokens"/],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, /"stop"/],
  [{ stop: '' }, /"stop"/],
  [{ stop: 5 }, /"stop"/],
  [{ tool_choice: 'required' }, /"tool_choice"/],
  [
    {
      tool_choice: { type: 'function', function: { name: 'b' } },
      tools: [{ type: 'function', function: { name: 'a' } }],
    },
    /"tool_choice"/,
  ],
])('sim/echo refuses %j', async (limits, message) => {
  await expect(say('a', limits)).rejects.toMatchObject({
    status: 400,
    type: 'invalid_error',
    message: expect.stringMatching(message),
  });
  await expect(askInPieces({ messages: [user('a')], ...limits })).rejects.toMatchObject({ status: 400 });
});

describe('tools of sim/echo', () => {
  const tools = [
    { type: 'function', function: { name: 'now' } },
    {
      type: 'function',
      function: {
        name: 'find',
        parameters: {
          type: 'object',
          properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 3 } },
        },
      },
    },
  ];

  test.each([
    ['required', 'now', '{}'],
    [{ type: 'function', function: { name: 'find' } }, 'find', '{"query":"boats","limit":3}'],
  ])('are called for the choice %j', async (tool_choice, name, text) => {
    const response = await ask({ messages: [user('a'), assistant('b'), user('boats')], tools, tool_choice });
    expect(response.message.tool_calls).toEqual([
      { id: 'call_1_0', type: 'function', function: { name, arguments: text } },
    ]);
    expect(response.message.content).toBeNull();
    expect(response.finishReason).toBe('tool_calls');
    expect(response.outputLength).toBe(name.length + text.length);
  });

  test.each(['auto', 'none', undefined])('are not called for the choice %j', async (tool_choice) => {
    const response = await say('a', { tools, tool_choice });
    expect(response).toMatchObject({ message: { content: 'a' }, finishReason: 'stop' });
  });

  test('are cut off at the token limit', async () => {
    const tool_choice = { type: 'function', function: { name: 'find' } };
    const response = await say('boats', { tools, tool_choice, max_tokens: 4 });
    expect(response.message.tool_calls?.[0]?.function.arguments).toBe('{"query');
    expect(response.finishReason).toBe('length');
  });
});

describe('a response schema for sim/echo', () => {
  const echoed = async (schema: unknown) => {
    const response = await say('boats', {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    return JSON.parse(response.message.content ?? '');
  };
  const text = { type: 'string' };

  test.each<[unknown, unknown]>([
    [
      { type: 'object', properties: { a: text, b: { type: ['integer', 'null'] } } },
      { a: 'boats', b: 0 },
    ],
    [{ properties: { a: { type: 'boolean' }, b: { type: 'null' } } }, { a: true, b: null }],
    [{ type: 'array', items: text }, ['boats']],
    [{ type: 'array', items: text, minItems: 2 }, ['boats', 'boats']],
    [{ type: 'array', items: text, maxItems: 0 }, []],
    [{ enum: ['x', 'y'] }, 'x'],
    [{ const: null }, null],
    [{ anyOf: [{ const: 5 }, text] }, 5],
    [{ ...text, maxLength: 2 }, 'bo'],
    [{ ...text, minLength: 7 }, 'boats..'],
    [{ ...text, format: 'date' }, '2026-01-01'],
    [{ ...text, format: 'constructor' }, 'boats'],
    [{ type: 'number', exclusiveMinimum: 4 }, 5],
    [{ type: 'number', maximum: -2 }, -2],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': text } }, 'boats'],
    [undefined, {}],
    ['nonsense', {}],
  ])('%j is followed', async (schema, value) => {
    expect(await echoed(schema)).toEqual(value);
  });

  const many = Object.fromEntries(
    Array.from({ length: 300_000 }, (_, n) => [`p${n}`, { $ref: '#/$defs/it' }]),
  );
  test.each<[string, unknown]>([
    ['many properties', { type: 'object', properties: many }],
    ['a long value', { const: 'x'.repeat(1_000_000) }],
    ['a long name', { type: 'object', properties: { ['x'.repeat(1_000_000)]: text } }],
    ['a long reference', { $ref: '/'.repeat(1_000_000) }],
    ['many items', { type: 'array', minItems: 1e9, items: { $ref: '#/$defs/it' } }],
  ])('that expands to %s by many references costs little', async (_, it) => {
    const items = { $ref: '#/$defs/it' };
    const begun = performance.now();
    const response = await say('boats', {
      response_format: {
        type: 'json_schema',
        json_schema: { schema: { type: 'array', minItems: 2_000, items, $defs: { it } } },
      },
    });
    expect(response.message.content?.length).toBeLessThan(MAX_OUTPUT_CHARACTERS);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  test('that refers to itself terminates', async () => {
    const node = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
    const response = await say('boats', {
      response_format: { type: 'json_schema', json_schema: { schema: node } },
    });
    expect(response.finishReason).toBe('length');
    const list = {
      type: 'object',
      properties: { name: text, next: { type: 'array', items: { $ref: '#' } } },
    };
    expect(JSON.stringify(await echoed(list))).toMatch(/^(\{"name":"boats","next":\[)+(\]\})+$/);
  });
});
