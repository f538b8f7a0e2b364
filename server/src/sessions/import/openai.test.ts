/** Imports of Chat Completions documents, and their exports. */
import { describe, expect, test } from 'vitest';
import { findMistakes } from '../../../test/chat-completions.ts';
import { startTestServer } from '../../../test/harness.ts';
import { randomTranscript } from '../../../test/random-transcripts.ts';
import { mainPlace, type StoredSession, storeSession } from '../../../test/stored-sessions.ts';
import { ApiError } from '../../platform/errors.ts';
import { readOpenai } from './openai.ts';

const server = await startTestServer();
const scope = await mainPlace(server);
const ROUNDS = 60;

async function exportOf(session: StoredSession, includeCompacted: boolean) {
  const id = await storeSession(server.db, scope, session);
  const query = `format=openai&include_compacted=${includeCompacted}`;
  const { status, body } = await server
    .as(server.owner)
    .get(`/org/main/ws/main/sessions/${id}/trajectory?${query}`);
  expect(status).toBe(200);
  return body;
}

const withoutId = ({
  metadata: { session_id: _id, ...metadata },
  ...document
}: {
  metadata: Record<string, unknown>;
}) => ({ ...document, metadata });

describe('export, import and export again', () => {
  test.each([true, false])(
    'a second export returns the same document except for ids, all eras: %s',
    async (includeCompacted) => {
      for (let round = 0; round < ROUNDS; round++) {
        const session = randomTranscript(`openai ${round}`);
        const first = await exportOf(session, includeCompacted);
        expect(findMistakes(first.messages), JSON.stringify(session)).toEqual([]);
        const imported = await readOpenai(first);
        expect(imported.id).toBe(first.metadata.session_id);
        const second = await exportOf(imported, includeCompacted);
        expect(withoutId(second), JSON.stringify(session)).toEqual(withoutId(first));
      }
    },
  );

  test('import keeps compacted messages separate from the others', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const session = randomTranscript(`eras ${round}`);
      const imported = await readOpenai(await exportOf(session, true));
      expect(imported.compactions.length).toBe(session.compactions?.length);
      const { messages } = await exportOf(imported, false);
      expect(findMistakes(messages)).toEqual([]);
    }
  });
});

describe('documents from other tools', () => {
  test('import accepts a bare list of messages, in every form of message', async () => {
    const session = await readOpenai([
      { role: 'developer', content: 'Be terse.' },
      { role: 'system', content: 'And kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b\0' },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: { x: 1 } } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
      { role: 'assistant', content: null, function_call: { name: 'g', arguments: '{}' } },
      { role: 'function', name: 'g', content: 'done too' },
      { role: 'assistant', content: 'ok', refusal: null },
    ]);
    expect(session).toEqual({
      id: undefined,
      title: null,
      model: 'unknown',
      agent: null,
      labels: undefined,
      origin: undefined,
      tools: null,
      imported: {
        openai: {
          metadata: {},
          document: {},
          prompt: { content: 'Be terse.', message: { role: 'developer' } },
        },
      },
      prompts: [{ from_seq: 1, content: 'Be terse.' }],
      compactions: [],
      messages: [
        { role: 'system', content: 'And kind.', model: null },
        {
          role: 'user',
          content: 'a\nb\ufffd',
          metadata: {
            openai: {
              content: [
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b\ufffd' },
              ],
            },
          },
          model: null,
        },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c', name: 'f', arguments: '{"x":1}' }],
          model: 'unknown',
        },
        { role: 'tool', content: 'done', tool_call_id: 'c', model: null },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_5', name: 'g', arguments: '{}' }],
          model: 'unknown',
        },
        {
          role: 'tool',
          content: 'done too',
          tool_call_id: 'call_5',
          metadata: { openai: { name: 'g' } },
          model: null,
        },
        { role: 'assistant', content: 'ok', metadata: { openai: { refusal: null } }, model: 'unknown' },
      ],
    });
  });

  test('export returns the members that have no field here', async () => {
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const document = {
      messages: [
        { role: 'user', name: 'kim', content: [{ type: 'text', text: 'Look' }, picture] },
        { role: 'assistant', content: 'Nice', refusal: null },
      ],
      tools: [{ type: 'function', function: { name: 'f', strict: true } }],
      model: 'acme/small',
      temperature: 0.5,
      metadata: {
        origin: 'training',
        created_at: '2020-01-01T00:00:00.000Z',
        score: [1],
        compactions: 'none',
      },
    };
    const session = await readOpenai(document);
    expect(session).toMatchObject({ model: 'acme/small', origin: undefined });
    expect(session.messages[0]?.content).toBe('Look');
    expect(await exportOf(session, false)).toEqual({
      ...document,
      metadata: {
        session_id: expect.any(String),
        title: null,
        model: 'acme/small',
        agent: null,
        labels: {},
        system_prompts: [],
        ...document.metadata,
        compactions: [],
      },
    });
  });

  test('export returns all extra members of messages, calls and metadata', async () => {
    const cached = { type: 'text', text: 'Be terse.', cache_control: { type: 'ephemeral' } };
    const called = {
      id: 'a',
      type: 'function',
      index: 0,
      function: { name: 'f', arguments: '{}', strict: true },
    };
    const messages = [
      { role: 'developer', name: 'boss', content: [cached] },
      { role: 'developer', content: 'And kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'assistant', content: null, audio: { id: 'audio_1' }, weight: 0 },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          called,
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{"__proto__":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: { url: 'a.png' } }] },
      { role: 'tool', tool_call_id: 'b', content: 'done', name: 'g' },
    ];
    const metadata = { title: 5, labels: 'x,y', agent: { name: 'n' }, model: 'm'.repeat(256) };
    const session = await readOpenai({ messages, metadata, parallel_tool_calls: true });
    expect(session).toMatchObject({ title: null, agent: null, model: 'unknown', labels: undefined });
    expect(session.prompts).toEqual([{ from_seq: 1, content: 'Be terse.' }]);
    const document = await exportOf(session, false);
    expect(document).toMatchObject({ messages, metadata, parallel_tool_calls: true });
    expect(document.messages).toEqual(messages);
    const again = await exportOf(await readOpenai(document), false);
    expect(withoutId(again)).toEqual(withoutId(document));
  });

  test('import accepts wrong marks and uses them as far as they make sense', async () => {
    const messages = ['system', 'user', 'system', 'system', 'tool'].map((role) => ({ role, content: role }));
    const metadata = { session_id: 'mine', system_prompts: [1, 2, 3, 9, -1], compactions: [0, 4, 7] };
    const session = await readOpenai({ messages, metadata });
    expect(session.id).toBeUndefined();
    expect(session.prompts).toEqual([{ from_seq: 4, content: 'system' }]);
    expect(session.compactions).toEqual([]);
    expect(session.messages.map(({ role }) => role)).toEqual(['system', 'user', 'system', 'tool']);
  });

  test.each([
    [{}, [['body', 'messages']]],
    ['text', [['body']]],
    [[{ role: 'user' }, { role: 'robot', content: '' }], [['body', 1, 'role']]],
    [
      {
        messages: [
          { role: 'user', content: 5 },
          { role: 'assistant', tool_calls: [{ id: 0, function: { name: 1, arguments: 2 } }] },
        ],
        metadata: [],
        tools: {},
      },
      [
        ['body', 'tools'],
        ['body', 'metadata'],
      ],
    ],
    [
      {
        messages: [
          { role: 'user', content: 5 },
          { role: 'assistant', tool_calls: [{ id: 0, function: { name: 1, arguments: 2 } }] },
        ],
      },
      [
        ['body', 'messages', 0, 'content'],
        ['body', 'messages', 1, 'tool_calls', 0, 'id'],
        ['body', 'messages', 1, 'tool_calls', 0, 'function', 'name'],
        ['body', 'messages', 1, 'tool_calls', 0, 'function', 'arguments'],
      ],
    ],
    [[{ role: 'user', content: [{ text: 'no type' }] }], [['body', 0, 'content', 0, 'type']]],
    [
      [{ role: 'assistant', tool_calls: [{ id: 'a\0', function: { name: 'f', arguments: '' } }] }],
      [['body', 0, 'tool_calls', 0, 'id']],
    ],
  ])('import refuses an invalid document and names every place: %j', async (document, places) => {
    try {
      await readOpenai(document);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      const { status, issues } = error as ApiError;
      expect([status, issues?.map(({ loc }) => loc)]).toEqual([422, places]);
    }
  });
});
