/** Calls with a session, as they are read afterwards: each message is recorded once, whatever the agent repeats. */
import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import {
  answers,
  dropsMidStream,
  stallsMidStream,
  startModelProvider,
} from '../../../test/model-provider.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' });
const { owner } = server;
const me = server.as(owner);
const provider = await startModelProvider();
afterAll(() => provider.close());

const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
const baseURL = `${address}/api/v1/org/main/inference/v1`;
const W = '/org/main/ws/main';
const model = 'local/big-model';

beforeAll(async () => {
  const models = [{ name: 'big-model', input_price: 3, output_price: 15 }];
  const local = { name: 'local', kind: 'openai_compatible', base_url: provider.baseUrl, models };
  const response = await me.put('/org/main/inference/providers', { providers: [local] });
  expect(response.status).toBe(200);
});
beforeEach(() => provider.always(answers()));

type Messages = OpenAI.ChatCompletionMessageParam[];
const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });
const REPLY = 'Hello from the provider.';

async function openSession(): Promise<{ id: string; client: OpenAI }> {
  const id = randomUUID();
  expect(await me.post(`${W}/sessions`, { id, model })).toMatchObject({ status: 201 });
  return { id, client: clientOf(id) };
}

const clientOf = (session: string, headers: Record<string, string> = {}) =>
  new OpenAI({
    baseURL,
    apiKey: owner.key,
    maxRetries: 0,
    defaultHeaders: { 'x-drydock-session': session, ...headers },
  });

const ask = (client: OpenAI, messages: Messages, more: object = {}) =>
  client.chat.completions.create({ model, messages, ...more }) as Promise<OpenAI.ChatCompletion>;

async function transcript(id: string) {
  const { body } = await me.get(`${W}/sessions/${id}/transcript?limit=500`);
  return body;
}

const textsOf = async (id: string) =>
  (await transcript(id)).messages.map(
    (one: { role: string; content: string }) => `${one.role}: ${one.content}`,
  );

/** Returns the sibling sessions, oldest first. */
async function siblingsOf(id: string): Promise<string[]> {
  const { body } = await me.get(`${W}/sessions/${id}`);
  if (body.group_id === null) return [];
  const list = await me.get(`${W}/sessions?limit=100`);
  const inGroup = list.body.sessions.filter((one: { group_id: string }) => one.group_id === body.group_id);
  return inGroup
    .map((one: { id: string }) => one.id)
    .filter((one: string) => one !== id)
    .toSorted();
}

describe('a call with X-Drydock-Session', () => {
  test('appends its messages and the response, with system prompt, tools, usage and cost', async () => {
    const { id, client } = await openSession();
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'weather' } }];
    const { response } = await client.chat.completions
      .create({ model, tools, messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')] })
      .withResponse();
    const { messages, current_system_prompt, session } = await transcript(id);
    expect(current_system_prompt).toBe('Be brief.');
    expect(messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: REPLY,
        model,
        metadata: { inference_call_id: response.headers.get('x-drydock-call-id'), finish_reason: 'stop' },
        usage: { input_tokens: 7, output_tokens: 5, cost_usd: (7 * 3 + 5 * 15) / 1e6 },
      },
    ]);
    expect(session.usage).toMatchObject({ total_input_tokens: 7, total_output_tokens: 5 });
    expect(session.usage.total_cost_usd).toBeCloseTo((7 * 3 + 5 * 15) / 1e6, 10);
  });

  test('appends only new messages, across tool calls and streams', async () => {
    const { id, client } = await openSession();
    const calls = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo","unit":"C"}' }];
    provider.next(answers({ toolCalls: calls }));
    const first = await client.chat.completions
      .stream({ model, messages: [user('Weather?')] })
      .finalChatCompletion();
    const called = first.choices[0]?.message;
    const messages = [
      user('Weather?'),
      // Clients that parse and serialize the arguments produce this text.
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'weather', arguments: '{ "unit": "C", "city": "Oslo" }' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '4 degrees' },
    ] as Messages;
    expect(called?.tool_calls).toHaveLength(1);
    await ask(client, messages);
    await ask(client, [...messages, assistant(`${REPLY}\n`), user('Thanks')]);
    expect((await transcript(id)).messages).toMatchObject([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo","unit":"C"}' }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '4 degrees' },
      { role: 'assistant', content: REPLY },
      { role: 'user', content: 'Thanks' },
      { role: 'assistant', content: REPLY },
    ]);
    expect(await siblingsOf(id)).toEqual([]);
  });

  test('skips messages that the client has appended itself', async () => {
    const { id, client } = await openSession();
    await me.post(`${W}/sessions/${id}/transcript`, { messages: [{ role: 'user', content: 'Hi' }] });
    await ask(client, [user('Hi')]);
    expect(await textsOf(id)).toEqual(['user: Hi', `assistant: ${REPLY}`]);
  });

  test('opens a sibling session in the group when it diverges, and continues the sibling afterwards', async () => {
    const { id, client } = await openSession();
    await ask(client, [user('One')]);
    await ask(client, [user('One'), assistant(REPLY), user('Two')]);
    // The agent has compacted its conversation.
    await ask(client, [user('Summary of one and two')]);
    await ask(client, [user('Summary of one and two'), assistant(REPLY), user('Three')]);
    // A sub-agent, or a request that contradicts the transcript.
    await ask(client, [user('One'), assistant('I never said this.'), user('Two')]);
    const [compacted = '', contradicting = '', ...others] = await siblingsOf(id);
    expect(others).toEqual([]);
    expect(await textsOf(id)).toEqual([
      'user: One',
      `assistant: ${REPLY}`,
      'user: Two',
      `assistant: ${REPLY}`,
    ]);
    expect(await textsOf(compacted)).toEqual([
      'user: Summary of one and two',
      `assistant: ${REPLY}`,
      'user: Three',
      `assistant: ${REPLY}`,
    ]);
    expect(await textsOf(contradicting)).toEqual([
      'user: One',
      'assistant: I never said this.',
      'user: Two',
      `assistant: ${REPLY}`,
    ]);
    // The first conversation continues at its end.
    await ask(client, [user('One'), assistant(REPLY), user('Two'), assistant(REPLY), user('Four')]);
    expect((await textsOf(id)).slice(4)).toEqual(['user: Four', `assistant: ${REPLY}`]);
  });

  test('separates many concurrent conversations', async () => {
    const { id, client } = await openSession();
    const names = Array.from({ length: 8 }, (_, index) => `Agent ${index}`);
    await Promise.all(
      names.map(async (name) => {
        await ask(client, [user(name)]);
        await ask(client, [user(name), assistant(REPLY), user('Next')]);
      }),
    );
    const all = await Promise.all([id, ...(await siblingsOf(id))].map(textsOf));
    expect(new Set(all.map((texts) => texts[0]))).toEqual(new Set(names.map((name) => `user: ${name}`)));
    expect(all).toHaveLength(names.length);
    for (const texts of all)
      expect(texts.slice(1)).toEqual([`assistant: ${REPLY}`, 'user: Next', `assistant: ${REPLY}`]);
  });
});

describe('a retry of a call', () => {
  test('returns the stored response, and does not call the model again', async () => {
    const { id, client } = await openSession();
    await ask(client, [user('Hi')]);
    const asked = provider.requests.length;
    const again = clientOf(id, { 'x-stainless-retry-count': '1' });
    const { data, response } = await again.chat.completions
      .create({ model, messages: [user('Hi')] })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ message: { content: REPLY }, finish_reason: 'stop' });
    expect(response.headers.get('x-drydock-replayed')).toBe('true');
    const streamed = await again.chat.completions
      .stream({ model, messages: [user('Hi')] })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe(REPLY);
    expect(provider.requests).toHaveLength(asked);
    expect(await textsOf(id)).toEqual(['user: Hi', `assistant: ${REPLY}`]);
  });

  test('replaces a truncated response, keeps its text and counts both', async () => {
    const { id, client } = await openSession();
    provider.next(dropsMidStream(3));
    const stream = await client.chat.completions.create({ model, messages: [user('Hi')], stream: true });
    await expect(Array.fromAsync(stream)).rejects.toThrow();
    const [, cut] = (await transcript(id)).messages;
    expect(cut).toMatchObject({ role: 'assistant', metadata: { interruption: expect.any(String) } });
    await ask(clientOf(id, { 'x-stainless-retry-count': '1' }), [user('Hi')]);
    const { messages } = await transcript(id);
    expect(messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: REPLY, metadata: { interrupted: [{ content: cut.content }] } },
    ]);
    expect(messages[1].usage.output_tokens).toBe(cut.usage.output_tokens + 5);
    expect(await siblingsOf(id)).toEqual([]);
  });

  test('keeps an aborted response when the agent continues with it', async () => {
    const { id, client } = await openSession();
    provider.next(stallsMidStream(3));
    const stream = await client.chat.completions.create({ model, messages: [user('Hi')], stream: true });
    let seen = '';
    let count = 0;
    for await (const { choices } of stream) {
      seen += choices[0]?.delta.content ?? '';
      if (++count === 3) break; // leaving the loop aborts the stream
    }
    await expect.poll(() => textsOf(id), { timeout: 60_000 }).toHaveLength(2);
    const [, cut = ''] = await textsOf(id);
    const partial = cut.slice('assistant: '.length);
    expect(partial.startsWith(seen)).toBe(true);
    await ask(client, [user('Hi'), assistant(partial), user('Go on')]);
    expect(await textsOf(id)).toEqual(['user: Hi', cut, 'user: Go on', `assistant: ${REPLY}`]);
  });
});

describe('createChatCompletion with a traceparent', () => {
  test('makes the call a span of the trace, and its usage counts once', async () => {
    const { id } = await openSession();
    const trace = randomUUID().replaceAll('-', '');
    await ask(clientOf(id, { traceparent: `00-${trace}-00f067aa0ba902b7-01` }), [user('Hi')]);
    const { body } = await me.get(`${W}/traces/${trace}/spans`);
    expect(body.items).toMatchObject([
      {
        name: `chat ${model}`,
        parent_span_id: '00f067aa0ba902b7',
        span_type: 'llm',
        attributes: { 'gen_ai.request.model': model, 'session.id': id },
      },
    ]);
  });
});

describe('createChatCompletion in a workspace with record_content: false', () => {
  test('keeps roles, tools, usage and cost, and no text', async () => {
    const { status } = await me.post('/org/main/ws', { name: 'quiet', key: 'quiet', record_content: false });
    expect(status).toBe(201);
    const id = randomUUID();
    const sessions = '/org/main/ws/quiet/sessions';
    await me.post(sessions, { id, model });
    const client = clientOf(id);
    await ask(client, [{ role: 'system', content: 'secret system' }, user('secret question')]);
    await ask(client, [user('secret question'), assistant(REPLY), user('secret again')]);
    const { body } = await me.get(`${sessions}/${id}/transcript`);
    expect(JSON.stringify(body)).not.toMatch(/secret|Hello from/);
    expect(body.messages.map((one: { role: string }) => one.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(body.session.usage.total_output_tokens).toBe(10);
  });
});

describe('createChatCompletion with an invalid session', () => {
  test('refuses a session of another user, and ignores one that does not exist', async () => {
    const other = await server.addPerson('other', { role: 'member' });
    const { id } = await openSession();
    const theirs = new OpenAI({
      baseURL,
      apiKey: other.key,
      maxRetries: 0,
      defaultHeaders: { 'x-drydock-session': id },
    });
    await expect(ask(theirs, [user('Hi')])).rejects.toMatchObject({ status: 403 });
    expect(await textsOf(id)).toEqual([]);
    expect((await ask(clientOf(randomUUID()), [user('Hi')])).choices).toHaveLength(1);
  });

  test('returns the response for a frozen session and leaves the session unchanged', async () => {
    const { id, client } = await openSession();
    await ask(client, [user('Hi')]);
    await me.post(`${W}/sessions/${id}/freeze`);
    expect((await ask(client, [user('Hi'), assistant(REPLY), user('More')])).choices).toHaveLength(1);
    expect(await textsOf(id)).toEqual(['user: Hi', `assistant: ${REPLY}`]);
  });
});
