/** DRYDOCK_ROLE: the work of a process that shares a database with others. */
import { expect, inject, test } from 'vitest';
import { createDatabase } from './databases.ts';
import { call, spawnServer, startServer, until } from './processes.ts';

const database = await createDatabase(inject('databaseUrl'));
const environment = {
  DATABASE_URL: database.url,
  DRYDOCK_SECRET_KEY: 'a secret key of more than 32 characters',
};

test('a server responds and says that it runs no jobs; a worker runs jobs and does not respond', async () => {
  const server = await startServer({ ...environment, DRYDOCK_ROLE: 'server' });
  const health = await call(server.url, undefined, 'GET', '/health');
  expect(health.body).toMatchObject({ status: 'ok', checks: { database: 'ok', jobs: 'disabled' } });

  const worker = spawnServer({ ...environment, DRYDOCK_ROLE: 'worker' });
  await until('it works', () => worker.output().stdout.includes('works on jobs'));
  expect(worker.output().stdout).not.toContain('runs on');

  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  await database.drop();
});

test('a process with both roles says so', async () => {
  const both = await createDatabase(inject('databaseUrl'));
  const server = await startServer({ ...environment, DATABASE_URL: both.url });
  const health = await call(server.url, undefined, 'GET', '/health');
  expect(health.body).toMatchObject({ checks: { jobs: 'ok' } });
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  await both.drop();
});
