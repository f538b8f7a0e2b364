/** Responses that are files, and uploads that are stored as they are. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../../test/harness.ts';
import { flood } from '../../../../test/upload-routes.ts';
import { ApiError } from '../../errors.ts';
import { ANY_TYPE, workspaceRoutes } from '../operations.ts';
import { Reply } from './reply.ts';

const BINARY = Buffer.from([0, 255, 13, 10, 0, 128]);
let stream = Readable.from([BINARY]);

const routes = workspaceRoutes('Files', (on) => {
  const access = { role: 'contributor', summary: 'A file' } as const;
  const query = z.object({ name: z.string(), size: z.int().optional() });
  on.get(
    '/file',
    { id: 'getFile', scope: 'projects:read', ...access, query, returns: 'file' },
    ({ query }) => {
      if (query.name === 'none') throw new ApiError('not_found_error', 'There is none.');
      return Reply.file({ name: query.name, stream, sizeBytes: query.size });
    },
  );
  const upload = { contentTypes: ANY_TYPE, maxBytes: 100 };
  const put = { id: 'putFile', scope: 'projects:write', ...access, upload } as const;
  on.put('/file', { ...put, response: z.object({ hex: z.string() }) }, async ({ upload }) => ({
    hex: (await buffer(upload)).toString('hex'),
  }));
});

const server = await startTestServer({}, [routes]);
await server.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.app.server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/api/v1/org/main/ws/main/file`;
const headers = { authorization: `Bearer ${server.owner.key}` };

beforeEach(() => {
  stream = Readable.from([BINARY]);
});

describe('a download', () => {
  test('has its bytes, its length and its name, and is never displayed by a browser', async () => {
    const response = await fetch(`${url}?name=%C3%BC.html&size=6`, { headers });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(BINARY);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': '6',
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="_.html"; filename*=UTF-8''%C3%BC.html`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
  });

  test('has no length when the size is unknown', async () => {
    const response = await fetch(`${url}?name=x`, { headers });
    expect(response.headers.get('content-length')).toBe(null);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(BINARY);
  });

  test('may be empty', async () => {
    stream = Readable.from([]);
    const response = await fetch(`${url}?name=x&size=0`, { headers });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('returns its status and envelope when it fails before the first byte', async () => {
    const missing = await fetch(`${url}?name=none`, { headers });
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: 404 }]);
    const changed = await fetch(`${url}?name=x&size=5`, { headers });
    expect([changed.status, await changed.json()]).toMatchObject([409, { type: 'conflict_error' }]);
    expect(changed.headers.has('content-disposition')).toBe(false);
  });

  test('is cut off when it ends too early', async () => {
    stream = flood(1024 * 1024);
    const response = await fetch(`${url}?name=x&size=${2 * 1024 * 1024}`, { headers });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('applies backpressure, and stops reading after its client disconnects', async () => {
    let made = 0;
    stream = flood().on('data', () => made++);
    stream.pause();
    const asked = request(`${url}?name=x`, { headers }).end();
    const [response] = (await once(asked, 'response')) as [Readable];
    response.pause();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(made).toBeLessThan(400);
    asked.on('error', () => undefined).destroy();
    await vi.waitFor(() => expect(stream.destroyed).toBe(true));
  });

  test('is documented, and does not support HEAD', async () => {
    const paths = server.app.swagger().paths as Record<string, Record<string, object>>;
    expect(paths['/api/v1/org/{org}/ws/{workspace}/file']).toMatchObject({
      get: {
        responses: { 200: { content: { 'application/octet-stream': { schema: { format: 'binary' } } } } },
      },
      put: { requestBody: { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } },
    });
    expect(await fetch(`${url}?name=x`, { method: 'HEAD', headers })).toMatchObject({ status: 404 });
  });
});

describe('an upload of any type', () => {
  test.each(['text/html; charset=utf-8', 'application/json', 'image/x-odd', undefined])(
    'accepts %s',
    async (type) => {
      const typed = type === undefined ? headers : { ...headers, 'content-type': type };
      const response = await fetch(url, { method: 'PUT', body: BINARY, headers: typed });
      expect(await response.json()).toEqual({ hex: BINARY.toString('hex') });
    },
  );

  test('accepts an empty body, and nothing beyond its limit', async () => {
    const empty = await fetch(url, { method: 'PUT', headers });
    expect(await empty.json()).toEqual({ hex: '' });
    const large = await fetch(url, { method: 'PUT', body: 'x'.repeat(101), headers });
    expect(await large.json()).toMatchObject({ code: 400, detail: expect.stringMatching(/over 100 bytes/) });
  });
});
