import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { assistant, saveSession, user } from '../../../test/transcripts.ts';

const server = await startTestServer();
const { owner } = server;
const client = server.as(owner);
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const PLAIN = {
  parent_id: null,
  tool_calls: null,
  tool_call_id: null,
  model: null,
  metadata: null,
  usage: null,
  era: 0,
  compacted_up_to_seq: null,
  created_at: TIME,
};

describe('appendMessages', () => {
  test('appended messages are returned as given, numbered from 1, and counted', async () => {
    const session = await saveSession(client, { message_count: 77 });
    const call = { id: 'c1', name: 'ls', arguments: '{"path": "."}' };
    const usage = {
      input_tokens: 10,
      output_tokens: 4,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 2,
    };
    const messages = [
      user('Which files are here?', { id: 'one', metadata: { a: [1, null, { b: 'ü' }] } }),
      assistant('', { parent_id: 'one', tool_calls: [call], usage: { ...usage, cost_usd: 0.5 } }),
      { role: 'tool', content: 'README.md', tool_call_id: 'c1' },
      assistant('One.', { usage: { input_tokens: 20, output_tokens: 1 } }),
    ];
    const appended = await session.append(messages);
    expect(appended).toMatchObject({
      status: 201,
      body: {
        messages: [
          { id: 'one', seq: 1 },
          { id: UUID, seq: 2 },
          { id: UUID, seq: 3 },
          { id: UUID, seq: 4 },
        ],
      },
    });
    const { body, status } = await session.read();
    const ids = appended.body.messages.map(({ id }: { id: string }) => id);
    expect([status, body.has_more, body.current_system_prompt]).toEqual([200, false, null]);
    expect(body.session).toEqual(appended.body.session);
    expect(body.messages).toEqual([
      { ...PLAIN, ...messages[0], seq: 1 },
      {
        ...PLAIN,
        ...messages[1],
        id: ids[1],
        seq: 2,
        model: 'acme/large',
        usage: { ...usage, cost_usd: 0.5 },
      },
      { ...PLAIN, ...messages[2], id: ids[2], seq: 3 },
      {
        ...PLAIN,
        ...messages[3],
        id: ids[3],
        seq: 4,
        model: 'acme/large',
        usage: {
          input_tokens: 20,
          output_tokens: 1,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          cost_usd: null,
        },
      },
    ]);
    expect(body.session).toMatchObject({
      message_count: 4,
      recent_message_count: 4,
      preview_text: 'Which files are here?',
      last_message_at: body.messages[3].created_at,
      usage: {
        compaction_count: 0,
        current_message_count: 4,
        current_input_tokens: 30,
        current_output_tokens: 5,
        current_cache_read_input_tokens: 3,
        current_cache_creation_input_tokens: 2,
        current_tool_call_count: 1,
        current_cost_usd: null,
        total_message_count: 4,
        total_input_tokens: 30,
        total_cost_usd: null,
        last_generation_input_tokens: 20,
      },
    });
    expect((await client.get(session.path)).body).toEqual(body.session);
  });

  test('a session without generations costs 0, and otherwise has a cost only if all generations have one', async () => {
    const session = await saveSession(client);
    // Tokens of messages of other roles do not count as a generation.
    const usage = { input_tokens: 5, output_tokens: 5 };
    const first = await session.append([user('a', { usage }), assistant('b')]);
    expect(first.body.session.usage).toMatchObject({
      total_cost_usd: 0,
      current_cost_usd: 0,
      total_input_tokens: 0,
      last_generation_input_tokens: null,
    });
    const priced = (cost_usd: number) => assistant('', { usage: { ...usage, cost_usd } });
    const second = await session.append([priced(0.1), priced(0.2), priced(0)]);
    expect(second.body.session.usage).toMatchObject({ total_cost_usd: 0.3, current_cost_usd: 0.3 });
    const third = await session.append([assistant('', { usage })]);
    expect(third.body.session.usage).toMatchObject({ total_cost_usd: null, current_cost_usd: null });
  });

  test('the preview is the first 200 characters of the first user message, and is searchable', async () => {
    const session = await saveSession(client, { title: 'A Title' });
    expect((await session.append([assistant('not this')])).body.session.preview_text).toBeNull();
    const { body } = await session.append([user(`${'😀'.repeat(150)}${'É'.repeat(100)}`), user('nor this')]);
    expect(body.session.preview_text).toBe('😀'.repeat(150) + 'É'.repeat(50));
    expect((await session.append([user('later')])).body.session.preview_text).toBe(body.session.preview_text);
    const row = await server.db
      .selectFrom('sessions')
      .select(['search_text', 'claimed_message_count'])
      .where('organization_id', '=', (await client.get('/org/main')).body.id)
      .where('id', '=', session.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      search_text: `a title\uFFFF${'😀'.repeat(150)}${'é'.repeat(50)}`,
      claimed_message_count: null,
    });
  });

  test('appending a result for an unknown call is accepted', async () => {
    const session = await saveSession(client);
    const orphan = { role: 'tool', content: 'done', tool_call_id: 'never-called' };
    expect((await session.append([orphan])).status).toBe(201);
    expect((await session.read()).body.messages).toEqual([{ ...PLAIN, ...orphan, id: UUID, seq: 1 }]);
  });

  test('appending replaces characters that PostgreSQL cannot store in texts, but refuses them in names', async () => {
    const session = await saveSession(client);
    const odd = 'a\0b\ud800c\uFFFF';
    const even = 'a\uFFFDb\uFFFDc\uFFFF';
    const call = { id: 'c', name: 'n', arguments: odd };
    const message = assistant(odd, { tool_calls: [call], metadata: { [odd]: [{ deep: odd }] } });
    expect((await session.append([message])).status).toBe(201);
    expect((await session.read()).body.messages[0]).toMatchObject({
      content: even,
      tool_calls: [{ id: 'c', name: 'n', arguments: even }],
      metadata: { [even]: [{ deep: even }] },
    });
    const refused = await session.append([
      user('', { id: odd }),
      user('', { parent_id: odd }),
      assistant('', { tool_calls: [{ ...call, id: odd, name: odd }] }),
      { role: 'tool', content: '', tool_call_id: odd },
    ]);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        errors: [
          { loc: ['body', 'messages', 0, 'id'] },
          { loc: ['body', 'messages', 1, 'parent_id'] },
          { loc: ['body', 'messages', 2, 'tool_calls', 0, 'id'] },
          { loc: ['body', 'messages', 2, 'tool_calls', 0, 'name'] },
          { loc: ['body', 'messages', 3, 'tool_call_id'] },
        ],
      },
    });
  });
});

describe('the context of a session', () => {
  test('appending with a context changes the given fields, and messages get the model in force', async () => {
    const session = await saveSession(client, { agent: 'helper' });
    const tools = [{ type: 'function', function: { name: 'ls' } }];
    await session.append([assistant('a')], { model: 'acme/large', system_prompt: 'Be brief.', tools });
    const changed = await session.append([assistant('b'), user('c')], { model: 'acme/small', agent: null });
    expect(changed.body.session).toMatchObject({ model: 'acme/small', agent: null });
    const { body } = await session.read();
    expect(body.current_system_prompt).toBe('Be brief.');
    expect(body.messages.map(({ model }: { model: string }) => model)).toEqual([
      'acme/large',
      'acme/small',
      null,
    ]);
    await session.append([user('d')], { model: 'acme/small', system_prompt: 'Be long.' });
    expect((await session.read()).body.current_system_prompt).toBe('Be long.');
    await session.append([user('e')], { model: 'acme/small', system_prompt: null, tools: null });
    expect((await session.read()).body.current_system_prompt).toBeNull();
    const prompts = await server.db
      .selectFrom('session_prompts')
      .select(['from_seq', 'content'])
      .where('organization_id', '=', (await client.get('/org/main')).body.id)
      .where('session_id', '=', session.id)
      .orderBy('from_seq')
      .execute();
    expect(prompts).toEqual([
      { from_seq: 1, content: 'Be brief.' },
      { from_seq: 4, content: 'Be long.' },
      { from_seq: 5, content: '' },
    ]);
  });

  test('appending an identical context changes nothing, and a different one is stored even without messages', async () => {
    const session = await saveSession(client);
    const context = {
      model: 'acme/large',
      agent: 'helper',
      system_prompt: 'Be brief.',
      tools: [{ name: 'ls' }],
    };
    const messages = [user('a', { id: 'a' })];
    const statusOf = async (more: object) => (await session.append(messages, { ...context, ...more })).status;
    expect(await statusOf({})).toBe(201);
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ system_prompt: 'Be long.' })).toBe(201);
    expect(await statusOf({ system_prompt: undefined, tools: undefined, agent: undefined })).toBe(200);
    expect(await statusOf({ system_prompt: 'Be long.', tools: [] })).toBe(201);
    expect(await statusOf({ system_prompt: 'Be long.', tools: [], agent: 'other' })).toBe(201);
    expect(await statusOf({ system_prompt: 'Be long.', tools: [], agent: 'other', model: 'm' })).toBe(201);
    expect(await statusOf({ system_prompt: null, tools: null, agent: null, model: 'm' })).toBe(201);
    expect(await statusOf({ system_prompt: '', tools: null, agent: null, model: 'm' })).toBe(200);
  });

  test('appending a context without a model to a session that has none is refused', async () => {
    const session = await saveSession(client);
    const refused = await session.append([user('a')], { agent: 'helper' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'context', 'model'] }] } });
  });
});

test.each([
  [
    'a million calls of a message',
    { messages: [{ role: 'assistant', content: '', tool_calls: 'CALLS' }] },
    900_000,
  ],
  [
    'calls of all messages',
    {
      messages: Array.from({ length: 400 }, () => ({ role: 'assistant', content: '', tool_calls: 'CALLS' })),
    },
    900,
  ],
  ['a million messages', { messages: 'CALLS' }, 900_000],
  ['a million tools', { messages: [], context: { model: 'm', tools: 'CALLS' } }, 900_000],
])('appending %s, all invalid, is refused by their number', async (_, body, count) => {
  const session = await saveSession(client);
  const wrong = `[${'{},'.repeat(count - 1)}{}]`;
  const result = await client.post(
    `${session.path}/transcript`,
    JSON.stringify(body).replaceAll('"CALLS"', wrong),
  );
  expect(result.status).toBe(422);
  expect(result.body.errors.length).toBeLessThanOrEqual(2);
});
