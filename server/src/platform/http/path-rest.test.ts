import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../test/harness.ts';
import { artifactRoutes } from './operations.ts';

const params = z.object({ name: z.string(), path: z.string() });
const response = z.object({ org: z.string(), name: z.string(), path: z.string() });

const routes = artifactRoutes('Test', (on) => {
  const spec = { scope: 'datasets:read', params, response } as const;
  on.get('/things/:name/files/*path', { id: 'readFile', summary: 'Read', ...spec }, ({ scope, params }) => ({
    org: scope.organizationKey,
    ...params,
  }));
  on.get(
    '/things/:name/files',
    { id: 'listThingFiles', summary: 'List', scope: 'datasets:read', response: z.string() },
    () => 'list',
  );
});

const server = await startTestServer({}, [routes]);
const owner = server.as(server.owner);

describe('a rest parameter of a path', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['a/b.txt', 'a/b.txt'],
    ['a%2Fb.txt', 'a/b.txt'],
    ['a%252Fb.txt', 'a%2Fb.txt'],
    ['%2525', '%25'],
    ['100%25.txt', '100%.txt'],
    ['..%2Fsecret', '../secret'],
    ['%2e%2e%2f%2e%2e%2fsecret', '../../secret'],
    ['a//b/', 'a//b/'],
    ['%2Fetc%2Fpasswd', '/etc/passwd'],
    ['caf%C3%A9/%F0%9F%92%A5.txt', 'café/💥.txt'],
    ['a%20b+c', 'a b+c'],
    ['a%3Fb%23c', 'a?b#c'],
    ['a?b=c', 'a'],
    ['', ''],
  ])('reads %j as %j, decoded once', async (sent, path) => {
    const { status, body } = await owner.get(`/org/main/things/org%2Fname/files/${sent}`);
    expect([status, body]).toEqual([200, { org: 'main', name: 'org/name', path }]);
  });

  test.each(['%', '%zz', 'a/%e0%a4', '%ff', '%c0%af', '%ed%a0%80'])(
    'refuses %j as invalid text',
    async (sent) => {
      const { status, body } = await owner.get(`/org/main/things/a/files/${sent}`);
      expect([status, body]).toMatchObject([400, { code: 400, type: 'invalid_error' }]);
      expect(body).not.toHaveProperty('path');
    },
  );

  test('may be long', async () => {
    const { body } = await owner.get(`/org/main/things/a/files/${'x/'.repeat(5_000)}`);
    expect(body.path).toHaveLength(10_000);
  });

  test('refuses NUL', async () => {
    const { status, body } = await owner.get('/org/main/things/a/files/a%00b');
    expect([status, body.errors?.[0].loc]).toEqual([422, ['path', 'path']]);
  });

  test('does not affect the path above it', async () => {
    expect((await owner.get('/org/main/things/a/files')).body).toBe('list');
  });

  test('is documented like other parameters', () => {
    const paths = server.app.swagger().paths ?? {};
    const { parameters } = paths['/api/v1/org/{org}/things/{name}/files/{path}']?.get ?? {};
    expect(parameters?.map((parameter) => 'name' in parameter && parameter.name)).toEqual([
      'org',
      'name',
      'path',
    ]);
    expect(Object.keys(paths).filter((path) => path.includes('*'))).toEqual([]);
  });
});
