/** Health checks of the object storage. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../../test/databases.ts';
import { createClient, SECRET_KEY, startTestServer } from '../../../../test/harness.ts';
import { until } from '../../../../test/processes.ts';
import { buildApp } from '../../../app.ts';
import { loadConfig } from '../../../config.ts';
import { connect } from '../../db/connect.ts';
import { createLog } from '../../log.ts';
import { OutsideStorage } from '../../object-storage/outside/outside-storage.ts';

type State = 'works' | 'fails' | 'is silent';
let state: State = 'works';
let asked = 0;
const s3 = createServer((_request, response) => {
  asked++;
  if (state !== 'is silent') response.writeHead(state === 'works' ? 200 : 403).end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => s3.once('listening', resolve));

const storage = new OutsideStorage({
  endpoint: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
  region: 'us-east-1',
  bucket: 'b',
  accessKeyId: 'k',
  secretAccessKey: 's',
});
const database = await createDatabase(inject('databaseUrl'));
const log = createLog('silent');
const db = connect({ url: database.url, poolSize: 4, namedStatements: true, log });
const config = loadConfig({});
const apps: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  s3.closeAllConnections();
  s3.close();
  for (const app of apps) await app.close();
  await storage.close();
  await db.destroy();
  await database.drop();
});

/** Opens a server with cold caches. */
async function openServer() {
  const app = await buildApp({ config, secretKey: SECRET_KEY, db, storage, directUrl: database.url, log });
  apps.push(app);
  const { get } = createClient(() => app, undefined);
  return () => get('/health');
}

beforeEach(() => {
  state = 'works';
  asked = 0;
});

const BROKEN = { status: 500, body: { type: 'server_error' } };

test('the embedded store is healthy', async () => {
  const server = await startTestServer();
  expect(await server.as(undefined).get('/health')).toMatchObject({
    status: 200,
    body: { checks: { object_storage: 'ok' } },
  });
});

test('a failing store makes the server unhealthy until it works again', async () => {
  const getHealth = await openServer();
  expect(await getHealth()).toMatchObject({ status: 200, body: { checks: { object_storage: 'ok' } } });
  state = 'fails';
  // A recent result is cached, for a limited time.
  expect((await getHealth()).status).toBe(200);
  expect(asked).toBe(1);
  await until('it is unhealthy', async () => (await getHealth()).status === 500);
  expect(await getHealth()).toMatchObject(BROKEN);
  state = 'works';
  expect(await getHealth()).toMatchObject(BROKEN);
  await until('it is healthy again', async () => (await getHealth()).status === 200);
});

test('a store that does not respond is checked by one request at a time', async () => {
  state = 'is silent';
  const getHealth = await openServer();
  const first = getHealth();
  await until('the store is asked', () => asked > 0);
  // Longer than the cache lifetime of a result.
  await sleep(2_500);
  expect(await Promise.all([first, getHealth(), getHealth()])).toMatchObject([BROKEN, BROKEN, BROKEN]);
  expect(asked).toBe(1);
});
