import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ask, askTunnel, openHost, openProxy, openTcpHost } from '../../../../test/egress-proxies.ts';

describe('a request for http://… through the proxy', () => {
  test('reaches an allowed host, and returns its response', async () => {
    const port = await openHost((request, response) => {
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.statusCode = 207;
      response.end(`${request.method} ${request.url} ${request.headers.host}`);
    });
    const { socketPath, entries } = await openProxy([`ok.test:${port}`]);
    const received = await ask(socketPath, `http://ok.test:${port}/a/../b?c=%20#d`);
    expect(received.status).toBe(207);
    expect(received.body).toBe(`GET /a/../b?c=%20 ok.test:${port}`);
    expect(received.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(entries).toEqual([{ at: expect.any(Date), host: 'ok.test', port, isAllowed: true }]);
  });

  test.each([
    ['with a length', { 'Content-Length': '7' }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
    ['in chunks, with a GET', { 'Transfer-Encoding': 'chunked', 'X-Method': 'GET' }],
    [
      'whose length the client calls a matter of the connection',
      { 'Content-Length': '7', Connection: 'content-length' },
    ],
  ])('carries a body %s', async (_, headers) => {
    const port = await openHost((request, response) => {
      void text(request).then((body) => response.end(`${request.method} ${body}`));
    });
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    const method = 'X-Method' in headers ? 'GET' : 'POST';
    const received = await ask(socketPath, `http://ok.test:${port}/`, { method, headers, body: 'content' });
    expect(received.body).toBe(`${method} content`);
  });

  test('is sent without hop-by-hop headers, and to the host of its URL', async () => {
    const port = await openHost((request, response) => {
      response.writeHead(200, {
        Connection: 'x-answer-hop',
        'X-Answer-Hop': '1',
        'X-Answer': '2',
        'Proxy-Authenticate': 'Basic',
      });
      response.end(JSON.stringify(request.headers));
    });
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    const received = await ask(socketPath, `http://user:password@ok.test:${port}/`, {
      headers: {
        Host: 'other.test',
        Connection: 'x-hop, keep-alive',
        'X-Hop': '1',
        'X-Kept': '2',
        'Proxy-Authorization': 'Basic c2VjcmV0',
        'Proxy-Connection': 'keep-alive',
        TE: 'trailers',
        Upgrade: 'websocket',
      },
    });
    expect(JSON.parse(received.body)).toEqual({
      host: `ok.test:${port}`,
      'x-kept': '2',
      via: '1.1 drydock',
      connection: 'close',
    });
    expect(received.headers).toMatchObject({ 'x-answer': '2', via: '1.1 drydock' });
    expect(received.headers).not.toHaveProperty('x-answer-hop');
    expect(received.headers).not.toHaveProperty('proxy-authenticate');
  });

  test('is cut off when the response is', async () => {
    const port = await openHost((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.destroy());
    });
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    await expect(ask(socketPath, `http://ok.test:${port}/`)).rejects.toThrow();
  });

  test('returns 502 when the host does not speak HTTP', async () => {
    const port = await openTcpHost((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    const response = await ask(socketPath, `http://ok.test:${port}/`);
    expect(response.status).toBe(502);
  });

  test.each(['https://ok.test/', 'ftp://ok.test/', 'http://', 'http://ok test/', '*'])(
    'returns 400 for an invalid URL (%s) without a decision',
    async (url) => {
      const { socketPath, entries } = await openProxy(['ok.test']);
      const response = await ask(socketPath, url.replace(' ', '%20'));
      expect(response.status).toBe(400);
      expect(response.body).toContain('HTTP_PROXY');
      expect(entries).toEqual([]);
    },
  );

  test('returns 403 for a bare path without platform access, without a decision', async () => {
    const { socketPath, entries } = await openProxy(['ok.test']);
    const response = await ask(socketPath, '/v1/models');
    expect(response.status).toBe(403);
    expect(response.body).toContain('sandbox.platform_access');
    expect(entries).toEqual([]);
  });
});

describe('a tunnel through the proxy', () => {
  test('carries bytes in both directions, and ends each direction separately', async () => {
    const port = await openTcpHost((socket) => {
      socket.write('greeting ');
      void text(socket).then((received) => socket.end(`got ${received}`));
    });
    const { socketPath, entries } = await openProxy([`ok.test:${port}`]);
    const { status, socket, body } = await askTunnel(socketPath, `ok.test:${port}`);
    expect(status).toBe(200);
    socket.end('some bytes');
    expect(body + (await text(socket))).toBe('greeting got some bytes');
    expect(entries).toEqual([{ at: expect.any(Date), host: 'ok.test', port, isAllowed: true }]);
  });

  test('applies backpressure to the sender when the receiver does not read', async () => {
    const port = await openTcpHost((socket) => socket.pause());
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    const { socket } = await askTunnel(socketPath, `ok.test:${port}`);
    const megabyte = Buffer.alloc(1024 * 1024);
    for (let n = 0; n < 64; n++) socket.write(megabyte);
    await new Promise((waited) => setTimeout(waited, 300));
    // Only the buffers of the kernel and of the streams in between are filled.
    expect(socket.writableLength).toBeGreaterThan(32 * 1024 * 1024);
    socket.destroy();
  });

  test('ends at the host when the client leaves', async () => {
    let left = () => {};
    const closed = new Promise<void>((resolve) => {
      left = resolve;
    });
    const port = await openTcpHost((host) => {
      host.on('end', () => host.end());
      host.on('close', left).resume();
    });
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    const { socket } = await askTunnel(socketPath, `ok.test:${port}`);
    socket.destroy();
    await closed;
  });

  test('ends at the client when the host disconnects', async () => {
    const port = await openTcpHost((host) => host.once('data', () => host.resetAndDestroy()));
    const { socketPath } = await openProxy([`ok.test:${port}`]);
    const { socket } = await askTunnel(socketPath, `ok.test:${port}`);
    socket.resume().write('hello');
    await once(socket, 'close');
  });

  test('returns 502 for a port without a listener, and counts as allowed', async () => {
    const port = await openTcpHost(() => undefined);
    const { socketPath, entries } = await openProxy(['ok.test:1']);
    const { status, body } = await askTunnel(socketPath, 'ok.test:1');
    expect(port).not.toBe(1);
    expect(status).toBe(502);
    expect(body).toContain('may be reached');
    expect(entries).toMatchObject([{ host: 'ok.test', port: 1, isAllowed: true }]);
  });

  test.each(['ok.test', 'http://ok.test:443', '/', 'ok.test:443:443', 'ok.test:99999'])(
    'to %s returns 400',
    async (authority) => {
      const { socketPath, entries } = await openProxy(['ok.test']);
      expect((await askTunnel(socketPath, authority)).status).toBe(400);
      expect(entries).toEqual([]);
    },
  );
});

describe('a host requested from the proxy', () => {
  test('is refused when it is not allowed, with the pattern to add', async () => {
    const { socketPath, entries } = await openProxy(['ok.test']);
    const plain = await ask(socketPath, 'http://no.test/');
    const tunnel = await askTunnel(socketPath, 'no.test:22');
    expect(plain).toMatchObject({
      status: 403,
      body: expect.stringContaining('Add "no.test" to sandbox.egress_allow'),
    });
    expect(tunnel).toMatchObject({ status: 403, body: expect.stringContaining('Add "no.test:22" to') });
    expect(entries).toMatchObject([
      { host: 'no.test', port: 80, isAllowed: false, reason: expect.stringContaining('allow-list') },
      { host: 'no.test', port: 22, isAllowed: false, reason: expect.stringContaining('allow-list') },
    ]);
  });

  test('is refused without a public address, in every spelling of its addresses', async () => {
    const { isPublicAddress } = await import('../../net/addresses.ts');
    let addresses: string[] = [];
    const { socketPath } = await openProxy(['ok.test'], {
      resolve: async () => addresses,
      isReachable: isPublicAddress,
    });
    for (const address of [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '169.254.169.254',
      '0.0.0.0',
      '64:ff9b::7f00:1',
    ]) {
      addresses = [address];
      const { status, body } = await askTunnel(socketPath, 'ok.test:443');
      expect(status).toBe(403);
      expect(body).toContain('no public address');
      expect(body).not.toContain(address);
    }
  });

  test('is reached at the checked address, even when its name changes', async () => {
    const port = await openTcpHost((socket) => socket.end('right'));
    const resolved = [['127.0.0.1'], ['127.0.0.2']];
    let asked = 0;
    const { socketPath } = await openProxy([`ok.test:${port}`], {
      resolve: async () => resolved[asked++] ?? [],
      isReachable: (address) => address === '127.0.0.1',
    });
    const { socket, body } = await askTunnel(socketPath, `ok.test:${port}`);
    expect(body + (await text(socket))).toBe('right');
    expect(asked).toBe(1);
  });

  test('is reached at another address when one is not permitted or does not respond', async () => {
    const port = await openTcpHost((socket) => socket.end('right'));
    const { socketPath } = await openProxy([`ok.test:${port}`], {
      resolve: async () => ['10.0.0.1', '127.0.0.9', '127.0.0.1'],
      isReachable: (address) => address.startsWith('127.'),
    });
    const { status, socket, body } = await askTunnel(socketPath, `ok.test:${port}`);
    expect(status).toBe(200);
    expect(body + (await text(socket))).toBe('right');
  });

  test('returns 502 when its name is unknown', async () => {
    const { socketPath, entries } = await openProxy(['ok.test'], {
      resolve: () => Promise.reject(new Error('ENOTFOUND')),
    });
    const { status, body } = await askTunnel(socketPath, 'ok.test:443');
    expect(status).toBe(502);
    expect(body).toContain('no address');
    expect(entries).toMatchObject([{ isAllowed: false }]);
  });

  test('is refused on this machine with the default checks', async () => {
    const port = await openTcpHost((socket) => socket.end('wrong'));
    const { AllowList } = await import('./allow-list.ts');
    const { decide } = await import('./decision.ts');
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const allow = new AllowList([`${host}:${port}`]);
      const destination = { host: host.replace(/[[\]]/g, ''), port };
      expect(await decide(destination, allow, {})).toMatchObject({ isAllowed: false });
    }
  });
});

test('a client that disconnects during the lookup of its host leaves nothing open', async () => {
  const accepted: unknown[] = [];
  const port = await openTcpHost((socket) => {
    accepted.push(socket);
    socket.on('close', () => accepted.pop());
    socket.resume();
  });
  let resolveLookup: (addresses: string[]) => void = () => {};
  const { socketPath, entries } = await openProxy([`ok.test:${port}`], {
    resolve: () =>
      new Promise((resolve) => {
        resolveLookup = resolve;
      }),
  });
  const { connect } = await import('node:net');
  const client = connect(socketPath);
  client.write(`CONNECT ok.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((waited) => setTimeout(waited, 50));
  client.destroy();
  await once(client, 'close');
  resolveLookup(['127.0.0.1']);
  await expect.poll(() => entries.length).toBe(1);
  await expect.poll(() => accepted.length).toBe(0);
});
