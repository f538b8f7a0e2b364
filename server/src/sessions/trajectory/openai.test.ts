/** Exports as Chat Completions documents. */
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { mainPlace, type StoredSession, say, storeSession } from '../../../test/stored-sessions.ts';

const server = await startTestServer();
const scope = await mainPlace(server);

async function exported(session: StoredSession, includeCompacted = false) {
  const id = await storeSession(server.db, scope, session);
  const query = `format=openai&include_compacted=${includeCompacted}`;
  const response = await server.as(server.owner).get(`/org/main/ws/main/sessions/${id}/trajectory?${query}`);
  expect(response.status).toBe(200);
  return { id, ...response.body };
}

const call = (id: string, name = 'run', text = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const toolMessage = (tool_call_id: string, content: string) => ({ role: 'tool', tool_call_id, content });
const user = (content: string) => ({ role: 'user', content });

describe('a Chat Completions document', () => {
  test('export writes the prompt first, the tools and the metadata of the session', async () => {
    const tools = [{ type: 'function', function: { name: 'run', parameters: {} } }];
    const {
      id,
      messages,
      tools: written,
      metadata,
    } = await exported({
      title: 'A title',
      agent: 'helper',
      origin: 'worker',
      labels: { team: ['red'] },
      tools,
      prompts: [{ from_seq: 1, content: 'Be terse.' }],
      messages: [
        say.user('Which files?'),
        say.assistant('', ['c1', 'ls', '{"odd" :1e3}']),
        say.tool('a\nb', 'c1'),
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'Be terse.' },
      user('Which files?'),
      { role: 'assistant', content: null, tool_calls: [call('c1', 'ls', '{"odd" :1e3}')] },
      toolMessage('c1', 'a\nb'),
    ]);
    expect(written).toEqual(tools);
    expect(metadata).toEqual({
      session_id: id,
      title: 'A title',
      model: 'acme/large',
      agent: 'helper',
      origin: 'worker',
      labels: { team: ['red'] },
      created_at: expect.stringMatching(/Z$/),
      system_prompts: [0],
      compactions: [],
    });
  });

  test('export of a session without messages contains only its prompt', async () => {
    expect(await exported({})).toMatchObject({ messages: [], tools: [] });
    const { messages } = await exported({ prompts: [{ from_seq: 1, content: 'P' }] }, true);
    expect(messages).toEqual([{ role: 'system', content: 'P' }]);
  });

  test('export keeps an empty content of messages without calls', async () => {
    const { messages } = await exported({ messages: [say.assistant(''), say.user('')] });
    expect(messages).toEqual([{ role: 'assistant', content: '' }, user('')]);
  });
});

describe('tool results', () => {
  test('export puts late results behind their call, in the order of the calls', async () => {
    const { messages } = await exported({
      messages: [
        say.assistant('two', ['a'], ['b']),
        say.user('meanwhile'),
        say.tool('of b', 'b'),
        say.assistant('more', ['c']),
        say.tool('of a', 'a'),
        say.tool('of c', 'c'),
      ],
    });
    expect(messages).toEqual([
      { role: 'assistant', content: 'two', tool_calls: [call('a'), call('b')] },
      toolMessage('a', 'of a'),
      toolMessage('b', 'of b'),
      user('meanwhile'),
      { role: 'assistant', content: 'more', tool_calls: [call('c')] },
      toolMessage('c', 'of c'),
    ]);
  });

  test('export distinguishes results by call ids of any length', async () => {
    const [one, other] = ['1', '2'].map((end) => `${'x'.repeat(100_000)}${end}`) as [string, string];
    const { messages } = await exported({
      messages: [say.assistant('', [one], [other]), say.tool('of the other', other)],
    });
    expect(messages.slice(1)).toEqual([toolMessage(one, '[no result]'), toolMessage(other, 'of the other')]);
  });

  test('export adds placeholders for missing results and merges several results of one call', async () => {
    const { messages } = await exported({
      messages: [say.assistant('', ['a'], ['b']), say.tool('1', 'b'), say.tool('2', 'b')],
    });
    expect(messages.slice(1)).toEqual([toolMessage('a', '[no result]'), toolMessage('b', '1\n2')]);
  });

  test('export gives calls with equal ids in one message one result each, and the last of them the rest', async () => {
    const results = ['1', '2', '3', '4'].map((content) => say.tool(content, 'a'));
    const { messages } = await exported({ messages: [say.assistant('', ['a'], ['a'], ['a']), ...results] });
    expect(messages.slice(1)).toEqual([
      toolMessage('a', '1'),
      toolMessage('a', '2'),
      toolMessage('a', '3\n4'),
    ]);
    const fewer = await exported({ messages: [say.assistant('', ['a'], ['a']), say.tool('1', 'a')] });
    expect(fewer.messages.slice(1)).toEqual([toolMessage('a', '1'), toolMessage('a', '[no result]')]);
  });

  test('export assigns results to the nearest earlier message that made the call', async () => {
    const { messages } = await exported({
      messages: [
        say.tool('too early', 'a'),
        say.assistant('first', ['a']),
        say.assistant('second', ['a']),
        say.tool('of the second', 'a'),
      ],
    });
    expect(messages).toEqual([
      user('[result of call "a"]\ntoo early'),
      { role: 'assistant', content: 'first', tool_calls: [call('a')] },
      toolMessage('a', '[no result]'),
      { role: 'assistant', content: 'second', tool_calls: [call('a')] },
      toolMessage('a', 'of the second'),
    ]);
  });

  test('export writes results without a call as user messages that say so', async () => {
    const calling = {
      ...say.user('a user cannot call'),
      tool_calls: [{ id: 'x', name: 'f', arguments: '' }],
    };
    const { messages } = await exported({ messages: [calling, say.tool('A', 'x'), say.tool('B')] });
    expect(messages).toEqual([
      user('a user cannot call'),
      user('[result of call "x"]\nA'),
      user('[result of an unknown call]\nB'),
    ]);
  });
});

describe('compactions and prompts', () => {
  const session: StoredSession = {
    prompts: [
      { from_seq: 1, content: 'first prompt' },
      { from_seq: 4, content: 'second prompt' },
    ],
    messages: [
      say.user('1'),
      say.assistant('2', ['a']),
      say.user('3'),
      say.user('4'),
      say.tool('summary of 1 to 3', 'a'), // Sequence number 5.
      say.tool('6, of 2', 'a'),
      say.assistant('7', ['b']),
      say.assistant('summary of 1 to 4', ['b']), // Sequence number 8.
      say.tool('9, of 7', 'b'),
    ],
    compactions: [
      { up_to_seq: 3, summary_seq: 5 },
      { up_to_seq: 4, summary_seq: 8 },
    ],
  };

  test('export with compacted messages writes compactions and prompts where they begin', async () => {
    const { messages, metadata } = await exported(session, true);
    expect(messages).toEqual([
      { role: 'system', content: 'first prompt' },
      user('1'),
      { role: 'assistant', content: '2', tool_calls: [call('a')] },
      toolMessage('a', '6, of 2'),
      user('3'),
      user('summary of 1 to 3'),
      { role: 'system', content: 'second prompt' },
      user('4'),
      { role: 'assistant', content: 'summary of 1 to 4' },
      { role: 'assistant', content: '7', tool_calls: [call('b')] },
      toolMessage('b', '9, of 7'),
    ]);
    expect(metadata).toMatchObject({ system_prompts: [0, 6], compactions: [5, 8] });
  });

  test('export without compacted messages writes the prompt in force, the last summary and the messages after it', async () => {
    const { messages, metadata } = await exported(session);
    expect(messages).toEqual([
      { role: 'system', content: 'second prompt' },
      { role: 'assistant', content: 'summary of 1 to 4' },
      user('[result of call "a"]\n6, of 2'),
      { role: 'assistant', content: '7', tool_calls: [call('b')] },
      toolMessage('b', '9, of 7'),
    ]);
    expect(metadata).toMatchObject({ system_prompts: [0], compactions: [] });
  });

  test('export leaves out a prompt that was never in force', async () => {
    const { messages } = await exported(
      {
        messages: [say.user('1'), say.assistant('2', ['a']), say.tool('3', 'a'), say.user('summary')],
        compactions: [{ up_to_seq: 3, summary_seq: 4 }],
        prompts: [
          { from_seq: 3, content: 'for a result' },
          { from_seq: 4, content: 'for a summary' },
          { from_seq: 5, content: 'for what is to come' },
        ],
      },
      true,
    );
    expect(messages.slice(2)).toEqual([
      toolMessage('a', '3'),
      user('summary'),
      { role: 'system', content: 'for what is to come' },
    ]);
  });
});
