/** Calls that are hard to record: odd texts, odd responses, and sessions that are deleted while the model responds. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import {
  answers,
  type Script,
  sends,
  startModelProvider,
  toCompletion,
  toEvent,
} from '../../../test/model-provider.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' });
const { owner } = server;
const me = server.as(owner);
const provider = await startModelProvider();
afterAll(() => provider.close());

const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
const W = '/org/main/ws/main';
const model = 'local/big-model';
const REPLY = 'Hello from the provider.';

beforeAll(async () => {
  const models = [{ name: 'big-model', input_price: 3, output_price: 15 }];
  const local = { name: 'local', kind: 'openai_compatible', base_url: provider.baseUrl, models };
  expect(await me.put('/org/main/inference/providers', { providers: [local] })).toMatchObject({
    status: 200,
  });
});
beforeEach(() => provider.always(answers()));

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

async function openSession(): Promise<string> {
  const id = randomUUID();
  expect(await me.post(`${W}/sessions`, { id, model })).toMatchObject({ status: 201 });
  return id;
}

async function ask(session: string, messages: unknown, more = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${address}/api/v1/org/main/inference/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${owner.key}`,
      'x-drydock-session': session,
      ...headers,
    },
    body: JSON.stringify({ model, messages, ...more }),
  });
  const text = await response.text();
  const message = text.startsWith('{') ? JSON.parse(text).choices?.[0]?.message : undefined;
  return {
    status: response.status,
    text,
    message,
    isReplayed: response.headers.get('x-drydock-replayed') === 'true',
  };
}

async function transcript(id: string) {
  const { body } = await me.get(`${W}/sessions/${id}/transcript?limit=500`);
  return body;
}

const textsOf = async (id: string) =>
  (await transcript(id)).messages.map(
    (one: { role: string; content: string }) => `${one.role}: ${one.content}`,
  );

const responds =
  (message: object): Script =>
  (request, response) => {
    const completion = toCompletion({}, request.body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }] }));
  };

describe('createChatCompletion with a session that is deleted while the model responds', () => {
  test.each([
    ['whole', { stream: false }, REPLY],
    ['streamed', { stream: true }, '[DONE]'],
  ])('still returns the response, %s', async (_what, more, end) => {
    const id = await openSession();
    provider.next((request, response) => {
      void me.delete(`${W}/sessions/${id}`).then(() => answers()(request, response));
    });
    const { status, text } = await ask(id, [user('Hi')], more);
    expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining(end) });
    expect(text).not.toContain('was not found');
  });
});

test('createChatCompletion refuses the session of another user, even for a key that may not write sessions', async () => {
  const other = await server.addPerson('narrow', { role: 'member', scopes: ['inference:write'] });
  const theirs = { authorization: `Bearer ${other.key}` };
  expect(await ask(await openSession(), [user('Hi')], {}, theirs)).toMatchObject({ status: 403 });
});

test('createChatCompletion records nothing with a key that may not write sessions', async () => {
  const id = await openSession();
  const keyOf = async (...allowed_scopes: string[]) => {
    const { body } = await me.post('/user/api-keys', { name: allowed_scopes.join(' '), allowed_scopes });
    return { authorization: `Bearer ${body.key}` };
  };
  const inference = await keyOf('inference:write');
  expect(await ask(id, [user('Hi')], {}, inference)).toMatchObject({ status: 200 });
  expect(await textsOf(id)).toEqual([]);
  await ask(id, [user('Hi')], {}, await keyOf('inference:write', 'sessions:write'));
  expect(await textsOf(id)).toEqual(['user: Hi', `assistant: ${REPLY}`]);
});

describe('recording of odd messages', () => {
  const odd = 'a\0b\ud800c';
  const call = { id: odd, type: 'function', function: { name: odd, arguments: odd } };
  test.each([
    ['content', [user(odd)]],
    ['a system prompt', [{ role: 'system', content: odd }, user('Hi')]],
    [
      'a tool call and its result',
      [
        user('Hi'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: odd, content: odd },
      ],
    ],
  ])('createChatCompletion records NUL and lone surrogates in %s', async (_what, messages) => {
    const id = await openSession();
    expect(await ask(id, messages)).toMatchObject({ status: 200 });
    expect((await textsOf(id)).at(-1)).toBe(`assistant: ${REPLY}`);
    expect(await ask(id, [...messages, assistant(REPLY), user('More')])).toMatchObject({ status: 200 });
    expect((await transcript(id)).session.group_id).toBeNull();
  });
});

describe('recording of odd responses', () => {
  test.each([
    ['a refusal', { content: null, refusal: 'I will not.' }],
    [
      'text in parts',
      {
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
    ],
    ['no text at all', { content: '' }],
    ['reasoning alone', { content: '', reasoning_content: 'Hm' }],
    [
      'arguments that are an object',
      { tool_calls: [{ id: 'a', function: { name: 'x', arguments: { a: 1 } } }] },
    ],
    [
      'tool calls without ids',
      { tool_calls: ['x', 'y'].map((name) => ({ function: { name, arguments: '{}' } })) },
    ],
  ])('createChatCompletion continues the session after %s, and counts both calls', async (_what, reply) => {
    const id = await openSession();
    provider.next(responds({ role: 'assistant', ...reply }));
    const { message } = await ask(id, [user('Hi')]);
    await ask(id, [user('Hi'), message, user('Go on')]);
    const { messages, session } = await transcript(id);
    expect(messages.map((one: { role: string }) => one.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(messages[1].tool_calls ?? []).toHaveLength('tool_calls' in reply ? reply.tool_calls.length : 0);
    expect(session).toMatchObject({ group_id: null, usage: { total_output_tokens: 10 } });
  });

  test('createChatCompletion replaces an empty response that the client leaves out, and counts it', async () => {
    const id = await openSession();
    provider.next(responds({ role: 'assistant', content: '' }));
    await ask(id, [user('Hi')]);
    await ask(id, [user('Hi')]);
    expect(await textsOf(id)).toEqual(['user: Hi', `assistant: ${REPLY}`]);
    expect((await transcript(id)).session.usage.total_output_tokens).toBe(10);
  });

  test('createChatCompletion separates streamed tool calls without an index', async () => {
    const id = await openSession();
    const chunk = (delta: object, reason: string | null = null) =>
      toEvent({
        id: 'x',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
    const calling = (callId: string) =>
      chunk({ tool_calls: [{ id: callId, function: { name: callId, arguments: '{}' } }] });
    provider.next(sends([calling('a'), calling('b'), chunk({}, 'tool_calls'), 'data: [DONE]\n\n']));
    await ask(id, [user('Hi')], { stream: true });
    expect((await transcript(id)).messages[1].tool_calls).toEqual([
      { id: 'a', name: 'a', arguments: '{}' },
      { id: 'b', name: 'b', arguments: '{}' },
    ]);
  });
});

describe('a retry', () => {
  const RETRY = { 'x-stainless-retry-count': '1' };
  const image = (data: string) => [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
      ],
    },
  ];
  test.each([
    ['another temperature', { temperature: 1 }],
    ['another response_format', { response_format: { type: 'json_object' } }],
    ['another tool_choice', { tool_choice: 'none' }],
    ['more choices', { n: 2 }],
  ])('calls the model again with %s', async (_what, more) => {
    const id = await openSession();
    await ask(id, [user('Hi')]);
    expect(await ask(id, [user('Hi')], more, RETRY)).toMatchObject({ status: 200, isReplayed: false });
  });

  test('calls the model again for another image, and not for the same', async () => {
    const id = await openSession();
    await ask(id, image('AAAA'));
    expect(await ask(id, image('AAAA'), {}, RETRY)).toMatchObject({ isReplayed: true });
    expect(await ask(id, image('BBBB'), {}, RETRY)).toMatchObject({ isReplayed: false });
  });

  test('calls the model again for several choices, of which one is stored', async () => {
    const id = await openSession();
    await ask(id, [user('Hi')], { n: 2 });
    expect(await ask(id, [user('Hi')], { n: 2 }, RETRY)).toMatchObject({ isReplayed: false });
  });

  test('returns the refusal and the reasoning of the stored response', async () => {
    const id = await openSession();
    const reply = { role: 'assistant', content: null, refusal: 'No.', reasoning_content: 'Hm' };
    provider.next(responds(reply));
    await ask(id, [user('Hi')]);
    expect(await ask(id, [user('Hi')], {}, RETRY)).toMatchObject({ isReplayed: true, message: reply });
  });
});
