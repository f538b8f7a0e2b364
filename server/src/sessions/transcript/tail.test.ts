/** The live tail of a session, from end to end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type EventReader, openEvents, startEventServer } from '../../../test/event-harness.ts';
import { startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { assistant, numbered, SESSIONS, saveSession, user } from '../../../test/transcripts.ts';
import { appendEvents, MAX_EVENT_BYTES } from '../../platform/events/event-log.ts';
import { transcriptRoutes } from './routes.ts';

const server = await startTestServer();
const { owner, db } = server;
const client = server.as(owner);
const member = await server.addPerson('member', { role: 'member' });
const timings = { recheckMs: 400 };
const tail = await startEventServer(server, { timings, moreRoutes: [transcriptRoutes(db)] });

const open = (session: { readonly path: string }, lastEventId?: string | number, key = owner.key) =>
  openEvents(`${tail.url}/api/v1${session.path}/events`, key, lastEventId);

interface EventData {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly messages: readonly { readonly seq: number; readonly content: string }[];
}
const organizationId = async (): Promise<string> => (await client.get('/org/main')).body.id;
const eventsOf = (reader: EventReader) => reader.frames.filter(({ id }) => id !== undefined);
const messagesOf = (reader: EventReader) =>
  eventsOf(reader).flatMap(({ event, data }) => (event === 'messages' ? (data as EventData).messages : []));
const has = (reader: EventReader, count: number) =>
  until(`${count} events are there`, () => eventsOf(reader).length >= count);

describe('events of the tail', () => {
  test('the tail sends messages, state changes, compactions and rewinds in order', async () => {
    const session = await saveSession(client, { labels: { team: ['red'] } });
    const reader = await open(session);
    await session.append([user('a', { metadata: { k: 1 } }), assistant('b')]);
    await session.append([user('c')], { model: 'acme/small', agent: 'helper' });
    const stored = (await session.read()).body;
    await session.append([user('a', { id: stored.messages[0].id })]);
    await session.compact(2);
    await session.rewind(3);
    await client.post(`${session.path}/archive`);
    await has(reader, 7);
    const { title, model, agent, labels, visibility, frozen_at, frozen_by, updated_at } = stored.session;
    const state = { title, model, agent, labels, visibility, frozen_at, frozen_by, archived_at: null };
    const frames = eventsOf(reader).map(({ event, data }) => [event, data]);
    // Messages that were rewound were sent before the rewind or are left out.
    expect(frames.map(([event]) => event)).toEqual([
      'messages',
      'session',
      'messages',
      'messages',
      'compacted',
      'rewound',
      'session',
    ]);
    expect(frames[0]).toEqual([
      'messages',
      { first_seq: 1, last_seq: 2, messages: stored.messages.slice(0, 2) },
    ]);
    expect(frames[1]).toEqual(['session', { ...state, updated_at }]);
    expect(frames[4]).toEqual(['compacted', { up_to_seq: 2, summary_seq: 4, era: 1 }]);
    expect(frames[5]).toEqual(['rewound', { from_seq: 3, deleted_count: 2, target_seq: 2 }]);
    expect(frames[6]).toEqual([
      'session',
      { ...state, archived_at: expect.any(String), updated_at: expect.any(String) },
    ]);
    reader.leave();
  });

  test('a new prompt or new tools send a state event, after which readers look them up', async () => {
    const session = await saveSession(client);
    const context = { model: 'acme/large', system_prompt: 'Be brief.', tools: [{ name: 'ls' }] };
    const say = async (more: object) =>
      (await session.append([user('a', { id: 'a' })], { ...context, ...more })).body.session.updated_at;
    const changes = [
      await say({}),
      await say({ system_prompt: 'Be long.' }),
      await say({ system_prompt: 'Be long.', tools: [] }),
    ];
    await say({ system_prompt: 'Be long.', tools: [] });
    const reader = await open(session);
    await has(reader, 4);
    expect(eventsOf(reader).map(({ event }) => event)).toEqual(['session', 'messages', 'session', 'session']);
    const states = eventsOf(reader).flatMap(({ event, data }) => (event === 'session' ? data : []));
    expect(states).toMatchObject(changes.map((updated_at) => ({ updated_at, model: 'acme/large' })));
    reader.leave();
  });

  test('the tail leaves out rewound messages and does not confuse their numbers with later messages', async () => {
    const session = await saveSession(client);
    await session.append([user('kept'), user('gone')]);
    await session.rewind(2);
    await session.append([user('new')]);
    const reader = await open(session);
    await has(reader, 3);
    const data = eventsOf(reader).map((frame) => frame.data as EventData);
    expect(data[0]).toMatchObject({ first_seq: 1, last_seq: 2, messages: [{ seq: 1, content: 'kept' }] });
    expect(data[0]?.messages).toHaveLength(1);
    expect(data[2]).toMatchObject({ first_seq: 2, last_seq: 2, messages: [{ seq: 2, content: 'new' }] });
    reader.leave();
  });

  test('large messages are split into several events, complete and in order', async () => {
    const session = await saveSession(client);
    const sizes = [10, MAX_EVENT_BYTES, 100_000, 100_000, 100_000, 3 * MAX_EVENT_BYTES, 10, 10];
    await session.append(sizes.map((size, index) => user(`${index}`.repeat(size))));
    const reader = await open(session);
    await until('all are there', () => messagesOf(reader).length === sizes.length);
    expect(messagesOf(reader).map(({ content }) => content.length)).toEqual(sizes);
    expect(messagesOf(reader).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const spans = eventsOf(reader).map(({ data }) => [
      (data as EventData).first_seq,
      (data as EventData).last_seq,
    ]);
    expect(spans).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
      [5, 5],
      [6, 6],
      [7, 8],
    ]);
    reader.leave();
  });

  test('the events of concurrent writers are in the order of the transcript', async () => {
    const session = await saveSession(client);
    const readers = [await open(session), await open(session)];
    const writes = Array.from({ length: 40 }, (_, writer) => session.append(numbered(3, `${writer}.`)));
    const responses = await Promise.all(writes);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    const { messages } = (await session.read('limit=500')).body;
    for (const reader of readers) {
      await until('all are there', () => messagesOf(reader).length === 120);
      expect(messagesOf(reader)).toEqual(messages);
      expect(reader.seqs()).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      reader.leave();
    }
  });
});

describe('readers of the tail', () => {
  test('a tail with Last-Event-ID resumes after that event', async () => {
    const session = await saveSession(client);
    for (const content of ['a', 'b', 'c']) await session.append([user(content)]);
    const first = await open(session, 1);
    await has(first, 2);
    first.leave();
    await session.append([user('d')]);
    const second = await open(session, 3);
    await has(second, 1);
    expect(messagesOf(first).map(({ content }) => content)).toEqual(['b', 'c']);
    expect(messagesOf(second).map(({ content }) => content)).toEqual(['d']);
    second.leave();
  });

  test('a member can tail a shared session, and nobody else a private one', async () => {
    const shared = await saveSession(client, { visibility: 'workspace' });
    await shared.append(numbered(2));
    const reader = await open(shared, undefined, member.key);
    await has(reader, 1);
    expect(messagesOf(reader)).toHaveLength(2);
    reader.leave();
    const hidden = await saveSession(client);
    await hidden.append(numbered(2));
    expect((await open(hidden, undefined, member.key)).status).toBe(404);
    expect((await open({ path: `${SESSIONS}/no-such-session` })).status).toBe(404);
  });

  test('deletion of the session ends its tails with 404', async () => {
    const [active, quiet] = [await saveSession(client), await saveSession(client)];
    await active.append(numbered(1));
    const readers = [await open(active), await open(quiet)];
    await until('notifications arrive', () => tail.hub.mode === 'listening');
    for (const session of [active, quiet]) expect((await client.delete(session.path)).status).toBe(204);
    for (const reader of readers) {
      expect(await reader.ended).toBe('ended');
      expect(reader.frames.at(-1)).toMatchObject({
        event: 'error',
        data: { code: 404, type: 'not_found_error' },
      });
    }
    expect((await open(active, 1)).status).toBe(404);
  });

  test('a new session with the same id has a separate history', async () => {
    const session = await saveSession(client);
    for (const content of ['a', 'b', 'c']) await session.append([user(content)]);
    const reader = await open(session);
    await has(reader, 3);
    await until('notifications arrive', () => tail.hub.mode === 'listening');
    await client.delete(session.path);
    await client.post(SESSIONS, { id: session.id, model: 'acme/large' });
    await session.append([user('new')]);
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.at(-1)?.event).toBe('error');
    expect(messagesOf(reader).map(({ content }) => content)).toEqual(['a', 'b', 'c']);
    const refused = await open(session, 3);
    expect(refused.status).toBe(422);
    const again = await open(session);
    await has(again, 1);
    expect(messagesOf(again).map(({ content }) => content)).toEqual(['new']);
    again.leave();
  });

  test('a new session with the same id and more events also has a separate history', async () => {
    const session = await saveSession(client);
    await session.append([user('a')]);
    const reader = await open(session);
    await has(reader, 1);
    const last = eventsOf(reader).at(-1)?.id ?? '';
    reader.leave();
    await client.delete(session.path);
    await client.post(SESSIONS, { id: session.id, model: 'acme/large' });
    for (const content of ['b', 'c', 'd']) await session.append([user(content)]);
    expect((await open(session, last)).status).toBe(422);
    const again = await open(session);
    await has(again, 3);
    expect(messagesOf(again).map(({ content }) => content)).toEqual(['b', 'c', 'd']);
    again.leave();
    const resumed = await open(session, eventsOf(again)[1]?.id);
    await has(resumed, 1);
    expect(messagesOf(resumed).map(({ content }) => content)).toEqual(['d']);
    resumed.leave();
  });

  test("readers of a deleted session receive nothing of another user's session with the same id", async () => {
    const session = await saveSession(client, { visibility: 'workspace' });
    await session.append([user('a')]);
    const reader = await open(session);
    await has(reader, 1);
    await until('notifications arrive', () => tail.hub.mode === 'listening');
    await server.db.transaction().execute(async (trx) => {
      const organization_id = await organizationId();
      await trx
        .deleteFrom('sessions')
        .where('organization_id', '=', organization_id)
        .where('id', '=', session.id)
        .execute();
      // Both changes commit together, so the reader never sees that the session was gone in between.
      const row = {
        organization_id,
        id: session.id,
        user_id: member.id,
        model: 'm',
        origin: 'user',
      } as const;
      const workspace_id = (await client.get('/org/main/ws/main')).body.id;
      await trx
        .insertInto('sessions')
        .values({ ...row, workspace_id, visibility: 'private' })
        .execute();
      for (const title of ['secret', 'more secret'])
        await appendEvents(trx, { organizationId: organization_id, streamId: session.id }, [
          { type: 'session', data: { title } },
        ]);
    });
    expect(await reader.ended).toBe('ended');
    expect(reader.text()).not.toContain('secret');
    expect(reader.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 404 } });
  });

  test('a reader that connects while a session is being deleted leaves nothing behind', async () => {
    const session = await saveSession(client);
    const organization_id = await organizationId();
    await until('notifications arrive', () => tail.hub.mode === 'listening');
    const streams = () =>
      db
        .selectFrom('event_streams')
        .select('last_seq')
        .where('organization_id', '=', organization_id)
        .where('id', '=', session.id)
        .execute();
    const reader = await server.db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('sessions')
        .where('organization_id', '=', organization_id)
        .where('id', '=', session.id)
        .execute();
      return open(session);
    });
    expect(await streams()).toHaveLength(1);
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 404 } });
    expect(await streams()).toEqual([]);
  });

  test('freezing a session sends a state event and keeps the tail open', async () => {
    const session = await saveSession(client);
    const reader = await open(session);
    await client.post(`${session.path}/freeze`);
    await has(reader, 1);
    expect(eventsOf(reader)[0]).toMatchObject({ event: 'session', data: { frozen_by: 'user' } });
    await sleep(2 * timings.recheckMs);
    expect(await Promise.race([reader.ended, sleep(50, 'open')])).toBe('open');
    reader.leave();
  });
});
