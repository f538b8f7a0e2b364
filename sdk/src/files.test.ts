/** Uploads of bytes, and downloads from another server. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeout.ts';
import { hangUp, json, refusal, type Step, startScriptedServer } from '../test/scripted-server.ts';
import { type Request, Transport, type TransportOptions } from './transport.ts';

const connect = (baseUrl: string, options: Partial<TransportOptions> = {}) =>
  new Transport({
    baseUrl,
    version: '1.2.3',
    credential: 'dd_key',
    timeoutMs: WAIT_TIMEOUT_MS,
    maxRetries: 3,
    retryPauseMs: 4,
    fetch: (url, init) => fetch(url, init),
    ...options,
  });

const bytes = Uint8Array.from([0, 31, 139, 8, 255, 10, 13, 0]);
const put = (body: unknown): Request => ({
  method: 'PUT',
  path: '/api/v1/thing',
  upload: 'application/gzip',
  body,
});
const toStream = (...pieces: Uint8Array[]) => ReadableStream.from(pieces);

/** Responds with the received bytes; the body of `Seen` is text, which loses bytes. */
const echo: Step = (response, { headers, body }) =>
  json(200, {
    type: headers['content-type'],
    length: headers['content-length'],
    encoding: headers['transfer-encoding'],
    sha256: createHash('sha256').update(body).digest('hex'),
  })(response, undefined as never);

const digest = createHash('sha256').update(new TextDecoder().decode(bytes)).digest('hex');

describe('an upload', () => {
  test.each([
    ['a Uint8Array', () => bytes, '8', undefined],
    ['a part of one', () => Uint8Array.from([1, ...bytes, 1]).subarray(1, 9), '8', undefined],
    ['a Blob', () => new Blob([bytes], { type: 'text/plain' }), '8', undefined],
    ['a stream', () => toStream(bytes.slice(0, 3), bytes.slice(3)), undefined, 'chunked'],
  ])(
    'made of %s is sent unchanged, with the type of the operation',
    async (_name, make, length, encoding) => {
      const server = await startScriptedServer(echo);
      const response = await connect(server.url).send(put(make()));
      expect(response).toEqual({ type: 'application/gzip', length, encoding, sha256: digest });
    },
  );

  test('made of bytes is retried like other calls', async () => {
    const server = await startScriptedServer(hangUp, echo);
    expect(await connect(server.url).send(put(bytes))).toMatchObject({ sha256: digest });
    expect(server.seen).toHaveLength(2);
  });

  test('made of a stream is sent once, since it can only be read once', async () => {
    const server = await startScriptedServer(hangUp, echo);
    await expect(connect(server.url).send(put(toStream(bytes)))).rejects.toMatchObject({
      type: 'connection_error',
    });
    expect(server.seen).toHaveLength(1);
  });

  test('has its own timeout, unless the call sets one', async () => {
    const slow: Step = async (response, seen) => {
      await sleep(150);
      echo(response, seen);
    };
    const server = await startScriptedServer(slow);
    const transport = connect(server.url, { timeoutMs: 50, maxRetries: 0 });
    expect(await transport.send(put(bytes))).toMatchObject({ sha256: digest });
    await expect(transport.send(put(bytes), { timeoutMs: 50 })).rejects.toMatchObject({
      type: 'timeout_error',
    });
  });

  test('has the same timeout for processing the result', async () => {
    const server = await startScriptedServer(async (response, seen) => {
      await sleep(150);
      json(200, { isDone: true })(response, seen);
    });
    const transport = connect(server.url, { timeoutMs: 50, maxRetries: 0 });
    const complete: Request = { method: 'POST', path: '/api/v1/thing/complete' };
    expect(await transport.send({ ...complete, isLong: true })).toEqual({ isDone: true });
    await expect(transport.send(complete)).rejects.toMatchObject({ type: 'timeout_error' });
  });

  test.each([[{ name: 'x' }], ['text'], [undefined]])(
    'made of %j is refused as a mistake of the caller',
    async (body) => {
      const server = await startScriptedServer(echo);
      await expect(connect(server.url).send(put(body))).rejects.toThrow(TypeError);
      expect(server.seen).toEqual([]);
    },
  );
});

const file: Request = { method: 'GET', path: '/api/v1/file', isRedirect: true };
const to =
  (location: string): Step =>
  (response) =>
    response.writeHead(302, { location }).end();
const content: Step = (response) =>
  response.writeHead(200, { 'content-type': 'text/csv' }).end(Buffer.from(bytes));

describe('a download', () => {
  test('follows the redirect without the credential', async () => {
    const storage = await startScriptedServer(content);
    const server = await startScriptedServer(to(`${storage.url}/bucket/a%20b?X-Amz-Signature=1%2F2`));
    const response = await connect(server.url).open(file);
    expect(response.headers.get('content-type')).toBe('text/csv');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(server.seen[0]?.headers.authorization).toBe('Bearer dd_key');
    expect(storage.seen).toHaveLength(1);
    const [{ url, headers } = { url: '', headers: {} }] = storage.seen;
    expect(url).toBe('/bucket/a%20b?X-Amz-Signature=1%2F2');
    expect(Object.keys(headers).filter((name) => /auth|key|cookie|client/.test(name))).toEqual([]);
    expect(JSON.stringify(headers)).not.toContain('dd_key');
  });

  test('omits the credential even for the same origin, and for further redirects', async () => {
    const server = await startScriptedServer(to('/objects/a'), to('/objects/b'), content);
    const response = await connect(server.url).open(file);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/api/v1/file', 'Bearer dd_key'],
      ['/objects/a', undefined],
      ['/objects/b', undefined],
    ]);
  });

  test('throws the error of the server for a missing file', async () => {
    const server = await startScriptedServer(refusal(404, 'not_found_error', 'No.'));
    await expect(connect(server.url).open(file)).rejects.toMatchObject({
      type: 'not_found_error',
      status: 404,
    });
  });

  test('refused by the storage throws an error too', async () => {
    const storage = await startScriptedServer((response) => response.writeHead(403).end('<Error/>'));
    const server = await startScriptedServer(to(storage.url));
    await expect(connect(server.url).open(file)).rejects.toMatchObject({
      type: 'unexpected_answer_error',
      status: 403,
    });
  });

  test('that the storage interrupts is requested again, from the start', async () => {
    const storage = await startScriptedServer(hangUp, content);
    const server = await startScriptedServer(to(storage.url));
    expect((await connect(server.url).open(file)).status).toBe(200);
    expect([server.seen.length, storage.seen.length]).toEqual([2, 2]);
  });

  test('from an unreachable storage names it', async () => {
    const server = await startScriptedServer(to('http://127.0.0.1:1/a'));
    await expect(connect(server.url, { maxRetries: 0 }).open(file)).rejects.toMatchObject({
      type: 'connection_error',
      detail: expect.stringContaining('http://127.0.0.1:1 failed') as string,
    });
  });

  test('is redirected by a browser, which hides the target', async () => {
    const seen: (string | undefined)[] = [];
    const opaque = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    const transport = connect('http://x.example', {
      fetch: async (_url, { redirect }) => {
        seen.push(redirect);
        return redirect === 'follow' ? new Response('there') : opaque;
      },
    });
    expect(await (await transport.open(file)).text()).toBe('there');
    expect(seen).toEqual(['manual', 'follow']);
  });

  test('can be aborted by the signal while it is read', async () => {
    const storage = await startScriptedServer((response) => response.writeHead(200).write('half'));
    const server = await startScriptedServer(to(storage.url));
    const abort = new AbortController();
    const response = await connect(server.url).open(file, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(response.text()).rejects.toThrow('enough');
  });
});
