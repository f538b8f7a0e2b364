/** Concurrent writers of a transcript, repeated writes, and callers without permission. */
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { assistant, numbered, SESSIONS, saveSession, user } from '../../../test/transcripts.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner } = server;
const client = server.as(owner);
const member = await server.addPerson('member', { role: 'member' });
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('idempotent and atomic appends', () => {
  test('appending a known id does not store it again, in the same or a later request', async () => {
    const session = await saveSession(client);
    const first = [user('a', { id: 'a' }), user('b', { id: 'b' }), user('again', { id: 'a' })];
    const stored = await session.append(first);
    const places = [
      { id: 'a', seq: 1 },
      { id: 'b', seq: 2 },
      { id: 'a', seq: 1 },
    ];
    expect([stored.status, stored.body.messages]).toEqual([201, places]);
    const again = await session.append(first);
    expect([again.status, again.body.messages]).toEqual([200, places]);
    expect(again.body.session).toEqual(stored.body.session);
    const mixed = await session.append([user('c', { id: 'c' }), user('other', { id: 'b' }), user('d')]);
    expect([mixed.status, mixed.body.messages]).toEqual([
      201,
      [
        { id: 'c', seq: 3 },
        { id: 'b', seq: 2 },
        { id: UUID, seq: 4 },
      ],
    ]);
    const { messages } = (await session.read()).body;
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(['a', 'b', 'c', 'd']);
  });

  test.each(['__proto__', 'constructor', '💥"\\{},NULL', 'x'.repeat(255)])(
    'appending works with any id: %s',
    async (id) => {
      const session = await saveSession(client);
      expect((await session.append([user('first', { id })])).body.messages).toEqual([{ id, seq: 1 }]);
      const again = await session.append([user('second', { id }), user('third', { id })]);
      expect([again.status, again.body.messages]).toEqual([
        200,
        [
          { id, seq: 1 },
          { id, seq: 1 },
        ],
      ]);
    },
  );

  test('the same id in two sessions stands for two messages', async () => {
    const [one, other] = [await saveSession(client), await saveSession(client)];
    expect((await one.append([user('a', { id: 'x' })])).status).toBe(201);
    expect((await other.append([user('b', { id: 'x' })])).status).toBe(201);
  });

  test.each([
    ['no message', []],
    ['501 messages', numbered(501)],
    ['a role that there is not', [user('good'), { role: 'robot', content: '' }]],
    ['no content', [user('good'), { role: 'user' }]],
    ['tokens below zero', [user('good'), assistant('', { usage: { input_tokens: -1, output_tokens: 0 } })]],
    [
      'more tokens than add up exactly',
      [user('good'), assistant('', { usage: { input_tokens: 1_000_000_001, output_tokens: 0 } })],
    ],
    ['arguments that are no text', [assistant('', { tool_calls: [{ id: 'c', name: 'n', arguments: {} }] })]],
    ['an id that is empty', [user('good'), user('', { id: '' })]],
    ['an id that is too long', [user('good'), user('', { id: 'x'.repeat(256) })]],
  ])('appending %s stores nothing', async (_, messages) => {
    const session = await saveSession(client);
    const refused = await session.append(messages, { model: 'other' });
    expect(refused).toMatchObject({ status: 422, body: { type: 'validation_error' } });
    expect(refused.body.errors[0].loc.slice(0, 2)).toEqual(['body', 'messages']);
    expect((await session.read()).body).toMatchObject({
      messages: [],
      session: { message_count: 0, model: 'acme/large' },
    });
  });

  test('appending accepts 500 messages in one request', async () => {
    const session = await saveSession(client);
    const { status, body } = await session.append(numbered(500));
    expect([status, body.messages.length, body.messages[499].seq]).toEqual([201, 500, 500]);
  });

  test('concurrent appends of the same messages store them once', async () => {
    const session = await saveSession(client);
    for (let round = 0; round < 5; round++) {
      const messages = [0, 1, 2].map((index) => user('same', { id: `${round}-${index}` }));
      const responses = await Promise.all(Array.from({ length: 12 }, () => session.append(messages)));
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        ...Array(11).fill(200),
        201,
      ]);
      const places = messages.map((_, index) => ({ id: `${round}-${index}`, seq: 3 * round + index + 1 }));
      for (const { body } of responses) expect(body.messages).toEqual(places);
    }
    expect((await session.read()).body.session.message_count).toBe(15);
  });

  test('concurrent rewinds and appends leave a message stored or not, and the responses match', async () => {
    const session = await saveSession(client);
    await session.append([user('first')]);
    for (let round = 0; round < 20; round++) {
      await session.append([user('m', { id: 'm' })]);
      const [rewound, sent] = await Promise.all([
        session.rewind(2),
        session.append([user('m', { id: 'm' })]),
      ]);
      expect([rewound.status, sent.body.messages]).toEqual([200, [{ id: 'm', seq: 2 }]]);
      const { messages } = (await session.read()).body;
      // The append either found the message stored before the rewind, or stored it after.
      expect(messages).toHaveLength(sent.status === 200 ? 1 : 2);
    }
  });

  test('200 concurrent writers leave no gap in the numbers, and the messages of one request stay together', async () => {
    const session = await saveSession(client);
    const writers = Array.from({ length: 200 }, (_, writer) =>
      session.append([
        user(`${writer}`),
        assistant(`${writer}`, { usage: { input_tokens: 1, output_tokens: 2 } }),
      ]),
    );
    const responses = await Promise.all(writers);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    const { messages, session: after } = (await session.read('limit=500')).body;
    expect(messages.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
    for (const [writer, { body }] of responses.entries()) {
      const [first, second] = body.messages;
      expect(second.seq).toBe(first.seq + 1);
      expect([messages[first.seq - 1].content, messages[second.seq - 1].content]).toEqual([
        `${writer}`,
        `${writer}`,
      ]);
    }
    const times = messages.map(({ created_at }: { created_at: string }) => created_at);
    expect(times).toEqual(times.toSorted());
    expect(after.usage).toMatchObject({ total_input_tokens: 200, total_output_tokens: 400 });
  });
});

describe('permission to append', () => {
  test('appending to a frozen session returns 409, even for stored messages', async () => {
    const session = await saveSession(client);
    await session.append([user('a', { id: 'a' })]);
    expect((await client.post(`${session.path}/freeze`)).status).toBe(200);
    for (const refused of [
      await session.append([user('a', { id: 'a' })]),
      await session.append([user('b')]),
      await session.compact(1),
      await session.rewind(1),
    ])
      expect(refused).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect((await session.read()).body.messages).toHaveLength(1);
  });

  test('appending returns 403 to users who see the session but do not own it, and 404 to others', async () => {
    const [shared, hidden] = [
      await saveSession(client, { visibility: 'workspace' }),
      await saveSession(client),
    ];
    await shared.append(numbered(2));
    await hidden.append(numbered(2));
    const writes = (path: string) =>
      Promise.all([
        server.as(member).post(`${path}/transcript`, { messages: numbered(1) }),
        server.as(member).post(`${path}/transcript/compact`, { up_to_seq: 1, summary: user('') }),
        server.as(member).post(`${path}/rewind`, { from_seq: 1 }),
      ]);
    const statuses = (responses: readonly { status: number }[]) => responses.map(({ status }) => status);
    expect(statuses(await writes(shared.path))).toEqual([403, 403, 403]);
    expect(statuses(await writes(hidden.path))).toEqual([404, 404, 404]);
    expect(statuses(await writes(`${SESSIONS}/${uuidv7()}`))).toEqual([404, 404, 404]);
    expect((await server.as(member).get(`${shared.path}/transcript`)).body.messages).toHaveLength(2);
    expect((await server.as(member).get(`${hidden.path}/transcript`)).status).toBe(404);
    const elsewhere = await client.post('/org/main/ws', { key: 'elsewhere', name: 'Elsewhere' });
    expect(elsewhere.status).toBe(201);
    const path = shared.path.replace('/ws/main/', '/ws/elsewhere/');
    expect((await client.get(`${path}/transcript`)).status).toBe(404);
    expect((await client.post(`${path}/transcript`, { messages: numbered(1) })).status).toBe(404);
    expect((await shared.read()).body.messages).toHaveLength(2);
  });
});
