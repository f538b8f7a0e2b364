/** Streamed responses, through the API and on connections that break. */
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pino from 'pino';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../../test/harness.ts';
import { ApiError, notFound } from '../../errors.ts';
import { orgRoutes } from '../operations.ts';
import { createServer } from '../server.ts';
import { type PiecesTimings, sendPieces } from './pieces.ts';

const PIECE = 'x'.repeat(1_000);
const query = z.object({ how: z.string() });
let made = 0;
let ended = 0;

/** Counts the requested pieces, and whether the generator is closed early. */
async function* makePieces(how: string): AsyncIterable<string> {
  try {
    if (how === 'fails at once') throw notFound('It');
    if (how === 'breaks at once') throw new Error('secret');
    if (how === 'is empty') return;
    yield '["first"';
    const count = how === 'never ends' ? Infinity : 500;
    for (made = 0; made < count; made++) yield `,"${PIECE}"`;
    if (how === 'fails late') throw new Error('secret');
    yield ']';
  } finally {
    ended++;
  }
}

const routes = orgRoutes('Test', (on) => {
  const spec = { id: 'getPieces', summary: 'Get pieces', scope: 'datasets:read', role: 'member' } as const;
  const response = z.record(z.string(), z.unknown()).meta({ id: 'Pieces' });
  on.stream('/pieces', { ...spec, query, response, long: true }, async (call) => {
    if (call.query.how === 'is refused') throw new ApiError('conflict_error', 'Not now.');
    return makePieces(call.query.how);
  });
});

const server = await startTestServer({}, [routes]);
const owner = server.as(server.owner);
const askFor = (how: string) => owner.get(`/org/main/pieces?how=${encodeURIComponent(how)}`);

beforeEach(() => {
  made = 0;
  ended = 0;
});

describe('a streamed response', () => {
  test('is one document, with the usual headers', async () => {
    const { status, body, headers } = await askFor('is whole');
    expect([status, body.length, body[0]]).toEqual([200, 501, 'first']);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(ended).toBe(1);
  });

  test.each([
    ['is refused', 409, 'conflict_error', 0],
    ['fails at once', 404, 'not_found_error', 1],
    ['breaks at once', 500, 'server_error', 1],
  ])('that %s is an ordinary error', async (how, status, type, endings) => {
    const response = await askFor(how);
    expect(response).toMatchObject({ status, body: { code: status, type } });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.stringify(response.body)).not.toContain('secret');
    expect(ended).toBe(endings);
  });

  test('validates, and refuses strangers, before any piece is produced', async () => {
    expect((await owner.get('/org/main/pieces')).status).toBe(422);
    expect((await server.as(undefined).get('/org/main/pieces?how=x')).status).toBe(401);
    expect(ended).toBe(0);
  });

  test('may be empty', async () => {
    const response = await server.app.inject({
      url: '/api/v1/org/main/pieces?how=is%20empty',
      headers: { authorization: `Bearer ${server.owner.key}` },
    });
    expect([response.statusCode, response.body, ended]).toEqual([200, '\n', 1]);
  });

  test('documents the schema of the whole response, and does not support HEAD', async () => {
    const { get: operation, head } = server.app.swagger().paths?.['/api/v1/org/{org}/pieces'] ?? {};
    expect(head).toBeUndefined();
    expect(operation).toMatchObject({ operationId: 'getPieces', 'x-long': true });
    expect(operation?.responses?.['200']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Pieces' } } },
    });
    expect(Object.keys(operation?.responses ?? {})).toContain('404');
    const head404 = await server.app.inject({
      method: 'HEAD',
      url: '/api/v1/org/main/pieces?how=never%20ends',
      headers: { authorization: `Bearer ${server.owner.key}` },
    });
    expect([head404.statusCode, ended]).toEqual([404, 0]);
  });
});

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly status?: number;
}

interface Asked {
  readonly request: ClientRequest;
  readonly response: Promise<IncomingMessage>;
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Starts a separate server with a real socket. */
async function listen(serve: Serve): Promise<{ ask: () => Asked; lines: Line[] }> {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = createServer({ log, trustedProxies: undefined });
  app.get('/pieces', serve);
  await app.listen({ port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const ask = () => {
    const request = get({ port, path: '/pieces' });
    request.on('error', () => undefined);
    const response = once(request, 'response').then(([response]) => response as IncomingMessage);
    response.catch(() => undefined);
    return { request, response };
  };
  return { ask, lines };
}

const serve =
  (how: string, timings?: PiecesTimings, stillAllowed = async () => {}): Serve =>
  (request, reply) =>
    sendPieces({ request, reply, pieces: makePieces(how), stillAllowed, ...(timings && { timings }) });

async function readAll(response: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const isWhole = await once(response, 'end').then(
    () => response.complete,
    () => false,
  );
  return { text, isWhole };
}

const cutOffs = (lines: readonly Line[]) =>
  lines.filter(({ msg }) => msg === 'an answer was cut off').map(({ level }) => level);

describe('a connection with a streamed response', () => {
  test('is cut off when the producer fails, so that half a document is never taken for a whole one', async () => {
    const { ask, lines } = await listen(serve('fails late'));
    const response = await ask().response;
    expect(response.statusCode).toBe(200);
    const { text, isWhole } = await readAll(response);
    expect(isWhole).toBe(false);
    expect(text.startsWith('["first"')).toBe(true);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await vi.waitFor(() => expect(cutOffs(lines)).toEqual([50]));
    expect(ended).toBe(1);
  });

  test('applies backpressure to the producer when nobody reads', async () => {
    const { ask } = await listen(serve('never ends'));
    const response = await ask().response;
    response.pause();
    await vi.waitFor(async () => {
      const before = made;
      await sleep(100);
      expect(made).toBe(before);
    });
    const held = made;
    expect(held).toBeLessThan(50_000);
    response.resume();
    await vi.waitFor(() => expect(made).toBeGreaterThan(held + 1_000));
    response.destroy();
    await vi.waitFor(() => expect(ended).toBe(1));
  });

  test('ends the producer when its reader disconnects, without logging an error', async () => {
    const { ask, lines } = await listen(serve('never ends'));
    const response = await ask().response;
    await once(response, 'data');
    response.destroy();
    await vi.waitFor(() => expect(ended).toBe(1));
    const total = made;
    await sleep(50);
    expect(made).toBe(total);
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
    expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([{ status: 200 }]);
  });

  test('ends the producer when its reader disconnects before the first piece', async () => {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const slow = async function* () {
      try {
        asked.resolve();
        await released.promise;
        yield '[';
        made = 1;
        yield ']';
      } finally {
        ended++;
      }
    };
    const { ask, lines } = await listen((request, reply) =>
      sendPieces({ request, reply, pieces: slow(), stillAllowed: async () => {} }),
    );
    const { request } = ask();
    await asked.promise;
    const isClosed = new Promise((resolve) => request.once('close', resolve));
    request.destroy();
    await isClosed;
    await sleep(50);
    released.resolve();
    await vi.waitFor(() => expect(ended).toBe(1));
    await sleep(20);
    expect(made).toBe(0);
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  });

  test('starts no producer when its reader disconnected before', async () => {
    const asked = Promise.withResolvers<FastifyReply['raw']>();
    const released = Promise.withResolvers<void>();
    const { ask, lines } = await listen(async (request, reply) => {
      asked.resolve(reply.raw);
      await released.promise;
      return serve('never ends')(request, reply);
    });
    const { request } = ask();
    const isClosed = once(await asked.promise, 'close');
    request.destroy();
    await isClosed;
    released.resolve();
    await sleep(50);
    expect(made).toBe(0);
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  });

  test('is cut off when its reader stops reading for too long', async () => {
    const { ask, lines } = await listen(serve('never ends', { recheckMs: 60_000, stallMs: 100 }));
    const response = await ask().response;
    response.pause();
    await vi.waitFor(() => expect(ended).toBe(1));
    expect(cutOffs(lines)).toEqual([40]);
  });

  test('is cut off when the caller is no longer authorized', async () => {
    let isAllowed = true;
    const check = async () => {
      if (!isAllowed) throw new ApiError('forbidden_error', 'No more.');
    };
    const { ask, lines } = await listen(serve('never ends', { recheckMs: 20, stallMs: 60_000 }, check));
    const response = await ask().response;
    const reading = readAll(response);
    await sleep(60);
    expect(ended).toBe(0);
    isAllowed = false;
    expect((await reading).isWhole).toBe(false);
    expect([ended, cutOffs(lines)]).toEqual([1, [40]]);
  });
});
