import type { AddressInfo } from 'node:net';
import { connect as connectSocket } from 'node:net';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from './server.ts';

test('a client that leaves in the middle of its body is refused, and not logged as a failure of ours', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const app = createServer({ log, trustedProxies: undefined });
  onTestFinished(() => app.close());
  app.post('/upload', async () => 'taken');
  const status = new Promise<number>((resolve) => {
    app.addHook('onSend', async (_request, reply) => resolve(reply.statusCode));
  });
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connectSocket(port, '127.0.0.1');
  socket.write(
    'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  app.server.once('request', () => socket.destroy());
  expect(await status).toBe(400);
  expect(lines).toEqual([]);
});
