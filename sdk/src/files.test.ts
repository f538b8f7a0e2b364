/** Bytes up, and bytes down from somewhere else. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../server/test/patience.ts';
import { hangUp, json, refusal, type Step, startScriptedServer } from '../test/scripted-server.ts';
import { type Request, Transport, type TransportOptions } from './transport.ts';

const connect = (baseUrl: string, options: Partial<TransportOptions> = {}) =>
  new Transport({
    baseUrl,
    version: '1.2.3',
    credential: 'dd_key',
    timeoutMs: PATIENCE_MS,
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

/** Answers with what it was sent; the body of `Seen` is text, in which bytes are lost. */
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
  ])('of %s is sent as it is, with the type of the operation', async (_name, make, length, encoding) => {
    const server = await startScriptedServer(echo);
    const answer = await connect(server.url).send(put(make()));
    expect(answer).toEqual({ type: 'application/gzip', length, encoding, sha256: digest });
  });

  test('of bytes is sent again like anything else', async () => {
    const server = await startScriptedServer(hangUp, echo);
    expect(await connect(server.url).send(put(bytes))).toMatchObject({ sha256: digest });
    expect(server.seen).toHaveLength(2);
  });

  test('of a stream is sent once, since it can be read once', async () => {
    const server = await startScriptedServer(hangUp, echo);
    await expect(connect(server.url).send(put(toStream(bytes)))).rejects.toMatchObject({
      type: 'connection_error',
    });
    expect(server.seen).toHaveLength(1);
  });

  test('has its own time, unless the call says otherwise', async () => {
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

  test('has that time also for what is made of it', async () => {
    const server = await startScriptedServer(async (response, seen) => {
      await sleep(150);
      json(200, { isDone: true })(response, seen);
    });
    const transport = connect(server.url, { timeoutMs: 50, maxRetries: 0 });
    const complete: Request = { method: 'POST', path: '/api/v1/thing/complete' };
    expect(await transport.send({ ...complete, isLong: true })).toEqual({ isDone: true });
    await expect(transport.send(complete)).rejects.toMatchObject({ type: 'timeout_error' });
  });

  test.each([[{ name: 'x' }], ['text'], [undefined]])('of %j is a mistake of the caller', async (body) => {
    const server = await startScriptedServer(echo);
    await expect(connect(server.url).send(put(body))).rejects.toThrow(TypeError);
    expect(server.seen).toEqual([]);
  });
});

const file: Request = { method: 'GET', path: '/api/v1/file', isRedirect: true };
const to =
  (location: string): Step =>
  (response) =>
    response.writeHead(302, { location }).end();
const content: Step = (response) =>
  response.writeHead(200, { 'content-type': 'text/csv' }).end(Buffer.from(bytes));

describe('a file', () => {
  test('is read where the redirect leads, and the credential does not go there', async () => {
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

  test('keeps the credential also from the same origin, and from what that leads to', async () => {
    const server = await startScriptedServer(to('/objects/a'), to('/objects/b'), content);
    const response = await connect(server.url).open(file);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/api/v1/file', 'Bearer dd_key'],
      ['/objects/a', undefined],
      ['/objects/b', undefined],
    ]);
  });

  test('that is not there is the error of the server', async () => {
    const server = await startScriptedServer(refusal(404, 'not_found_error', 'No.'));
    await expect(connect(server.url).open(file)).rejects.toMatchObject({
      type: 'not_found_error',
      status: 404,
    });
  });

  test('that the storage refuses is an error too', async () => {
    const storage = await startScriptedServer((response) => response.writeHead(403).end('<Error/>'));
    const server = await startScriptedServer(to(storage.url));
    await expect(connect(server.url).open(file)).rejects.toMatchObject({
      type: 'unexpected_answer_error',
      status: 403,
    });
  });

  test('that the storage does not give is asked for again, from the start', async () => {
    const storage = await startScriptedServer(hangUp, content);
    const server = await startScriptedServer(to(storage.url));
    expect((await connect(server.url).open(file)).status).toBe(200);
    expect([server.seen.length, storage.seen.length]).toEqual([2, 2]);
  });

  test('behind a storage that is away says which', async () => {
    const server = await startScriptedServer(to('http://127.0.0.1:1/a'));
    await expect(connect(server.url, { maxRetries: 0 }).open(file)).rejects.toMatchObject({
      type: 'connection_error',
      detail: expect.stringContaining('http://127.0.0.1:1 failed') as string,
    });
  });

  test('is left to a browser, which hides where it leads', async () => {
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

  test('may end with the signal while it is read', async () => {
    const storage = await startScriptedServer((response) => response.writeHead(200).write('half'));
    const server = await startScriptedServer(to(storage.url));
    const abort = new AbortController();
    const response = await connect(server.url).open(file, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(response.text()).rejects.toThrow('enough');
  });
});
