/** Responses of Anthropic's models, as documented for its Messages API. */
import { describe, expect, test } from 'vitest';
import {
  anthropicEvents,
  events,
  json,
  anthropicMessage as message,
  useForeignProvider,
} from '../../../../test/foreign-provider.ts';
import {
  chunksOf,
  completionOf,
  translatedCall,
  translatedModel,
  WEATHER,
} from '../../../../test/translated-calls.ts';

const provider = await useForeignProvider();

const model = translatedModel('anthropic', provider.url);
const started = (usage: object) => ({
  type: 'message_start',
  message: message([], { stop_reason: null, usage }),
});
const ended = (stop_reason: string, usage: object) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];
const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const blockDelta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const blockStop = (index: number) => ({ type: 'content_block_stop', index });

describe('a whole response of Anthropic', () => {
  test('becomes a chat completion, with all token counts', async () => {
    provider.turns.push(
      json(
        200,
        message(
          [
            { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'c2VjcmV0' },
            { type: 'text', text: 'I ' },
            { type: 'text', text: 'look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { place: 'Zürich' } },
          ],
          {
            stop_reason: 'tool_use',
            usage: {
              input_tokens: 7,
              cache_creation_input_tokens: 20,
              cache_read_input_tokens: 300,
              output_tokens: 41,
            },
          },
        ),
      ),
    );
    const response = await model.complete(translatedCall({ tools: [WEATHER] }));
    expect(response.usage).toEqual({
      inputTokens: 327,
      outputTokens: 41,
      cacheReadInputTokens: 300,
      cacheCreationInputTokens: 20,
    });
    expect(response.upstreamId).toBe('msg_01');
    expect(response.outputLength).toBe('Hm.I look.weather{"place":"Zürich"}'.length);
    expect(completionOf(response)).toEqual({
      id: 'chatcmpl-0198c0defeed70008000000000000001',
      object: 'chat.completion',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'claude/sonnet',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'I look.',
            refusal: null,
            reasoning_content: 'Hm.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' },
              { type: 'reasoning.encrypted', data: 'c2VjcmV0' },
            ],
            tool_calls: [
              {
                id: 'toolu_1',
                type: 'function',
                function: { name: 'weather', arguments: '{"place":"Zürich"}' },
              },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 327,
        completion_tokens: 41,
        total_tokens: 368,
        prompt_tokens_details: { cached_tokens: 300 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  test('returns the reasoning with the next request', async () => {
    const thinking = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
    ];
    const used = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { place: 'Bern' } };
    provider.turns.push(
      json(200, message([...thinking, used], { stop_reason: 'tool_use' })),
      json(200, message([{ type: 'text', text: 'Warm.' }])),
    );
    const first = completionOf(await model.complete(translatedCall({ tools: [WEATHER] }))).choices[0].message;
    expect(first.content).toBeNull();
    await model.complete(
      translatedCall({
        tools: [WEATHER],
        messages: [
          { role: 'user', content: 'Hello' },
          first,
          { role: 'tool', tool_call_id: 'toolu_1', content: '21 °C' },
        ],
      }),
    );
    expect(provider.received[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [...thinking, used] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '21 °C' }] },
      ],
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ])('that ended with %s finishes with %s', async (stop_reason, expected) => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'So' }], { stop_reason })));
    const { choices } = completionOf(await model.complete(translatedCall({})));
    expect(choices[0].finish_reason).toBe(expected);
  });

  test('reports the reason of a refusal', async () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'This is not answered.' };
    provider.turns.push(json(200, message([], { stop_reason: 'refusal', stop_details })));
    const { choices } = completionOf(await model.complete(translatedCall({})));
    expect(choices[0]).toMatchObject({
      finish_reason: 'content_filter',
      message: { content: '', refusal: 'This is not answered.' },
    });
  });

  test.each([
    { input_tokens: -1, output_tokens: 5 },
    { input_tokens: 1.5, output_tokens: 5 },
    { input_tokens: 1, output_tokens: 2 ** 31 },
  ])('has no usage when the reported one is implausible: %o', async (usage) => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'Hi' }], { usage })));
    const response = await model.complete(translatedCall({}));
    expect(response.usage).toBeUndefined();
    expect(response.outputLength).toBe(2);
    expect(completionOf(response)).not.toHaveProperty('usage');
  });
});

describe('a streamed response of Anthropic', () => {
  const whole = [
    started({
      input_tokens: 7,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 300,
      output_tokens: 1,
    }),
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    blockDelta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    blockDelta(0, { type: 'thinking_delta', thinking: '.' }),
    blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
    blockStop(0),
    { type: 'ping' },
    blockStart(1, { type: 'text', text: '' }),
    blockDelta(1, { type: 'text_delta', text: 'Zü' }),
    blockDelta(1, { type: 'text_delta', text: 'rich 🌤' }),
    blockStop(1),
    blockStart(2, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }),
    blockDelta(2, { type: 'input_json_delta', partial_json: '' }),
    blockDelta(2, { type: 'input_json_delta', partial_json: '{"place":' }),
    blockDelta(2, { type: 'input_json_delta', partial_json: '"Bern"}' }),
    blockStop(2),
    blockStart(3, { type: 'tool_use', id: 'toolu_2', name: 'clock', input: {} }),
    blockStop(3),
    ...ended('tool_use', { output_tokens: 41 }),
  ];

  test('becomes chunks of a chat completion', async () => {
    provider.turns.push(events(anthropicEvents(...whole)));
    const { chunks, usage, outputLength } = await chunksOf(
      model,
      translatedCall({ stream: true, stream_options: { include_usage: true }, tools: [WEATHER] }),
    );
    expect(provider.received[0]?.body).toMatchObject({ stream: true });
    const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
    const begun = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '' } });
    const deltas = [
      { role: 'assistant', content: '', refusal: null },
      { reasoning_content: 'Hm' },
      { reasoning_content: '.' },
      { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' }] },
      { content: 'Zü' },
      { content: 'rich 🌤' },
      call(0, begun('toolu_1', 'weather')),
      call(0, { function: { arguments: '{"place":' } }),
      call(0, { function: { arguments: '"Bern"}' } }),
      call(1, begun('toolu_2', 'clock')),
      call(1, { function: { arguments: '{}' } }),
    ];
    const head = {
      id: 'chatcmpl-0198c0defeed70008000000000000001',
      object: 'chat.completion.chunk',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'claude/sonnet',
    };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      usage: null,
    });
    expect(chunks).toEqual([
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, 'tool_calls'),
      {
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 327,
          completion_tokens: 41,
          total_tokens: 368,
          prompt_tokens_details: { cached_tokens: 300 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
    ]);
    expect(usage).toEqual({
      inputTokens: 327,
      outputTokens: 41,
      cacheReadInputTokens: 300,
      cacheCreationInputTokens: 20,
    });
    expect(outputLength).toBe('Hm.Zürich 🌤weather{"place":"Bern"}clock{}'.length);
  });

  test('reports its usage only to metering unless requested', async () => {
    provider.turns.push(events(anthropicEvents(...whole)));
    const { chunks, usage } = await chunksOf(model, translatedCall({ stream: true }));
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([]);
    expect(usage?.outputTokens).toBe(41);
  });
});
