/** Responses with OpenAI's own client, which rejects events that are out of order or lack a field. */
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput, ResponseStreamEvent, Tool } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answers, sends, toEvent } from '../../../test/model-provider.ts';
import { PROVIDER_KEY, scripted, startOpenAiWorld } from '../../../test/openai-world.ts';

const { server, provider, clientOf, written } = await startOpenAiWorld();
const { responses } = clientOf(server.owner.key);
const lastBody = () => provider.requests.at(-1)?.body;

const instructed = (steps: unknown) => ({
  model: 'sim/scripted',
  instructions: String(scripted(steps).messages[0]?.content),
});

const add: Tool = {
  type: 'function',
  name: 'add',
  description: 'Adds',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
  strict: false,
};

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>) {
  const events = await Array.fromAsync(stream);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  return events;
}

describe('createModelResponse', () => {
  test('returns the text of the model, metered under the id of the response', async () => {
    const response = await responses.create({
      model: 'acme/large',
      instructions: 'Be brief.',
      input: 'Hello',
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low' },
      metadata: { purpose: 'test' },
      store: true,
      prompt_cache_key: 'key',
      safety_identifier: 'someone',
      service_tier: 'auto',
      truncation: 'auto',
      text: { verbosity: 'low' },
      include: ['reasoning.encrypted_content'],
    });
    expect(response.output_text).toBe('Hello from the provider.');
    expect(response).toMatchObject({
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'acme/large',
      metadata: { purpose: 'test' },
      usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
    });
    expect(lastBody()).toEqual({
      model: 'large',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      reasoning_effort: 'low',
    });
    expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
    const [call] = await written();
    expect(call).toMatchObject({
      status: 'completed',
      model: 'acme/large',
      input_tokens: 7,
      output_tokens: 5,
    });
    expect(response.id).toBe(`resp_${call?.id.replaceAll('-', '')}`);
  });

  test('reports cached and reasoning tokens', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 15 },
    };
    provider.next(answers({ usage }), answers({ usage }));
    const expected = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 80, cache_write_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 120,
    };
    const request = { model: 'acme/large', input: 'Hello' };
    expect((await responses.create(request)).usage).toEqual(expected);
    expect((await responses.stream(request).finalResponse()).usage).toEqual(expected);
  });

  test('translates a conversation of items to chat messages', async () => {
    const url = 'data:image/png;base64,aGk=';
    const input: ResponseInput = [
      { role: 'developer', content: 'Answer in English.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look:' },
          { type: 'input_image', image_url: url, detail: 'low' },
          { type: 'input_file', file_data: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I will run it.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'a "b"' },
      { role: 'user', content: 'Meanwhile: hurry.' },
      { type: 'function_call_output', call_id: 'call_1', output: '2' },
      {
        type: 'custom_tool_call_output',
        call_id: 'call_2',
        output: [
          { type: 'input_text', text: 'Done.' },
          { type: 'input_image', image_url: url, detail: 'auto' },
        ],
      },
    ];
    await responses.create({ model: 'acme/large', instructions: 'Be brief.', input });
    const call = (id: string, name: string, given: string) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    });
    expect(lastBody()?.['messages']).toEqual([
      { role: 'system', content: 'Be brief.\n\nAnswer in English.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I will run it.',
        tool_calls: [call('call_1', 'add', '{"a":1}'), call('call_2', 'patch', '{"input":"a \\"b\\""}')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
      {
        role: 'tool',
        tool_call_id: 'call_2',
        content: 'Done.\nThe files of this result follow in the next message.',
      },
      { role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'auto' } }] },
      { role: 'user', content: 'Meanwhile: hurry.' },
    ]);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('is incomplete for the finish reason %s', async (finish, reason) => {
    const request = { ...instructed([{ say: 'Half of', finish_reason: finish }]), input: 'Begin.' };
    const expected = {
      status: 'incomplete',
      incomplete_details: { reason },
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Half of' }] }],
    };
    expect(await responses.create(request)).toMatchObject(expected);
    expect(await responses.stream(request).finalResponse()).toMatchObject(expected);
  });

  test('returns output that follows a schema', async () => {
    const Place = z.object({ city: z.string(), tags: z.array(z.string()) });
    const request = { model: 'sim/echo', input: 'Oslo', text: { format: zodTextFormat(Place, 'place') } };
    const parsed = { city: 'Oslo', tags: ['Oslo'] };
    expect((await responses.parse(request)).output_parsed).toEqual(parsed);
    expect((await responses.stream(request).finalResponse()).output_parsed).toEqual(parsed);
    await responses.create({ ...request, model: 'acme/large' });
    expect(lastBody()?.['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'place', strict: true, schema: { type: 'object' } },
    });
    await responses.create({
      model: 'acme/large',
      input: 'Oslo',
      text: { format: { type: 'json_object' } },
    });
    expect(lastBody()?.['response_format']).toEqual({ type: 'json_object' });
  });
});

describe('createModelResponse, streamed,', () => {
  test('sends the events of a text in order', async () => {
    const stream = await responses.create({ model: 'acme/large', input: 'Hello', stream: true });
    const events = await eventsOf(stream);
    const types = events.map(({ type }) => type.replace('response.', ''));
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.at(-1)).toMatchObject({
      response: {
        status: 'completed',
        output: [{ type: 'message', status: 'completed', content: [{ text: 'Hello from the provider.' }] }],
        usage: { input_tokens: 7, output_tokens: 5 },
      },
    });
    expect(await written()).toMatchObject([{ status: 'completed', is_streamed: true }]);
  });

  test("produces the whole text in the client's stream helper", async () => {
    const deltas: string[] = [];
    const stream = responses
      .stream({ model: 'acme/large', input: 'Hello' })
      .on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    expect((await stream.finalResponse()).output_text).toBe('Hello from the provider.');
    expect(deltas.join('')).toBe('Hello from the provider.');
    expect(deltas.length).toBeGreaterThan(1);
  });

  test('sends reasoning as a summary before the text', async () => {
    const request = {
      ...instructed([{ reasoning: 'First I think.', say: 'Then I say.' }]),
      input: 'Begin.',
    };
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'First I think.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Then I say.' }] },
    ];
    expect((await responses.create(request)).output).toMatchObject(output);
    const stream = responses.stream(request);
    const events = await eventsOf(stream);
    expect((await stream.finalResponse()).output).toMatchObject(output);
    const summary = events.filter(({ type }) => type.includes('reasoning_summary')).map(({ type }) => type);
    expect(new Set(summary)).toEqual(
      new Set([
        'response.reasoning_summary_part.added',
        'response.reasoning_summary_text.delta',
        'response.reasoning_summary_text.done',
        'response.reasoning_summary_part.done',
      ]),
    );
  });

  test('sends a refusal', async () => {
    const chunk = (delta: object, reason: string | null = null) =>
      toEvent({ id: 'x', choices: [{ index: 0, delta, finish_reason: reason }] });
    provider.next(sends([chunk({ refusal: 'I will ' }), chunk({ refusal: 'not.' }), chunk({}, 'stop')]));
    const final = await responses.stream({ model: 'acme/large', input: 'Hello' }).finalResponse();
    expect(final.output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
  });
});

describe('tools of createModelResponse', () => {
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
    const request = { ...instructed(steps), tools: [add] };
    const ask = (input: ResponseInput) =>
      isStreamed
        ? responses.stream({ ...request, input }).finalResponse()
        : responses.create({ ...request, input });
    const input: ResponseInput = [{ role: 'user', content: 'Begin.' }];
    const first = await ask(input);
    expect(first.output.map(({ type }) => type)).toEqual(['function_call', 'function_call']);
    input.push(...(first.output as ResponseInput));
    for (const item of first.output)
      if (item.type === 'function_call') {
        const { a, b } = JSON.parse(item.arguments);
        input.push({ type: 'function_call_output', call_id: item.call_id, output: String(a + b) });
      }
    expect((await ask(input)).output_text).toBe('The last is 2.');
  });

  test('are passed on as functions', async () => {
    const custom: Tool = {
      type: 'custom',
      name: 'patch',
      description: 'Changes files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    };
    const tools = [add, custom];
    const ask = (tool_choice: 'required' | { type: 'custom'; name: string }) =>
      responses.create({ model: 'acme/large', input: 'Hi', tools, tool_choice, parallel_tool_calls: false });
    await ask('required');
    expect(lastBody()).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false });
    expect(lastBody()?.['tools']).toMatchObject([
      { type: 'function', function: { name: 'add', description: 'Adds', strict: false } },
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Changes files\n\nThe input must match this lark grammar:\nstart: "x"',
          parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
        },
      },
    ]);
    await ask({ type: 'custom', name: 'patch' });
    expect(lastBody()?.['tool_choice']).toEqual({ type: 'function', function: { name: 'patch' } });
    await responses.create({
      model: 'acme/large',
      input: 'Hi',
      tools,
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'patch' }] },
    });
    expect(lastBody()).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'patch' } }] });
  });

  test.each([
    ['{"input": "line \\"1\\"\\nü \\ud83d\\ude00 end"}', 'line "1"\nü 😀 end'],
    ['{"input": ""}', ''],
    ['{"text": "other"}', '{"text": "other"}'],
    ['no JSON', 'no JSON'],
  ])('receive free text from the arguments %s', async (given, input) => {
    const tools: Tool[] = [{ type: 'custom', name: 'patch' }];
    const head = { index: 0, id: 'call_1', type: 'function', function: { name: 'patch', arguments: '' } };
    const chunk = (call: object, reason: string | null = null) =>
      toEvent({ id: 'x', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: reason }] });
    const parts = Array.from(given).map((text) => chunk({ index: 0, function: { arguments: text } }));
    const end = toEvent({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
    provider.next(sends([chunk(head) + parts.join('') + end]));
    const stream = responses.stream({ model: 'acme/large', input: 'Hi', tools });
    const deltas: string[] = [];
    stream.on('response.custom_tool_call_input.delta', ({ delta }) => deltas.push(delta));
    const output = [{ type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input }];
    expect((await stream.finalResponse()).output).toMatchObject(output);
    expect(deltas.join('')).toBe(input);
    provider.next(answers({ toolCalls: [{ id: 'call_1', name: 'patch', arguments: given }] }));
    expect((await responses.create({ model: 'acme/large', input: 'Hi', tools })).output).toMatchObject(
      output,
    );
  });
});
