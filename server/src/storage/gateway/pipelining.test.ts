/** Pipelined requests, and clients that disconnect before the responses. */
import { readdirSync, readlinkSync } from 'node:fs';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { BUCKET, startTestGateway } from '../../../test/gateways.ts';
import { until } from '../../../test/processes.ts';
import { codeOf, openRaw, sendRaw, toBytes } from '../../../test/raw-http.ts';
import { signRequest } from '../../../test/s3-requests.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';

const lines: string[] = [];
const metrics = new Metrics(createLog('silent'));
const gateway = await startTestGateway({
  log: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }),
  metrics,
});
const { port, ask } = gateway;

const read = (key: string) =>
  toBytes(
    signRequest({
      method: 'GET',
      host: `127.0.0.1:${port}`,
      path: `/${BUCKET}/${key}`,
      credentials: gateway.root,
    }),
  );
const SMALL = () => read('small');
const LARGE = () => read('large');
const inFlight = async () => Number(/s3_requests_in_flight (\d+)/.exec(await metrics.read())?.[1]);

beforeAll(async () => {
  await ask({ method: 'PUT', path: `/${BUCKET}/small`, body: 'small' });
  await ask({ method: 'PUT', path: `/${BUCKET}/large`, body: Buffer.alloc(5_000_000) });
});

function countOpenFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(gateway.folder);
    } catch {
      return false;
    }
  }).length;
}

describe('disconnecting clients', () => {
  test('a client that disconnects before its response starts leaves no file open', async () => {
    for (let round = 0; round < 100; round++) {
      const connection = await openRaw(port);
      connection.write(LARGE());
      await new Promise((resolve) => setTimeout(resolve, round % 4));
      connection.socket.resetAndDestroy();
    }
    await until('none is under way', async () => (await inFlight()) === 0);
    await until('all are closed', async () => countOpenFiles() === 0);
  });

  test('a client that disconnects while other requests are queued leaves no file open', async () => {
    const connection = await openRaw(port);
    connection.socket.pause();
    connection.write(Buffer.concat([LARGE(), LARGE(), LARGE(), LARGE()]));
    await until('all are open', async () => countOpenFiles() === 4);
    connection.socket.resetAndDestroy();
    await until('all are closed', async () => countOpenFiles() === 0);
    await until('none is under way', async () => (await inFlight()) === 0);
    expect(lines).toEqual([]);
  });
});

describe('pipelining', () => {
  test('a connection accepts a few pipelined requests, and not more', async () => {
    const few = await openRaw(port);
    few.write(Buffer.concat(Array.from({ length: 4 }, SMALL)));
    for (let count = 0; count < 4; count++) expect((await few.readResponse()).body).toBe('small');
    few.write(SMALL());
    expect((await few.readResponse()).body).toBe('small');
    few.socket.destroy();
    const many = await openRaw(port);
    many.write(Buffer.concat(Array.from({ length: 200 }, SMALL)));
    await many.closed;
    await until('none is under way', async () => (await inFlight()) === 0);
  });

  test.each([
    ['what is no HTTP', 'hello\r\n\r\n'],
    ['an expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n\r\n'],
    ['a request to a proxy', 'CONNECT elsewhere:80 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('%s after an unanswered request ends the connection', async (_name, text) => {
    const connection = await openRaw(port);
    const received: Buffer[] = [];
    connection.socket.on('data', (bytes: Buffer) => received.push(bytes));
    connection.write(Buffer.concat([SMALL(), Buffer.from(text)]));
    await connection.closed;
    // The client must not mistake it for the response to the first request.
    expect(Buffer.concat(received).toString()).not.toContain('<Error>');
  });

  test('an error response without a request has the same security headers', async () => {
    const response = await sendRaw(port, 'hello\r\n\r\n');
    expect(codeOf(response)).toBe('BadRequest');
    expect(response.headers).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
  });
});
