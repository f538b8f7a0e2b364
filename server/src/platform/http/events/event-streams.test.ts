import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { openEvents, startEventServer } from '../../../../test/event-harness.ts';
import { startTestServer } from '../../../../test/harness.ts';
import { startPostgresProxy } from '../../../../test/postgres-proxy.ts';
import { until } from '../../../../test/processes.ts';
import { connect } from '../../db/connect.ts';
import { createLog } from '../../log.ts';
import { uuidv7 } from '../../uuid.ts';

const NEVER_MS = 3_600_000;

const server = await startTestServer();
const { owner } = server;
const gone = new Set<string>();
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const timings = { heartbeatMs: 200, recheckMs: 300, drainMs: 700, farewellMs: 300 };
const events = await startEventServer(server, { timings, gone, log });

const names = (count: number, prefix = 'e') =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index + 1}` }));
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const LARGE = Array.from({ length: 5 }, () => ({ name: 'x'.repeat(200_000) }));
const append = async (id: string, given: object[], more: object = {}) => {
  const response = await events.append(owner, id, { events: given, ...more });
  expect(response.status).toBe(201);
};

describe('delivery of events', () => {
  test('each event has its number, its type and its data on one line each, after the retry delay', async () => {
    const id = uuidv7();
    await append(id, [{ name: 'two\nlines' }, { name: 'ü' }], { close: true });
    const reader = await events.open(owner, id);
    expect(await reader.ended).toBe('ended');
    const [retry, ...rest] = reader.text().split('\n\n');
    expect(retry).toMatch(/^retry: [123]\d{3}$/);
    expect(rest.join('\n\n')).toBe(
      'id: 1\nevent: thing.changed\ndata: {"name":"two\\nlines"}\n\n' +
        'id: 2\nevent: thing.changed\ndata: {"name":"ü"}\n\n',
    );
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('a notification sends new events to the reader, even in a stream without events so far', async () => {
    const hub = { pollMs: NEVER_MS, floorPollMs: NEVER_MS };
    const listening = await startEventServer(server, { hub });
    const id = uuidv7();
    const reader = await listening.open(owner, id);
    await until('notifications arrive', () => listening.hub.mode === 'listening');
    await sleep(100);
    await append(id, names(3));
    await until('all are there', () => reader.seqs().length === 3);
    await append(id, names(1), { close: true });
    expect(await reader.ended).toBe('ended');
    expect(reader.seqs()).toEqual([1, 2, 3, 4]);
  });

  test('old events are sent page by page, in order and completely', async () => {
    const id = uuidv7();
    await append(id, names(1_000), { close: true });
    const reader = await events.open(owner, id);
    await reader.ended;
    expect(reader.seqs()).toEqual(upTo(1_000));
    expect(reader.frames.at(-1)?.data).toEqual({ name: 'e1000' });
  });

  test('events arrive without notifications too', async () => {
    const polling = await startEventServer(server, { listenUrl: undefined, hub: { pollMs: 100 } });
    const id = uuidv7();
    const readers = [await polling.open(owner, id), await polling.open(owner, id)];
    for (let count = 0; count < 5; count++) {
      await append(id, names(2));
      await sleep(60);
    }
    await append(id, [], { close: true });
    for (const reader of readers) {
      expect(await reader.ended).toBe('ended');
      expect(reader.seqs()).toEqual(upTo(10));
    }
    expect(polling.hub.mode).toBe('polling');
  });

  test('a stream without events sends heartbeats', async () => {
    const reader = await events.open(owner, uuidv7());
    const beats = () => reader.frames.filter(({ comment }) => comment !== undefined);
    await until('it has beaten', () => beats().length >= 3);
    expect(reader.seqs()).toEqual([]);
    reader.leave();
  });
});

describe('Last-Event-ID', () => {
  test.each([
    [undefined, upTo(5)],
    ['', upTo(5)],
    ['0', upTo(5)],
    ['3', [4, 5]],
    ['4', [5]],
  ])('%j sends %j and the end', async (lastEventId, expected) => {
    const id = uuidv7();
    await append(id, names(5), { close: true });
    const reader = await events.open(owner, id, lastEventId);
    expect(reader.status).toBe(200);
    expect(await reader.ended).toBe('ended');
    expect(reader.seqs()).toEqual(expected);
  });

  test('latest skips existing events, and reports the position', async () => {
    const id = uuidv7();
    await append(id, names(3));
    const reader = await events.open(owner, id, 'latest');
    await expect.poll(() => reader.text()).toContain('id: 3\nevent: start\ndata: {}');
    await append(id, names(2), { close: true });
    expect(await reader.ended).toBe('ended');
    expect(reader.seqs()).toEqual([3, 4, 5]);
  });

  test('latest on a closed stream returns 204', async () => {
    const id = uuidv7();
    await append(id, names(3), { close: true });
    expect((await events.open(owner, id, 'latest')).status).toBe(204);
  });

  test.each(['5', '6', '999999999999999'])(
    '%s, at or after the end of a closed stream, returns 204',
    async (last) => {
      const id = uuidv7();
      await append(id, names(5), { close: true });
      const reader = await events.open(owner, id, last);
      expect(reader.status).toBe(204);
      await reader.ended;
      expect(reader.text()).toBe('');
    },
  );

  test('larger than the last number of an open stream is refused as belonging to another history', async () => {
    const id = uuidv7();
    await append(id, names(2));
    const path = `${events.pathOf(id)}/events`;
    const response = await events.as(owner).get(path, undefined, { 'last-event-id': '4' });
    expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['header', 'last-event-id'] }] } });
  });

  test.each(['x', '-1', '1.5', '1e3', ' ', '1 2', '1'.repeat(16), '0x1'])('%j is refused', async (last) => {
    const path = `${events.pathOf(uuidv7())}/events`;
    const response = await events.as(owner).get(path, undefined, { 'last-event-id': last });
    const loc = ['header', 'last-event-id'];
    expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
  });
});

describe('connecting to an event stream', () => {
  test('runs the same checks as other operations', async () => {
    const outsider = await server.addPerson('outsider');
    const path = `${events.pathOf(uuidv7())}/events`;
    expect((await events.as(outsider).get(path)).status).toBe(403);
    expect((await events.as({ ...owner, key: 'nonsense' }).get(path)).status).toBe(401);
    expect((await events.as(owner).get(`${events.pathOf('no-uuid')}/events`)).status).toBe(422);
    const head = await events.app.inject({ method: 'HEAD', url: `/api/v1${path}` });
    expect(head.statusCode).toBe(404);
  });

  test('is limited per user, and possible again when a stream ends', async () => {
    const small = await startEventServer(server, { limits: { perOwner: 2 } });
    const ann = await server.addPerson('ann', { role: 'member' });
    const id = uuidv7();
    const [first] = [await small.open(ann, id), await small.open(ann, id)];
    const refused = await small.as(ann).get(`${small.pathOf(id)}/events`);
    expect(refused).toMatchObject({ status: 429, body: { code: 429, type: 'usage_limit_exceeded_error' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await small.open(owner, id)).status).toBe(200);
    first.leave();
    await until('the place is free', async () => (await small.open(ann, id)).status === 200);
    await small.app.close();
  });

  test('is limited per process across users; refused and finished connections do not count', async () => {
    const small = await startEventServer(server, { limits: { total: 2 }, gone });
    const [id, closed, missing] = [uuidv7(), uuidv7(), uuidv7()];
    gone.add(missing);
    await append(closed, names(1), { close: true });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) {
      statuses.push((await small.open(owner, closed, 1)).status, (await small.open(owner, missing)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([204, 404]));
    await small.open(owner, id);
    await small.open(owner, id);
    const refused = await small.open(await server.addPerson('ben', { role: 'member' }), id);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    await small.app.close();
  });
});

describe('an open event stream', () => {
  test.each([
    ['a deleted key', 401, 'authentication_error'],
    ['a removed member', 403, 'forbidden_error'],
    ['a deleted resource', 404, 'not_found_error'],
  ])('for %s ends with an error event, and sends nothing more', async (cause, code, type) => {
    const id = uuidv7();
    const person = await server.addPerson(`reader-${code}`, { role: 'member' });
    await append(id, names(1));
    const reader = await events.open(person, id);
    await until('it reads', () => reader.seqs().length === 1);
    if (cause === 'a deleted key') {
      await server.db.deleteFrom('api_keys').where('user_id', '=', person.id).execute();
    } else if (cause === 'a removed member') {
      expect((await server.as(owner).delete(`/org/main/members/${person.id}`)).status).toBe(204);
    } else gone.add(id);
    expect(await reader.ended).toBe('ended');
    await append(id, names(1));
    expect(reader.frames.at(-1)).toEqual({
      event: 'error',
      data: { code, type, detail: expect.any(String) },
    });
    expect(reader.seqs()).toEqual([1]);
  });

  test('is cut off when its reader stops reading, and can be resumed', async () => {
    const id = uuidv7();
    for (let batch = 0; batch < 8; batch++) await append(id, LARGE);
    await append(id, [], { close: true });
    const reader = await events.open(owner, id);
    reader.pause();
    const { length: before } = lines;
    await until('it is cut off', () => lines.slice(before).some(({ msg }) => msg === 'request'));
    reader.resume();
    expect(await reader.ended).toBe('cut off');
    const seqs = reader.seqs();
    expect(seqs.length).toBeLessThan(40);
    const next = await events.open(owner, id, seqs.at(-1) ?? 0);
    expect(await next.ended).toBe('ended');
    expect([...seqs, ...next.seqs()]).toEqual(upTo(40));
  });

  test('sends everything to a slow reader that keeps reading', async () => {
    const id = uuidv7();
    for (let batch = 0; batch < 8; batch++) await append(id, LARGE);
    await append(id, [], { close: true });
    const reader = await events.open(owner, id);
    const pausing = setInterval(() => {
      reader.pause();
      setTimeout(() => reader.resume(), 100);
    }, 120);
    expect(await reader.ended).toBe('ended');
    clearInterval(pausing);
    expect(reader.seqs()).toEqual(upTo(40));
  });

  test('is logged when it ends, whichever side ended it', async () => {
    const id = uuidv7();
    const logged = (requestId: unknown) =>
      lines.filter(({ msg, reqId }) => msg === 'request' && reqId === requestId);
    const [left, ended] = [await events.open(owner, id), await events.open(owner, id)];
    expect(logged(left.headers['x-request-id'])).toEqual([]);
    left.leave();
    await append(id, [], { close: true });
    await ended.ended;
    for (const { headers } of [left, ended]) {
      await until('it is logged', () => logged(headers['x-request-id']).length > 0);
      await sleep(50);
      expect(logged(headers['x-request-id'])).toMatchObject([
        { route: '/api/v1/org/:org/ws/:workspace/things/:id/events', status: 200, method: 'GET' },
      ]);
    }
  });

  test('ends when the server stops, without waiting for readers', async () => {
    const patient = { drainMs: NEVER_MS, farewellMs: NEVER_MS };
    const ending = await startEventServer(server, { timings: patient });
    const readers = await Promise.all(Array.from({ length: 15 }, () => ending.open(owner, uuidv7())));
    const stuck = await ending.open(owner, uuidv7());
    stuck.pause();
    await ending.app.close();
    for (const reader of readers) expect(await reader.ended).toBe('ended');
  });

  test('ends alone when the database fails, and can be resumed', async () => {
    const proxy = await startPostgresProxy(server.url);
    const quiet = createLog('fatal');
    const db = connect({ url: proxy.url, poolSize: 4, namedStatements: true, log: quiet });
    const hub = { pollMs: 100, firstBackoffMs: 50 };
    const away = await startEventServer(server, { db, listenUrl: proxy.url, hub, timings, log: quiet });
    const id = uuidv7();
    await append(id, names(2));
    const reader = await away.open(owner, id);
    await until('it reads', () => reader.seqs().length === 2);
    proxy.isAway = true;
    proxy.cutAll();
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.some(({ event }) => event === 'error')).toBe(false);
    expect((await away.open(owner, id, 2)).status).toBe(500);
    await append(id, names(2), { close: true });
    proxy.isAway = false;
    const next = await until('the database is back', async () => {
      const opened = await away.open(owner, id, 2);
      return opened.status === 200 && opened;
    });
    await next.ended;
    expect(next.seqs()).toEqual([3, 4]);
    await away.app.close();
    await db.destroy();
  });
});

describe('the documentation of an event stream', () => {
  test('lists the event types and their data', () => {
    interface Documented {
      readonly parameters: object[];
      readonly responses: Record<string, { content?: Record<string, unknown> }>;
    }
    const { paths } = events.app.swagger() as unknown as { paths: Record<string, { get: Documented }> };
    const path = '/api/v1/org/{org}/ws/{workspace}/things/{id}/events';
    const { parameters, responses } = paths[path]?.get ?? {};
    const header = { in: 'header', name: 'last-event-id', required: false };
    expect(parameters).toContainEqual(expect.objectContaining(header));
    expect(Object.keys(responses ?? {})).toEqual(expect.arrayContaining(['200', '204', '401', '429']));
    expect(Object.keys(responses?.[200]?.content ?? {})).toEqual(['text/event-stream']);
    expect(responses?.[200]?.content?.['text/event-stream']).toMatchObject({
      schema: {
        anyOf: [
          {
            properties: {
              event: { enum: ['thing.changed'] },
              data: { type: 'object', properties: { name: { type: 'string' } } },
            },
          },
        ],
      },
    });
  });
});

test('a key limited to another scope cannot read events', async () => {
  const writer = await server.addPerson('writer', { role: 'member', scopes: ['projects:write'] });
  const reader = await openEvents(`${events.url}/api/v1${events.pathOf(uuidv7())}/events`, writer.key);
  expect(reader.status).toBe(403);
});
