/** Operations that report their progress. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type EventServerOptions, openEvents, startEventServer } from '../../../../test/event-harness.ts';
import { type Person, startTestServer } from '../../../../test/harness.ts';
import { startPostgresProxy } from '../../../../test/postgres-proxy.ts';
import { type WorkSeen, workRoutes } from '../../../../test/work-routes.ts';
import { connect } from '../../db/connect.ts';
import { createLog } from '../../log.ts';

const seen: WorkSeen = { emitted: 0, calls: 0, aborted: [] };
const server = await startTestServer();
const { owner } = server;

beforeEach(() => Object.assign(seen, { emitted: 0, calls: 0, aborted: [] }));

async function start(options: EventServerOptions = {}) {
  const live = await startEventServer(server, {
    ...options,
    moreRoutes: [workRoutes(seen, false), workRoutes(seen, true)],
  });
  const base = `${live.url}/api/v1/org/main/ws/main`;
  return {
    ...live,
    base,
    follow: (who: Person, body: object, path = 'work') =>
      openEvents(`${base}/${path}`, who.key, undefined, body),
    post: (who: Person, body: object, headers: Record<string, string> = {}) =>
      fetch(`${base}/work`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json', ...headers },
      }),
  };
}

const plain = await start();

describe('progress events', () => {
  test('arrive in order, cut to their schemas, and end with the response', async () => {
    const reader = await plain.follow(owner, { steps: 3 });
    expect(await reader.ended).toBe('ended');
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(reader.frames).toEqual([
      ...[0, 1, 2].map((number) => ({ event: 'step', data: { number, text: 'x' } })),
      { event: 'done', data: { steps: 3, was_emitted: true } },
    ]);
    expect(seen.aborted).toEqual([]);
  });

  test('are sent to a caller that requests them in the body, whatever it accepts', async () => {
    const response = await plain.post(owner, { stream: true }, { accept: 'application/json' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toMatch(/^event: step\n.*\n\nevent: done\n/);
  });

  test.each(['application/json', '*/*', 'application/json, text/event-stream'])(
    'are not sent to a caller that accepts %s, which gets the response',
    async (accept) => {
      const response = await plain.post(owner, { steps: 2 }, { accept });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await response.json()).toEqual({ steps: 2, was_emitted: false, text: 'only in JSON' });
      expect(seen.aborted).toEqual([]);
    },
  );

  test('begin with a heartbeat when there is no progress yet', async () => {
    const beating = await start({ timings: { heartbeatMs: 50 } });
    const reader = await beating.follow(owner, { silence_ms: 400 });
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.filter(({ comment }) => comment !== undefined).length).toBeGreaterThanOrEqual(2);
    expect(reader.frames.filter(({ event }) => event).map(({ event }) => event)).toEqual(['step', 'done']);
  });
});

describe('an error', () => {
  test('before the first event returns its status and envelope', async () => {
    for (const [body, status] of [
      [{ fail_after: 0 }, 409],
      [{ steps: 'many' }, 422],
    ] as const) {
      const response = await plain.post(owner, body, { accept: 'text/event-stream' });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'application/json; charset=utf-8',
      ]);
      expect(await response.json()).toMatchObject({ code: status });
    }
  });

  test('after the first event is the last event', async () => {
    const reader = await plain.follow(owner, { steps: 3, fail_after: 2 });
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.slice(1)).toEqual([
      { event: 'step', data: { number: 1, text: 'x' } },
      {
        event: 'error',
        data: { code: 409, type: 'conflict_error', detail: 'It broke on the way.' },
      },
    ]);
  });
});

describe('a caller of an operation with progress', () => {
  test('aborts the work by disconnecting, with events and without', async () => {
    const reader = await plain.follow(owner, { wait: true });
    reader.leave();
    await vi.waitFor(() => expect(seen.aborted).toEqual(['AbortError']));

    const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
    const waiting = request(`${plain.base}/work`, { method: 'POST', headers }).on('error', () => undefined);
    waiting.end('{"wait": true}');
    await vi.waitFor(() => expect(seen.emitted).toBe(2));
    waiting.destroy();
    await vi.waitFor(() => expect(seen.aborted).toEqual(['AbortError', 'AbortError']));
  });

  test('slows down the work by reading slowly, and misses nothing', async () => {
    const reader = await plain.follow(owner, { steps: 400, length: 64 * 1024 });
    reader.pause();
    await sleep(300);
    const before = seen.emitted;
    await sleep(300);
    expect(seen.emitted).toBe(before);
    expect(before).toBeLessThan(200);
    reader.resume();
    expect(await reader.ended).toBe('ended');
    expect(reader.frames).toHaveLength(401);
  });

  test('is cut off when it stops reading', async () => {
    const strict = await start({ timings: { drainMs: 300 } });
    const reader = await strict.follow(owner, { steps: 400, length: 64 * 1024 });
    reader.pause();
    await vi.waitFor(() => expect(seen.aborted).toEqual(['AbortError']));
    expect(seen.emitted).toBeLessThan(400);
    reader.resume();
    expect(await reader.ended).toBe('cut off');
  });

  test('receives an error when its access ends, and the work is aborted', async () => {
    const checking = await start({ timings: { recheckMs: 50 } });
    const person = await server.addPerson('passing', { role: 'member' });
    const reader = await checking.follow(person, { wait: true });
    const waiting = checking.post(person, { wait: true });
    await vi.waitFor(() => expect(seen.emitted).toBe(2));
    await server.as(owner).delete(`/org/main/members/${person.id}`);
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 403 } });
    expect(await waiting).toMatchObject({ status: 403 });
    expect(seen.aborted).toHaveLength(2);
  });

  test('stays connected during a short database outage', async () => {
    const proxy = await startPostgresProxy(server.url);
    const db = connect({ url: proxy.url, poolSize: 2, namedStatements: true, log: createLog('fatal') });
    onTestFinished(() => db.destroy());
    const checking = await start({ db, listenUrl: undefined, timings: { recheckMs: 50 } });
    const person = await server.addPerson('patient', { role: 'member' });
    const reader = await checking.follow(person, { wait: true });
    await vi.waitFor(() => expect(seen.emitted).toBe(1));
    proxy.isAway = true;
    proxy.cutAll();
    await sleep(1_000); // longer than any cache lifetime
    expect(seen.aborted).toEqual([]);
    proxy.isAway = false;
    await server.as(owner).delete(`/org/main/members/${person.id}`);
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 403 } });
  });

  test('has one limit for streams of all kinds together', async () => {
    const narrow = await start({ limits: { perOwner: 1 } });
    const first = await narrow.follow(owner, { wait: true });
    const refused = await narrow.follow(owner, {});
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    expect(await narrow.post(owner, {})).toMatchObject({ status: 200 });
    first.leave();
    await vi.waitFor(() => expect(seen.aborted).toHaveLength(1));
    expect(await narrow.follow(owner, {})).toMatchObject({ status: 200 });
  });
});

test('an idempotency key stores responses, and refuses streams', async () => {
  const headers = { 'idempotency-key': 'once' };
  const path = '/org/main/ws/main/keyed-work';
  expect(await plain.as(owner).post(path, {}, headers)).toMatchObject({ status: 200 });
  expect(await plain.as(owner).post(path, {}, headers)).toMatchObject({
    status: 200,
    headers: { 'idempotency-replayed': 'true' },
  });
  expect(seen.calls).toBe(1);
  const streamed = await plain.as(owner).post(path, {}, { ...headers, accept: 'text/event-stream' });
  expect(streamed.headers['content-type']).toBe('text/event-stream');
  expect(seen.calls).toBe(2);
});

test('an operation with progress documents both forms', () => {
  const paths = plain.app.swagger().paths as Record<string, Record<string, object>>;
  expect(paths['/api/v1/org/{org}/ws/{workspace}/work']?.post).toMatchObject({
    responses: {
      200: {
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Worked' } },
          'text/event-stream': {
            schema: {
              description: expect.stringMatching(/The last is "done"/),
              anyOf: [
                { properties: { event: { enum: ['step'] }, data: { properties: { number: {} } } } },
                { properties: { event: { enum: ['done'] } } },
              ],
            },
          },
        },
      },
    },
  });
});
