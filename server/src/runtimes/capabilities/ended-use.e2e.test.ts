/** Processes of a capability end when it is removed in any way, and keep running when a change is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { MCP_SERVER, publishCapability } from '../../../test/capabilities.ts';
import { startTestServer } from '../../../test/harness.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { updateBinding } from './installing.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const main = server.as(server.owner);
const RUNTIME = '/org/main/ws/main/runtimes/box';
const [{ available }] = (await main.get('/org/main/sandbox-providers')).body;
const run = async (command: string) =>
  (await main.post(`${RUNTIME}/exec`, { command })).body.stdout as string;
const countOld = async () => Number(await run('pgrep -fxc "sleep 4471"'));
const countServers = async () => Number(await run('pgrep -fc "[s]erver.sh"'));

if (available) {
  const flags = 'flags: {deep: {}, wide: {}}\n';
  const mcp = 'mcp: {servers: {one: {command: ./server.sh}}}\n';
  const files = { 'server.sh': MCP_SERVER };
  const publish = (version: string, manifest: string) =>
    publishCapability(main, { name: 'crew', version, manifest, files });
  await publish('1.0.0', `${flags}${mcp}workers: {old: exec sleep 4471}\n`);
  await publish('2.0.0', `${flags}${mcp}workers: {new: exec sleep 4472}\n`);
  await main.post('/org/main/ws/main/runtimes', { key: 'box' });
  expect((await main.post(`${RUNTIME}/start`)).status).toBe(200);
}

describe.skipIf(!available)('changes of a running capability', () => {
  let crew = '';
  let id = '';
  beforeEach(async () => {
    const { body } = await main.post(`${RUNTIME}/capabilities`, { name: 'crew', version: '1.0.0' });
    id = body.id;
    crew = `${RUNTIME}/capabilities/${id}`;
    expect((await main.post(`${crew}/workers/old/start`)).status).toBe(200);
    return async () => {
      await main.delete(crew);
      expect([await countOld(), await countServers()]).toEqual([0, 0]);
    };
  });

  test('a worker that the new version lacks keeps running and ends when the capability is removed', async () => {
    expect((await main.patch(crew, { version: '2.0.0' })).status).toBe(200);
    expect(await countOld()).toBe(1);
    expect((await main.delete(crew)).status).toBe(204);
    expect(await countOld()).toBe(0);
  });

  test('a refused change ends no processes', async () => {
    for (const [change, status] of [
      [{ enabled: false, flags: { nope: true } }, 422],
      [{ enabled: false, version: '9.9.9' }, 404],
    ] as const) {
      expect((await main.patch(crew, change)).status).toBe(status);
      expect(await countOld()).toBe(1);
    }
  });

  test.each([
    ['removed', () => main.delete(crew)],
    ['disabled', () => main.patch(crew, { enabled: false })],
  ])(
    'all processes of a capability that is %s while its runtime is paused end on resume',
    async (_, change) => {
      const echo = { arguments: { text: 'hi' } };
      expect((await main.post(`${crew}/mcp-servers/one/tools/echo`, echo)).status).toBe(200);
      expect(await countServers()).toBe(1);
      expect((await main.post(`${RUNTIME}/pause`)).status).toBe(200);
      expect((await change()).status).toBeLessThan(300);
      expect((await main.post(`${RUNTIME}/resume`)).status).toBe(200);
      expect([await countOld(), await countServers()]).toEqual([0, 0]);
    },
  );

  test.each([
    ['removed', () => main.delete(crew)],
    ['disabled', () => main.patch(crew, { enabled: false })],
  ])('a worker that starts while its capability is %s ends', async (_, change) => {
    for (let round = 0; round < 6; round += 1) {
      const { body } = await main.post(`${RUNTIME}/capabilities`, { name: 'crew', version: '1.0.0' });
      if (body.id) crew = `${RUNTIME}/capabilities/${body.id}`;
      else await main.patch(crew, { enabled: true });
      await main.post(`${crew}/workers/old/stop`);
      const starting = main.post(`${crew}/workers/old/start`);
      await sleep(round * 5);
      const changed = await change();
      expect(changed.status).toBeLessThan(300);
      // A worker that had started ended with the capability.
      expect([200, 404, 409]).toContain((await starting).status);
      expect(await countOld()).toBe(0);
    }
  });

  test('an MCP server keeps running while other capabilities change', async () => {
    const where = () => main.post(`${crew}/mcp-servers/one/tools/where`);
    const { body: before } = await where();
    await publishCapability(main, { name: 'other' });
    const other = await main.post(`${RUNTIME}/capabilities`, { name: 'other' });
    expect(other.status).toBe(201);
    expect((await main.delete(`${RUNTIME}/capabilities/${other.body.id}`)).status).toBe(204);
    expect((await where()).body).toEqual(before);
    expect(await countOld()).toBe(1);
  });

  test('invalid records written by a guest do not block changes', async () => {
    const folder = `/tmp/.capability-workers/${id}/wrong`;
    await run(
      `mkdir ${folder}; echo nonsense >${folder}/session; flock ${folder}/lock sleep 4473 >/dev/null 2>&1 &`,
    );
    expect((await main.patch(crew, { enabled: false })).status).toBe(200);
    expect(await countOld()).toBe(0);
    await run('pkill -fx "sleep 4473"');
  });

  test('rolling back a failed change keeps later changes of others', async () => {
    const { id: runtimeId } = (await main.get(RUNTIME)).body;
    const { rows } = await sql<{ id: string }>`
      SELECT organization_id AS id FROM runtimes /* of every organization */ WHERE id = ${runtimeId}`.execute(
      server.db,
    );
    const organizationId = rows[0]?.id ?? '';
    const target = { organizationId, runtimeId, actorId: server.owner.id, requestId: 'test' };
    const failing = {
      setCapabilities: async () => {
        expect((await main.patch(crew, { flags: { deep: true } })).status).toBe(200);
        throw new Error('the engine is gone');
      },
    };
    const scope = { organizationId, role: 'owner' } as WorkspaceScope;
    const change = { flags: { wide: true } };
    await expect(
      updateBinding({ db: server.db, operator: failing }, scope, { target, id }, change),
    ).rejects.toThrow(/the engine is gone/);
    const [after] = (await main.get(`${RUNTIME}/capabilities`)).body;
    expect(after.flags).toEqual({ deep: true, wide: true });
  });
});
