import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  ask,
  failure,
  openClient,
  openServer,
  openTcpServer,
  read,
  TIMEOUTS,
} from '../../../test/outbound-calls.ts';
import { GuardedClient, type GuardedClientOptions } from './guarded-client.ts';
import type { ResponseBody } from './response-body.ts';

describe('the address check', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'https://192.168.0.1/',
    'http://localhost/',
  ])('refuses %s', async (url) => {
    await expect(new GuardedClient().send(ask(url))).rejects.toMatchObject({
      failure: 'refused',
      message: expect.stringMatching(/has no public address/),
    });
  });

  test('checks the address of a name at each connection and connects to the checked one', async () => {
    const server = await openServer((_, response) => response.end('here'));
    let addresses = [{ address: '127.0.0.1', family: 4 }];
    const asked: string[] = [];
    const isReachable = (address: string) => asked.push(address) > 0 && address !== '10.9.9.9';
    const client = openClient({ isReachable, resolve: (_, done) => done(null, addresses) });
    const url = `http://models.test:${server.port}/`;
    expect(await read((await client.send(ask(url))).body)).toBe('here');
    // The name now resolves to a private address: the kept connection continues, a new one is refused.
    addresses = [{ address: '10.9.9.9', family: 4 }];
    for (const socket of server.sockets) socket.destroy();
    await expect.poll(() => failure(client.send(ask(url)))).toBe('refused');
    // Among several addresses, the permitted ones are used.
    addresses = [...addresses, { address: '127.0.0.1', family: 4 }];
    expect(await read((await client.send(ask(url))).body)).toBe('here');
    expect(asked).toEqual(expect.arrayContaining(['127.0.0.1', '10.9.9.9']));
  });

  test('returns a redirect as a response', async () => {
    const server = await openServer((_, response) =>
      response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end('go there'),
    );
    const received = await openClient().send(ask(server.origin, { method: 'POST', body: '{}' }));
    expect(received).toMatchObject({ status: 307, headers: { location: 'http://169.254.169.254/latest' } });
    expect(await read(received.body)).toBe('go there');
  });

  test.each([
    ['ftp://example.com/', {}, 'refused'],
    ['http://127.0.0.1:1/', {}, 'unreachable'],
    ['http://127.0.0.1:1/', { headers: { authorization: 'one\ntwo' } }, 'refused'],
    ['http://name.invalid/', {}, 'untrusted'],
  ])('fails for %s with %j: %s', async (url, more, expected) => {
    const resolve: GuardedClientOptions['resolve'] = (_, done) =>
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    const client = openClient({ isReachable: () => true, resolve });
    expect(await failure(client.send(ask(url, more)))).toBe(expected);
  });

  test('a server that does not speak TLS is not trusted', async () => {
    const server = await openServer((_, response) => response.end());
    const url = server.origin.replace('http:', 'https:');
    expect(await failure(openClient().send(ask(url)))).toBe('untrusted');
  });
});

describe('connections', () => {
  test('are kept for the next request, even if the rest of a response was not read', async () => {
    const server = await openServer((_, response) => response.end('x'.repeat(20_000)));
    const client = openClient();
    for (let n = 0; n < 5; n++) {
      const response = await client.send(ask(server.origin));
      if (n % 2) response.body.release();
      else await read(response.body);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(server.sockets).toHaveLength(1);
  });

  test('are kept when the rest of a response is released after its first chunk', async () => {
    const server = await openServer((_, response) => {
      response.write('first', () => setTimeout(() => response.end('rest'), 5));
    });
    const client = openClient();
    for (let n = 0; n < 4; n++) {
      const { body } = await client.send(ask(server.origin));
      await body.next();
      body.release();
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(server.sockets).toHaveLength(1);
  });

  test('that the other side closed in between are replaced', async () => {
    const server = await openServer((_, response) => response.end('fine'));
    const client = openClient();
    const askAll = () =>
      Promise.all(
        Array.from({ length: 3 }, async () =>
          read((await client.send(ask(server.origin, { method: 'POST', body: 'x' }))).body),
        ),
      );
    await askAll();
    for (const socket of server.sockets) socket.resetAndDestroy();
    expect(await askAll()).toEqual(['fine', 'fine', 'fine']);
  });

  test('that break while the server works are not retried: the server may have done the work', async () => {
    let asked = 0;
    const server = await openServer((_, response) => {
      if (++asked === 1) response.end('fine');
      else setTimeout(() => response.socket?.resetAndDestroy(), 1_200);
    });
    const client = openClient({ staleMs: 100 });
    await read((await client.send(ask(server.origin, { method: 'POST', body: 'x' }))).body);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await failure(client.send(ask(server.origin, { method: 'POST', body: 'x' })))).toBe('lost');
    expect([asked, server.sockets.length]).toEqual([2, 1]);
  });

  test.each([
    ['stops reading', async (body: AsyncIterableIterator<Buffer>) => void (await body.return?.())],
    ['releases an endless answer', async (body: { release(): void }) => body.release()],
  ])('end when their reader %s', async (_, leave) => {
    const server = await openServer((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const { body } = await openClient().send(ask(server.origin));
    await body.next();
    expect(server.open()).toBe(1);
    await leave(body);
    await expect.poll(server.open).toBe(0);
    expect(await body.next()).toMatchObject({ done: true });
  });

  test.each([
    ['says that it closes them', 'connection: close\r\n', ''],
    ['keeps them for no time', 'keep-alive: timeout=0\r\n', ''],
    ['answers once more than it was asked', '', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother'],
  ])('are not reused when the other side %s', async (_, headers, rest) => {
    const server = await openTcpServer((socket) =>
      socket.on('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: 4\r\n\r\nmine${rest}`),
      ),
    );
    const client = openClient();
    // Sends at once, before the connection has reported that it is closed.
    for (let n = 0; n < 20; n++) expect(await read((await client.send(ask(server))).body)).toBe('mine');
    await expect.poll(() => client.connectionCount).toBe(0);
  });

  test.each([
    ['released', (body: ResponseBody) => body.release()],
    ['left', (body: ResponseBody) => void body.return()],
  ])(
    'are free for the next request after the end of a response, even if it is %s later',
    async (_, leave) => {
      let asked = 0;
      const server = await openServer((_request, response) => {
        if (++asked > 1) setTimeout(() => response.end('second'), 1_200);
        // More bytes than are decoded at once without a reader.
        else
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2_000_000, 'x')));
      });
      const client = openClient();
      const first = await client.send(ask(server.origin));
      await first.body.next();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const second = client.send(ask(server.origin));
      leave(first.body);
      expect(await read((await second).body)).toBe('second');
      expect(server.sockets).toHaveLength(1);
    },
  );

  const continues = 'HTTP/1.1 100 Continue\r\n\r\n';
  test.each([
    ['101', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n', 'garbage'],
    ['100 without an end', continues.repeat(30), 'garbage'],
    ['100, and nothing more', `${continues}!`, 'lost'],
    ['half a head, and nothing more', 'HTTP/1.1 200 OK\r\nx: y!', 'lost'],
  ])('that answer with %s do not count as closed: the request is sent once', async (_, head, expected) => {
    let asked = 0;
    const server = await openTcpServer((socket) =>
      socket.on('data', () => {
        if (++asked === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine');
        else if (head.endsWith('!')) socket.end(head.slice(0, -1));
        else socket.write(head);
      }),
    );
    const client = openClient();
    const send = () => client.send(ask(server, { method: 'POST', body: 'x' }));
    expect(await read((await send()).body)).toBe('fine');
    expect(await failure(send())).toBe(expected);
    expect(asked).toBe(2);
  });

  test('that announce a response wait for it', async () => {
    let asked = 0;
    const server = await openTcpServer((socket) =>
      socket.on('data', () => {
        asked++;
        socket.write(`${continues}HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n`);
        setTimeout(() => socket.write('content-length: 4\r\n\r\nfine'), 20);
      }),
    );
    const client = openClient();
    for (let n = 1; n <= 3; n++) {
      const response = await client.send(ask(server, { method: 'POST', body: 'x' }));
      expect([response.status, response.headers.link, await read(response.body)]).toEqual([
        200,
        undefined,
        'fine',
      ]);
      expect([asked, client.connectionCount]).toEqual([n, 1]);
    }
  });

  test('that could not be opened are forgotten', async () => {
    const client = openClient({ isReachable: () => true, resolve: () => undefined });
    const timeouts = { ...TIMEOUTS, connect: 50 };
    const url = 'http://silent.test/';
    expect(await failure(client.send(ask(url, { timeouts })))).toBe('timeout');
    const signal = AbortSignal.timeout(20);
    await expect(client.send(ask(url, { signal }))).rejects.toThrow('aborted due to timeout');
    expect(client.connectionCount).toBe(0);
  });

  test.each(['before the head', 'in the middle'])('end with the signal, %s', async (when) => {
    const server = await openServer((_, response) => {
      if (when === 'in the middle') response.write('some');
    });
    const abort = new AbortController();
    const reason = new Error('nobody waits');
    const reading = openClient()
      .send(ask(server.origin, { signal: abort.signal }))
      .then(({ body }) => read(body));
    await expect.poll(server.open).toBe(1);
    setTimeout(() => abort.abort(reason), 50);
    await expect(reading).rejects.toBe(reason);
    await expect.poll(server.open).toBe(0);
    await expect(openClient().send(ask(server.origin, { signal: abort.signal }))).rejects.toBe(reason);
  });
});

describe('a response', () => {
  test('that does not begin or stalls times out, but not because of a slow reader', async () => {
    const timeouts = { connect: 2_000, firstByte: 2_000, idle: 2_000 };
    const client = openClient();
    const silent = await openServer(() => undefined);
    expect(await failure(client.send(ask(silent.origin, { timeouts })))).toBe('timeout');
    const stalled = await openServer((_, response) => response.write('some'));
    const { body } = await client.send(ask(stalled.origin, { timeouts }));
    expect(await body.next()).toMatchObject({ value: Buffer.from('some') });
    expect(await failure(body.next())).toBe('timeout');
    await expect.poll(() => silent.open() + stalled.open()).toBe(0);
    const good = await openServer((_, response) => response.write('one', () => response.end('two')));
    const received = await client.send(ask(good.origin, { timeouts }));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await read(received.body)).toBe('onetwo');
  });

  test('waits for a slow reader and arrives completely', async () => {
    const size = 20_000_000;
    const server = await openServer((_, response) => response.end(Buffer.alloc(size, 'x')));
    const { body } = await openClient().send(ask(server.origin));
    let length = 0;
    let largest = 0;
    for await (const piece of body) {
      length += piece.length;
      largest = Math.max(largest, piece.length);
      if (length < 2_000_000) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(length).toBe(size);
    expect(largest).toBeLessThan(1_000_000);
  });

  test('contains every byte that arrived before the connection broke, even for a late reader', async () => {
    const server = await openServer((_, response) => {
      response.write('hello', () => response.write('world', () => setTimeout(() => response.destroy(), 20)));
    });
    const { body } = await openClient().send(ask(server.origin));
    await expect.poll(server.open).toBe(0);
    expect(String((await body.next()).value)).toBe('helloworld');
    expect(await failure(body.next())).toBe('broken');
    expect(await body.next()).toMatchObject({ done: true });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('in %s, which was not requested, is decoded', async (encoding, encode) => {
    const accepted: unknown[] = [];
    const server = await openServer((request, response) => {
      accepted.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': encoding }).end(encode('{"a":1}'));
    });
    const client = openClient();
    expect(await read((await client.send(ask(server.origin))).body)).toBe('{"a":1}');
    expect(await read((await client.send(ask(server.origin))).body)).toBe('{"a":1}');
    expect(accepted).toEqual(['identity', 'identity']);
    expect(server.sockets).toHaveLength(1);
  });

  test.each([
    ['is not gzip', { 'content-encoding': 'gzip' }, 'plain', 'garbage'],
    [
      'ends within its gzip',
      { 'content-encoding': 'gzip' },
      gzipSync('x'.repeat(999)).subarray(0, 20),
      'garbage',
    ],
    ['has an unknown encoding', { 'content-encoding': 'secret' }, 'x', 'garbage'],
    ['is shorter than it said', { 'content-length': '100' }, 'x', 'broken'],
  ])('that %s fails', async (_, headers, content, expected) => {
    const server = await openServer((_request, response) => {
      response.writeHead(200, headers);
      response.write(content, () => {
        if ('content-length' in headers) response.destroy();
        else response.end();
      });
    });
    const received = openClient().send(ask(server.origin));
    expect(await failure(received.then(({ body }) => read(body)))).toBe(expected);
    // The HTTP response was complete or the connection has ended; either way, no connection is left open.
    if (expected === 'broken') await expect.poll(server.open).toBe(0);
  });

  test.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'garbage'],
    [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 'garbage'],
    ['HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n', 'garbage'],
    ['', 'broken'],
  ])('that begins with %.30j fails', async (head, expected) => {
    const server = await openTcpServer((socket) =>
      socket.once('data', () => (head ? socket.write(head) : socket.destroy())),
    );
    expect(await failure(openClient().send(ask(server)))).toBe(expected);
  });
});
