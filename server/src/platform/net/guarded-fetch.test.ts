import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { GuardedClient, type GuardedClientOptions } from './guarded-client.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const TIMEOUTS = { connect: WAIT_TIMEOUT_MS, firstByte: WAIT_TIMEOUT_MS, idle: WAIT_TIMEOUT_MS };

function openFetch(options: GuardedClientOptions = { isReachable: () => true }): typeof fetch {
  const client = new GuardedClient(options);
  onTestFinished(() => client.close());
  return createGuardedFetch(client, TIMEOUTS);
}

async function openServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  return { origin: `http://127.0.0.1:${port}`, open };
}

test('sends requests and returns responses like the global fetch', async () => {
  const server = await openServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      const { method, url, headers } = request;
      response.writeHead(201, { 'x-a': '1', 'content-encoding': 'gzip', 'set-cookie': ['a=1', 'b=2'] });
      response.end(gzipSync(JSON.stringify({ method, url, type: headers['content-type'], body })));
    });
  });
  const received = await openFetch()(`${server.origin}/a?b=c`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"ü":1}',
  });
  expect(received).toMatchObject({ status: 201, ok: true });
  expect(received.headers.get('x-a')).toBe('1');
  expect(received.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(received.headers.get('content-encoding')).toBeNull();
  expect(await received.json()).toEqual({
    method: 'POST',
    url: '/a?b=c',
    type: 'application/json',
    body: '{"ü":1}',
  });
});

test('returns a redirect and a response without a body', async () => {
  const server = await openServer((request, response) =>
    response.writeHead(request.url === '/none' ? 204 : 302, { location: 'http://169.254.169.254/' }).end(),
  );
  expect(await openFetch()(`${server.origin}/`)).toMatchObject({ status: 302, redirected: false });
  expect(await openFetch()(`${server.origin}/none`)).toMatchObject({ status: 204, body: null });
});

test('fails like the global fetch, with the reason as the cause', async () => {
  const refused = openFetch({})('http://[::ffff:169.254.169.254]/');
  await expect(refused).rejects.toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { failure: 'refused' },
  });
  const server = await openServer((_, response) => {
    response.write('some', () => response.destroy());
  });
  const received = await openFetch()(server.origin);
  await expect(received.text()).rejects.toMatchObject({ name: 'TypeError', cause: { failure: 'broken' } });
});

test.each(['the signal', 'the reader'])('aborts the request with %s', async (who) => {
  const server = await openServer((_, response) => void response.write('some'));
  const abort = new AbortController();
  const received = await openFetch()(server.origin, { signal: abort.signal });
  const reader = received.body?.getReader();
  await reader?.read();
  expect(await server.open()).toBe(1);
  if (who === 'the signal') {
    abort.abort();
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' });
  } else await reader?.cancel();
  await expect.poll(server.open).toBe(0);
});
