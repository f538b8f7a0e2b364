import { expect, test } from 'vitest';
import type { PlainSpan } from '../../../test/decoded-spans.ts';
import * as spans from '../../../test/genai-spans.ts';
import type { Messages } from './message-values.ts';
import { readMessages } from './messages.ts';

/** Reads messages from attributes that were stored and parsed again. */
const read = ({ attributes = {}, events = [] }: PlainSpan): Messages =>
  readMessages(
    JSON.parse(JSON.stringify(attributes)) as Record<string, unknown>,
    JSON.parse(JSON.stringify(events)) as { name: string; attributes: Record<string, unknown> }[],
  );

const SYSTEM = { role: 'system', content: 'You help with the weather.' };
const USER = { role: 'user', content: "What's the weather in Paris?" };
const GEOCODE = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_0', name: 'geocode', arguments: { city: 'Paris' } }],
};
const RESULT = { role: 'tool', content: '48.9, 2.4', tool_call_id: 'call_0' };
const CALL = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', name: 'get_weather', arguments: { location: 'Paris' } }],
};
const LATEST = {
  input: [SYSTEM, USER, GEOCODE, RESULT],
  output: [
    {
      ...CALL,
      content: [
        { type: 'reasoning', text: 'Paris, so France.' },
        { type: 'text', text: 'Let me look.' },
      ],
    },
  ],
};

test.each<[string, PlainSpan, unknown]>([
  ['nothing', { attributes: { 'url.path': '/' } }, { input: [], output: [] }],
  ['events of messages', spans.GENAI_EVENTS, { input: [SYSTEM, USER, GEOCODE, RESULT], output: [CALL] }],
  [
    'events of content',
    spans.GENAI_CONTENT_EVENTS,
    {
      input: [{ role: 'system', content: 'You are a helpful bot' }, USER],
      output: [{ role: 'assistant', content: 'It rains in Paris.' }],
    },
  ],
  ['OpenLLMetry', spans.OPENLLMETRY, { input: [SYSTEM, USER, GEOCODE, RESULT], output: [CALL] }],
  ['messages in JSON', spans.GENAI_LATEST, LATEST],
  ['messages in values', spans.GENAI_LATEST_STRUCTURED, LATEST],
  ['messages in the event of details', spans.GENAI_LATEST_EVENT, LATEST],
  [
    'OpenInference',
    spans.OPENINFERENCE,
    {
      input: [
        SYSTEM,
        {
          role: 'user',
          content: [
            { type: 'text', text: USER.content },
            { type: 'image', url: 'https://example.com/a.png' },
          ],
        },
        GEOCODE,
        { ...RESULT, name: 'geocode' },
      ],
      output: [CALL],
    },
  ],
])('%s', (_name, span, expected) => {
  expect(read(span)).toEqual(expected);
});

test.each<[string, PlainSpan, unknown]>([
  [
    'a tool of GenAI',
    {
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'get_weather',
        'gen_ai.tool.call.id': 'call_1',
        'gen_ai.tool.call.arguments': { location: 'Paris' },
        'gen_ai.tool.call.result': { temperature: 57 },
      },
    },
    {
      input: [CALL],
      output: [{ role: 'tool', content: '{"temperature":57}', tool_call_id: 'call_1', name: 'get_weather' }],
    },
  ],
  [
    'a tool of OpenInference',
    {
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'get_weather',
        'tool.id': 'call_1',
        'input.value': '{"location":"Paris"}',
        'output.value': 'rainy',
      },
    },
    {
      input: [CALL],
      output: [{ role: 'tool', content: 'rainy', tool_call_id: 'call_1', name: 'get_weather' }],
    },
  ],
  [
    'values of a chain',
    {
      attributes: {
        'openinference.span.kind': 'CHAIN',
        'input.value': '{"topic":"x"}',
        'output.value': 'Done',
      },
    },
    { input: [{ role: 'user', content: '{"topic":"x"}' }], output: [{ role: 'assistant', content: 'Done' }] },
  ],
  [
    'bodies of a request and its answer as values',
    {
      attributes: {
        'input.value': '{"model":"m","messages":[{"role":"user","content":"Hi"}]}',
        'output.value': '{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Ho"}}]}',
      },
    },
    { input: [{ role: 'user', content: 'Hi' }], output: [{ role: 'assistant', content: 'Ho' }] },
  ],
  [
    'bodies of events in one attribute, and an answer that is no choice',
    {
      events: [
        {
          name: 'gen_ai.user.message',
          attributes: {
            'gen_ai.system': 'az.ai.inference',
            'gen_ai.event.content': '{"role":"user","content":"Hi"}',
          },
        },
        { name: 'gen_ai.assistant.message', attributes: { body: { content: 'Ho' } } },
      ],
    },
    { input: [{ role: 'user', content: 'Hi' }], output: [{ role: 'assistant', content: 'Ho' }] },
  ],
  [
    'blocks of Bedrock in events',
    {
      events: [
        { name: 'gen_ai.user.message', attributes: { content: '[{"text":"Hi"}]' } },
        {
          name: 'gen_ai.tool.message',
          attributes: { content: '[{"toolResult":{"toolUseId":"t","content":[{"text":"ok"}]}}]' },
        },
        {
          name: 'gen_ai.choice',
          attributes: {
            finish_reason: 'tool_use',
            message: '[{"toolUse":{"toolUseId":"u","name":"f","input":{}}}]',
          },
        },
      ],
    },
    {
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'tool', content: 'ok', tool_call_id: 't' },
      ],
      output: [{ role: 'assistant', content: null, tool_calls: [{ id: 'u', name: 'f', arguments: {} }] }],
    },
  ],
  [
    'blocks of Anthropic: what tools gave, and what was said with it',
    {
      attributes: {
        'gen_ai.input.messages': JSON.stringify([
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }] },
              { type: 'tool_result', tool_use_id: 'b', content: 'two' },
              { type: 'text', text: 'Go on' },
            ],
          },
        ]),
      },
    },
    {
      input: [
        { role: 'tool', content: 'one', tool_call_id: 'a' },
        { role: 'tool', content: 'two', tool_call_id: 'b' },
        { role: 'user', content: 'Go on' },
      ],
      output: [],
    },
  ],
  [
    'data, files and addresses stay as they are',
    {
      attributes: {
        'gen_ai.output.messages': [
          {
            role: 'assistant',
            parts: [
              { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' },
              { type: 'uri', modality: 'video', uri: 'gs://b/v.mp4' },
              { type: 'file', file_id: 'f1' },
            ],
          },
        ],
      },
    },
    {
      input: [],
      output: [
        {
          role: 'assistant',
          content: [
            { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' },
            { type: 'uri', modality: 'video', uri: 'gs://b/v.mp4' },
            { type: 'file', file_id: 'f1' },
          ],
        },
      ],
    },
  ],
  [
    'JSON that does not parse is text',
    { attributes: { 'gen_ai.input.messages': '[{"role":"user"', 'gen_ai.output.messages': 'plain' } },
    {
      input: [{ role: 'user', content: '[{"role":"user"' }],
      output: [{ role: 'assistant', content: 'plain' }],
    },
  ],
  [
    'a completion without chat',
    { attributes: { 'llm.prompts.0.prompt.text': 'def', 'llm.choices.0.completion.text': ' fib' } },
    { input: [{ role: 'user', content: 'def' }], output: [{ role: 'assistant', content: ' fib' }] },
  ],
  [
    'messages of which nothing was captured are none',
    {
      events: [
        { name: 'gen_ai.user.message', attributes: { 'gen_ai.system': 'openai' } },
        {
          name: 'gen_ai.choice',
          attributes: { index: 0, finish_reason: 'stop', message: '{"role":"assistant"}' },
        },
      ],
    },
    { input: [], output: [] },
  ],
])('%s', (_name, span, expected) => {
  expect(read(span)).toEqual(expected);
});

test('readMessages prefers the newest convention when several are present', () => {
  const attributes = {
    ...spans.OPENLLMETRY.attributes,
    ...spans.OPENINFERENCE.attributes,
    ...spans.GENAI_LATEST.attributes,
  };
  expect(read({ ...spans.GENAI_EVENTS, attributes })).toEqual(LATEST);
});

test('readMessages uses indexes as order only, however high they are', () => {
  const { input } = read({
    attributes: {
      'gen_ai.prompt.999999999.content': 'last',
      'gen_ai.prompt.9999999999.content': 'no index',
      'gen_ai.prompt.-1.content': 'none either',
      'gen_ai.prompt.7.content': 'first',
      'gen_ai.prompt.7.tool_calls.999999999.name': 'f',
      'gen_ai.prompt.8.__proto__': 'x',
    },
  });
  expect(input).toEqual([
    { role: 'user', content: 'first', tool_calls: [{ id: null, name: 'f', arguments: null }] },
    { role: 'user', content: 'last' },
  ]);
});

test("readMessages accepts field names of JavaScript's prototypes", () => {
  const { input } = read({
    attributes: {
      'gen_ai.input.messages':
        '[{"__proto__":{"role":"system"},"role":"constructor","content":"Hi","tool_calls":[{"name":"f","arguments":"{\\"__proto__\\":{\\"a\\":1}}"}]}]',
    },
  });
  expect(input[0]).toMatchObject({ role: 'constructor', content: 'Hi' });
  expect(JSON.stringify(input)).toContain('"arguments":{"__proto__":{"a":1}}');
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});

test('readMessages keeps the digits of numbers in arguments', () => {
  const { output } = read({
    attributes: {
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"tool_call","id":12345678901234567890,"name":"f","arguments":{"id":9007199254740993,"x":1.0}}]}]',
    },
  });
  expect(JSON.stringify(output)).toContain('"arguments":{"id":9007199254740993,"x":1.0}');
  expect(output[0]?.tool_calls?.[0]?.id).toBe('12345678901234567890');
});

test('readMessages leaves JSON nested too deeply for a response as text', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const { input, output } = read({
    attributes: {
      'gen_ai.input.messages': deep,
      'gen_ai.completion.0.tool_calls.0.arguments': `{"a":${deep}}`,
    },
  });
  expect(input).toEqual([{ role: 'user', content: deep }]);
  expect(output[0]?.tool_calls?.[0]?.arguments).toBe(`{"a":${deep}}`);
  expect(JSON.stringify(output)).toContain(deep);
});
