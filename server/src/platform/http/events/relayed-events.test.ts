/** Operations that build their own responses: JSON as bytes, or events. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EventServerOptions, openEvents, startEventServer } from '../../../../test/event-harness.ts';
import { type Person, startTestServer } from '../../../../test/harness.ts';
import { numberRoutes, type RequestsSeen } from '../../../../test/number-routes.ts';

const seen: RequestsSeen = { made: 0, ended: 0, aborted: [] };
const server = await startTestServer();
const { owner } = server;
const PATH = '/org/main/answers/own';

beforeEach(() => Object.assign(seen, { made: 0, ended: 0, aborted: [] }));

async function start(options: EventServerOptions = {}) {
  const live = await startEventServer(server, { ...options, moreRoutes: [numberRoutes(seen)] });
  const url = `${live.url}/api/v1${PATH}`;
  const follow = (who: Person, body: object) =>
    openEvents(url, who.key, undefined, { stream: true, ...body });
  return { ...live, address: url, follow, post: (body: unknown) => live.as(owner).post(PATH, body) };
}

const plain = await start();

/** Requests 16 MiB, of which the test decides what to read. */
async function askForMuch(drainMs: number) {
  const sent = vi.fn();
  const live = await startEventServer(server, {
    timings: { drainMs },
    moreRoutes: [numberRoutes(seen, sent)],
  });
  const asked = request(`${live.url}/api/v1${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
  });
  asked.end(JSON.stringify({ length: 16 * 1024 * 1024 }));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { sent, response };
}

describe('a response built by the handler', () => {
  test('has, as bytes, its type and its headers', async () => {
    expect(await plain.post({ pieces: 3 })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'x-answer': 'own', 'cache-control': 'no-store' },
      body: { pieces: 3 },
    });
    expect(seen.aborted).toEqual([]);
  });

  test('is complete, as bytes, when it was sent, however long that takes', async () => {
    const { sent, response } = await askForMuch(1_000);
    // The kernel buffers some of it, but far from all.
    expect(sent).not.toHaveBeenCalled();
    let length = 0;
    for await (const piece of response) {
      length += (piece as Buffer).length;
      await sleep(10);
    }
    expect(length).toBeGreaterThan(16 * 1024 * 1024);
    await vi.waitFor(() => expect(sent).toHaveBeenCalledOnce());
  });

  test('ends, as bytes, when its reader disconnects, or is cut off when the reader stops reading', async () => {
    const left = await askForMuch(60_000);
    expect(left.sent).not.toHaveBeenCalled();
    left.response.destroy();
    await vi.waitFor(() => expect(left.sent).toHaveBeenCalledOnce());
    const stuck = await askForMuch(300);
    await vi.waitFor(() => expect(stuck.sent).toHaveBeenCalledOnce());
    await expect(text(stuck.response)).rejects.toThrow('aborted');
  });

  test('sends events as they are produced', async () => {
    const reader = await plain.follow(owner, { pieces: 3 });
    expect(await reader.ended).toBe('ended');
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-answer': 'own',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(reader.frames).toEqual([0, 1, 2].map((number) => ({ data: { number, text: 'x' } })));
    expect(seen).toEqual({ made: 3, ended: 1, aborted: [] });
  });

  test('begins events with the first chunk, whenever the others follow', async () => {
    const reader = await plain.follow(owner, { wait: true });
    await vi.waitFor(() => expect(reader.frames).toHaveLength(1));
    reader.leave();
  });

  test('keeps the connection for the next request after events', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports: (number | undefined)[] = [];
    for (let round = 0; round < 3; round++) ports.push(await portOf(agent, plain.address));
    agent.destroy();
    expect(new Set(ports).size).toBe(1);
  });

  test('is empty when there is no chunk', async () => {
    const reader = await plain.follow(owner, { pieces: 0 });
    expect(await reader.ended).toBe('ended');
    expect([reader.status, reader.frames]).toEqual([200, []]);
  });
});

describe('an error of the handler', () => {
  test.each([true, false])(
    'before the first chunk is an ordinary error response (stream: %s)',
    async (stream) => {
      expect(await plain.post({ stream, fail_after: 0 })).toMatchObject({
        status: 409,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: { code: 409, type: 'conflict_error', again: 'broken' },
      });
    },
  );

  test('after the first chunk is the last event, in the form of its group', async () => {
    const reader = await plain.follow(owner, { pieces: 3, fail_after: 2 });
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.slice(1)).toEqual([
      { data: { number: 1, text: 'x' } },
      { data: { code: 409, type: 'conflict_error', detail: 'It broke on the way.', again: 'broken' } },
    ]);
  });
});

describe('a caller of a handler with its own events', () => {
  test.each([true, false])('aborts the work by disconnecting (stream: %s)', async (stream) => {
    const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
    const waiting = request(plain.address, { method: 'POST', headers }).on('error', () => undefined);
    waiting.end(JSON.stringify({ stream, wait: true }));
    await sleep(200);
    waiting.destroy();
    await vi.waitFor(() => expect(seen.aborted).toEqual(['AbortError']));
    if (stream) await vi.waitFor(() => expect(seen.ended).toBe(1));
  });

  test('slows down the work by reading slowly, and misses nothing', async () => {
    const reader = await plain.follow(owner, { pieces: 400, length: 64 * 1024 });
    reader.pause();
    await sleep(300);
    const before = seen.made;
    await sleep(300);
    expect(seen.made).toBe(before);
    expect(before).toBeLessThan(200);
    reader.resume();
    expect(await reader.ended).toBe('ended');
    expect(reader.frames).toHaveLength(400);
  });

  test('is cut off when it stops reading', async () => {
    const strict = await start({ timings: { drainMs: 300 } });
    const reader = await strict.follow(owner, { pieces: 400, length: 64 * 1024 });
    reader.pause();
    await vi.waitFor(() => expect(seen.ended).toBe(1));
    expect(seen.made).toBeLessThan(400);
    reader.resume();
    expect(await reader.ended).toBe('cut off');
  });

  test('receives an error when its access ends', async () => {
    const checking = await start({ timings: { recheckMs: 50 } });
    const person = await server.addPerson('passing', { role: 'member' });
    const reader = await checking.follow(person, { wait: true });
    await server.as(owner).delete(`/org/main/members/${person.id}`);
    expect(await reader.ended).toBe('ended');
    expect(reader.frames.at(-1)).toMatchObject({ data: { code: 403, again: 'forbidden_error' } });
    expect(seen).toMatchObject({ ended: 1, aborted: ['Error'] });
  });
});

describe('a forwarded body', () => {
  test.each([
    '18446744073709551615',
    '-9223372036854775808',
    '12345678901234567890.123456789',
    '0.12345678901234567890',
    '1e400',
    '123456789.123456789',
  ])('keeps %s unchanged', async (number) => {
    const { body } = await respondWithText(`{"seed":${number},"nested":[{"n":${number}}]}`);
    expect(body).toContain(`"seed":${number},"nested":[{"n":${number}}]`);
  });

  test('may contain what cannot be stored', async () => {
    const odd = { text: 'a\0b', '\ud800': ['\udc00'] };
    expect(await plain.post(odd)).toMatchObject({ status: 200, body: odd });
  });

  async function respondWithText(payload: string) {
    const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
    return plain.app.inject({ method: 'POST', url: `/api/v1${PATH}`, headers, payload });
  }
});

describe('the error form of a group', () => {
  test.each([
    ['POST', PATH, { pieces: 'many' }, owner.key, 422, 'validation_error'],
    ['POST', PATH, '{', owner.key, 400, 'invalid_error'],
    ['POST', PATH, {}, undefined, 401, 'authentication_error'],
    ['POST', '/org/other/answers/own', {}, owner.key, 403, 'forbidden_error'],
  ] as const)('applies to %s %s with %j', async (method, path, body, key, status, again) => {
    const response = await plain.app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expect([response.statusCode, response.json()]).toMatchObject([status, { code: status, again }]);
  });

  test('applies to unknown paths of the group, and not elsewhere', async () => {
    const at = await startTestServer({}, [numberRoutes(seen)]);
    for (const path of ['/answers/none', '/answers', '/answers?a=b', '/answers/%zz'])
      expect((await at.as(owner).get(`/org/main${path}`)).body).toMatchObject({ again: expect.any(String) });
    for (const path of ['/answers-not', '/none/answers'])
      expect((await at.as(owner).get(`/org/main${path}`)).body).not.toHaveProperty('again');
    expect((await at.as(undefined).get('/org/main/answers/none')).body).toMatchObject({
      code: 401,
      again: expect.any(String),
    });
  });
});

test('the document contains both response forms, and the error form', () => {
  const paths = plain.app.swagger().paths as Record<string, Record<string, object>>;
  const schemaOf = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
  expect(paths['/api/v1/org/{org}/answers/own']?.post).toMatchObject({
    responses: {
      200: {
        content: { 'application/json': schemaOf('Answered'), 'text/event-stream': schemaOf('Answered') },
      },
      404: { content: { 'application/json': schemaOf('TestErrorResponse') } },
    },
  });
});

function portOf(agent: Agent, url: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const take = (response: IncomingMessage) => {
      const { localPort } = response.socket;
      response.resume().once('end', () => resolve(localPort));
    };
    request(url, { method: 'POST', headers, agent }, take).once('error', reject).end('{"stream": true}');
  });
}
