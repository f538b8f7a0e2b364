/** Messages with Anthropic's own client and models of other providers. */
import type {
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, test } from 'vitest';
import { startAnthropicWorld } from '../../../test/anthropic-world.ts';
import { answers, sends, toEvent } from '../../../test/model-provider.ts';
import { scripted } from '../../../test/openai-world.ts';

const { client, provider, written } = await startAnthropicWorld();
const { messages } = client;
const lastBody = () => provider.requests.at(-1)?.body;

const plain = {
  model: 'acme/large',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Hello' }],
};
const instructed = (steps: unknown) => ({
  model: 'sim/scripted',
  max_tokens: 1_000,
  system: String(scripted(steps).messages[0]?.content),
});
const add: Tool = {
  name: 'add',
  description: 'Adds',
  input_schema: { type: 'object', properties: { a: { type: 'number' } } },
};

describe('createModelMessage', () => {
  test('returns the text of the model, metered under the id of the message', async () => {
    // The client's types lack fields that its newest models no longer accept.
    const request = {
      ...plain,
      system: [
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be kind.' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ['END'],
      metadata: { user_id: 'someone' },
      thinking: { type: 'enabled', budget_tokens: 1_024 },
    };
    const message = await messages.create(request as MessageCreateParamsNonStreaming);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'acme/large',
      content: [{ type: 'text', text: 'Hello from the provider.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 5 },
    });
    expect(lastBody()).toEqual({
      model: 'large',
      messages: [
        { role: 'system', content: 'Be brief.\n\nBe kind.' },
        { role: 'user', content: 'Hello' },
      ],
      max_completion_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
    });
    const [call] = await written();
    expect(call).toMatchObject({ status: 'completed', input_tokens: 7, output_tokens: 5 });
    expect(message.id).toBe(`msg_${call?.id.replaceAll('-', '')}`);
  });

  test("keeps Anthropic's headers from other providers", async () => {
    const headers = { 'anthropic-beta': 'context-1m-2025-08-07' };
    await client.beta.messages.create({ ...plain, betas: ['files-api-2025-04-14'] }, { headers });
    const { headers: sent, path } = provider.requests.at(-1) ?? {};
    expect(Object.keys(sent ?? {}).filter((name) => name.startsWith('anthropic'))).toEqual([]);
    expect(sent).not.toHaveProperty('x-api-key');
    expect(path).toBe('/v1/chat/completions');
  });

  test('does not count cached tokens as input', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 80 },
    };
    provider.next(answers({ usage }), answers({ usage }));
    const expected = { input_tokens: 20, output_tokens: 20, cache_read_input_tokens: 80 };
    expect((await messages.create(plain)).usage).toMatchObject(expected);
    expect((await messages.stream(plain).finalMessage()).usage).toMatchObject(expected);
  });

  test('translates blocks to chat messages', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'aGk=' };
    const conversation: MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:', cache_control: { type: 'ephemeral' } },
          { type: 'image', source },
          { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          {
            type: 'document',
            title: 'a.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Notes' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'hidden' },
          { type: 'text', text: 'I will ' },
          { type: 'text', text: 'run it.' },
          { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
          { type: 'tool_use', id: 'toolu_2', name: 'see', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no', is_error: true },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [
              { type: 'text', text: 'Seen:' },
              { type: 'image', source },
            ],
          },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ];
    await messages.create({ ...plain, messages: conversation });
    const url = 'data:image/png;base64,aGk=';
    const call = (id: string, name: string, given: string) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    });
    expect(lastBody()?.['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' } },
          { type: 'text', text: 'Notes' },
        ],
      },
      {
        role: 'assistant',
        content: 'I will run it.',
        tool_calls: [call('toolu_1', 'add', '{"a":1}'), call('toolu_2', 'see', '{}')],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'The tool call failed:\nno' },
      {
        role: 'tool',
        tool_call_id: 'toolu_2',
        content: 'Seen:\nThe files of this result follow in the next message.',
      },
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  test.each([
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['stop', 'end_turn'],
  ])('maps the finish reason %s', async (finish, stop_reason) => {
    const request = { ...plain, ...instructed([{ say: 'Half of', finish_reason: finish }]) };
    expect(await messages.create(request)).toMatchObject({ stop_reason });
    expect(await messages.stream(request).finalMessage()).toMatchObject({ stop_reason });
  });

  test('requests output that follows a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const output_config = { format: { type: 'json_schema' as const, schema } };
    const { content } = await messages.create({ ...plain, model: 'sim/echo', output_config });
    expect(content).toMatchObject([{ type: 'text', text: '{"city":"Hello"}' }]);
  });
});

describe('createModelMessage, streamed,', () => {
  test('sends the events of a text in order', async () => {
    const events = await Array.fromAsync(await messages.create({ ...plain, stream: true }));
    const types = events.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 7, output_tokens: 5 },
    });
    expect(await written()).toMatchObject([{ status: 'completed', is_streamed: true }]);
  });

  test('sends reasoning as a thinking block before the text', async () => {
    const request = { ...plain, ...instructed([{ reasoning: 'First I think.', say: 'Then I say.' }]) };
    const content = [
      { type: 'thinking', thinking: 'First I think.' },
      { type: 'text', text: 'Then I say.' },
    ];
    expect(await messages.create(request)).toMatchObject({ content });
    expect(await messages.stream(request).finalMessage()).toMatchObject({ content });
  });

  test('sends text and two calls that arrive in one chunk each', async () => {
    const chunk = (delta: object, reason: string | null = null) =>
      toEvent({ id: 'x', choices: [{ index: 0, delta, finish_reason: reason }] });
    const call = (id: string, given: string) => ({ id, function: { name: 'add', arguments: given } });
    const calls = [call('a', '{"a":1}'), call('b', '')];
    provider.next(
      sends([chunk({ content: 'Let me see.' }), chunk({ tool_calls: calls }), chunk({}, 'stop')]),
    );
    const final = await messages.stream({ ...plain, tools: [add] }).finalMessage();
    expect(final).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'a', input: { a: 1 } },
        { type: 'tool_use', id: 'b', input: {} },
      ],
    });
  });
});

describe('tools of createModelMessage', () => {
  const steps = [
    {
      call: [
        { name: 'add', arguments: { a: 6, b: 7 } },
        { name: 'add', arguments: { a: 1, b: 1 } },
      ],
    },
    { say: 'The last is {{last_tool_result}}.' },
  ];

  test.each([false, true])('are called and their results passed on, streamed: %s', async (isStreamed) => {
    const conversation: MessageParam[] = [{ role: 'user', content: 'Begin.' }];
    const ask = () => {
      const request = { ...instructed(steps), tools: [add], messages: conversation };
      return isStreamed ? messages.stream(request).finalMessage() : messages.create(request);
    };
    const first = await ask();
    expect(first.stop_reason).toBe('tool_use');
    const results = first.content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const { a, b } = block.input as { a: number; b: number };
      return [{ type: 'tool_result' as const, tool_use_id: block.id, content: String(a + b) }];
    });
    conversation.push({ role: 'assistant', content: first.content as MessageParam['content'] });
    conversation.push({ role: 'user', content: results });
    expect((await ask()).content).toMatchObject([{ type: 'text', text: 'The last is 2.' }]);
  });

  test.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'add' },
      { type: 'function', function: { name: 'add' } },
    ],
  ] as const)('are selected by %j', async (tool_choice, expected) => {
    await messages.create({ ...plain, tools: [add], tool_choice });
    expect(lastBody()).toMatchObject({
      tool_choice: expected,
      tools: [{ type: 'function', function: { name: 'add', parameters: add.input_schema } }],
    });
    expect(lastBody()).not.toHaveProperty('parallel_tool_calls');
  });

  test('are called one at a time on request', async () => {
    const tool_choice = { type: 'auto' as const, disable_parallel_tool_use: true };
    await messages.create({ ...plain, tools: [add], tool_choice });
    expect(lastBody()).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false });
  });

  test('receive arguments that are not JSON as text', async () => {
    provider.next(answers({ toolCalls: [{ id: 'a', name: 'add', arguments: 'one, two' }] }));
    const { content } = await messages.create({ ...plain, tools: [add] });
    expect(content).toMatchObject([{ type: 'tool_use', input: { rawInvalidInput: 'one, two' } }]);
  });
});

test('countMessageTokens estimates for other providers, and is not metered', async () => {
  const short = await messages.countTokens({ model: 'acme/large', messages: plain.messages });
  const long = await messages.countTokens({
    model: 'sim/echo',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'word '.repeat(1_000) }],
    tools: [add],
  });
  expect(short.input_tokens).toBeGreaterThan(0);
  expect(long.input_tokens).toBeGreaterThan(1_000);
  expect(await written()).toEqual([]);
});
