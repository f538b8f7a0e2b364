import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../../test/harness.ts';
import { mount } from '../mount.ts';
import { artifactRoutes, orgRoutes } from '../operations.ts';
import { createServer } from '../server.ts';
import { Reply } from './reply.ts';

const Thing = z.object({ name: z.string() });
const write = { scope: 'datasets:write', role: 'member' } as const;
const made: string[] = [];
const target = 'https://objects.example/a%20b?X-Amz-Signature=0&x=%2F';

const make = (name: string) => {
  const thing = { name, secret: 'cut off' };
  if (made.includes(name)) return Reply.existing(thing);
  made.push(name);
  return thing;
};

const params = z.object({ name: z.string() });
const routes = [
  orgRoutes('Test', (on) => {
    const spec = { summary: 'Make', ...write, params, response: Thing } as const;
    on.put('/things/:name', { id: 'putThing', status: '201 or 200', ...spec }, (call) =>
      make(call.params.name),
    );
    on.post('/things/:name', { id: 'postThing', status: '201 or 200', ...spec }, (call) =>
      make(call.params.name),
    );
    on.put('/others/:name', { id: 'putOther', status: 201, ...spec }, (call) =>
      Reply.existing({ name: call.params.name }),
    );
  }),
  artifactRoutes('Test', (on) => {
    const spec = { scope: 'datasets:read', response: z.string(), status: 302 } as const;
    on.get('/elsewhere', { id: 'goElsewhere', summary: 'Go', ...spec }, () => target);
  }),
];

const server = await startTestServer({}, routes);
const owner = server.as(server.owner);
const { paths } = server.app.swagger();

describe('an operation whose resource may exist', () => {
  test('returns 201 once and 200 afterwards, cut to its schema', async () => {
    expect(await owner.put('/org/main/things/a')).toMatchObject({ status: 201, body: { name: 'a' } });
    const again = await owner.put('/org/main/things/a');
    expect([again.status, again.body]).toEqual([200, { name: 'a' }]);
  });

  test('repeats the original status for the same idempotency key', async () => {
    const post = (key: string) => owner.post('/org/main/things/b', undefined, { 'idempotency-key': key });
    const seen = [];
    for (const key of ['one', 'one', 'two', 'two']) {
      const { status, body, headers } = await post(key);
      seen.push([status, body, headers['idempotency-replayed']]);
    }
    expect(seen).toEqual([
      [201, { name: 'b' }, undefined],
      [201, { name: 'b' }, 'true'],
      [200, { name: 'b' }, undefined],
      [200, { name: 'b' }, 'true'],
    ]);
  });

  test('documents both statuses, and has to', async () => {
    const { responses } = paths?.['/api/v1/org/{org}/things/{name}']?.put ?? {};
    expect(Object.keys(responses ?? {}).filter((status) => Number(status) < 400)).toEqual(['200', '201']);
    expect(responses?.['200']).toMatchObject({ description: 'Success' });
    expect(responses?.['201']).toMatchObject({ description: 'Created' });
    expect((await owner.put('/org/main/others/a')).status).toBe(500);
  });
});

describe('a redirect', () => {
  test.each(['get', 'head'] as const)('sends only its location to %s', async (method) => {
    const response = await server.app.inject({
      method,
      url: '/api/v1/org/main/elsewhere',
      headers: { authorization: `Bearer ${server.owner.key}` },
    });
    expect(response.statusCode).toBe(302);
    expect(response.headers).toMatchObject({ location: target, 'cache-control': 'no-store' });
    expect(response.body).toBe('');
  });

  test('is documented with its header', () => {
    const { responses } = paths?.['/api/v1/org/{org}/elsewhere']?.get ?? {};
    expect(Object.keys(responses ?? {}).filter((status) => Number(status) < 400)).toEqual(['302']);
    expect(responses?.['302']).toEqual({
      description: 'Found elsewhere',
      headers: {
        Location: { schema: { type: 'string', format: 'uri' }, description: expect.any(String) },
      },
    });
  });

  test('is refused for methods other than GET', () => {
    const spec = { id: 'go', summary: 'Go', ...write, response: z.string(), status: 302 } as const;
    const group = orgRoutes('Test', (on) => on.post('/go', spec, () => target));
    const app = createServer({ log: server.app.log, trustedProxies: undefined });
    expect(() => mount(app, {} as never, [group])).toThrow('go redirects, but is not a GET.');
  });
});
