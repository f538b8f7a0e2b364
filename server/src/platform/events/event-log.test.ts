import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { openClient } from '../db/open-client.ts';
import { transaction } from '../db/transaction.ts';
import { uuidv7 } from '../uuid.ts';
import {
  appendEvents,
  deleteStream,
  type EventStreamId,
  listEvents,
  MAX_EVENT_BYTES,
  type NewEvent,
} from './event-log.ts';
import { markWatched } from './watched-streams.ts';

const { db, url } = await startTestServer();
const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();

const newStream = (): EventStreamId => ({ organizationId, streamId: uuidv7() });
const step = (name: string): NewEvent => ({ type: 'step', data: { name } });
const append = (stream: EventStreamId, events: NewEvent[], options?: { close: boolean }) =>
  transaction(db, (trx) => appendEvents(trx, stream, events, options));
const readAll = async (stream: EventStreamId, after = 0) =>
  (await listEvents(db, stream, after, 1_000)).events.map(({ seq, data }) => [seq, data.name]);

test('events get consecutive numbers in the order in which they are appended', async () => {
  const stream = newStream();
  expect(await append(stream, [step('a'), step('b')])).toBe(2);
  expect(await append(stream, [step('c')])).toBe(3);
  const page = await listEvents(db, stream, 0, 10);
  expect(page).toEqual({
    events: [
      { seq: 1, type: 'step', data: { name: 'a' }, created_at: expect.any(String) },
      { seq: 2, type: 'step', data: { name: 'b' }, created_at: expect.any(String) },
      { seq: 3, type: 'step', data: { name: 'c' }, created_at: expect.any(String) },
    ],
    lastSeq: 3,
    isClosed: false,
  });
});

test('concurrent writers get numbers without gaps, consecutive within each transaction', async () => {
  const stream = newStream();
  const writers = Array.from({ length: 24 }, (_, writer) =>
    append(
      stream,
      ['x', 'y', 'z'].map((letter) => step(`${writer}${letter}`)),
    ),
  );
  await Promise.all(writers);
  const read = await readAll(stream);
  expect(read.map(([seq]) => seq)).toEqual(Array.from({ length: 72 }, (_, index) => index + 1));
  const names = read.map(([, name]) => String(name));
  for (let index = 0; index < 72; index += 3) {
    const writer = names[index]?.slice(0, -1);
    expect(names.slice(index, index + 3)).toEqual([`${writer}x`, `${writer}y`, `${writer}z`]);
  }
});

test('a rollback leaves neither an event nor a gap', async () => {
  const stream = newStream();
  await append(stream, [step('a')]);
  const failing = transaction(db, async (trx) => {
    expect(await appendEvents(trx, stream, [step('never')])).toBe(2);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await append(stream, [step('b')]);
  expect(await readAll(stream)).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
});

test('a closed stream keeps its events and accepts no more', async () => {
  const stream = newStream();
  await append(stream, [step('only')], { close: true });
  const refused = { type: 'conflict_error', status: 409 };
  await expect(append(stream, [step('late')])).rejects.toMatchObject(refused);
  await expect(append(stream, [], { close: true })).rejects.toMatchObject(refused);
  expect(await listEvents(db, stream, 0, 10)).toMatchObject({
    events: [{ seq: 1 }],
    lastSeq: 1,
    isClosed: true,
  });
});

test('a stream can be closed without a last event', async () => {
  const stream = newStream();
  await append(stream, [step('a')]);
  expect(await append(stream, [], { close: true })).toBe(1);
  expect(await listEvents(db, stream, 1, 10)).toEqual({ events: [], lastSeq: 1, isClosed: true });
});

test('a stream without events is empty and open', async () => {
  expect(await listEvents(db, newStream(), 0, 10)).toEqual({ events: [], lastSeq: 0, isClosed: false });
});

test('streams with the same id in two organizations are independent', async () => {
  const other = { organizationId: uuidv7(), streamId: uuidv7() };
  const mine = { organizationId, streamId: other.streamId };
  await db
    .insertInto('organizations')
    .values({ id: other.organizationId, key: 'other', name: 'Other' })
    .execute();
  await append(mine, [step('mine')]);
  await append(other, [step('theirs')], { close: true });
  expect(await append(mine, [step('mine too')])).toBe(2);
  expect(await readAll(other)).toEqual([[1, 'theirs']]);
});

test('listEvents returns the events after the given number, up to the requested limit', async () => {
  const stream = newStream();
  await append(
    stream,
    Array.from({ length: 7 }, (_, index) => step(`e${index + 1}`)),
  );
  const seqs = async (after: number, limit: number) =>
    (await listEvents(db, stream, after, limit)).events.map(({ seq }) => seq);
  expect(await seqs(0, 3)).toEqual([1, 2, 3]);
  expect(await seqs(3, 3)).toEqual([4, 5, 6]);
  expect(await seqs(6, 3)).toEqual([7]);
  expect(await seqs(7, 3)).toEqual([]);
  expect(await listEvents(db, stream, 99, 3)).toEqual({ events: [], lastSeq: 7, isClosed: false });
});

test('a page of large events is short, and an event of the largest size still fits', async () => {
  const stream = newStream();
  const largest = 'x'.repeat(MAX_EVENT_BYTES - '{"name":""}'.length);
  await append(stream, [step(largest), step(largest), step('small')]);
  expect((await listEvents(db, stream, 0, 200)).events.map(({ seq }) => seq)).toEqual([1]);
  expect((await listEvents(db, stream, 1, 200)).events.map(({ seq }) => seq)).toEqual([2]);
  expect((await listEvents(db, stream, 2, 200)).events.map(({ seq }) => seq)).toEqual([3]);
  await expect(append(stream, [step(`${largest}x`)])).rejects.toMatchObject({ type: 'invalid_error' });
});

test('content that is stored elsewhere counts toward the page size', async () => {
  const stream = newStream();
  const refer = (name: string, contentBytes: number) => ({ ...step(name), contentBytes });
  await append(stream, [refer('a', 100_000), refer('b', 200_000), refer('c', 10_000_000), step('d')]);
  const seqs = async (after: number) =>
    (await listEvents(db, stream, after, 200)).events.map(({ seq }) => seq);
  expect(await seqs(0)).toEqual([1, 2]);
  expect(await seqs(2)).toEqual([3]);
  expect(await seqs(3)).toEqual([4]);
});

test.each(['error', 'Step', 'a b', 'a\nb', '', 'x'.repeat(65)])(
  'appendEvents refuses %j, which is not a valid type of event',
  async (type) => {
    await expect(append(newStream(), [{ type, data: {} }])).rejects.toThrow('is not a valid type of event');
  },
);

test('any text is returned unchanged', async () => {
  const stream = newStream();
  const name = 'quotes " and \\, {braces}, NULL, "\n\r\u2028 line ends, 🔑';
  await append(stream, [step(name), { type: 'other', data: { list: [1, null, { deep: true }] } }]);
  const { events } = await listEvents(db, stream, 0, 10);
  expect(events.map(({ data }) => data)).toEqual([{ name }, { list: [1, null, { deep: true }] }]);
});

test('appendEvents notifies once per call, and only while the stream is watched', async () => {
  const received: (string | undefined)[] = [];
  const client = await openClient(url, 'test');
  afterAll(() => client.end());
  client.on('notification', ({ payload }) => received.push(payload));
  await client.query('LISTEN drydock_events');
  const stream = newStream();
  const payload = `${organizationId}/${stream.streamId}`;
  const receivedAfter = async (write: () => Promise<unknown>) => {
    received.length = 0;
    await write();
    await sleep(50);
    return [...received];
  };

  expect(await receivedAfter(() => append(stream, [step('unwatched')]))).toEqual([]);
  await markWatched(db, stream, 60);
  expect(await receivedAfter(() => append(stream, [step('a'), step('b'), step('c')]))).toEqual([payload]);
  expect(await receivedAfter(() => append(stream, []))).toEqual([]);
  await sql`UPDATE event_streams /* of every organization */ SET watched_until = now() - interval '1 ms'`.execute(
    db,
  );
  expect(await receivedAfter(() => append(stream, [step('too late')]))).toEqual([]);
  await markWatched(db, stream, 60);
  expect(await receivedAfter(() => append(stream, [], { close: true }))).toEqual([payload]);

  // Watched before its first event.
  const next = newStream();
  await markWatched(db, next, 60);
  const first = await receivedAfter(async () => expect(await append(next, [step('first')])).toBe(1));
  expect(first).toEqual([`${organizationId}/${next.streamId}`]);
});

test('characters that PostgreSQL cannot store become U+FFFD, and escaped look-alikes stay', async () => {
  const stream = newStream();
  const data = { nul: 'a\0b', half: 'x\ud800y', pair: '😀', written: '\\u0000', both: '\\\0' };
  await transaction(db, (trx) => appendEvents(trx, stream, [{ type: 'thing.said', data }]));
  const { events } = await listEvents(db, stream, 0, 10);
  expect(events[0]?.data).toEqual({
    nul: 'a\ufffdb',
    half: 'x\ufffdy',
    pair: '😀',
    written: '\\u0000',
    both: '\\\ufffd',
  });
});

test('an event that grows when PostgreSQL formats it is still delivered', async () => {
  const stream = newStream();
  const large = { type: 'thing.said', data: { numbers: Array.from({ length: 30_000 }, () => 1e300) } };
  await transaction(db, (trx) => appendEvents(trx, stream, [large, large]));
  const { events, lastSeq } = await listEvents(db, stream, 0, 10);
  expect([events.length, lastSeq]).toEqual([1, 2]);
  expect((await listEvents(db, stream, 1, 10)).events).toHaveLength(1);
});

test('deleteStream removes the events of one resource, and a new stream with its id begins at 1', async () => {
  const [stream, other] = [newStream(), newStream()];
  for (const one of [stream, other]) await append(one, [step('a'), step('b')], { close: true });
  await transaction(db, (trx) => deleteStream(trx, stream));
  expect([await readAll(stream), await readAll(other)]).toEqual([
    [],
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ]);
  expect(await append(stream, [step('c')])).toBe(1);
});

test('deleteStream does nothing for a stream of another organization', async () => {
  const stream = newStream();
  await append(stream, [step('a')]);
  await transaction(db, (trx) => deleteStream(trx, { ...stream, organizationId: uuidv7() }));
  expect(await readAll(stream)).toEqual([[1, 'a']]);
});
