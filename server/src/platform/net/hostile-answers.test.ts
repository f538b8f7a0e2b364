/** Answers that nobody would give who means well: each call ends, and nothing of it is left. */
import { expect, test } from 'vitest';
import { ask, failure, openClient, openTcpServer, read } from '../../../test/outbound-calls.ts';

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'GZIPPED'])(
  'an encoding of the name %s is an unknown one',
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
