import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestServer } from '../../../../test/harness.ts';
import { openRaw } from '../../../../test/raw-http.ts';
import { flood, MAX_BYTES, sendUntilResponse, uploadRoutes } from '../../../../test/upload-routes.ts';
import { BYTES } from '../operations.ts';
import { createServer } from '../server.ts';
import { UploadBody } from './uploads.ts';

const MEBIBYTE = 1024 * 1024;
const endings: unknown[] = [];
const server = await startTestServer({}, [uploadRoutes((ending) => void endings.push(ending))]);
await server.app.listen({ port: 0 });
const { port } = server.app.server.address() as AddressInfo;
const GZIP = { 'content-type': 'application/gzip' };
const JSON_TYPE = { 'content-type': 'application/json' };
const headers = { ...GZIP, authorization: `Bearer ${server.owner.key}` };
const withLength = (bytes: number) => ({ ...headers, 'content-length': String(bytes) });

beforeEach(() => {
  endings.length = 0;
});

const over = 'The body is over 64 MiB, which is the most that this operation takes.';

describe('a client that is still sending', () => {
  test.each([
    [
      'receives the error of its invalid archive',
      '/org/main/archive',
      'POST',
      headers,
      422,
      'validation_error',
    ],
    ['receives the refusal of an unread body', '/org/main/unread', 'PUT', headers, 409, 'conflict_error'],
    ['receives 401 without a credential', '/org/main/bytes', 'PUT', GZIP, 401, 'authentication_error'],
    ['receives 403 for a foreign organization', '/org/none/bytes', 'PUT', headers, 403, 'forbidden_error'],
    ['receives 401 for JSON', '/org/none/task-sets', 'POST', JSON_TYPE, 401, 'authentication_error'],
    ['receives 404 for an unknown path', '/nothing', 'POST', headers, 404, 'not_found_error'],
    [
      'receives the error of its type',
      '/org/main/bytes',
      'PUT',
      { ...headers, 'content-type': 'text/csv' },
      400,
      'invalid_error',
    ],
    [
      'receives the error of its encoding',
      '/org/main/bytes',
      'PUT',
      { ...headers, 'content-encoding': 'br' },
      400,
      'invalid_error',
    ],
  ])('%s', async (_name, path, method, sent, status, type) => {
    for (const length of [{}, { 'content-length': String(MAX_BYTES) }, { connection: 'close' }]) {
      const response = await sendUntilResponse(
        { port, path, method, headers: { ...sent, ...length } },
        flood(),
      );
      expect(response).toMatchObject({ status, body: { code: status, type } });
      expect(response.headers['connection']).toBe('close');
      expect(response.headers['x-request-id']).toBeDefined();
    }
  });

  test('receives the error through fetch', async () => {
    const body = Readable.toWeb(flood()) as ReadableStream;
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/org/main/archive`, init);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ type: 'validation_error' });
  });

  test('receives the error even if it reads only after sending, up to a limit', async () => {
    const connection = await openRaw(port);
    const head = `POST /api/v1/org/main/archive HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner.key}\r\n`;
    connection.socket.pause();
    connection.write(`${head}Content-Type: application/gzip\r\nContent-Length: ${12 * MEBIBYTE}\r\n\r\n`);
    for (let sent = 0; sent < 12; sent++) connection.write(Buffer.alloc(MEBIBYTE, 'x'));
    await sleep(500);
    connection.socket.resume();
    expect((await connection.readResponse()).status).toBe(422);
    await connection.closed;
  });

  test('is not read forever', async () => {
    const connection = await openRaw(port);
    const head = `PUT /api/v1/org/main/unread HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner.key}\r\n`;
    connection.write(`${head}Content-Type: application/gzip\r\nContent-Length: ${MAX_BYTES}\r\n\r\n`);
    expect((await connection.readResponse()).status).toBe(409);
    flood(MAX_BYTES).pipe(connection.socket);
    await connection.closed;
    expect(connection.socket.bytesWritten).toBeGreaterThan(16 * MEBIBYTE);
    expect(connection.socket.bytesWritten).toBeLessThan(48 * MEBIBYTE);
  });

  test('may send further requests while unread bodies are discarded', async () => {
    const connection = await openRaw(port);
    const head = `Host: x\r\nAuthorization: Bearer ${server.owner.key}\r\nContent-Length: 2\r\n\r\n{}`;
    const request = `GET /api/v1/user/limits HTTP/1.1\r\n${head}`;
    connection.write(request); // later responses are already received, and need no wait
    expect((await connection.readResponse()).status).toBe(200);
    connection.write(request.repeat(10));
    for (let responses = 0; responses < 10; responses++)
      expect(await connection.readResponse()).toMatchObject({
        status: 200,
        headers: { connection: 'keep-alive' },
      });
    connection.socket.destroy();
  });

  test('receives a success too when the rest is irrelevant', async () => {
    const response = await sendUntilResponse({ port, path: '/org/main/first', headers }, flood());
    expect(response).toMatchObject({ status: 200, body: { size: 1 } });
  });
});

describe('an upload over its limit', () => {
  test('is refused at once when its length shows it', async () => {
    const nothing = new Readable({ read: () => undefined });
    const sent = { port, path: '/org/main/bytes', headers: withLength(MAX_BYTES + 1) };
    expect(await sendUntilResponse(sent, nothing)).toMatchObject({
      status: 400,
      body: { code: 400, type: 'invalid_error', detail: over },
    });
    expect(endings).toEqual([]);
  });

  test('is refused when the limit is exceeded, and not a byte earlier', async () => {
    const path = '/org/main/bytes';
    expect(await sendUntilResponse({ port, path, headers }, flood(MAX_BYTES))).toMatchObject({
      status: 200,
      body: { size: MAX_BYTES },
    });
    expect(await sendUntilResponse({ port, path, headers }, flood(MAX_BYTES + 1))).toMatchObject({
      status: 400,
      body: { type: 'invalid_error', detail: over },
    });
    expect(endings).toEqual(['end', expect.objectContaining({ type: 'invalid_error' })]);
  });
});

describe('a client that disconnects during an upload', () => {
  test('makes the upload fail, and is not logged as a server error', async () => {
    const logged = vi.spyOn(server.app.log, 'error');
    const length = withLength(1_000);
    const socket = connect(port, '127.0.0.1');
    const lines = Object.entries({ host: 'x', ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`PUT /api/v1/org/main/bytes HTTP/1.1\r\n${lines.join('')}\r\nabc`);
    await sleep(200);
    socket.destroy();
    await vi.waitFor(() => expect(endings).toHaveLength(1));
    expect(endings[0]).toMatchObject({ type: 'invalid_error', message: 'The request was aborted.' });
    expect(logged).not.toHaveBeenCalled();
  });

  test('makes the upload fail even when it only half-closes the connection', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const lines = Object.entries({ host: 'x', ...withLength(1_000) }).map(
      ([n, value]) => `${n}: ${value}\r\n`,
    );
    socket.end(`PUT /api/v1/org/main/bytes HTTP/1.1\r\n${lines.join('')}\r\nabc`);
    await vi.waitFor(() => expect(endings).toHaveLength(1));
    expect(endings[0]).toMatchObject({ type: 'invalid_error' });
    socket.destroy();
  });
});

/** @returns the server's side of a request that sends only what the test writes */
async function openUpload(options: { maxBytes: number; idleMs: number }) {
  const http = createHttpServer();
  http.listen(0);
  await once(http, 'listening');
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    http.close();
  });
  socket.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const [request] = (await once(http, 'request')) as [IncomingMessage];
  return { socket, request, upload: new UploadBody(request, options) };
}

describe('an upload body', () => {
  test('that stalls fails, and keeps the connection for the response', async () => {
    const { socket, request, upload } = await openUpload({ maxBytes: 100, idleMs: 3_000 });
    upload.resume();
    const dribble = setInterval(() => socket.write('x'), 50);
    await sleep(4_000);
    expect(upload.destroyed).toBe(false);
    clearInterval(dribble);
    const [error] = (await once(upload, 'error')) as [Error];
    expect(error).toMatchObject({ type: 'invalid_error', message: expect.stringMatching(/No byte/) });
    expect(request.destroyed).toBe(false);
  });

  test('does not time out while its reader is slow', async () => {
    const { socket, upload } = await openUpload({ maxBytes: 10_000_000, idleMs: 50 });
    socket.write(Buffer.alloc(500_000));
    await once(upload, 'readable');
    await sleep(250);
    expect(upload.destroyed).toBe(false);
    expect(upload.readableLength).toBeLessThan(200_000);
  });

  test('that broke off before it was read fails on reading', async () => {
    const { socket, upload } = await openUpload({ maxBytes: 100, idleMs: 10_000 });
    socket.destroy();
    await sleep(50);
    await expect(upload.toArray()).rejects.toMatchObject({ type: 'invalid_error' });
  });
});

test('a JSON body that arrives slowly times out, an upload does not', async () => {
  const log = pino({ level: 'silent' });
  const app = createServer({ log, trustedProxies: undefined, requestTimeoutMs: 150 });
  onTestFinished(() => app.close());
  app.addContentTypeParser('application/gzip', (_request, _payload, done) => done(null));
  app.post('/json', async () => 'taken');
  const upload = { contentTypes: { 'application/gzip': BYTES }, maxBytes: 100 };
  app.post('/upload', { config: { upload } }, async ({ raw }) => {
    const chunks = (await raw.toArray()) as Buffer[];
    return Buffer.concat(chunks).toString();
  });
  await app.listen({ port: 0 });
  const send = async (path: string, type: string) => {
    const connection = await openRaw((app.server.address() as AddressInfo).port);
    connection.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 6\r\n\r\n`,
    );
    for (const piece of ['"', 'a', 'b', 'c', 'd', '"']) {
      await sleep(60);
      connection.write(piece);
    }
    return connection.readResponse();
  };
  expect(await send('/upload', 'application/gzip')).toMatchObject({ status: 200, body: '"abcd"' });
  const late = await send('/json', 'application/json');
  expect([late.status, JSON.parse(late.body)]).toEqual([
    400,
    { code: 400, type: 'invalid_error', detail: 'The request took too long to arrive.' },
  ]);
});
