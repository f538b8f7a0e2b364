/** Leases on ephemeral sandboxes: renewed, kept, taken over by another process, lapsed. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { fail, startEphemeralWorld } from '../../../test/ephemeral-world.ts';
import { ApiError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type EphemeralSandbox, Sandboxes, SandboxGone } from '../service.ts';

const world = await startEphemeralWorld();
const { server, db, log, owner, mia, operator, provider, sandboxes, asked, lapse } = world;
const { organizationId } = asked.owner;
const me = server.as(mia);

/** @returns the id of a sandbox that was kept after the work ended */
function keepOne(): Promise<string> {
  return sandboxes.withSandbox(asked, async (sandbox) => {
    await sandbox.exec('echo kept > /workspace/note; echo home > ~/note');
    await sandbox.keep(60);
    return sandbox.id;
  });
}

const remove = (id: string) => sandboxes.resumeSandbox({ ...asked, id }, () => Promise.resolve());

describe('leases', () => {
  test('cleanup removes a sandbox with a lapsed lease, which can no longer be resumed', async () => {
    const id = await keepOne();
    expect(await sandboxes.cleanUp.run(db)).toBe(0);
    await lapse();
    await expect(sandboxes.resumeSandbox({ ...asked, id }, fail)).rejects.toBeInstanceOf(SandboxGone);
    expect(await sandboxes.cleanUp.run(db)).toBe(1);
    expect((await me.get(`/org/main/sandboxes/${id}`)).body).toMatchObject({ state: 'killed' });
  });

  test('withSandbox renews the lease while the work runs', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      const read = async () =>
        (
          await sql<{ leased_until: string }>`
          SELECT leased_until FROM runtimes WHERE organization_id = ${organizationId}`.execute(db)
        ).rows[0]?.leased_until ?? '';
      const before = await read();
      await vi.waitFor(async () => expect((await read()) > before).toBe(true));
      await sandbox.exec('true');
    });
  });

  test('exec throws SandboxGone when the lease has lapsed', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      const gone = expect(sandbox.exec('sleep 1000')).rejects.toBeInstanceOf(SandboxGone);
      await lapse();
      await gone;
      expect(await sandboxes.cleanUp.run(db)).toBe(1);
    });
  });

  test('cleanup continues when one sandbox cannot be removed', async () => {
    const ids = [await keepOne(), await keepOne()];
    await lapse();
    let calls = 0;
    const failing = new Sandboxes({
      db,
      log,
      operator: {
        ...operator,
        delete: async (target) => {
          if (calls++ === 0) throw new ApiError('sandbox_provider_error', 'The host is away.');
          return operator.delete(target);
        },
      },
    });
    await expect(failing.cleanUp.run(db)).rejects.toThrow('The host is away.');
    expect(await provider.list()).toHaveLength(ids.length - 1);
    await sandboxes.cleanUp.run(db);
  });
});

describe('keep', () => {
  test('resumeSandbox resumes a kept sandbox repeatedly, and the last holder removes it', async () => {
    const id = await keepOne();
    await sandboxes.resumeSandbox({ ...asked, id }, async (sandbox) => {
      expect(sandbox.id).toBe(id);
      expect(await sandbox.exec('cat note ~/note')).toMatchObject({ stdout: 'kept\nhome\n' });
      await sandbox.keep(60);
    });
    await remove(id);
    await expect(sandboxes.resumeSandbox({ ...asked, id }, fail)).rejects.toBeInstanceOf(SandboxGone);
  });

  test('keep(0) removes the sandbox with the work', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      await sandbox.keep(60);
      await sandbox.keep(0);
    });
  });

  test('withSandbox does not remove a sandbox that another holder has taken over', async () => {
    let held: EphemeralSandbox | undefined;
    const { promise: isReplaced, resolve } = Promise.withResolvers<void>();
    const first = sandboxes.withSandbox(asked, async (sandbox) => {
      held = sandbox;
      await isReplaced;
      await vi.waitFor(() => expect(sandbox.exec('true')).rejects.toBeInstanceOf(SandboxGone));
    });
    const found = await vi.waitFor(() => held ?? Promise.reject(new Error('it has not started yet')));
    await sandboxes.resumeSandbox({ ...asked, id: found.id }, async (sandbox) => {
      resolve();
      await first;
      expect(await sandbox.exec('echo still here')).toMatchObject({ stdout: 'still here\n' });
    });
  });

  test('resumeSandbox throws SandboxGone for another owner and for an unknown id', async () => {
    const id = await keepOne();
    const stranger = { ...asked, owner: { ...asked.owner, userId: owner.id } };
    await expect(sandboxes.resumeSandbox({ ...stranger, id }, fail)).rejects.toBeInstanceOf(SandboxGone);
    const unknown = sandboxes.resumeSandbox({ ...asked, id: uuidv7() }, fail);
    await expect(unknown).rejects.toBeInstanceOf(SandboxGone);
    await remove(id);
  });
});
