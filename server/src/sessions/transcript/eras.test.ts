import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { assistant, numbered, saveSession, user } from '../../../test/transcripts.ts';

const server = await startTestServer();
const client = server.as(server.owner);
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

type Read = { seq: number; era: number; content: string; compacted_up_to_seq: number | null };
const shapes = (messages: readonly Read[]) =>
  messages.map(({ seq, era, content, compacted_up_to_seq }) => [seq, era, content, compacted_up_to_seq]);
const generation = (input_tokens: number, cost_usd: number | null) =>
  assistant('g', { usage: { input_tokens, output_tokens: 1, cost_usd } });

describe('compactions', () => {
  test('compacting begins an era with a summary, keeps the tail and deletes nothing', async () => {
    const session = await saveSession(client);
    await session.append([user('a'), generation(10, 1), generation(20, null), user('kept')]);
    const compacted = await session.compact(3, assistant('In short', { id: 's' }));
    expect(compacted).toMatchObject({
      status: 201,
      body: {
        summary: { id: 's', seq: 5 },
        era: 1,
        session: {
          message_count: 5,
          recent_message_count: 2,
          usage: {
            compaction_count: 1,
            current_message_count: 2,
            current_input_tokens: 0,
            current_cost_usd: 0,
            total_message_count: 5,
            total_input_tokens: 30,
            total_cost_usd: null,
            last_generation_input_tokens: 20,
          },
        },
      },
    });
    await session.append([generation(7, 0.25)]);
    const { body } = await session.read();
    expect(shapes(body.messages)).toEqual([
      [4, 1, 'kept', null],
      [5, 1, 'In short', 3],
      [6, 1, 'g', null],
    ]);
    expect(body.messages[1].model).toBe('acme/large');
    expect(body.session.usage).toMatchObject({ current_input_tokens: 7, current_cost_usd: 0.25 });
    expect(shapes((await session.readAll()).body.messages)).toEqual([
      [1, 0, 'a', null],
      [2, 0, 'g', null],
      [3, 0, 'g', null],
      [4, 1, 'kept', null],
      [5, 1, 'In short', 3],
      [6, 1, 'g', null],
    ]);
    expect(await session.compact(6)).toMatchObject({
      status: 201,
      body: { era: 2, summary: { seq: 7, id: UUID } },
    });
    expect(shapes((await session.readAll('after_seq=3')).body.messages)).toEqual([
      [4, 1, 'kept', null],
      [5, 1, 'In short', 3],
      [6, 1, 'g', null],
      [7, 2, 'In short', 6],
    ]);
  });

  test('repeating a compaction returns the same era', async () => {
    const session = await saveSession(client);
    await session.append(numbered(3));
    const first = await session.compact(2, user('In short', { id: 's' }));
    await session.append(numbered(2));
    const again = await session.compact(2, user('In short', { id: 's' }));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toMatchObject({ summary: first.body.summary, era: 1, session: { message_count: 6 } });
    const [stored] = (await session.readAll()).body.messages;
    for (const refused of [
      await session.compact(3, user('In short', { id: 's' })),
      await session.compact(3, user('no summary', { id: stored.id })),
    ])
      expect(refused).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
  });

  test('compacting requires a stored message after the last boundary', async () => {
    const session = await saveSession(client);
    await session.append(numbered(4));
    const beyond = { status: 422, body: { errors: [{ loc: ['body', 'up_to_seq'] }] } };
    for (const upTo of [0, -1, 1.5, 5, 2 ** 40]) expect(await session.compact(upTo)).toMatchObject(beyond);
    expect((await session.compact(2)).status).toBe(201);
    for (const upTo of [1, 2])
      expect(await session.compact(upTo)).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect((await session.compact(3)).status).toBe(201);
    expect((await session.readAll()).body.messages).toHaveLength(6);
    const nothing = await saveSession(client);
    expect(await nothing.compact(1)).toMatchObject(beyond);
  });
});

describe('rewinds', () => {
  test('rewinding removes the messages from a number on, and reuses their numbers', async () => {
    const session = await saveSession(client);
    await session.append([user('a', { id: 'a' }), user('b', { id: 'b' }), generation(9, 1)]);
    const { status, body } = await session.rewind(2);
    expect([status, body]).toEqual([200, { deleted_count: 2, target_seq: 1, restored_content: 'b' }]);
    const after = (await session.read()).body;
    expect(shapes(after.messages)).toEqual([[1, 0, 'a', null]]);
    expect(after.session).toMatchObject({
      message_count: 1,
      last_message_at: after.messages[0].created_at,
      usage: { total_input_tokens: 0, total_cost_usd: 0, last_generation_input_tokens: null },
    });
    expect((await session.append([user('other', { id: 'b' })])).body.messages).toEqual([{ id: 'b', seq: 2 }]);
  });

  test('rewinding everything leaves an empty session', async () => {
    const session = await saveSession(client, { title: 'T', message_count: 9 });
    await session.append(numbered(3));
    expect((await session.rewind(1)).body).toEqual({
      deleted_count: 3,
      target_seq: 0,
      restored_content: 'm1',
    });
    expect((await session.read()).body).toMatchObject({
      messages: [],
      has_more: false,
      session: { message_count: 0, preview_text: null, last_message_at: null, recent_message_count: 0 },
    });
    expect((await session.append([user('new')])).body.session.preview_text).toBe('new');
  });

  test('rewinding across a boundary removes the eras whose summaries are removed', async () => {
    const session = await saveSession(client);
    await session.append([generation(1, 1), generation(2, 1), generation(4, 1)]);
    await session.compact(2, user('first')); // Message 4.
    await session.append([generation(8, 1), generation(16, null)]); // Messages 5 and 6.
    await session.compact(5, user('second')); // Message 7.
    expect((await session.read()).body.session.usage).toMatchObject({
      compaction_count: 2,
      current_input_tokens: 16,
      current_cost_usd: null,
    });
    expect((await session.rewind(7)).body.restored_content).toBe('second');
    const back = (await session.read()).body;
    expect(shapes(back.messages)).toEqual([
      [3, 1, 'g', null],
      [4, 1, 'first', 2],
      [5, 1, 'g', null],
      [6, 1, 'g', null],
    ]);
    expect(back.session.usage).toMatchObject({ compaction_count: 1, current_input_tokens: 28 });
    await session.rewind(3);
    const start = (await session.read()).body;
    expect(shapes(start.messages)).toEqual([
      [1, 0, 'g', null],
      [2, 0, 'g', null],
    ]);
    expect(start.session.usage).toMatchObject({
      compaction_count: 0,
      current_message_count: 2,
      current_input_tokens: 3,
      current_cost_usd: 2,
      last_generation_input_tokens: 2,
    });
    expect(await session.compact(2)).toMatchObject({ status: 201, body: { era: 1, summary: { seq: 3 } } });
  });

  test('rewinding restores the system prompt of that time', async () => {
    const session = await saveSession(client);
    const prompt = (system_prompt: string | null) => ({ model: 'acme/large', system_prompt });
    await session.append(numbered(2), prompt('first'));
    await session.append(numbered(2), prompt('second'));
    await session.append(numbered(1), prompt(null));
    const current = async () => (await session.read()).body.current_system_prompt;
    expect(await current()).toBeNull();
    await session.rewind(4);
    expect(await current()).toBe('second');
    await session.rewind(3);
    expect(await current()).toBe('second'); // The prompt took effect before the third message was stored.
    await session.append(numbered(1), prompt('third'));
    expect(await current()).toBe('third');
    await session.rewind(2);
    expect(await current()).toBe('first');
  });

  test('rewinding requires a stored message', async () => {
    const session = await saveSession(client);
    await session.append(numbered(2));
    for (const from of [0, -1, 3, 1.5, 2 ** 40, 'x' as unknown as number]) {
      const refused = { status: 422, body: { errors: [{ loc: ['body', 'from_seq'] }] } };
      expect(await session.rewind(from)).toMatchObject(refused);
    }
    expect((await session.read()).body.messages).toHaveLength(2);
  });
});

describe('transcript pages', () => {
  test('a page has the messages after a number, limited to the requested count', async () => {
    const session = await saveSession(client);
    await session.append(numbered(7));
    const page = async (query: string) => {
      const { messages, has_more } = (await session.read(query)).body;
      return [messages.map(({ seq }: Read) => seq), has_more];
    };
    expect(await page('limit=3')).toEqual([[1, 2, 3], true]);
    expect(await page('limit=3&after_seq=3')).toEqual([[4, 5, 6], true]);
    expect(await page('limit=3&after_seq=4')).toEqual([[5, 6, 7], false]);
    expect(await page('after_seq=7')).toEqual([[], false]);
    expect(await page('after_seq=9007199254740991')).toEqual([[], false]);
    await session.compact(5);
    expect(await page('')).toEqual([[6, 7, 8], false]);
    expect(await page('limit=2&after_seq=1')).toEqual([[6, 7], true]);
    expect(await page('limit=2&after_seq=1&include_compacted=true')).toEqual([[2, 3], true]);
  });

  test.each(['limit=0', 'after_seq=-1', 'include_compacted=1'])(
    'a page with %s is refused',
    async (query) => {
      const session = await saveSession(client);
      const loc = ['query', query.split('=')[0]];
      expect(await session.read(query)).toMatchObject({ status: 422, body: { errors: [{ loc }] } });
    },
  );

  test.each([501, 5_000, Number.MAX_SAFE_INTEGER])(
    'getTranscript returns 500 messages and has_more when %i are asked for',
    async (limit) => {
      const session = await saveSession(client);
      await session.append(numbered(500));
      await session.append(numbered(2));
      const { messages, has_more } = (await session.read(`limit=${limit}`)).body;
      expect([messages.length, has_more]).toEqual([500, true]);
      const rest = (await session.read(`limit=${limit}&after_seq=500`)).body;
      expect([rest.messages.length, rest.has_more]).toEqual([2, false]);
    },
  );

  test('a page of large messages is short, and empty only at the end', async () => {
    const session = await saveSession(client);
    const large = 'x'.repeat(3 * 1024 * 1024);
    // Other fields of a message count as well as its content.
    const sized = [user(large), user('', { metadata: { large } }), user(large), user('small')];
    for (const message of sized) expect((await session.append([message])).status).toBe(201);
    const first = (await session.read()).body;
    expect([first.messages.map(({ seq }: Read) => seq), first.has_more]).toEqual([[1, 2, 3], true]);
    const rest = (await session.read('after_seq=3')).body;
    expect([rest.messages.map(({ seq }: Read) => seq), rest.has_more]).toEqual([[4], false]);
    const largest = await saveSession(client);
    const huge = 'y'.repeat(9 * 1024 * 1024);
    for (const message of [user(huge), user(huge)]) await largest.append([message]);
    const page = (await largest.read()).body;
    expect([page.messages.length, page.has_more, page.messages[0].content.length]).toEqual([
      1,
      true,
      huge.length,
    ]);
  });
});
