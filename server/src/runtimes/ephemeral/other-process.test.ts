/** Ephemeral sandboxes of a worker process that is not a host: its requests go to a process that is one. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { fail, startEphemeralWorld } from '../../../test/ephemeral-world.ts';
import { SECRET_KEY } from '../../../test/harness.ts';
import { loadConfig } from '../../config.ts';
import { openOperator } from '../../open-sandboxes.ts';
import { endLostSandboxes } from '../hosts/lost-hosts.ts';
import { Sandboxes, SandboxGone } from '../service.ts';

const { server, host, db, log, sandboxes, asked } = await startEphemeralWorld();
const secretKeys = { current: SECRET_KEY, other: undefined };
const operator = openOperator({ config: loadConfig({}), secretKeys, db });
const worker = new Sandboxes({ db, operator, log, renewMs: 20 });

beforeAll(async () => host.announce(await server.app.listen({ host: '127.0.0.1', port: 0 })));

/** Simulates the state after the machine of the host was lost. */
async function loseHost(): Promise<void> {
  await sql`UPDATE sandbox_hosts SET lease_expires_at = now() - interval '1 second' WHERE id = ${host.own.hostId}`.execute(
    db,
  );
  await endLostSandboxes(db);
}

test('withSandbox of a worker runs on a host, and another process resumes a kept sandbox', async () => {
  const id = await worker.withSandbox(asked, async (sandbox) => {
    await sandbox.writeFile('note', 'from the worker');
    expect(await sandbox.exec('cat note; cat', { stdin: ' and on' })).toMatchObject({
      stdout: 'from the worker and on',
    });
    await sandbox.keep(60);
    return sandbox.id;
  });
  await sandboxes.resumeSandbox({ ...asked, id }, async (sandbox) => {
    expect((await sandbox.readFile('note')).toString()).toBe('from the worker');
    await sandbox.keep(60);
  });
  await worker.resumeSandbox({ ...asked, id }, async (sandbox) => {
    expect(await sandbox.exec('cat note')).toMatchObject({ stdout: 'from the worker' });
  });
});

test('workspaceFrom of a worker takes over a workspace that is on a host', async () => {
  await worker.withSandbox(asked, async (first) => {
    await first.exec('echo kept > note; echo left > ~/left');
    await first.end();
    await worker.withSandbox({ ...asked, workspaceFrom: first.id }, async (second) => {
      expect(await second.exec('cat note; ls -A ~')).toMatchObject({ stdout: 'kept\n' });
    });
  });
});

test('exec and all later calls throw SandboxGone when the host dies', async () => {
  const work = worker.withSandbox(asked, async (sandbox) => {
    const gone = expect(sandbox.exec('sleep 1000')).rejects.toThrow(/Its host is gone/);
    await loseHost();
    await gone;
    await expect(sandbox.readFile('note')).rejects.toBeInstanceOf(SandboxGone);
    await expect(worker.resumeSandbox({ ...asked, id: sandbox.id }, fail)).rejects.toBeInstanceOf(
      SandboxGone,
    );
    await sandbox.exec('true');
  });
  await expect(work).rejects.toMatchObject({ type: 'sandbox_provider_error' });
});
