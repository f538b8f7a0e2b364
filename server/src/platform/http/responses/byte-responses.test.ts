/** Operations with request and response bodies in several binary types. */
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../../test/harness.ts';
import { ApiError } from '../../errors.ts';
import { BYTES, orgRoutes } from '../operations.ts';
import { contentEncodingOf, mediaTypeOf } from '../requests/uploads.ts';
import { Reply } from './reply.ts';

const Greeting = z.object({ greeting: z.string() }).meta({ id: 'Greeting' });
const Sent = z.object({ reply: z.string() }).meta({ id: 'Sent' });
const admitted: string[] = [];

const echo = orgRoutes('Echo', (on) => {
  on.post(
    '/echo',
    {
      id: 'echo',
      summary: 'Answer with what was sent',
      scope: 'datasets:write',
      role: 'member',
      compatibility: { alias: '/v1/echo' },
      upload: {
        contentTypes: { 'application/json': Greeting, 'application/x-thing': BYTES },
        contentEncodings: ['gzip', 'zstd'],
        maxBytes: 100,
        isBrief: true,
      },
      returns: { oneOf: { 'application/json': Sent, 'application/x-thing': BYTES } },
      admit: ({ headers }, _reply, { organizationKey }) => {
        admitted.push(organizationKey);
        return headers['x-full'] ? new ApiError('usage_limit_exceeded_error', 'Full.') : undefined;
      },
    },
    async ({ upload, request: { headers } }) => {
      const sent = await text(upload);
      if (sent === 'fail') throw new ApiError('conflict_error', 'No.');
      return Reply.bytes(mediaTypeOf(headers), Buffer.from(`${contentEncodingOf(headers)} ${sent}`));
    },
  );
});

const server = await startTestServer({}, [echo]);

beforeEach(() => {
  admitted.length = 0;
});

async function send(body: string | Buffer, headers: Record<string, string>, path = '/org/main/echo') {
  const credential = { authorization: `Bearer ${server.owner.key}` };
  const request = { method: 'POST', url: `/api/v1${path}`, payload: body } as const;
  const response = await server.app.inject({ ...request, headers: { ...credential, ...headers } });
  return { status: response.statusCode, type: response.headers['content-type'], body: response.body };
}

const THING = { 'content-type': 'application/x-thing' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('bodies in several binary types', () => {
  test('are passed to the operation unparsed, including JSON, and returned as it says', async () => {
    expect(await send('\0x', THING)).toEqual({
      status: 200,
      type: THING['content-type'],
      body: 'undefined \0x',
    });
    expect(await send('{no JSON', JSON_TYPE)).toEqual({
      status: 200,
      type: 'application/json',
      body: 'undefined {no JSON',
    });
    expect(await send('x', { 'content-type': 'Application/X-Thing ; a=b' })).toMatchObject({ status: 200 });
  });

  test('are accepted at the alias path as well, with the same checks', async () => {
    expect(await send('x', THING, '/org/main/v1/echo')).toMatchObject({ status: 200, body: 'undefined x' });
    expect(await send('x', THING, '/org/none/v1/echo')).toMatchObject({ status: 403 });
    expect(await send('x', { ...THING, authorization: '' }, '/org/main/v1/echo')).toMatchObject({
      status: 401,
    });
    expect(admitted).toEqual(['main']);
  });

  test('are refused for another type or encoding, naming the supported ones', async () => {
    const wrongType = await send('x', { 'content-type': 'application/gzip' });
    expect(wrongType.status).toBe(400);
    expect(JSON.parse(wrongType.body).detail).toMatch(/application\/json or application\/x-thing/);
    const wrongEncoding = await send('x', { ...THING, 'content-encoding': 'br' });
    expect(JSON.parse(wrongEncoding.body)).toMatchObject({
      code: 400,
      detail: expect.stringMatching(/gzip, zstd/),
    });
    expect(await send('x'.repeat(101), THING)).toMatchObject({ status: 400 });
    expect(admitted).toEqual([]);
  });

  test.each(['gzip', 'GZIP', 'zstd'])(
    'keep the encoding "%s", which the operation supports',
    async (encoding) => {
      const { status, body } = await send('x', { ...THING, 'content-encoding': encoding });
      expect([status, body]).toEqual([200, `${encoding.toLowerCase()} x`]);
    },
  );

  test('are accepted uncompressed under any name for identity', async () => {
    for (const encoding of ['identity', ''])
      expect((await send('x', { ...THING, 'content-encoding': encoding })).body).toBe('undefined x');
  });

  test('are not read when the memory budget is used up', async () => {
    expect(await send('x', { ...THING, 'x-full': 'yes' })).toMatchObject({
      status: 429,
      type: 'application/json; charset=utf-8',
    });
  });

  test('return errors in JSON, whatever the request type', async () => {
    const { type, body } = await send('fail', THING);
    expect(type).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toMatchObject({ code: 409, type: 'conflict_error' });
  });

  test('are refused by other operations', async () => {
    const path = '/org/main/ws';
    expect(await send('{}', THING, path)).toMatchObject({ status: 400 });
    const packed = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect(await send(gzipSync('{}'), packed, path)).toMatchObject({ status: 400 });
  });
});

test('are documented with every type of both directions, as one operation', () => {
  const paths = server.app.swagger().paths as Record<string, Record<string, object>>;
  expect(Object.keys(paths).filter((path) => path.includes('echo'))).toEqual(['/api/v1/org/{org}/echo']);
  expect(paths['/api/v1/org/{org}/echo']?.post).toMatchObject({
    operationId: 'echo',
    parameters: expect.arrayContaining([
      expect.objectContaining({ in: 'header', name: 'content-encoding', required: false }),
    ]),
    requestBody: {
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Greeting' } },
        'application/x-thing': { schema: { type: 'string', format: 'binary' } },
      },
    },
    responses: {
      200: {
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Sent' } },
          'application/x-thing': { schema: { type: 'string', format: 'binary' } },
        },
      },
    },
  });
});
