/** OpenAI's own unmodified client against the gateway: with simulated models, and with a scripted provider. */
import { NotFoundError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answers, dropsMidStream } from './model-provider.ts';
import {
  callIdOf,
  failureOf,
  hello,
  large,
  PROVIDER_KEY,
  scripted,
  startOpenAiWorld,
} from './openai-world.ts';

const { server, provider, clientOf, written } = await startOpenAiWorld();
const client = clientOf(server.owner.key);
const { completions } = client.chat;

describe('plain chat completions', () => {
  test("return a provider's response, metered under its id", async () => {
    const response = await completions.create({ ...large, temperature: 0.5, user: 'somebody' });
    expect(response.choices[0]?.message.content).toBe('Hello from the provider.');
    expect(response.usage).toEqual({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 });
    const sent = provider.requests.at(-1);
    expect(sent?.body).toEqual({ model: 'large', messages: hello, temperature: 0.5, user: 'somebody' });
    expect(sent?.headers.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
    const [call] = await written();
    expect(call).toMatchObject({
      status: 'completed',
      model: 'acme/large',
      is_streamed: false,
      is_estimated: false,
    });
    expect([call?.input_tokens, call?.output_tokens, call?.credits]).toEqual([7, 5, 1]);
    expect(call && callIdOf(call)).toBe(callIdOf(response));
  });

  test('are marked as simulated for a simulated model', async () => {
    const response = await completions.create({ model: 'sim/echo', messages: hello });
    expect(response).toMatchObject({ model: 'sim/echo', system_fingerprint: 'simulated', simulated: true });
    expect(response.choices[0]?.message.content).toBe('Hello, world');
    expect(await written()).toMatchObject([{ status: 'completed', model: 'sim/echo' }]);
  });

  test('name the request and the call in headers', async () => {
    const { data, response, request_id } = await completions.create(large).withResponse();
    expect(request_id).toBeTruthy();
    expect(response.headers.get('x-request-id')).toBe(request_id);
    expect(response.headers.get('x-drydock-call-id')?.replaceAll('-', '')).toBe(callIdOf(data));
    expect(response.headers.get('x-upstream-id')).toBe('chatcmpl-upstream');
  });
});

describe('streamed chat completions', () => {
  test.each(['acme/large', 'sim/echo'])('return %s chunk by chunk under one id', async (model) => {
    const chunks = await Array.fromAsync(await completions.create({ model, messages: hello, stream: true }));
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(model === 'sim/echo' ? 'Hello, world' : 'Hello from the provider.');
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.filter(({ choices }) => choices.length === 0)).toEqual([]);
    const [call] = await written();
    expect(new Set(chunks.map(callIdOf))).toEqual(new Set([call && callIdOf(call)]));
    expect(call).toMatchObject({ status: 'completed', is_streamed: true, is_estimated: false });
  });

  test.each(['acme/large', 'sim/echo'])('return %s with its usage if it is requested', async (model) => {
    const request = {
      model,
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
    } as const;
    const chunks = await Array.fromAsync(await completions.create(request));
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    const [call] = await written();
    expect([call?.input_tokens, call?.output_tokens]).toEqual([
      last?.usage?.prompt_tokens,
      last?.usage?.completion_tokens,
    ]);
  });

  test("work with the client's stream helper", async () => {
    const deltas: string[] = [];
    const stream = completions.stream(large).on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe('Hello from the provider.');
    expect(deltas.join('')).toBe('Hello from the provider.');
    expect(deltas.length).toBeGreaterThan(1);
  });

  test('that break off raise an error, and the received tokens are metered', async () => {
    provider.next(dropsMidStream(3));
    const stream = await completions.create({ ...large, stream: true });
    const text: string[] = [];
    const reading = async () => {
      for await (const chunk of stream) text.push(chunk.choices[0]?.delta.content ?? '');
    };
    const error = await failureOf(reading());
    expect(error.type).toBe('server_error');
    expect(text.join('')).toBe('Hello from ');
    const [call] = await written();
    expect(call).toMatchObject({ status: 'failed', error_type: 'bad_gateway_error', is_estimated: true });
    expect(call?.output_tokens).toBe(3);
  });

  test('succeed at the retry when a script breaks off once', async () => {
    const steps = [{ say: 'one two three', break_off: { after: 4, times: 1 } }];
    const first = completions.stream(scripted(steps));
    await expect(first.finalContent()).rejects.toThrow('broke off');
    const second = completions.stream(scripted(steps), { headers: { 'x-stainless-retry-count': '1' } });
    expect(await second.finalContent()).toBe('one two three');
  });
});

describe('chat completions with tools', () => {
  const tools = [
    {
      type: 'function' as const,
      function: { name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
    },
  ];
  const steps = [
    {
      call: [
        { name: 'add', arguments: { a: 6, b: 7 } },
        { name: 'add', arguments: { a: 1, b: 1 } },
      ],
    },
    { say: 'The last is {{last_tool_result}}.' },
  ];

  test('work in a manual round trip', async () => {
    const messages: ChatCompletionMessageParam[] = scripted(steps).messages;
    const first = await completions.create({ model: 'sim/scripted', messages, tools });
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    const message = first.choices[0]?.message;
    if (!message?.tool_calls) throw new Error('It called nothing.');
    messages.push(message);
    for (const call of message.tool_calls)
      if (call.type === 'function') {
        const { a, b } = JSON.parse(call.function.arguments);
        messages.push({ role: 'tool', tool_call_id: call.id, content: String(a + b) });
      }
    const second = await completions.create({ model: 'sim/scripted', messages, tools });
    expect(second.choices[0]?.message.content).toBe('The last is 2.');
    expect(await written()).toHaveLength(2);
  });

  test.each([false, true])('work with the tool runner, streamed: %s', async (stream) => {
    const sums: number[] = [];
    const add = ({ a, b }: { a: number; b: number }) => {
      sums.push(a + b);
      return String(a + b);
    };
    const runnable = {
      type: 'function' as const,
      function: { name: 'add', description: 'Adds', parse: JSON.parse, function: add, parameters: {} },
    };
    const request = { ...scripted(steps), tools: [runnable] };
    const runner = stream ? completions.runTools({ ...request, stream }) : completions.runTools(request);
    expect(await runner.finalContent()).toBe('The last is 2.');
    expect(sums).toEqual([13, 2]);
  });

  test('and all other fields are passed on to a provider unchanged', async () => {
    const toolCalls = [{ id: 'call_1', name: 'add', arguments: '{"a": 1, "b": 2}' }];
    provider.next(answers({ toolCalls }), answers({ toolCalls }));
    const request = {
      ...large,
      tools,
      tool_choice: 'required',
      seed: 7,
      logit_bias: { 50256: -100 },
    } as const;
    const response = await completions.create(request);
    expect(response.choices[0]?.message.tool_calls).toEqual([
      { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a": 1, "b": 2}' } },
    ]);
    expect(provider.requests.at(-1)?.body).toEqual({ ...request, model: 'large' });
    const streamed = await completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([
      { function: { arguments: '{"a": 1, "b": 2}' } },
    ]);
  });
});

test('a structured output is parsed by its schema', async () => {
  const Place = z.object({
    city: z.string(),
    kind: z.enum(['town', 'village']),
    people: z.int(),
    tags: z.array(z.string()),
  });
  const format = { messages: hello, response_format: zodResponseFormat(Place, 'place') };
  const parsed = { city: 'Hello, world', kind: 'town', tags: ['Hello, world'] };
  const echoed = await completions.parse({ model: 'sim/echo', ...format });
  expect(echoed.choices[0]?.message.parsed).toMatchObject(parsed);
  const text = JSON.stringify({ ...parsed, people: 5 });
  provider.next(answers({ text }));
  const response = await completions.parse({ model: 'acme/large', ...format });
  expect(response.choices[0]?.message.parsed).toEqual({ ...parsed, people: 5 });
  const streamed = await completions.stream({ model: 'sim/echo', ...format }).finalChatCompletion();
  expect(streamed.choices[0]?.message.parsed).toMatchObject(parsed);
});

test('models are listed and retrieved one by one', async () => {
  const all = await Array.fromAsync(await client.models.list());
  expect(all.map(({ id }) => id).toSorted()).toEqual([
    'acme/dear/est',
    'acme/large',
    'hasty/dear/est',
    'hasty/large',
    'sim/attacker',
    'sim/echo',
    'sim/embedder',
    'sim/guarded',
    'sim/instructed',
    'sim/judge',
    'sim/noisy-tool-user',
    'sim/reflector',
    'sim/scripted',
    'sim/tool-user',
  ]);
  expect(all.find(({ id }) => id === 'sim/echo')).toMatchObject({
    object: 'model',
    owned_by: 'drydock (simulated)',
  });
  expect(await client.models.retrieve('acme/large')).toMatchObject({
    id: 'acme/large',
    object: 'model',
    owned_by: 'acme',
  });
  const error = await failureOf(client.models.retrieve('acme/small'));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error.code).toBe('model_not_found');
});
