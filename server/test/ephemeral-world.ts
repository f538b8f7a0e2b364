/** A server with ephemeral sandboxes: each test must leave nothing behind. */
import { sql } from 'kysely';
import { afterEach, expect, vi } from 'vitest';
import { createLog } from '../src/platform/log.ts';
import { Sandboxes, type SandboxOwner, type SandboxRequest } from '../src/runtimes/service.ts';
import { startTestServer } from './harness.ts';

export async function startEphemeralWorld() {
  const server = await startTestServer({}, [], { hasSandboxes: true });
  const { db, owner } = server;
  if (!server.sandboxes) throw new Error('the server was asked for sandboxes');
  const { operator, provider } = server.sandboxes;
  const log = createLog('fatal');
  const sandboxes = new Sandboxes({ db, operator, log, renewMs: 20 });
  const { id: organizationId } = (await server.as(owner).get('/org/main')).body;
  const { id: workspaceId } = (await server.as(owner).get('/org/main/ws/main')).body;
  const mia = await server.addPerson('mia', { role: 'member' });
  const { signal } = new AbortController();
  const owned: SandboxOwner = { organizationId, workspaceId, userId: mia.id };
  const asked: SandboxRequest = { owner: owned, origin: 'eval', signal };

  const listRuntimes = async () =>
    (
      await sql<{ id: string; status: string }>`
      SELECT id, status FROM runtimes WHERE organization_id = ${organizationId}`.execute(db)
    ).rows;

  /** Simulates that some time has passed since every process with a lease was killed. */
  const lapse = () =>
    sql`UPDATE runtimes SET leased_until = now() - interval '1 second' WHERE organization_id = ${organizationId}`.execute(
      db,
    );

  // A host that has lost its lease removes its sandboxes when it takes the lease again.
  afterEach(() =>
    vi.waitFor(async () => {
      expect(await listRuntimes()).toEqual([]);
      expect(await provider.list()).toEqual([]);
      expect(await provider.listDisks()).toEqual([]);
    }),
  );
  return {
    server,
    host: server.sandboxes,
    db,
    log,
    owner,
    mia,
    operator,
    provider,
    sandboxes,
    asked,
    listRuntimes,
    lapse,
  };
}

/** Fails work that must not start. */
export function fail(): never {
  throw new Error('the work must not start');
}
