/** Requests to ports of real sandboxes, through the API. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  INSIDE_PORT,
  openInside,
  PORTS,
  PortClient,
  RUNTIMES,
  readResponse,
  responseOf,
  startInside,
  valueOf,
} from '../../../test/inside-servers.ts';
import { until } from '../../../test/processes.ts';
import { openRaw } from '../../../test/raw-http.ts';

const { server, url, inside, available } = await openInside();
const { owner } = server;
const me = server.as(owner);
const mia = await server.addPerson('mia', { role: 'member' });
const port = Number(new URL(url).port);
const PREFIX = `${PORTS}/${INSIDE_PORT}`;
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(!available)('requests to a port', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'a %s request is forwarded with its body',
    async (method) => {
      const body = randomBytes(100_000);
      const echoed = await inside.echo('/some/where?a=1&a=2', { method, body });
      expect(echoed).toMatchObject({
        method,
        target: '/some/where?a=1&a=2',
        length: body.length,
        sha256: digest(body),
      });
    },
  );

  test('a HEAD request gets the length of the GET response without a body', async () => {
    const { status, headers, bytes } = await inside.send('/', { method: 'HEAD' });
    expect(status).toBe(200);
    expect(Number(headers['content-length'])).toBeGreaterThan(0);
    expect(bytes).toHaveLength(0);
  });

  test('a chunked request is streamed, and the response may arrive in the meantime', async () => {
    const sent = inside.open('/mirror', { method: 'POST' });
    sent.write('one');
    const response = await responseOf(sent);
    const parts: string[] = [];
    response.setEncoding('utf8').on('data', (part: string) => void parts.push(part));
    await until('the first is back', () => parts.join('') === 'one');
    sent.write('two');
    await until('the second is back', () => parts.join('') === 'onetwo');
    sent.end('three');
    await once(response, 'end');
    expect(parts.join('')).toBe('onetwothree');
  });

  test.each([
    ['', '/'],
    ['/', '/'],
    ['?x=1', '/?x=1'],
    ['//', '//'],
    ['/a//b/', '/a//b/'],
    ['/../../../user', '/../../../user'],
    ['/a%2Fb%2e%2E/c', '/a%2Fb%2e%2E/c'],
    ['/caf%C3%A9?q=%zz&b=%00', '/caf%C3%A9?q=%zz&b=%00'],
    ['/a?b/c?d', '/a?b/c?d'],
    ['/a;b=c', '/a;b=c'],
    ['?/a/b', '/?/a/b'],
  ])('a request to %j is sent to %j inside', async (path, target) => {
    expect((await inside.echo(path)).target).toBe(target);
  });

  test("a request gets forwarding headers from the server's own knowledge and Host localhost", async () => {
    const headers = {
      host: 'api.example.com',
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-prefix': '/evil',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-request-id': 'mine',
      'accept-language': 'de',
    };
    const { headers: seen } = await inside.echo('/', { headers });
    expect(Object.fromEntries(seen.map(([name, value]) => [name.toLowerCase(), value]))).toEqual({
      host: `localhost:${INSIDE_PORT}`,
      'accept-language': 'de',
      connection: 'keep-alive',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'api.example.com',
      'x-forwarded-prefix': PREFIX,
      'x-forwarded-proto': 'http',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('a request never forwards a credential', async () => {
    const headers = {
      'x-api-key': owner.key,
      cookie: `session=${owner.key}`,
      'proxy-authorization': `Bearer ${owner.key}`,
      connection: 'x-secret',
      'x-secret': owner.key,
      'x-client-version': '1.0.0',
    };
    for (const given of [{}, headers]) {
      const { text } = await inside.send('/', { headers: given });
      expect(text).not.toContain(owner.key);
      expect(text.toLowerCase()).not.toMatch(/authorization|cookie|api-key|client-version/);
    }
  });

  test('a request with Expect: 100-continue gets 100 Continue', async () => {
    const sent = inside.open('/', {
      method: 'PUT',
      headers: { expect: '100-continue', 'content-length': 3 },
    });
    await once(
      sent.on('error', () => undefined),
      'continue',
    );
    sent.end('abc');
    const { text } = await readResponse(await responseOf(sent));
    expect(JSON.parse(text)).toMatchObject({ length: 3 });
    expect(text.toLowerCase()).not.toContain('expect');
  });

  test('a request that can be repeated reuses a pooled connection', async () => {
    await inside.send('/');
    const { connections } = await inside.counts();
    for (let n = 0; n < 5; n += 1) await inside.send('/');
    expect(await inside.counts()).toMatchObject({ connections });
    await inside.send('/', { method: 'POST', body: 'x' });
    expect((await inside.counts()).connections).toBe(connections + 1);
  });

  test('a request is repeated when its pooled connection is closed just then', async () => {
    const kept = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    for (let n = 0; n < 20; n += 1) {
      expect(await inside.raw(kept, { isReset: n % 2 === 0 })).toMatchObject({ status: 200, text: 'ok' });
    }
  });
});

describe.skipIf(!available)('access to ports', () => {
  const path = `${RUNTIMES}/first/ports/${INSIDE_PORT}/`;

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'a %s request is allowed for the owner only',
    async (method) => {
      const refused = async (key: string) => (await inside.send('/', { method, key })).status;
      expect(await refused('dd_none')).toBe(401);
      expect(await refused(mia.key)).toBe(403);
      expect(await refused((await server.addPerson(`out-${method.toLowerCase()}`)).key)).toBe(403);
      const { key } = (await me.post('/user/api-keys', { name: method, allowed_scopes: ['runtimes:read'] }))
        .body;
      expect(await refused(key)).toBe(403);
      expect(await refused(owner.key)).toBe(200);
    },
  );

  test('only exposed ports can be requested', async () => {
    expect(await me.get(`${RUNTIMES}/none/ports/${INSIDE_PORT}/`)).toMatchObject({ status: 404 });
    expect(await me.get(`${RUNTIMES}/first/ports/8001/`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/8001 is not exposed/) },
    });
    for (const wrong of ['0', '70000', '65536', '-1', 'http', '8e3', '08000', '0x50', '80.0', '%20']) {
      expect(await me.get(`${RUNTIMES}/first/ports/${wrong}/`)).toMatchObject({
        status: 422,
        body: { errors: [{ loc: ['path', 'port'] }] },
      });
    }
    expect(await me.get(`${RUNTIMES}/first/ports/9/`)).toMatchObject({
      status: 502,
      body: { type: 'bad_gateway_error', detail: expect.stringMatching(/Nothing listens at port 9 /) },
    });
    expect((await me.get(path, undefined, { 'service-worker': 'script' })).status).toBe(403);
  });

  test('a port can be requested while the runtime is running', async () => {
    await me.post(RUNTIMES, { key: 'second', config: { sandbox: { exposed_ports: [INSIDE_PORT] } } });
    const ask = () => me.get(`${RUNTIMES}/second/ports/${INSIDE_PORT}/`);
    expect(await ask()).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/start it/) } });
    await startInside(me, 'second');
    const client = new PortClient(url, owner.key, 'second');
    expect((await client.send('/')).status).toBe(200);
    const following = readResponse(await responseOf(client.open('/events?count=1000').end()));
    const socket = client.webSocket();
    await once(socket, 'open');
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    );
    await me.post(`${RUNTIMES}/second/pause`);
    expect((await following).isWhole).toBe(false);
    await closed;
    expect(await ask()).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/paused/) } });
    await me.post(`${RUNTIMES}/second/resume`);
    expect((await client.send('/')).status).toBe(200);
    await me.put(`${RUNTIMES}/second/config`, { sandbox: { exposed_ports: [] } });
    expect((await ask()).status).toBe(404);
    client.close();
    await me.delete(`${RUNTIMES}/second`);
    expect((await ask()).status).toBe(404);
  });
});

describe.skipIf(!available)('ambiguous requests', () => {
  const ask = async (head: string, rest = '') => {
    const { write, readResponse: read, socket } = await openRaw(port);
    write(`${head}Host: x\r\nAuthorization: Bearer ${owner.key}\r\n\r\n${rest}`);
    const response = await read();
    socket.destroy();
    return response;
  };

  test.each([
    [
      'a length and parts',
      `POST ${PREFIX}/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
      '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
      400,
    ],
    ['two lengths', `POST ${PREFIX}/ HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n`, 'abcde', 400],
    [
      'an encoding that is not known',
      `POST ${PREFIX}/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n`,
      '0\r\n\r\n',
      400,
    ],
    ['a header that is folded', `GET ${PREFIX}/ HTTP/1.1\r\nX-A: b\r\n Content-Length: 5\r\n`, '', 400],
    ['a space before the colon', `POST ${PREFIX}/ HTTP/1.1\r\nContent-Length : 4\r\n`, 'abcd', 400],
  ])('an ambiguous request is refused: %s', async (_name, head, rest, status) => {
    expect((await ask(head, rest)).status).toBe(status);
  });

  test('an absolute URL is accepted, and the program gets the path below the port', async () => {
    const { status, body } = await ask(`GET http://evil.example${PREFIX}/a?b HTTP/1.1\r\n`);
    expect(status).toBe(200);
    expect(JSON.parse(body).target).toBe('/a?b');
  });

  test('a pipelined second request is handled by the platform', async () => {
    const { write, readResponse: read, socket } = await openRaw(port);
    const head = `GET ${PREFIX}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`;
    write(`${head}GET ${PREFIX}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(401);
    socket.destroy();
  });

  test('an encoded line end in a header value stays a part of the value', async () => {
    const { body } = await ask(`GET ${PREFIX}/ HTTP/1.1\r\nX-A: b%0d%0aX-C: d\r\n`);
    const { headers } = JSON.parse(body);
    expect(valueOf(headers, 'x-a')).toBe('b%0d%0aX-C: d');
    expect(valueOf(headers, 'x-c')).toBeUndefined();
  });
});
