/** A new sandbox that takes over the /workspace of an ended one, and nothing else of it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { publishCapability } from '../../../test/capabilities.ts';
import { fail, startEphemeralWorld } from '../../../test/ephemeral-world.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { SandboxGone } from '../service.ts';

const world = await startEphemeralWorld();
const { server, host, db, owner, provider, sandboxes, asked, listRuntimes, lapse } = world;
const { organizationId } = asked.owner;

/** Identity and owner of the folder that the sandbox sees as /workspace. */
async function statWorkspace(sandboxId: string) {
  const { rows } = await sql<{ disk_id: string }>`
    SELECT disk_id FROM runtimes WHERE organization_id = ${organizationId} AND sandbox_id = ${sandboxId}`.execute(
    db,
  );
  const { ino, dev, uid } = statSync(
    join(host.dataDir, 'sandboxes/disks', rows[0]?.disk_id ?? '', 'workspace'),
  );
  return { ino, dev, uid };
}

/** @returns the id of a sandbox that has ended and whose disk is kept */
async function endOne(): Promise<string> {
  return sandboxes.withSandbox(asked, async (sandbox) => {
    await sandbox.writeFile('note', 'first');
    await sandbox.end();
    await sandbox.keep(60);
    return sandbox.id;
  });
}

test('workspaceFrom moves /workspace to a sandbox that sees nothing else of the first', async () => {
  await publishCapability(server.as(owner), { name: 'agent' });
  const config = { runtime_server: { env: { SECRET: 'first' } }, capabilities: [{ name: 'agent' }] };
  await sandboxes.withSandbox({ ...asked, config }, async (first) => {
    await first.exec('mkdir sub; echo made > sub/file; chmod 600 sub/file; ln -s /etc/hostname link');
    await first.exec('for d in ~ /tmp /opt /var/lib /dev/shm; do echo first > $d/left; done');
    await first.exec('setsid sleep 1234 > /dev/null 2>&1 < /dev/null &');
    const before = await statWorkspace(first.id);
    await first.end();
    await sandboxes.withSandbox({ ...asked, workspaceFrom: first.id }, async (second) => {
      expect(second.id).not.toBe(first.id);
      expect(await statWorkspace(second.id)).toEqual(before);
      expect(await second.exec('cat sub/file; readlink link; touch sub/new && echo writable')).toMatchObject({
        stdout: 'made\n/etc/hostname\nwritable\n',
      });
      expect(
        await second.exec('ls ~/left /tmp/left /opt/left /var/lib/left /dev/shm/left 2>/dev/null'),
      ).toMatchObject({ stdout: '' });
      expect(await second.exec('echo "[$SECRET]"; ls /capabilities; pgrep -fc "^sleep 1234$"')).toMatchObject(
        {
          stdout: '[]\nbindings.json\n0\n',
        },
      );
      expect(await listRuntimes()).toHaveLength(1);
      expect(await provider.listDisks()).toHaveLength(1);
      await expect(first.exec('true')).rejects.toBeInstanceOf(SandboxGone);
    });
  });
});

test('workspaceFrom can be repeated from sandbox to sandbox after the work of each has returned', async () => {
  let id = await endOne();
  for (const round of ['second', 'third']) {
    id = await sandboxes.withSandbox({ ...asked, workspaceFrom: id }, async (sandbox) => {
      await sandbox.exec(`echo ${round} >> note; echo ${round} > ~/left`);
      await sandbox.end();
      await sandbox.keep(60);
      return sandbox.id;
    });
  }
  await sandboxes.withSandbox({ ...asked, workspaceFrom: id }, async (sandbox) => {
    expect((await sandbox.readFile('note')).toString()).toBe('firstsecond\nthird\n');
    expect(await sandbox.exec('ls -A ~')).toMatchObject({ stdout: '' });
  });
});

test('workspaceFrom ends a sandbox that still runs', async () => {
  await sandboxes.withSandbox(asked, async (first) => {
    await first.writeFile('note', 'first');
    await sandboxes.withSandbox({ ...asked, workspaceFrom: first.id }, async (second) => {
      expect((await second.readFile('note')).toString()).toBe('first');
      await expect(first.exec('true')).rejects.toBeInstanceOf(SandboxGone);
    });
  });
  expect(await listRuntimes()).toEqual([]);
});

test('workspaceFrom finds /workspace by the id of its first sandbox, however many took it over since and still run', async () => {
  const id = await endOne();
  for (const round of ['second', 'third']) {
    await sandboxes.withSandbox({ ...asked, workspaceFrom: id }, async (sandbox) => {
      await sandbox.exec(`echo ${round} >> note`);
      await sandbox.keep(90);
    });
  }
  await sandboxes.withSandbox({ ...asked, workspaceFrom: id }, async (sandbox) => {
    expect((await sandbox.readFile('note')).toString()).toBe('firstsecond\nthird\n');
    expect(await listRuntimes()).toHaveLength(1);
  });
  expect(await listRuntimes()).toEqual([]);
});

test('workspaceFrom throws SandboxGone for a foreign, lapsed or unknown sandbox, and creates nothing', async () => {
  const id = await endOne();
  await addOrganization(server, owner, 'other');
  const { id: other, workspace } = await server
    .as(owner)
    .get('/org/other')
    .then(async ({ body }) => ({
      id: body.id,
      workspace: (await server.as(owner).get('/org/other/ws/main')).body.id,
    }));
  await server.as(owner).post('/org/main/ws', { name: 'second' });
  const { id: second } = (await server.as(owner).get('/org/main/ws/second')).body;
  for (const changed of [
    { userId: owner.id },
    { workspaceId: second },
    { userId: owner.id, organizationId: other, workspaceId: workspace },
  ]) {
    const request = { ...asked, owner: { ...asked.owner, ...changed }, workspaceFrom: id };
    await expect(sandboxes.withSandbox(request, fail)).rejects.toBeInstanceOf(SandboxGone);
  }
  const unknown = sandboxes.withSandbox({ ...asked, workspaceFrom: uuidv7() }, fail);
  await expect(unknown).rejects.toBeInstanceOf(SandboxGone);
  expect(await listRuntimes()).toHaveLength(1);
  await lapse();
  await expect(sandboxes.withSandbox({ ...asked, workspaceFrom: id }, fail)).rejects.toBeInstanceOf(
    SandboxGone,
  );
  expect(await sandboxes.cleanUp.run(db)).toBe(1);
});

test('workspaceFrom does not reach the disk of a runtime of a user', async () => {
  const me = server.as(world.mia);
  await me.post('/org/main/ws/main/runtimes', { key: 'mine' });
  const { body } = await me.post('/org/main/ws/main/runtimes/mine/start');
  const { sandbox_id } = body.instance;
  await me.delete(`/org/main/sandboxes/${sandbox_id}`);
  const work = sandboxes.withSandbox({ ...asked, workspaceFrom: sandbox_id }, fail);
  await expect(work).rejects.toBeInstanceOf(SandboxGone);
  await me.delete('/org/main/ws/main/runtimes/mine');
});

test('workspaceFrom can be repeated when the start of its sandbox was interrupted', async () => {
  const id = await endOne();
  const limit = (max_concurrent_sandboxes: number | null) =>
    server.as(owner).patch('/org/main', { max_concurrent_sandboxes });
  await limit(0);
  const [before] = await listRuntimes();
  const leaving = new AbortController();
  const work = sandboxes.withSandbox({ ...asked, workspaceFrom: id, signal: leaving.signal }, fail);
  // The runtime of the ended sandbox is deleted when the new one has its disk.
  await expect
    .poll(async () => (await listRuntimes()).map((runtime) => runtime.id === before?.id))
    .toEqual([false]);
  leaving.abort(new Error('this process is stopping'));
  await expect(work).rejects.toThrow('this process is stopping');
  await limit(null);
  await sandboxes.withSandbox({ ...asked, workspaceFrom: id }, async (sandbox) => {
    expect((await sandbox.readFile('note')).toString()).toBe('first');
  });
});
