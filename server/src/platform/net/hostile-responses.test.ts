/** Responses of malicious servers: each request ends, and nothing of it remains. */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ask, failure, openClient, openTcpServer, read, TIMEOUTS } from '../../../test/outbound-calls.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'GZIPPED'])(
  'an encoding named %s is unknown',
  async (encoding) => {
    const server = await openTcpServer((socket) =>
      socket.on('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: 2\r\n\r\nhi`),
      ),
    );
    const client = openClient();
    expect(await failure(client.send(ask(server)).then(({ body }) => read(body)))).toBe('garbage');
    expect(client.connectionCount).toBe(0);
  },
);

test.each([600, 999])(
  'the invalid status %d fails the request and leaves no connection open',
  async (status) => {
    const sockets: Socket[] = [];
    const server = await openTcpServer((socket) => {
      sockets.push(socket);
      socket.on('data', () =>
        socket.write(`HTTP/1.1 ${status} X\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n`),
      );
    });
    const client = openClient();
    await expect(createGuardedFetch(client, TIMEOUTS)(server)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { failure: 'garbage' },
    });
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed)).toEqual([]);
    expect([sockets.length, client.connectionCount]).toEqual([1, 0]);
  },
);

test.each([
  'HTTP/1.1 204 No Content\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n',
  'HTTP/1.1 429 Too Many Requests\r\ncontent-length: 00\r\n',
])('an empty gzip body is an empty body: %j', async (head) => {
  const server = await openTcpServer((socket) =>
    socket.on('data', () => socket.write(`${head}content-encoding: gzip\r\n\r\n`)),
  );
  const client = openClient();
  for (let n = 0; n < 3; n++) expect(await read((await client.send(ask(server))).body)).toBe('');
  expect(client.connectionCount).toBe(1);
});
