/** Connections that break at every possible moment: a request that may have been received is not sent again. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ask, failure, openClient, openServer, openTcpServer, read } from '../../../test/outbound-calls.ts';

/** Tracks the client's own sockets that are opened from now on: other code of this process may open some, too. */
function watchSockets(): { getLast(port: number): Socket | undefined } {
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  onTestFinished(() => void unsubscribe('net.client.socket', note));
  return { getLast: (port) => sockets.findLast(({ remotePort }) => remotePort === port) };
}

const post = (url: string) => ask(url, { method: 'POST', body: 'x' });
const FINE = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine';

test.each(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EOTHER'])(
  '%s of an established connection is not reported as unreachable',
  async (code) => {
    const sockets = watchSockets();
    const fail = () =>
      sockets.getLast(server.port)?.destroy(Object.assign(new Error(`read ${code}`), { code }));
    let asked = 0;
    const server = await openServer((_, response) => {
      asked++;
      // Fails immediately, after a while, and within the response.
      if (asked === 1) fail();
      else if (asked === 2) setTimeout(fail, 1_200);
      else response.write('some', () => setTimeout(fail, 20));
    });
    const client = openClient();
    const strict = openClient({ staleMs: 100 });
    expect(await failure(client.send(post(server.origin)))).toBe('broken');
    expect(await failure(strict.send(post(server.origin)))).toBe('lost');
    expect(await failure(client.send(post(server.origin)).then(({ body }) => read(body)))).toBe('broken');
    expect([asked, client.connectionCount, strict.connectionCount]).toEqual([3, 0, 0]);
  },
);

test('the time to open a connection does not count toward the timeout', async () => {
  const server = await openServer((_, response) => void response.destroy());
  const client = openClient({
    staleMs: 1_000,
    resolve: (_, done) => void setTimeout(() => done(null, [{ address: '127.0.0.1', family: 4 }]), 1_200),
  });
  expect(await failure(client.send(post(`http://models.test:${server.port}/`)))).toBe('broken');
});

test.each([
  ['closes', (socket: Socket) => socket.end()],
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
])(
  'a kept connection that the other side %s when it is used again is replaced by a new one',
  async (_, close) => {
    let asked = 0;
    const closing = new Set<Socket>();
    const server = await openTcpServer((socket) =>
      socket.on('data', () => {
        asked++;
        if (closing.has(socket)) return close(socket);
        closing.add(socket);
        return setTimeout(() => socket.write(FINE), 20);
      }),
    );
    const client = openClient();
    const send = async () => read((await client.send(post(server))).body);
    // All kept connections are about to be closed: only the first one is tried.
    await Promise.all([send(), send(), send(), send()]);
    expect([asked, closing.size, client.connectionCount]).toEqual([4, 4, 4]);
    expect(await send()).toBe('fine');
    expect([asked, closing.size]).toEqual([6, 5]);
  },
);

test('the network latency to a distant server does not count toward the timeout', async () => {
  let asked = 0;
  const server = await openTcpServer((socket) =>
    socket.on('data', () => {
      if (++asked === 2) setTimeout(() => socket.resetAndDestroy(), 250);
      else socket.write(FINE);
    }),
  );
  const client = openClient({ staleMs: 100 });
  const first = client.send(post(server));
  // The connection is opened while the event loop is blocked for about the time of a packet around the world.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 450);
  expect(await read((await first).body)).toBe('fine');
  expect(await read((await client.send(post(server))).body)).toBe('fine');
  expect(asked).toBe(3);
});

test('a request is sent again at most once, however many connections are kept', async () => {
  let asked = 0;
  const server = await openTcpServer((socket) =>
    socket.on('data', () => {
      if (++asked > 4) socket.resetAndDestroy();
      else setTimeout(() => socket.write(FINE), 20);
    }),
  );
  const client = openClient();
  await Promise.all([1, 2, 3, 4].map(async () => read((await client.send(post(server))).body)));
  expect(await failure(client.send(post(server)))).toBe('broken');
  expect(asked).toBe(6);
});

test.each([false, true])(
  'a request whose connection is closed on this side fails and is not sent again (used before: %s)',
  async (isUsed) => {
    let asked = 0;
    const server = await openServer((request, response) => {
      asked++;
      if (request.url === '/whole') response.end('fine');
      else if (request.url === '/some') response.write('some');
    });
    const client = openClient();
    const to = (path: string) => post(`${server.origin}${path}`);
    const once = async () => read((await client.send(to('/whole'))).body);
    if (isUsed) await Promise.all([once(), once()]);
    const { body } = await client.send(to('/some'));
    await body.next();
    const failing = [failure(client.send(to('/none'))), failure(body.next())];
    await expect.poll(() => asked).toBe(isUsed ? 4 : 2);
    client.close();
    expect(await Promise.all(failing)).toEqual(['lost', 'lost']);
    expect([asked, client.connectionCount]).toEqual([isUsed ? 4 : 2, 0]);
  },
);

test('send opens another connection when the server wrote to a kept one between two requests', async () => {
  const sockets: Socket[] = [];
  const received: string[] = [];
  const server = await openTcpServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => {
      received.push(`${sockets.indexOf(socket)}: ${chunk.toString().slice(0, 4)}`);
      socket.write(FINE);
    });
  });
  const client = openClient();
  expect(await read((await client.send(post(server))).body)).toBe('fine');
  sockets[0]?.write(FINE.replace('fine', 'fake'));
  await expect.poll(() => client.connectionCount).toBe(0);
  expect(await read((await client.send(post(server))).body)).toBe('fine');
  expect(received).toEqual(['0: POST', '1: POST']);
});

test('a request that was not sent yet uses another connection, even after a long wait for its turn', async () => {
  const sockets: Socket[] = [];
  const server = await openTcpServer((socket) => {
    sockets.push(socket);
    socket.on('data', () => socket.write(FINE));
  });
  const client = openClient();
  expect(await read((await client.send(post(server))).body)).toBe('fine');
  const received = new Promise<string>((resolve) =>
    setTimeout(() => {
      sockets[0]?.resetAndDestroy();
      resolve(client.send(post(server)).then(({ body }) => read(body)));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
    }, 20),
  );
  expect(await received).toBe('fine');
  expect(sockets).toHaveLength(2);
});

test('a request that is aborted in the turn in which it began is never sent', async () => {
  let asked = 0;
  const server = await openServer((_, response) => {
    asked++;
    response.end('fine');
  });
  const client = openClient();
  const send = async (signal?: AbortSignal) =>
    read((await client.send({ ...post(server.origin), signal })).body);
  expect(await send()).toBe('fine');
  const leaving = new AbortController();
  const left = send(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(await send()).toBe('fine');
  expect(asked).toBe(2);
});

test('a connection that is still being opened is closed on this side, too', async () => {
  const client = openClient({ isReachable: () => true, resolve: () => undefined });
  const failing = failure(client.send(post('http://silent.test/')));
  client.close();
  expect(await failing).toBe('lost');
});

test('a timeout message states the waited time with few digits', async () => {
  const server = await openServer(() => undefined);
  const timeouts = { connect: 2_000, firstByte: 100.16917, idle: 2_000 };
  await expect(openClient().send(ask(server.origin, { timeouts }))).rejects.toThrow(
    /^It did not begin to respond within 0\.1 s\.$/,
  );
});
