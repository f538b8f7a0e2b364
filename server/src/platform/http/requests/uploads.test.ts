import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, startTestServer } from '../../../../test/harness.ts';
import { openRaw } from '../../../../test/raw-http.ts';
import { sendUntilResponse, uploadRoutes } from '../../../../test/upload-routes.ts';

const endings: unknown[] = [];
const server = await startTestServer({}, [uploadRoutes((ending) => void endings.push(ending))]);
await server.app.listen({ port: 0 });
const { port } = server.app.server.address() as AddressInfo;
const owner = server.as(server.owner);
const path = '/org/main/bytes';
const credential = { authorization: `Bearer ${server.owner.key}` };
const GZIP = { 'content-type': 'application/gzip' };

beforeEach(() => {
  endings.length = 0;
});

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('an upload', () => {
  test('arrives unchanged, with and without Content-Length', async () => {
    const bytes = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, at) => at % 251));
    const expected = { status: 200, body: { size: bytes.length, sha256: digest(bytes) } };
    const whole = { ...credential, ...GZIP, 'content-length': String(bytes.length) };
    expect(await sendUntilResponse({ port, path, headers: whole }, Readable.from([bytes]))).toMatchObject(
      expected,
    );
    const pieces = Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]);
    const chunked = { ...credential, ...GZIP };
    expect(await sendUntilResponse({ port, path, headers: chunked }, pieces)).toMatchObject(expected);
    expect(endings).toEqual(['end', 'end']);
  });

  test('leaves its connection to the next request', async () => {
    const connection = await openRaw(port);
    const head = `PUT /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner.key}\r\n`;
    for (const content of ['abc', 'defg']) {
      const type = `Content-Type: application/gzip\r\nContent-Length: ${content.length}\r\n\r\n`;
      connection.write(head + type + content);
      const { status, body } = await connection.readResponse();
      expect([status, JSON.parse(body).size]).toEqual([200, content.length]);
    }
    connection.socket.destroy();
  });

  test('may be empty or missing, which the operation decides', async () => {
    const empty = { status: 200, body: { size: 0, sha256: digest(Buffer.alloc(0)) } };
    expect(await owner.put(path)).toMatchObject(empty);
    expect(await owner.put(path, undefined, GZIP)).toMatchObject(empty);
    expect(await owner.put(path, Buffer.alloc(0))).toMatchObject(empty);
    expect((await owner.put(path, Buffer.from('x'))).body.size).toBe(1);
  });

  test.each([
    'application/octet-stream',
    'application/json',
    'application/gz',
    'application/gzip, text/plain',
    'text/plain; a=application/gzip',
  ])('is refused for the type %j, naming the correct type', async (type) => {
    const { status, body } = await owner.put(path, Buffer.from('{}'), { 'content-type': type });
    expect([status, body]).toEqual([
      400,
      {
        code: 400,
        type: 'invalid_error',
        detail: 'This operation takes a body of the type application/gzip; send it with that Content-Type.',
      },
    ]);
    expect(endings).toEqual([]);
  });

  test('is refused when it has bytes but no type', async () => {
    const body = Readable.from([Buffer.from('abc')]);
    expect(await sendUntilResponse({ port, path, headers: credential }, body)).toMatchObject({
      status: 400,
      body: { type: 'invalid_error', detail: expect.stringContaining('application/gzip') },
    });
  });

  test('is accepted with parameters after its type, and refused with an encoding', async () => {
    const send = (headers: Record<string, string>) => owner.put(path, Buffer.from('abc'), headers);
    expect((await send({ 'content-type': 'Application/GZIP; charset=binary' })).status).toBe(200);
    expect(await send({ 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      body: { detail: 'Content-Encoding "gzip" is not supported here.' },
    });
  });

  test('is refused by every other operation', async () => {
    const { status, body } = await owner.post('/org/main/ws', Buffer.from('abc'));
    const detail = 'This content type is not supported here; send application/json.';
    expect([status, body]).toEqual([400, { code: 400, type: 'invalid_error', detail }]);
  });

  test.each(['application/gzip', 'application/json', 'text/csv'])(
    'is handled as usual for the type %j at an unknown path',
    async (type) => {
      const send = (who: Client) => who.put('/org/main/none', Buffer.from('abc'), { 'content-type': type });
      expect(await send(owner)).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
      expect(await send(server.as(undefined))).toMatchObject({ status: 401 });
    },
  );

  test('does not accept an Idempotency-Key, and is documented as bytes', () => {
    expect(server.app.swagger().paths?.['/api/v1/org/{org}/archive']?.post).toMatchObject({
      requestBody: { content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } } },
      parameters: [{ in: 'path', name: 'org' }],
    });
  });

  test('from a member removed during the upload is refused when the operation checks again', async () => {
    const person = await server.addPerson('leaving', { role: 'member' });
    const body = new Readable({ read: () => undefined });
    const headers = { ...GZIP, authorization: `Bearer ${person.key}` };
    const response = sendUntilResponse({ port, path, headers }, body);
    body.push('abc');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await owner.delete(`/org/main/members/${person.id}`)).status).toBe(204);
    body.push('def');
    body.push(null);
    expect(await response).toMatchObject({ status: 403, body: { type: 'forbidden_error' } });
    expect(endings).toEqual(['end']);
  });
});
