/** WebSockets to ports of real sandboxes. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import {
  INSIDE_PORT,
  openInside,
  PortClient,
  readResponse,
  responseOf,
  valueOf,
} from '../../../test/inside-servers.ts';
import { until } from '../../../test/processes.ts';

const { server, url, inside, available } = await openInside();
const { owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(!available)('a WebSocket to a port', () => {
  const say = async (socket: WebSocket, data: string | Buffer) => {
    socket.send(data);
    const [message] = await once(socket, 'message');
    return message as Buffer;
  };

  test('a WebSocket is forwarded including data sent with the handshake', async () => {
    const socket = inside.webSocket('?hello=welcome');
    const [first] = await once(socket, 'message');
    expect(String(first)).toBe('welcome');
    expect(String(await say(socket, 'hello'))).toBe('hello');
    const bytes = randomBytes(1_000_000);
    expect(digest(await say(socket, bytes))).toBe(digest(bytes));
    socket.close(1000, 'done');
    expect((await once(socket, 'close'))[0]).toBe(1000);
  });

  test('a WebSocket response has no handshake headers that act for this origin', async () => {
    const socket = inside.webSocket();
    const [response] = await once(socket, 'upgrade');
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.headers).toHaveProperty('x-drydock-port');
    socket.terminate();
  });

  test.each([
    ['a stranger', 'dd_none', INSIDE_PORT, 401],
    ['another user', mia.key, INSIDE_PORT, 403],
    ['another port', owner.key, 8001, 404],
    ['a port where nothing listens', owner.key, 9, 502],
  ])('a WebSocket is refused for %s', async (_name, key, at, status) => {
    const socket = new PortClient(url, key, 'first', at).webSocket();
    const [, response] = await once(
      socket.on('error', () => undefined),
      'unexpected-response',
    );
    expect(response.statusCode).toBe(status);
    socket.terminate();
  });

  test('a WebSocket request has no handshake headers that would allow the program to act for the sender', async () => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      cookie: 'a=b',
      cookie2: '$Version=1',
      'x-api-key': owner.key,
    };
    const offered = [
      `drydock.bearer.${owner.key}, chat, DRYDOCK.bearer.x,drydock.terminal`,
      `drydock.bearer.${owner.key}`,
    ];
    for (const [index, protocols] of offered.entries()) {
      const sent = inside.open('/', { headers: { ...headers, 'sec-websocket-protocol': protocols } }).end();
      const { text } = await readResponse(await responseOf(sent));
      expect(text).not.toContain(owner.key);
      const seen: [string, string][] = JSON.parse(text).headers;
      expect(valueOf(seen, 'upgrade')).toBe('websocket');
      expect(valueOf(seen, 'sec-websocket-protocol')).toBe(
        index === 0 ? 'chat, drydock.terminal' : undefined,
      );
      for (const name of ['authorization', 'x-api-key', 'cookie', 'cookie2'])
        expect(valueOf(seen, name)).toBeUndefined();
    }
  });

  test("a WebSocket that the program refuses gets the program's response", async () => {
    const sent = inside.open('/', { headers: { connection: 'Upgrade', upgrade: 'websocket' } }).end();
    const { status, text } = await readResponse(await responseOf(sent));
    expect(status).toBe(200);
    expect(valueOf(JSON.parse(text).headers, 'upgrade')).toBe('websocket');
  });

  test('an upgrade to another protocol is an ordinary request', async () => {
    const { headers } = await inside.echo('/', { headers: { connection: 'Upgrade', upgrade: 'h2c' } });
    expect(valueOf(headers, 'upgrade')).toBeUndefined();
  });

  test('a hundred concurrent WebSockets are all closed in the end', async () => {
    await until('all are closed', async () => (await inside.counts()).open <= 2);
    const sockets = Array.from({ length: 100 }, () => inside.webSocket());
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    const responses = await Promise.all(sockets.map((socket, index) => say(socket, `number ${index}`)));
    expect(responses.map(String)).toEqual(sockets.map((_, index) => `number ${index}`));
    expect(server.app.upgrades.openCount).toBe(100);
    for (const [index, socket] of sockets.entries()) {
      if (index % 2) socket.terminate();
      else socket.close();
    }
    await until('all are closed', async () => (await inside.counts()).open <= 2);
    await until('all are forgotten', () => server.app.upgrades.openCount === 0);
  });
});
