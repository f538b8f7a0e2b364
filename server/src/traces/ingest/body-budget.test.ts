import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { encodeProtobuf, makeSource, makeSpan } from '../../../test/otlp-messages.ts';
import { openRaw, type RawConnection } from '../../../test/raw-http.ts';
import {
  countStored,
  deleteSpans,
  PROTOBUF,
  push,
  pushProtobuf,
  spansOf,
} from '../../../test/span-senders.ts';

const MEBIBYTE = 1024 * 1024;
const server = await startTestServer();
await server.app.listen({ port: 0 });
const { port } = server.app.server.address() as AddressInfo;
for (const key of ['second', 'third', 'fourth']) await addOrganization(server, server.owner, key);

beforeEach(() => deleteSpans(server));

interface Opening {
  readonly org?: string;
  readonly length?: number | 'chunked';
  readonly headers?: string;
}

/** Sends the headers of a request; the test sends the body. */
async function open({
  org = 'main',
  length = 16 * MEBIBYTE,
  headers = '',
}: Opening = {}): Promise<RawConnection> {
  const connection = await openRaw(port);
  onTestFinished(() => void connection.socket.destroy());
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const credential = `Authorization: Bearer ${server.owner.key}`;
  connection.write(
    `POST /api/v1/org/${org}/otel/traces HTTP/1.1\r\nHost: x\r\n${credential}\r\n` +
      `Content-Type: application/x-protobuf\r\n${size}\r\n${headers}\r\n`,
  );
  return connection;
}

async function readTaken(): Promise<number> {
  const { body } = await server.as(server.owner).get('/metrics');
  return Number(/^drydock_trace_ingest_bytes (\d+)$/m.exec(body)?.[1]);
}

const WAIT = { interval: 20 };
const isTaken = async (bytes: number) => vi.waitFor(async () => expect(await readTaken()).toBe(bytes), WAIT);

const refusal = { status: 429, headers: { 'retry-after': '2' } };

describe('the memory budget of spans', () => {
  test('counts a body before it is read, until its client disconnects', async () => {
    const first = await open();
    await isTaken(16 * MEBIBYTE);
    const second = await open();
    const response = await second.readResponse();
    expect(response).toMatchObject(refusal);
    expect(JSON.parse(response.body)).toMatchObject({ code: 429, type: 'usage_limit_exceeded_error' });
    // Small requests are still accepted, and so are other organizations.
    expect(await pushProtobuf(server, [spansOf(1)])).toMatchObject({ status: 200 });
    expect(await pushProtobuf(server, [spansOf(1)], { path: '/org/second/otel/traces' })).toMatchObject({
      status: 200,
    });
    first.socket.destroy();
    await isTaken(0);
    const third = await open();
    await isTaken(16 * MEBIBYTE);
    third.socket.destroy();
    await isTaken(0);
    expect(await countStored(server)).toBe(1);
  });

  test('limits all organizations together', async () => {
    const opened = [];
    for (const org of ['main', 'second', 'third']) opened.push(await open({ org }));
    await isTaken(48 * MEBIBYTE);
    expect(await (await open({ org: 'fourth', length: 1_000 })).readResponse()).toMatchObject(refusal);
    expect(await push(server, Buffer.from('x'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '2' },
    });
    for (const { socket } of opened) socket.destroy();
    await isTaken(0);
  });

  test('does not count a request that is refused for another reason', async () => {
    for (const headers of ['Content-Encoding: br\r\n', 'X-Client-Version: x\r\n']) {
      const connection = await open({ headers, length: 10 });
      if (headers.includes('br')) expect((await connection.readResponse()).status).toBe(400);
      connection.socket.destroy();
    }
    expect(await push(server, Buffer.from('\xff'), PROTOBUF)).toMatchObject({ status: 400 });
    expect(await pushProtobuf(server, [spansOf(1)], { who: 'nonsense' })).toMatchObject({ status: 401 });
    await isTaken(0);
  });

  test('grows with a body without Content-Length, up to the body limit', async () => {
    const first = await open({ length: 'chunked' });
    await isTaken(MEBIBYTE / 2);
    const second = await open({ length: 'chunked' });
    await isTaken(MEBIBYTE);
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 15; sent++) first.write(piece);
    await isTaken(15.5 * MEBIBYTE);
    for (let sent = 0; sent < 10; sent++) second.write(piece);
    expect(await second.readResponse()).toMatchObject(refusal);
    first.socket.destroy();
    second.socket.destroy();
    await isTaken(0);
  });

  test.each([
    [MEBIBYTE / 2, 4 * MEBIBYTE],
    [2 * MEBIBYTE, 6 * MEBIBYTE],
    [15 * MEBIBYTE, 15 * MEBIBYTE],
  ])('counts a compressed body of %i bytes as %i', async (length, taken) => {
    const connection = await open({ length, headers: 'Content-Encoding: gzip\r\n' });
    await isTaken(taken);
    connection.socket.destroy();
    await isTaken(0);
  });
});

describe('a body of spans', () => {
  const body = encodeProtobuf([spansOf(4)]);

  test('shorter than its Content-Length is not stored', async () => {
    const connection = await open({ length: body.length + 10 });
    connection.write(body);
    await sleep(50);
    expect(await countStored(server)).toBe(0);
    connection.socket.end();
    await connection.closed;
    await isTaken(0);
    expect(await countStored(server)).toBe(0);
  });

  test('longer than its Content-Length is read up to that length, and the rest is refused', async () => {
    const connection = await open({ length: body.length - 10 });
    connection.write(body);
    expect((await connection.readResponse()).status).toBe(400);
    await connection.closed;
    await isTaken(0);
    expect(await countStored(server)).toBe(0);
  });

  test('releases its budget and keeps the spans stored so far when its client disconnects', async () => {
    // Several times the amount that is decoded ahead of storing.
    const attributes = [{ key: 'big', value: 'x'.repeat(20_000) }];
    const spans = Array.from({ length: 2_000 }, (_, at) => makeSpan(at, { attributes }));
    const many = gzipSync(encodeProtobuf([{ source: makeSource(), spans }]));
    const connection = await open({ length: many.length, headers: 'Content-Encoding: gzip\r\n' });
    connection.write(many);
    await vi.waitFor(async () => expect(await countStored(server)).toBeGreaterThan(0), WAIT);
    connection.socket.destroy();
    await isTaken(0);
    const stored = await countStored(server);
    expect(stored).toBeLessThan(2_000);
    await sleep(200);
    expect(await countStored(server)).toBe(stored);
  });

  test('over the limit is refused without being read', async () => {
    const connection = await open({ length: 16 * MEBIBYTE + 1 });
    expect((await connection.readResponse()).status).toBe(400);
    const chunked = await open({ length: 'chunked' });
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 17; sent++) chunked.write(piece);
    expect((await chunked.readResponse()).status).toBe(400);
  });

  test('leaves its connection open for the next request', async () => {
    const connection = await open({ length: body.length });
    connection.write(body);
    expect((await connection.readResponse()).status).toBe(200);
    const head = `POST /api/v1/org/main/otel/v1/traces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner.key}\r\n`;
    const packed = gzipSync(encodeProtobuf([spansOf(6)]));
    const headers = `Content-Type: application/x-protobuf\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n`;
    connection.write(`${head}${headers}\r\n`);
    connection.write(packed);
    const response = await connection.readResponse();
    expect([response.status, response.headers['content-type'], response.body]).toEqual([
      200,
      'application/x-protobuf',
      '',
    ]);
    expect(await countStored(server)).toBe(6);
  });
});

test('closing the application completes requests in progress', async () => {
  const other = await startTestServer();
  await other.app.listen({ port: 0 });
  const address = other.app.server.address() as AddressInfo;
  const connection = await openRaw(address.port);
  const body = encodeProtobuf([spansOf(2_000)]);
  connection.write(
    `POST /api/v1/org/main/otel/traces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${other.owner.key}\r\n` +
      `Content-Type: application/x-protobuf\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
  );
  connection.write(body.subarray(0, 10));
  await sleep(50);
  const closed = other.app.close();
  connection.write(body.subarray(10));
  expect((await connection.readResponse()).status).toBe(200);
  await closed;
  expect(await countStored(other)).toBe(2_000);
});
