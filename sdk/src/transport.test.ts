import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { settlesSoon } from '../../server/test/soon.ts';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeout.ts';
import {
  hangUp,
  json,
  noContent,
  refusal,
  type Step,
  silence,
  startScriptedServer,
} from '../test/scripted-server.ts';
import { type CallOptions, type Request, Transport, type TransportOptions } from './transport.ts';

const read: Request = { method: 'GET', path: '/api/v1/thing' };
const create: Request = { method: 'POST', path: '/api/v1/things', body: { name: 'x' } };
const createOnce: Request = { ...create, takesIdempotencyKey: true };
const remove: Request = { method: 'DELETE', path: '/api/v1/thing' };
const missing = refusal(404, 'not_found_error', 'No.');
const busy = refusal(429, 'usage_limit_exceeded_error', 'Too many requests.');
const badGateway: Step = (response) =>
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');

const connect = (baseUrl: string, options: Partial<TransportOptions> = {}) =>
  new Transport({
    baseUrl,
    version: '1.2.3',
    credential: () => 'dd_key',
    timeoutMs: WAIT_TIMEOUT_MS,
    maxRetries: 3,
    retryPauseMs: 4,
    fetch: (url, init) => fetch(url, init),
    ...options,
  });

describe('a request', () => {
  test('carries the credential, the version and a JSON body', async () => {
    const server = await startScriptedServer(json(201, { id: 1 }));
    const response = await connect(server.url).send({ ...create, queryString: '?dry=true' });
    expect(response).toEqual({ id: 1 });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/v1/things?dry=true', body: '{"name":"x"}' });
    expect(seen?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer dd_key',
      'content-type': 'application/json',
      'x-client-version': '1.2.3',
    });
    expect(seen?.headers).not.toHaveProperty('idempotency-key');
  });

  test('has no credential or body when there is none', async () => {
    const server = await startScriptedServer(noContent);
    expect(await connect(server.url, { credential: undefined }).send(read)).toBeUndefined();
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(server.seen[0]?.headers).not.toHaveProperty('content-type');
  });

  test('for text returns the text', async () => {
    const server = await startScriptedServer((response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('up 1\n'),
    );
    expect(await connect(server.url).send({ ...read, accept: 'text/plain' })).toBe('up 1\n');
    expect(server.seen[0]?.headers.accept).toBe('text/plain');
  });

  test('that another server responds to fails, and is not retried', async () => {
    const server = await startScriptedServer((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
    );
    await expect(connect(server.url).send(read)).rejects.toMatchObject({
      type: 'unexpected_answer_error',
      status: 200,
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'is not followed for status %i, and the error names its target',
    async (status) => {
      const server = await startScriptedServer(
        (response) => response.writeHead(status, { location: '/elsewhere' }).end(),
        json(200, 'the wrong answer'),
      );
      await expect(connect(server.url).send(create)).rejects.toMatchObject({
        type: 'unexpected_answer_error',
        status,
        detail: expect.stringMatching(/redirect to \/elsewhere\. Correct baseUrl/) as string,
      });
      expect(server.seen).toHaveLength(1);
    },
  );

  test('that a browser hides is detected', async () => {
    const opaque = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    const transport = connect('http://x.example', { fetch: async () => opaque });
    await expect(transport.send(create)).rejects.toMatchObject({
      type: 'unexpected_answer_error',
      status: undefined,
      detail: expect.stringMatching(/another address\. Correct baseUrl/) as string,
    });
  });
});

describe('retries of a call', () => {
  test.each([
    { name: 'a full server', step: busy },
    { name: 'a proxy without a server', step: badGateway },
    { name: 'a slow gateway', step: refusal(504, 'gateway_timeout_error', 'Too slow.') },
    { name: 'a broken connection', step: hangUp },
    {
      name: 'a response that breaks off',
      step: ((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"half":', () => response.destroy());
      }) satisfies Step,
    },
  ])('repeat a read after $name', async ({ step }) => {
    const server = await startScriptedServer(step, step, json(200, 'there'));
    expect(await connect(server.url).send(read)).toBe('there');
    expect(server.seen).toHaveLength(3);
  });

  test.each(['PUT', 'DELETE'] as const)('repeat a %s', async (method) => {
    const server = await startScriptedServer(hangUp, noContent);
    await connect(server.url).send({ method, path: '/api/v1/thing' });
    expect(server.seen).toHaveLength(2);
  });

  test.each(['POST', 'PATCH'] as const)('never repeat a %s without a key', async (method) => {
    const server = await startScriptedServer(hangUp, busy);
    const transport = connect(server.url);
    const request: Request = { method, path: '/api/v1/thing', body: {} };
    await expect(transport.send(request)).rejects.toMatchObject({ type: 'connection_error' });
    await expect(transport.send(request)).rejects.toMatchObject({ type: 'usage_limit_exceeded_error' });
    expect(server.seen).toHaveLength(2);
  });

  test('share one key per POST, and different calls have different keys', async () => {
    const server = await startScriptedServer(hangUp, badGateway, json(201, 1), json(201, 2));
    const transport = connect(server.url);
    expect([await transport.send(createOnce), await transport.send(createOnce)]).toEqual([1, 2]);
    const [first, second, third, other] = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([second, third]).toEqual([first, first]);
    expect(other).not.toBe(first);
  });

  test('wait for the first call with the same key to end', async () => {
    const running = refusal(409, 'conflict_error', 'Still running.', { 'retry-after': '0' });
    const server = await startScriptedServer(hangUp, running, running, json(201, 'made once'));
    expect(await connect(server.url).send(createOnce, { idempotencyKey: 'mine' })).toBe('made once');
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(4).fill('mine'));
  });

  test('do not follow a 409 with another meaning', async () => {
    const server = await startScriptedServer(refusal(409, 'already_exists_error', 'It exists.'));
    await expect(connect(server.url).send(createOnce)).rejects.toMatchObject({
      type: 'already_exists_error',
    });
    expect(server.seen).toHaveLength(1);
  });

  test('end after the allowed number, with the last failure', async () => {
    const server = await startScriptedServer(busy);
    const transport = connect(server.url, { maxRetries: 2 });
    await expect(transport.send(read)).rejects.toMatchObject({ status: 429, requestId: 'request-1' });
    expect(server.seen).toHaveLength(3);
    await expect(transport.send(read, { maxRetries: 0 })).rejects.toMatchObject({ status: 429 });
    expect(server.seen).toHaveLength(4);
  });

  test('wait as long as the server asks', async () => {
    const server = await startScriptedServer(
      refusal(429, 'usage_limit_exceeded_error', 'Wait.', { 'retry-after': '1' }),
      json(200, 'there'),
    );
    const started = performance.now();
    expect(await connect(server.url).send(read)).toBe('there');
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000);
  });

  test.each([
    { name: 'a lost connection', step: hangUp },
    { name: 'a 502', step: badGateway },
    { name: 'a 504', step: refusal(504, 'gateway_timeout_error', 'Too slow.') },
  ])('treat a missing resource after $name as a successful DELETE', async ({ step }) => {
    const server = await startScriptedServer(step, refusal(404, 'not_found_error', 'No.'));
    expect(await connect(server.url).send(remove)).toBeUndefined();
    expect(server.seen).toHaveLength(2);
  });

  test.each([
    { name: 'a DELETE that was refused before', request: remove, first: busy },
    { name: 'a DELETE that finds nothing at first', request: remove, first: missing },
    { name: 'a read', request: read, first: hangUp },
  ])('pass on a missing resource for $name', async ({ request, first }) => {
    const server = await startScriptedServer(first, missing);
    await expect(connect(server.url).send(request)).rejects.toMatchObject({ type: 'not_found_error' });
  });

  test("do not treat another server's 404 as a successful DELETE", async () => {
    const server = await startScriptedServer(hangUp, (response) => response.writeHead(404).end('<html>'));
    await expect(connect(server.url).send(remove)).rejects.toMatchObject({ status: 404 });
  });

  test('request the credential each time', async () => {
    const tokens = ['first', 'second'];
    const server = await startScriptedServer(busy, json(200, 'there'));
    await connect(server.url, { credential: async () => tokens.shift() ?? '' }).send(read);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
  });
});

test('an idempotency key is refused for operations that would ignore it', async () => {
  const server = await startScriptedServer(json(201, {}));
  await expect(connect(server.url).send(create, { idempotencyKey: 'mine' })).rejects.toThrow(
    /takes no idempotency key/,
  );
  expect(server.seen).toEqual([]);
});

describe('a mistake of the caller is a TypeError, and nothing is sent', () => {
  const mistakes: readonly (readonly [string, Request, CallOptions, RegExp])[] = [
    ['timeoutMs', read, { timeoutMs: Number.NaN }, /^timeoutMs must be a number.*NaN/],
    ['timeoutMs', read, { timeoutMs: -1 }, /^timeoutMs must be a number.*-1/],
    ['maxRetries', read, { maxRetries: Number.NaN }, /^maxRetries must be a number/],
    ['maxRetries', read, { maxRetries: '3' as unknown as number }, /^maxRetries must be a number/],
    ['idempotencyKey', createOnce, { idempotencyKey: 'schlüssel' }, /^idempotencyKey must be.*ASCII/],
    ['path', { ...read, path: '.example.com/' }, {}, /must begin with "\/"/],
  ];

  test.each(mistakes)('%s', async (_name, request, options, message) => {
    const server = await startScriptedServer(json(200, 'there'));
    const failure = connect(server.url).send(request, options);
    await expect(failure).rejects.toThrow(TypeError);
    await expect(failure).rejects.toThrow(message);
    expect(server.seen).toEqual([]);
  });

  test('the result of a credential function is not shown', async () => {
    const server = await startScriptedServer(json(200, 'there'));
    const failure = connect(server.url, { credential: () => 'geheim…' }).send(read);
    await expect(failure).rejects.toThrow(TypeError);
    await expect(failure).rejects.not.toThrow(/geheim/);
    expect(server.seen).toEqual([]);
  });
});

describe('timeouts', () => {
  test.each([Number.POSITIVE_INFINITY, 2 ** 31])('set to %d ms never end a call', async (timeoutMs) => {
    const server = await startScriptedServer(async (response, seen) => {
      await sleep(50);
      json(200, 'there')(response, seen);
    });
    const transport = connect(server.url, { timeoutMs, maxRetries: 0 });
    expect(await transport.send(read)).toBe('there');
    expect(await transport.send(read, { timeoutMs })).toBe('there');
  });

  test('apply to the credential too', async () => {
    const transport = connect('http://127.0.0.1:1', { credential: () => new Promise(() => undefined) });
    await expect(transport.send(read, { timeoutMs: 20, maxRetries: 0 })).rejects.toMatchObject({
      type: 'timeout_error',
    });
  });

  test('apply to each attempt, and another one is made', async () => {
    const server = await startScriptedServer(silence, json(200, 'there'));
    expect(await connect(server.url, { timeoutMs: 500 }).send(read)).toBe('there');
  });

  test('apply until the last byte', async () => {
    const server = await startScriptedServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"half":'),
    );
    await expect(connect(server.url).send(read, { timeoutMs: 100, maxRetries: 0 })).rejects.toMatchObject({
      type: 'timeout_error',
      status: undefined,
    });
  });
});

describe('an abort', () => {
  test.each([
    { name: 'a response', step: silence },
    {
      name: 'the next attempt',
      step: refusal(429, 'usage_limit_exceeded_error', 'W.', { 'retry-after': '50' }),
    },
  ])('ends the wait for $name at once, with its reason', async ({ step }) => {
    const abort = new AbortController();
    const server = await startScriptedServer(step);
    const call = connect(server.url).send(read, { signal: abort.signal });
    const failed = expect(call).rejects.toThrow('changed my mind');
    await expect.poll(() => server.seen.length).toBe(1);
    await sleep(50);
    abort.abort(new Error('changed my mind'));
    expect(await settlesSoon(failed)).toBe(true);
    await failed;
    expect(server.seen).toHaveLength(1);
  });

  test('ends the wait for a credential', async () => {
    const transport = connect('http://127.0.0.1:1', { credential: () => new Promise(() => undefined) });
    const abort = new AbortController();
    const call = transport.send(read, { signal: abort.signal });
    abort.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow('changed my mind');
  });

  test('before the call sends nothing', async () => {
    const server = await startScriptedServer(json(200, 'there'));
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(connect(server.url).send(read, { signal })).rejects.toThrow('never mind');
    expect(server.seen).toEqual([]);
  });
});
