/** Capabilities of a runtime whose sandbox runs on another host, used through this process. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MCP_SERVER, publishCapability } from '../../../test/capabilities.ts';
import { createClient, SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { openTestSandboxes } from '../../../test/sandboxes.ts';
import { buildApp } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { createLog } from '../../platform/log.ts';

const a = await startTestServer({}, [], { hasSandboxes: true });
const { db, storage, owner, sandboxes: first } = a;
const config = loadConfig({});
const second = await openTestSandboxes({ db, storage, config, secretKey: SECRET_KEY });
const log = createLog('fatal');
const appB = await buildApp({ config, secretKey: SECRET_KEY, db, storage, log, sandboxes: second });
const [here, there] = [a.as(owner), createClient(() => appB, owner.key)];
const [{ available }] = (await here.get('/org/main/sandbox-providers')).body;
const BOX = '/org/main/ws/main/runtimes/box';

beforeAll(async () => {
  await first?.announce(await a.app.listen({ host: '127.0.0.1', port: 0 }));
  await second.announce(await appB.listen({ host: '127.0.0.1', port: 0 }));
});
afterAll(async () => {
  await appB.close();
  await second.close();
});

test.skipIf(!available)('all operations on capabilities work through another process', async () => {
  const manifest = 'mcp: {servers: {one: {command: ./server.sh}}}\nworkers: {rest: sleep 4471}\n';
  await publishCapability(here, { name: 'kit', manifest, files: { 'server.sh': MCP_SERVER } });
  await publishCapability(here, { name: 'kit', version: '2.0.0', manifest, files: { new: 'new' } });
  await here.post('/org/main/ws/main/runtimes', { key: 'box' });
  expect((await here.post(`${BOX}/start`)).status).toBe(200);

  const { status, body } = await there.post(`${BOX}/capabilities`, { name: 'kit', version: '1.0.0' });
  expect([status, body.version]).toEqual([201, '1.0.0']);
  const run = async (command: string) => (await there.post(`${BOX}/exec`, { command })).body.stdout;
  expect(await run('ls /capabilities/kit')).toBe('capability.yaml\nserver.sh\n');

  const kit = `${BOX}/capabilities/${body.id}`;
  for (const client of [here, there]) {
    const response = await client.post(`${kit}/mcp-servers/one/tools/echo`, { arguments: { text: 'hi' } });
    expect(response.body).toMatchObject({ content: [{ text: 'hi' }] });
  }
  expect(await run('pgrep -cf "[s]erver.sh"')).toBe('2\n');
  expect((await there.post(`${kit}/workers/rest/start`)).body.state).toBe('running');
  expect((await here.get(`${kit}/workers`)).body[0].state).toBe('running');
  expect((await here.post(`${kit}/workers/rest/stop`)).body.state).toBe('stopped');

  expect((await there.patch(kit, { version: '2.0.0' })).status).toBe(200);
  expect(await run('ls /capabilities/kit')).toBe('capability.yaml\nnew\n');
  // Ends workers regardless of the process that started them.
  expect(await run('pgrep -cf "[s]erver.sh"')).toBe('0\n');
  expect((await here.post(`${kit}/workers/rest/start`)).body.state).toBe('running');
  expect((await there.delete(kit)).status).toBe(204);
  expect(await run('pgrep -fc "[s]leep 4471"')).toBe('0\n');
  expect(await run('ls /capabilities')).toBe('bindings.json\n');
  expect((await here.delete(BOX)).status).toBe(204);
  expect([await first?.provider.list(), await first?.provider.listDisks()]).toEqual([[], []]);
});
