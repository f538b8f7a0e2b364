/** Ports of a runtime across two processes, one of which is its host; and its connections when that process is killed. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, expect, inject, test } from 'vitest';
import { readText } from '../src/platform/sandbox/namespaces/provider-in-test.ts';
import { isAlive, listProcesses } from '../src/platform/sandbox/process-table.ts';
import { createDatabase } from './databases.ts';
import { FIRST_START } from './first-start.ts';
import { INSIDE_PORT, PortClient, RUNTIMES, startInside } from './inside-servers.ts';
import { call, newDataDir, startServer, until } from './processes.ts';

const KEY = FIRST_START.apiKey;
const database = await createDatabase(inject('databaseUrl'));
const environment = {
  DRYDOCK_DATA_DIR: newDataDir(),
  DATABASE_URL: database.url,
  DRYDOCK_SECRET_KEY: 'one key for both of the servers here',
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_LOG_LEVEL: 'fatal',
};
let first = await startServer(environment);
const second = await startServer(environment);
const [{ available } = { available: false }] = (
  await call<{ available: boolean }[]>(first.url, KEY, 'GET', '/org/main/sandbox-providers')
).body;
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

afterAll(async () => {
  await call(first.url, KEY, 'DELETE', `${RUNTIMES}/first`);
  await second.stop();
  await first.stop();
  await database.drop();
});

const listConnectors = (parent: number) =>
  listProcesses().filter(
    (entry) => entry.parent === parent && readText(`/proc/${entry.pid}/cmdline`).includes('serveConnections'),
  );

test.skipIf(!available)(
  'a port is reachable through both processes, and again after its host was killed',
  async () => {
    const post = (path: string, body?: unknown) => call(first.url, KEY, 'POST', path, body);
    await startInside({ post: post as never }, 'first');
    const [here, there] = [first, second].map(({ url }) => new PortClient(url, KEY, 'first'));
    if (!here || !there) throw new Error('there are two');
    for (const client of [here, there]) {
      const body = randomBytes(2_000_000);
      expect(await client.echo('/a?b', { method: 'POST', body })).toMatchObject({
        target: '/a?b',
        length: body.length,
        sha256: digest(body),
      });
      expect((await client.send('/large?bytes=20000000')).bytes).toHaveLength(20_000_000);
      const { status, text } = await new PortClient(second.url, KEY, 'first', 8001).send('/');
      expect([status, JSON.parse(text).type]).toEqual([404, 'not_found_error']);
    }
    const { connections } = await there.counts();
    for (let count = 0; count < 5; count += 1) await there.send('/');
    expect((await there.counts()).connections).toBe(connections);

    const socket = there.webSocket('?hello=welcome');
    expect(String((await once(socket, 'message'))[0])).toBe('welcome');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('hello');

    const closed = once(
      socket.on('error', () => undefined),
      'close',
    );
    const connectors = listConnectors(first.pid);
    expect(connectors).toHaveLength(1);
    await first.stop('SIGKILL');
    await closed;
    await until('what made connections has ended', () => !connectors.some(isAlive));
    // The other process is the host then.
    await until('it is reached again', async () => (await there.send('/')).status === 200);
    first = await startServer(environment);
    const back = new PortClient(first.url, KEY, 'first');
    expect((await back.send('/')).status).toBe(200);
    expect((await back.counts()).open).toBeLessThanOrEqual(3);
    await post(`${RUNTIMES}/first/pause`);
    for (const client of [there, back]) expect((await client.send('/')).status).toBe(409);
    await post(`${RUNTIMES}/first/resume`);
    for (const client of [there, back]) expect((await client.send('/')).status).toBe(200);
    const { status, text } = await there.send('/', { key: 'dd_none' });
    expect([status, JSON.parse(text).type]).toEqual([401, 'authentication_error']);
    for (const client of [here, there, back]) client.close();
  },
);

test.skipIf(!available)('both processes report a port on which nothing listens', async () => {
  for (const { url } of [first, second]) {
    await call(url, KEY, 'POST', `${RUNTIMES}/first/exec`, { command: 'pkill -f server.py' });
    const { status, text } = await new PortClient(url, KEY, 'first').send('/');
    expect([status, JSON.parse(text).detail]).toEqual([
      502,
      expect.stringContaining(`Nothing listens at port ${INSIDE_PORT} in the sandbox.`),
    ]);
  }
});
