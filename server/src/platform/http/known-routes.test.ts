import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { KnownRoutes } from './known-routes.ts';

const app = Fastify();
KnownRoutes.collect(app);
for (const [method, url] of [
  ['GET', '/api/v1/user'],
  ['GET', '/api/v1/org/:org/members'],
  ['GET', '/api/v1/org/:org/ws/:workspace/evaluations'],
  ['POST', '/api/v1/org/:org/ws/:workspace/evaluations'],
  ['DELETE', '/api/v1/org/:org/ws/:workspace/evaluations/:id'],
  ['GET', '/api/v1/files/*'],
] as const)
  app.route({ method, url, handler: () => null });
await app.ready();

test.each([
  ['/api/v1/user', ['GET', 'HEAD']],
  ['/api/v1/org/main/ws/main/evaluations', ['GET', 'HEAD', 'POST']],
  ['/api/v1/files/a/b', ['GET', 'HEAD']],
  ['/api/v1/files', []],
  ['/api/v1/nothing', []],
])('methodsAt lists the methods of %s', (path, methods) => {
  expect(app.knownRoutes.methodsAt(path)).toEqual(methods);
});

test.each([
  ['/api/v1/org/main/evaluations', '/api/v1/org/main/ws/{workspace}/evaluations'],
  ['/api/v1/org/main/ws/main/members', '/api/v1/org/main/members'],
  ['/api/v1/org/main/ws/main/evalutions', '/api/v1/org/main/ws/main/evaluations'],
  ['/api/v1/org/main/ws/main/evaluation', '/api/v1/org/main/ws/main/evaluations'],
  ['/api/v1/api/v1/user', '/api/v1/user'],
  ['/user', '/api/v1/user'],
  ['/v1/user', '/api/v1/user'],
  ['/api/v1/something/else', undefined],
])('findMeant corrects %s', (path, meant) => {
  expect(app.knownRoutes.findMeant(path)).toBe(meant);
});
