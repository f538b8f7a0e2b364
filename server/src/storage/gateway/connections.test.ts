/** Behavior on the wire: unwanted bodies, clients that stall or disconnect, bytes that are not HTTP. */
import { readdirSync, readlinkSync } from 'node:fs';
import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { BUCKET, startTestGateway } from '../../../test/gateways.ts';
import { until } from '../../../test/processes.ts';
import { codeOf, openRaw, sendRaw, toBytes } from '../../../test/raw-http.ts';
import { type RequestToSign, signRequest, withHeader } from '../../../test/s3-requests.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';

const lines: string[] = [];
const metrics = new Metrics(createLog('silent'));
const gateway = await startTestGateway({
  log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
  metrics,
  idleMs: 1_000,
});
const { port, ask, store } = gateway;
const session = gateway.issue({ prefix: 'mine/', access: 'write' });

const sign = (request: Partial<RequestToSign> & { path: string }) =>
  signRequest({ method: 'GET', host: `127.0.0.1:${port}`, credentials: gateway.root, ...request });
/** Returns the head of a PUT request, whose body may follow later or never. */
const putHead = (key: string, sizeBytes: number, more: Partial<RequestToSign> = {}) =>
  toBytes({
    ...sign({
      method: 'PUT',
      path: `/${BUCKET}/${key}`,
      ...more,
      headers: {
        'content-length': String(sizeBytes),
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        ...more.headers,
      },
    }),
    body: Buffer.alloc(0),
  });
const put = (key: string, body: string | Buffer) => ask({ method: 'PUT', path: `/${BUCKET}/${key}`, body });
const isNothingLeft = async () => (await gateway.listUnowned()).length === 0;

describe('Expect: 100-continue', () => {
  const expecting = { headers: { expect: '100-continue' } };

  test('a body is requested with 100 Continue when the request is acceptable', async () => {
    const connection = await openRaw(port);
    connection.write(putHead('expected', 5, expecting));
    expect((await connection.readResponse()).status).toBe(100);
    connection.write('hello');
    expect((await connection.readResponse()).status).toBe(200);
    connection.write(toBytes(sign({ path: `/${BUCKET}/expected` })));
    expect((await connection.readResponse()).body).toBe('hello');
    connection.socket.destroy();
  });

  test.each([
    ['not signed', { ...expecting, unsigned: ['host'] }, 5, 'AccessDenied'],
    ['not allowed', { ...expecting, credentials: session }, 5, 'AccessDenied'],
    ['too large', expecting, 5 * 1024 ** 3 + 1, 'EntityTooLarge'],
    [
      'of a feature that is not here',
      { headers: { ...expecting.headers, 'x-amz-tagging': 'a=b' } },
      5,
      'NotImplemented',
    ],
  ])('a body is not requested when the request is %s', async (_name, more, sizeBytes, code) => {
    const connection = await openRaw(port);
    connection.write(putHead('unexpected', sizeBytes, more));
    const response = await connection.readResponse();
    expect(codeOf(response)).toBe(code);
    expect(response.headers['connection']).toBe('close');
    connection.socket.end();
    await connection.closed;
  });

  test('expectations other than 100-continue are refused', async () => {
    const response = await sendRaw(port, 'GET / HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n\r\n');
    expect([response.status, codeOf(response)]).toEqual([400, 'InvalidArgument']);
  });
});

describe('a body that is not wanted', () => {
  test('a small unwanted body is read and the connection stays open', async () => {
    const connection = await openRaw(port);
    const denied = sign({
      method: 'PUT',
      path: `/${BUCKET}/denied`,
      body: 'x'.repeat(1_000),
      credentials: session,
    });
    connection.write(Buffer.concat([toBytes(denied), toBytes(sign({ path: `/${BUCKET}/absent` }))]));
    expect(codeOf(await connection.readResponse())).toBe('AccessDenied');
    expect(codeOf(await connection.readResponse())).toBe('NoSuchKey');
    connection.socket.destroy();
  });

  test('a large unwanted body is not read completely, and the client still receives the response', async () => {
    const connection = await openRaw(port);
    connection.write(putHead('denied', 1024 ** 3, { credentials: session }));
    const chunk = Buffer.alloc(1024 * 1024);
    connection.write(chunk);
    const response = await connection.readResponse();
    expect([codeOf(response), response.headers['connection']]).toEqual(['AccessDenied', 'close']);
    let sent = 1;
    while (!connection.socket.destroyed && sent < 100) {
      if (!connection.socket.write(chunk))
        await Promise.race([
          new Promise((resolve) => connection.socket.once('drain', resolve)),
          connection.closed,
        ]);
      sent++;
    }
    await connection.closed;
    expect(sent).toBeLessThan(64);
  });

  test('an unwanted body is waited for only briefly', async () => {
    const connection = await openRaw(port);
    connection.write(putHead('denied', 1024 ** 2, { credentials: session }));
    expect(codeOf(await connection.readResponse())).toBe('AccessDenied');
    await connection.closed;
  });
});

describe('stalling and disconnecting clients', () => {
  test('a stalling client gets a timeout error and leaves no upload behind', async () => {
    const connection = await openRaw(port);
    connection.write(putHead('stalled', 100_000));
    connection.write('some of it');
    const response = await connection.readResponse();
    expect([response.status, codeOf(response)]).toEqual([400, 'RequestTimeout']);
    await connection.closed;
    await until('the draft is gone', isNothingLeft);
    expect(await store.index.find('stalled')).toBeUndefined();
  });

  test('a silent client is disconnected', async () => {
    const connection = await openRaw(port);
    await connection.closed;
  });

  // Retried, because a byte may arrive too late on a busy machine.
  test('a client that sends a byte now and then is not disconnected', { retry: 2 }, async () => {
    const connection = await openRaw(port);
    connection.write(putHead('slow', 4));
    for (const byte of 'slow') {
      await new Promise((resolve) => setTimeout(resolve, 400));
      connection.write(byte);
    }
    expect((await connection.readResponse()).status).toBe(200);
    connection.socket.destroy();
  });

  test('a client that disconnects during an upload leaves nothing behind', async () => {
    const connection = await openRaw(port);
    connection.write(putHead('left', 10_000_000));
    connection.write(Buffer.alloc(1_000_000));
    await until('a draft is there', async () => !(await isNothingLeft()));
    connection.socket.destroy();
    await until('the draft is gone', isNothingLeft);
    expect(await store.index.find('left')).toBeUndefined();
  });

  test('a client that disconnects during a download, or does not read it, releases the file', async () => {
    await put('download', Buffer.alloc(20_000_000));
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(gateway.folder)).length;
    for (const leaves of [true, false]) {
      const connection = await openRaw(port);
      connection.socket.pause();
      connection.write(toBytes(sign({ path: `/${BUCKET}/download` })));
      await until('the file is open', async () => openFiles() === 1);
      if (leaves) connection.socket.destroy();
      await until('the file is closed', async () => openFiles() === 0);
      connection.socket.destroy();
    }
  });
});

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

describe('invalid bytes', () => {
  const request = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;
  const PUT = `PUT /${BUCKET}/x HTTP/1.1`;

  test.each([
    ['that are no HTTP', 'hello\r\n\r\n', 400, 'BadRequest'],
    ['with an unknown method', request(['FETCH / HTTP/1.1', 'host: x']), 400, 'BadRequest'],
    [
      'with two lengths',
      request([PUT, 'host: x', 'content-length: 1', 'content-length: 2'], 'x'),
      400,
      'BadRequest',
    ],
    [
      'with a length and chunks',
      request([PUT, 'host: x', 'content-length: 1', 'transfer-encoding: chunked'], '0\r\n\r\n'),
      400,
      'BadRequest',
    ],
    ['with a negative length', request([PUT, 'host: x', 'content-length: -1']), 400, 'BadRequest'],
    [
      'with another transfer encoding',
      request([PUT, 'host: x', 'transfer-encoding: gzip']),
      400,
      'BadRequest',
    ],
    ['with a header that is none', request([PUT, 'host: x', 'x y: z']), 400, 'BadRequest'],
    ['with a header on two lines', request([PUT, 'host: x', 'x-amz-meta-a: b', ' c']), 400, 'BadRequest'],
    [
      'with headers that are too large',
      request(['GET / HTTP/1.1', 'host: x', `x-amz-meta-a: ${'a'.repeat(20_000)}`]),
      400,
      'RequestHeaderSectionTooLarge',
    ],
    ['to another server', request(['GET http://elsewhere/x HTTP/1.1', 'host: x']), 400, 'InvalidURI'],
    ['to a proxy', request(['CONNECT elsewhere:80 HTTP/1.1', 'host: x']), 405, 'MethodNotAllowed'],
    [
      'of a browser that asks for leave',
      request([`OPTIONS /${BUCKET}/x HTTP/1.1`, 'host: x', 'origin: y']),
      403,
      'AccessForbidden',
    ],
    ['with PATCH', request([`PATCH /${BUCKET}/x HTTP/1.1`, 'host: x']), 405, 'MethodNotAllowed'],
    ['with TRACE', request(['TRACE / HTTP/1.1', 'host: x']), 405, 'MethodNotAllowed'],
    ['that nobody signed', request([`GET /${BUCKET}/x HTTP/1.1`, 'host: x']), 403, 'AccessDenied'],
    ['without a host', request([`GET /${BUCKET}/x HTTP/1.1`]), 403, 'AccessDenied'],
  ])('requests %s get an XML error', async (_name, text, status, code) => {
    const response = await sendRaw(port, text);
    expect([response.status, codeOf(response)]).toEqual([status, code]);
    expect(response.headers['content-type']).toBe('application/xml');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    expect(response.headers['x-amz-request-id']).toBeDefined();
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('bytes after a request without a length are not part of its body', async () => {
    const unsized = withHeader(
      sign({ method: 'PUT', path: `/${BUCKET}/x`, headers: { 'content-length': undefined } }),
      'x',
      'y',
    );
    const response = await sendRaw(port, { ...unsized, body: Buffer.alloc(0) });
    expect([response.status, codeOf(response)]).toEqual([411, 'MissingContentLength']);
  });

  test('several pipelined requests get their responses in order', async () => {
    await put('first', '1');
    await put('second', '2');
    const connection = await openRaw(port);
    const requests = ['first', 'second', 'first'].map((key) => toBytes(sign({ path: `/${BUCKET}/${key}` })));
    connection.write(Buffer.concat(requests));
    const bodies = [];
    for (const _ of requests) bodies.push((await connection.readResponse()).body);
    expect(bodies).toEqual(['1', '2', '1']);
    connection.socket.destroy();
  });
});

test('an object that is constantly replaced and deleted never fails its readers', async () => {
  await put('busy', 'content 0');
  const statuses: number[] = [];
  const read = async () => void statuses.push((await ask({ path: `/${BUCKET}/busy` })).status);
  const reader = setInterval(() => void read(), 2);
  for (let round = 1; round <= 60; round++) {
    const before = await store.index.find('busy');
    await put('busy', `content ${round}`);
    // Removed at once, which no real sweep would do.
    await store.files.remove(before?.blobs.map(({ id }) => id) ?? []);
  }
  clearInterval(reader);
  expect(statuses.length).toBeGreaterThan(10);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a request is logged and counted by its operation, never by its path', async () => {
  const secret = 'mine/secret-plan';
  await ask({ method: 'PUT', path: `/${BUCKET}/${secret}`, body: 'x', credentials: session });
  await ask({
    path: `/${BUCKET}/${secret}-x`,
    query: 'response-content-type=secret-plan',
    credentials: session,
  });
  const isLogged = (operation: string, status: number) =>
    lines.some((line) => line.includes(`"operation":"${operation}","status":${status},"duration_ms":`));
  await until('both are logged', async () => isLogged('PutObject', 200) && isLogged('GetObject', 404));
  const text = await metrics.read();
  expect(text).toMatch(/drydock_s3_request_duration_seconds_count\{operation="PutObject",status="200"\} \d/);
  expect(text).toMatch(/drydock_s3_request_duration_seconds_count\{operation="none",status="403"\} \d/);
  for (const sent of [text, lines.join('')]) {
    expect(sent).not.toContain('secret');
    expect(sent).not.toContain(session.sessionToken);
    expect(sent).not.toContain('Signature');
  }
  // Earlier requests whose clients disconnected may still be running.
  await expect.poll(() => metrics.read()).toMatch(/drydock_s3_requests_in_flight 0/);
  expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test('an internal error reveals only that the caller is not at fault', async () => {
  const log: string[] = [];
  const broken = await startTestGateway({
    log: pino({ level: 'error' }, { write: (line: string) => log.push(line) }),
  });
  await sql`ALTER TABLE stored_objects RENAME TO gone`.execute(broken.db);
  const response = await broken.ask({ path: `/${BUCKET}/x` });
  expect([response.status, codeOf(response)]).toEqual([500, 'InternalError']);
  expect(response.body).not.toContain('stored_objects');
  expect(log).toHaveLength(1);
});
