/** Responses from ports of real sandboxes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startEventServer } from '../../../test/event-harness.ts';
import {
  INSIDE_PORT,
  openInside,
  PORTS,
  PortClient,
  readResponse,
  responseOf,
} from '../../../test/inside-servers.ts';
import { until } from '../../../test/processes.ts';
import { PortPool } from './port-pool.ts';
import { portRoutes } from './routes.ts';

const { server, inside, available } = await openInside();
const PREFIX = `${PORTS}/${INSIDE_PORT}`;

describe.skipIf(!available)('responses from a port', () => {
  test('a response cannot act for the origin of the platform', async () => {
    const hostile = [
      'HTTP/1.1 200 OK',
      'Content-Length: 2',
      'Content-Type: text/html',
      "Content-Security-Policy: default-src 'self'",
      'Set-Cookie: a=b',
      'Set-Cookie: c=d',
      'Strict-Transport-Security: max-age=1',
      'Clear-Site-Data: "*"',
      'Service-Worker-Allowed: /',
      'Alt-Svc: h3=":443"',
      'Access-Control-Allow-Origin: *',
      'Access-Control-Allow-Credentials: true',
      'WWW-Authenticate: Basic realm="x"',
      'Proxy-Authenticate: Basic',
      'NEL: {}',
      'Report-To: {}',
      'X-Accel-Redirect: /internal/secret',
      'X-Sendfile: /etc/passwd',
      'X-Content-Type-Options: none',
      'Referrer-Policy: unsafe-url',
      'X-Drydock-Port: 1',
      'X-Request-Id: forged',
      'Set-Login: logged-in',
      'Use-As-Dictionary: match="/*"',
      'Speculation-Rules: "/rules.json"',
      'Attribution-Reporting-Register-Source: {}',
      'Observe-Browsing-Topics: ?1',
      'Sec-Session-Registration: (ES256);path="/x"',
      'X-Own: kept',
      'X-Hop: gone',
      'Connection: close, X-Hop',
      '',
      'ok',
    ].join('\r\n');
    const { headers, text } = await inside.raw(hostile);
    expect(text).toBe('ok');
    const { date, ...rest } = headers;
    expect(date).toBeDefined();
    expect(rest).toEqual({
      'cache-control': 'no-store',
      connection: 'keep-alive',
      'content-length': '2',
      'content-security-policy':
        "default-src 'self', sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads",
      'content-type': 'text/html',
      'keep-alive': expect.any(String),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-drydock-port': String(INSIDE_PORT),
      'x-own': 'kept',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('an error response of the platform has no trace of the inside', async () => {
    const { headers } = await inside.send('/', { key: 'dd_none' });
    expect(headers).not.toHaveProperty('x-drydock-port');
  });

  test.each([
    ['/login', `${PREFIX}/login`],
    [`${PREFIX}/login`, `${PREFIX}/login`],
    ['login?next=/a', 'login?next=/a'],
    [`http://localhost:${INSIDE_PORT}/a?b#c`, `${PREFIX}/a?b#c`],
    [`http://127.0.0.1:${INSIDE_PORT}`, `${PREFIX}/`],
    ['http://localhost:1/a', 'http://localhost:1/a'],
    ['//evil.example/a', '//evil.example/a'],
    ['https://example.com/a', 'https://example.com/a'],
    ['../..', `${PREFIX}/`],
    ['../../../x?y', `${PREFIX}/x?y`],
    ['.%2e/%2E./x', `${PREFIX}/x`],
    ['..\\..\\x', `${PREFIX}/x`],
    ['/../../x', `${PREFIX}/x`],
    [`${PREFIX}/../../x`, `${PREFIX}/x`],
    ['http:../../x', `${PREFIX}/x`],
  ])('a redirect to %j leads to %j outside', async (given, location) => {
    const response = `HTTP/1.1 302 Found\r\nLocation: ${given}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    expect(await inside.raw(response)).toMatchObject({ status: 302, headers: { location } });
  });

  test.each([
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['304', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n', 304, ''],
    ['500 of its own', 'HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nown', 500, 'own'],
    ['401 of its own', 'HTTP/1.1 401 No\r\nContent-Length: 3\r\n\r\nown', 401, 'own'],
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\nuntil the end', 200, 'until the end'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nold', 200, 'old'],
    [
      'after a hint',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      200,
      'ok',
    ],
  ])('a response is forwarded: %s', async (_name, raw, status, text) => {
    expect(await inside.raw(raw)).toMatchObject({ status, text, isWhole: true });
  });

  test.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9\r\n', /not HTTP/],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', /not HTTP/],
    [
      'has a length and parts',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /not HTTP/,
    ],
    ['is nothing', '', /without an answer/],
    ['ends in its head', 'HTTP/1.1 200 OK\r\nContent-Le', /without an answer/],
    ['has a header of no name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', /not HTTP/],
    [
      'says that it changes what it speaks, and to nothing',
      'HTTP/1.1 101 Switching Protocols\r\nContent-Length: 0\r\n\r\n',
      /101|without an answer/,
    ],
    ['has the status 000', 'HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n', /status 0\b|not HTTP/],
    ['has the status 099', 'HTTP/1.1 099 Nothing\r\nContent-Length: 0\r\n\r\n', /status 99\b|not HTTP/],
    [
      'changes what it speaks unasked',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      /without an answer/,
    ],
  ])('a response that %s returns 502', async (_name, raw, detail) => {
    const { status, text } = await inside.raw(raw);
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({
      type: 'bad_gateway_error',
      detail: expect.stringMatching(detail),
    });
  });

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart', false],
    ['parts', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n', false],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\npart', true],
  ])('a response that breaks off, with %s, is cut off', async (_name, raw, isReset) => {
    const { status, text, isWhole } = await inside.raw(raw, { wait: 0.1, isReset });
    expect([status, text, isWhole]).toEqual([200, 'part', false]);
  });

  test('an event stream is forwarded event by event', async () => {
    const response = await responseOf(inside.open('/events?count=2&delay=3600').end());
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
    // The first event arrives although the second is sent an hour later.
    for await (const part of response) {
      expect(String(part)).toMatch(/^data: 0 /);
      break;
    }
  });

  test('a response before the end of the request is forwarded', async () => {
    const sent = inside.open('/early', { method: 'POST', headers: { 'content-length': 10_000_000 } });
    sent.write('x'.repeat(1_000_000));
    const response = await readResponse(await responseOf(sent));
    expect(response).toMatchObject({ status: 413, text: 'too much', isWhole: true });
    sent.destroy();
  });

  test('a response that does not start returns 504; one that has started has no timeout', async () => {
    const { operator } = server.sandboxes ?? expect.fail('there are no sandboxes');
    const routes = portRoutes({ db: server.db, pool: new PortPool(operator), firstByteMs: 3_000 });
    const hasty = await startEventServer(server, { moreRoutes: [routes] });
    const client = new PortClient(hasty.url, server.owner.key, 'first');
    const { status, text } = await client.send('/silent');
    expect([status, JSON.parse(text).type]).toEqual([504, 'gateway_timeout_error']);
    expect(await client.send('/events?count=3&delay=1.2')).toMatchObject({ status: 200, isWhole: true });
    // The timeout does not run while the request is being sent.
    const sent = client.open('/', { method: 'POST' });
    const response = responseOf(sent);
    for (let part = 0; part < 5; part += 1) {
      sent.write('part');
      await sleep(800);
    }
    sent.end();
    expect((await readResponse(await response)).status).toBe(200);
    client.close();
  });

  test('a response is cut off when its reader loses permission', async () => {
    const { operator } = server.sandboxes ?? expect.fail('there are no sandboxes');
    const routes = portRoutes({ db: server.db, pool: new PortPool(operator) });
    const timings = { recheckMs: 100 };
    const strict = await startEventServer(server, { moreRoutes: [routes], timings });
    const { body } = await server.as(server.owner).post('/user/api-keys', { name: 'short' });
    const client = new PortClient(strict.url, body.key as string, 'first');
    const { left } = await inside.counts();
    const following = readResponse(await responseOf(client.open('/events?count=1000').end()));
    await server.as(server.owner).delete(`/user/api-keys/${body.id}`);
    expect(await following).toMatchObject({ status: 200, isWhole: false });
    await until('the inside is left', async () => (await inside.counts()).left === left + 1);
    client.close();
  });

  test('a response is not waited for when the client has disconnected', async () => {
    const { left, silent } = await inside.counts();
    const sent = inside.open('/silent').on('error', () => undefined);
    sent.end();
    await until('the inside has heard it', async () => (await inside.counts()).silent === silent + 1);
    sent.destroy();
    const following = inside.open('/events?count=1000&delay=0.01').end();
    (await responseOf(following)).on('error', () => undefined).resume();
    following.destroy();
    await until('the inside is left', async () => (await inside.counts()).left === left + 2);
  });
});
