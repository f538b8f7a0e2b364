/** Messages with Anthropic's own client and a provider with the same API: everything is passed through. */
import type {
  Message,
  MessageCreateParamsNonStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, test } from 'vitest';
import { anthropicError } from '../../../test/anthropic-responses.ts';
import {
  anthropicFailureOf,
  CLAUDE_KEY,
  errorOf,
  startAnthropicWorld,
} from '../../../test/anthropic-world.ts';
import { anthropicEvents, anthropicMessage, events, json } from '../../../test/foreign-provider.ts';

const { client, claude, server, written, writtenLater } = await startAnthropicWorld();
const { messages } = client;

const ephemeral = { type: 'ephemeral' as const };
const conversation = [
  { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: ephemeral }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-1' },
      { type: 'redacted_thinking', data: 'hidden' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '2', is_error: false }] },
];
const rich = {
  model: 'claude/sonnet',
  max_tokens: 2_000,
  system: [{ type: 'text', text: 'Be brief.', cache_control: ephemeral }],
  messages: conversation,
  tools: [
    { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    { name: 'add', input_schema: { type: 'object', properties: {} }, cache_control: ephemeral },
  ],
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  top_k: 5,
  metadata: { user_id: 'someone' },
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
};
/** The client's types lack some fields of the API. */
const asRequest = (request: object) => request as Omit<MessageCreateParamsNonStreaming, 'stream'>;

const CONTENT = [
  { type: 'thinking', thinking: 'I add.', signature: 'sig-2' },
  { type: 'text', text: 'It is 2.', citations: [{ type: 'char_location', cited_text: '2' }] },
  { type: 'tool_use', id: 'toolu_2', name: 'add', input: { a: 2 } },
];
const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
  output_tokens: 30,
  server_tool_use: { web_search_requests: 1 },
};
const block = (index: number, start: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const STREAM = [
  {
    type: 'message_start',
    message: anthropicMessage([], { stop_reason: null, usage: { ...USAGE, output_tokens: 1 } }),
  },
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'I ' },
    { type: 'thinking_delta', thinking: 'add.' },
    { type: 'signature_delta', signature: 'sig-2' },
  ),
  ...block(
    1,
    { type: 'text', text: '', citations: [] },
    { type: 'text_delta', text: 'It is 2.' },
    { type: 'citations_delta', citation: { type: 'char_location', cited_text: '2' } },
  ),
  ...block(
    2,
    { type: 'tool_use', id: 'toolu_2', name: 'add', input: {} },
    { type: 'input_json_delta', partial_json: '{"a"' },
    { type: 'input_json_delta', partial_json: ': 2}' },
  ),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 30 },
  },
  { type: 'message_stop' },
];
const WHOLE = anthropicMessage(CONTENT, { stop_reason: 'tool_use', usage: USAGE });

describe('createModelMessage with a provider of kind anthropic', () => {
  test('passes the request and the message through unchanged', async () => {
    claude.turns.push(json(200, WHOLE));
    const headers = { 'anthropic-beta': 'context-management-2025-06-27', 'anthropic-version': '2024-01-01' };
    const { data, response } = await messages
      .create({ ...asRequest(rich), stream: false }, { headers })
      .withResponse();
    const { _request_id, ...message } = data as Message & { _request_id?: string };
    expect(message).toEqual(WHOLE);
    expect(response.headers.get('x-upstream-id')).toBe('msg_01');
    const [received] = claude.received;
    expect(received?.body).toEqual({ ...rich, model: 'sonnet', stream: false });
    expect(received?.url).toBe('/v1/messages');
    expect(received?.headers).toMatchObject({ ...headers, 'x-api-key': CLAUDE_KEY });
    expect(received?.headers).not.toHaveProperty('authorization');
    expect(await written()).toMatchObject([
      {
        status: 'completed',
        model: 'claude/sonnet',
        input_tokens: 130,
        output_tokens: 30,
        is_estimated: false,
      },
    ]);
  });

  test('keeps the order of keys, on which prompt caches depend', async () => {
    claude.turns.push(json(200, WHOLE));
    const tools = [{ input_schema: { type: 'object' }, zulu: 1, name: 'add', alpha: 2 }];
    await messages.create(asRequest({ ...rich, tools }));
    expect(JSON.stringify(claude.received[0]?.body)).toContain(JSON.stringify(tools));
  });

  test('passes on every event of a stream', async () => {
    claude.turns.push(events(anthropicEvents({ type: 'ping' }, ...STREAM)));
    const stream = await messages.create({ ...asRequest(rich), stream: true });
    expect(await Array.fromAsync(stream as AsyncIterable<RawMessageStreamEvent>)).toEqual(STREAM);
    expect(claude.received[0]?.body).toMatchObject({ stream: true, model: 'sonnet' });
    expect(await written()).toMatchObject([
      { status: 'completed', is_streamed: true, input_tokens: 130, output_tokens: 30, is_estimated: false },
    ]);
  });

  test("produces the whole message in the client's stream helper", async () => {
    claude.turns.push(events(anthropicEvents(...STREAM)));
    expect((await messages.stream(asRequest(rich)).finalMessage()).content).toMatchObject(CONTENT);
  });

  test('passes on beta requests with their query string', async () => {
    claude.turns.push(json(200, WHOLE));
    const path = '/org/main/inference/v1/messages?beta=true';
    const beta = { 'anthropic-beta': 'files-api-2025-04-14' };
    expect((await server.as(server.owner).post(path, rich, beta)).status).toBe(200);
    expect(claude.received[0]?.url).toBe('/v1/messages?beta=true');
    expect(claude.received[0]?.headers).toMatchObject(beta);
  });

  test('keeps session and span links from the provider', async () => {
    claude.turns.push(json(200, WHOLE));
    const metadata = {
      user_id: 'someone',
      'drydock.trace_id': '0af7651916cd43dd8448eb211c80319c',
      'drydock.span_id': 'b7ad6b7169203331',
    };
    await messages.create(asRequest({ ...rich, metadata }));
    expect(claude.received[0]?.body).toMatchObject({ metadata: { user_id: 'someone' } });
    expect(JSON.stringify(claude.received[0]?.body)).not.toContain('drydock.');
    const [call] = await written();
    expect(call?.trace_id?.toString('hex')).toBe(metadata['drydock.trace_id']);
  });

  test('still translates chat completions', async () => {
    claude.turns.push(json(200, anthropicMessage([{ type: 'text', text: 'Hi' }])));
    const response = await server.as(server.owner).post('/org/main/inference/v1/chat/completions', {
      model: 'claude/sonnet',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(response).toMatchObject({ status: 200, body: { choices: [{ message: { content: 'Hi' } }] } });
  });
});

describe('createModelMessage with a failing provider of kind anthropic', () => {
  const plain = asRequest({ ...rich, messages: [{ role: 'user', content: 'Hello' }] });

  test.each([
    [400, 'invalid_request_error', 400, 'invalid_request_error'],
    [401, 'authentication_error', 502, 'api_error'],
    [429, 'rate_limit_error', 429, 'rate_limit_error'],
    [529, 'overloaded_error', 502, 'api_error'],
  ])('maps status %i %s', async (status, type, message, expectedType) => {
    const turn = json(status, anthropicError(type, `It said no to ${CLAUDE_KEY}.`), { 'retry-after': '9' });
    claude.turns.push(turn, turn, turn);
    const failure = await anthropicFailureOf(messages.create(plain));
    expect(failure.status).toBe(message);
    expect(errorOf(failure)).toMatchObject({ type: expectedType });
    expect(failure.message).toContain('It said no');
    expect(JSON.stringify(failure.error)).not.toContain(CLAUDE_KEY);
  });

  test('fails before the first event of a stream', async () => {
    claude.turns.push(events(anthropicEvents(anthropicError('rate_limit_error', 'Too many.'))));
    const failure = await anthropicFailureOf(messages.stream(plain).finalMessage());
    expect(failure.status).toBe(429);
    expect(errorOf(failure)).toMatchObject({ type: 'rate_limit_error' });
  });

  test('fails on an error event in the middle of a stream', async () => {
    const error = anthropicError('overloaded_error', 'Overloaded');
    claude.turns.push(events(anthropicEvents(...STREAM.slice(0, 4), error)));
    const seen: string[] = [];
    const reading = async () => {
      for await (const { type } of await messages.create({ ...plain, stream: true })) seen.push(type);
    };
    const failure = await anthropicFailureOf(reading());
    expect(errorOf(failure)).toMatchObject({ type: 'api_error' });
    expect(failure.message).toContain('Overloaded');
    expect(seen).toHaveLength(4);
    expect(await written()).toMatchObject([{ status: 'failed', input_tokens: 130 }]);
  });

  test.each(['cut', 'end'] as const)('fails when the stream ends too early: %s', async (ending) => {
    claude.turns.push(events(anthropicEvents(...STREAM.slice(0, 4)), ending));
    const failure = await anthropicFailureOf(messages.stream(plain).finalMessage());
    expect(errorOf(failure)).toMatchObject({ type: 'api_error' });
    expect(await written()).toMatchObject([{ status: 'failed', error_type: 'bad_gateway_error' }]);
  });

  test.each([['<html>'], ['{"type": "message"}'], ['[]']])('fails on the response %s', async (body) => {
    claude.turns.push(json(200, body));
    const failure = await anthropicFailureOf(messages.create(plain));
    expect(failure.status).toBe(502);
  });

  test('ends the call when the client leaves the stream', async () => {
    claude.turns.push(events(anthropicEvents(...STREAM.slice(0, 4)), 'stall'));
    for await (const { type } of await messages.create({ ...plain, stream: true }))
      if (type === 'content_block_delta') break;
    await claude.abandoned();
    expect(await writtenLater()).toMatchObject([{ status: 'cancelled', input_tokens: 130 }]);
  });
});

test('countMessageTokens calls a provider of kind anthropic', async () => {
  claude.turns.push(json(200, { input_tokens: 77 }));
  const headers = { 'anthropic-beta': 'token-counting-2024-11-01' };
  const { max_tokens: _limit, metadata: _about, ...counted } = rich;
  const request = counted as Parameters<typeof messages.countTokens>[0];
  expect(await messages.countTokens(request, { headers })).toMatchObject({ input_tokens: 77 });
  expect(claude.received[0]?.url).toBe('/v1/messages/count_tokens');
  expect(claude.received[0]?.body).toEqual({ ...counted, model: 'sonnet' });
  expect(claude.received[0]?.headers).toMatchObject(headers);
  claude.turns.push(json(400, anthropicError('invalid_request_error', 'No such tool.')));
  expect((await anthropicFailureOf(messages.countTokens(request))).message).toContain('No such tool.');
  expect(await written()).toEqual([]);
});
