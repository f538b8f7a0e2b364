/** Clients that send more to a terminal than it accepts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { attach } from '../../../test/terminal-clients.ts';
import { CLOSES } from './schema.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const PING_MS = 1_000;
const server = await startTestServer({}, [], {
  hasSandboxes: true,
  terminals: { timings: { pingMs: PING_MS } },
});
const { owner } = server;
const me = server.as(owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

const place = (more: object = {}) => ({ url, runtime: 'first', key: owner.key, ...more });
const countTerminals = async () => {
  const command = 'ls /dev/pts | grep -c "^[0-9]"';
  return Number((await me.post(`${RUNTIMES}/first/exec`, { command })).body.stdout);
};

/** Writes a raw WebSocket handshake. */
function shake(protocols?: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  const lines = [
    `GET /api/v1${RUNTIMES}/first/terminal?command=sleep+4300 HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${owner.key}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    ...(protocols === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocols}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Builds a client frame, masked with a mask of zeros. */
const frameOf = (opcode: number, payload = '') =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);

describe.skipIf(!available)('terminals under load', () => {
  beforeAll(async () => {
    expect(await me.post(RUNTIMES, { key: 'first' })).toMatchObject({ status: 201 });
    expect(await me.post(`${RUNTIMES}/first/start`)).toMatchObject({ status: 200 });
  });
  afterAll(async () => {
    await vi.waitFor(async () => expect(await countTerminals()).toBe(0));
    await me.delete(`${RUNTIMES}/first`);
  });

  test.each([
    'drydock.terminal, drydock.terminal',
    'a,,b',
    ',',
    'drydock.terminal,',
    'drydock terminal',
    'drydock.terminal, "x"',
  ])('a terminal is not opened for the protocols %s', async (protocols) => {
    const text = Buffer.concat(await shake(protocols).toArray()).toString();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toMatch(/Sec-WebSocket-Protocol .*"type":"invalid_error"/);
    expect(await countTerminals()).toBe(0);
  });

  test('a terminal ends when its client disconnects before it has opened', async () => {
    const socket = shake();
    socket.end();
    socket.resume();
    await once(socket, 'close');
    await vi.waitFor(async () => expect(await countTerminals()).toBe(0));
  });

  test.each([
    ['messages', frameOf(1, '{"type":"ping"}')],
    ['frames', frameOf(9)],
  ])('a terminal accepts a bounded number of %s whose responses are not read', async (_, ping) => {
    const socket = shake();
    await once(socket, 'data');
    socket.pause();
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    const many = Buffer.concat(Array.from({ length: 20_000 }, () => ping));
    const most = 60_000_000;
    while (socket.bytesWritten < most && !socket.destroyed) {
      if (!socket.write(many))
        await Promise.race([new Promise((resolve) => void socket.once('drain', resolve)), closed]);
    }
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(most / 2);
    await closed;
    await me.post(`${RUNTIMES}/first/exec`, { command: 'pkill -fx "sleep 4300"' });
  });

  test('a terminal responds to every ping of a client that reads', async () => {
    const client = await attach(place({ query: { command: 'cat' } }));
    for (let count = 0; count < 5_000; count += 1) client.say({ type: 'ping' });
    await vi.waitFor(() => expect(client.messages).toHaveLength(5_001), 10_000);
    client.say({ type: 'hang_up' });
    expect(await client.closed).toBe(CLOSES.ended);
  });

  test.each([false, true])('a terminal accepts a long paste, with acknowledges=%s', async (acknowledges) => {
    const command = 'stty raw -echo; echo ready; exec cat';
    const client = await attach(place({ query: { command, acknowledges } }));
    await client.until(/^ready\n/);
    client.socket.on('message', (_data, isBinary) => {
      if (isBinary && acknowledges) client.say({ type: 'ack', offset: client.received });
    });
    const bytes = 4 * 1024 ** 2;
    for (let sent = 0; sent < bytes; sent += 65_536) client.socket.send(Buffer.alloc(65_536, 'a'));
    await vi.waitFor(() => expect(client.received).toBe(6 + bytes), 30_000);
    client.say({ type: 'hang_up' });
    expect(await client.closed).toBe(CLOSES.ended);
  });

  test.each([0.5, 3])(
    'a terminal still handles control messages and its end behind %s MiB of unread input',
    async (mebibytes) => {
      const command = 'stty raw -echo; echo ready; sleep 4301';
      const client = await attach(place({ query: { command } }));
      await client.until(/^ready\n/);
      client.socket.send(Buffer.alloc((mebibytes * 1024 ** 2) / 3));
      client.socket.send(Buffer.alloc((mebibytes * 1024 ** 2) / 3));
      client.socket.send(Buffer.alloc((mebibytes * 1024 ** 2) / 3));
      await sleep(4 * PING_MS);
      expect(client.socket.readyState).toBe(client.socket.OPEN);
      if (mebibytes < 1) client.say({ type: 'hang_up' });
      else await me.post(`${RUNTIMES}/first/exec`, { command: 'pkill -fx "sleep 4301"' });
      expect(await client.closed).toBe(CLOSES.ended);
    },
  );
});
