import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { limitArrival } from './body-arrival.ts';

test('a request with a response before its body was read ends without an error, even when it was injected without a socket', async () => {
  const app = fastify();
  const failures: unknown[] = [];
  const note = (error: unknown) => failures.push(error);
  process.on('uncaughtException', note);
  onTestFinished(async () => {
    process.off('uncaughtException', note);
    await app.close();
  });
  app.addHook('onRequest', async (request, reply) => {
    limitArrival(request, () => reply.raw.headersSent, 10);
    await reply.code(403).send();
  });
  app.post('/', () => 'read');
  expect((await app.inject({ method: 'POST', url: '/', payload: { a: 1 } })).statusCode).toBe(403);
  await sleep(50);
  expect(failures).toEqual([]);
});
