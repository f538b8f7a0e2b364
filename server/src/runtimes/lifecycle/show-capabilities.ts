/** Applies the installed capabilities to the sandboxes of this host. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { CapabilityFolder } from '../../platform/sandbox/sandbox-provider.ts';
import { type InstalledVersion, installedOf, readFiles } from '../../registry/service.ts';
import { effectiveFlags, type Flags } from '../capabilities/bindings.ts';
import { folderOf } from '../capabilities/folder-names.ts';
import { endUnused } from '../capabilities/in-use.ts';
import { busy, type RuntimeKey, type Transition } from '../transitions.ts';
import type { LocalHost } from './local-host.ts';
import { appendLog } from './sandbox-log.ts';

interface ShownBinding extends Pick<InstalledVersion, 'digest' | 'default_flags' | 'is_available'> {
  readonly id: string;
  readonly capability_name: string;
  readonly version: string;
  readonly owner_id: string;
  readonly version_id: string;
  readonly flags: Flags;
}

export interface Shown {
  /** Number of changes of the installed capabilities. */
  readonly changed: number;
  /** Number of changes that the last sandbox has applied. */
  readonly shown: number;
  readonly bindings: readonly ShownBinding[];
}

export interface ShowingSandbox extends RuntimeKey {
  readonly sandboxId: string;
  readonly provider: string;
}

/** Timeout in milliseconds, longer than a start that must fetch capabilities. */
const WAIT_TIMEOUT_MS = 120_000;
const PAUSE_MS = 100;

/** Reads everything in one snapshot. */
export async function readShown(db: Db, { organizationId, runtimeId }: RuntimeKey): Promise<Shown> {
  const viewer = { organizationId, role: 'member' } as const;
  const { rows } = await sql<Shown & { readonly binding: ShownBinding | null }>`
    SELECT r.capabilities_changed AS changed, r.capabilities_shown AS shown, b.binding
      FROM runtimes AS r
      LEFT JOIN LATERAL (
        SELECT jsonb_build_object('id', b.id, 'capability_name', b.capability_name, 'version', b.version, 'owner_id', b.owner_id,
                 'version_id', b.version_id, 'flags', b.flags, 'digest', v.digest, 'default_flags', v.default_flags,
                 'is_available', v.is_available) AS binding, b.id
          FROM runtime_capabilities AS b CROSS JOIN ${installedOf(viewer, 'b')} AS v
         WHERE b.organization_id = r.organization_id AND b.runtime_id = r.id AND b.enabled
      ) AS b ON true
     WHERE r.organization_id = ${organizationId} AND r.id = ${runtimeId}
     ORDER BY b.id`.execute(db);
  const { changed = 0, shown = 0 } = rows[0] ?? {};
  return { changed, shown, bindings: rows.flatMap(({ binding }) => binding ?? []) };
}

/**
 * Leaves out capabilities that are no longer available and not on the disk either, with an entry in the sandbox's log.
 * @param read state read before, by a caller that knows that no other changes are being applied to this sandbox
 */
export async function showCapabilities(
  host: LocalHost,
  sandbox: ShowingSandbox,
  read?: Shown,
): Promise<void> {
  await host.capabilityLock.run(sandbox.sandboxId, async () => {
    const { changed, shown, bindings } = read ?? (await readShown(host.db, sandbox));
    const missing = new Set<ShownBinding>();
    for (;;) {
      const before = missing.size;
      const there = bindings.filter((binding) => !missing.has(binding));
      const folders = there.map((binding) => toFolder(host, binding, () => missing.add(binding)));
      try {
        const provider = host.provider(sandbox.provider);
        await provider.setCapabilities(sandbox.sandboxId, folders, toBindingsFile(there));
        break;
      } catch (error) {
        if (missing.size === before) throw error;
      }
    }
    await logMissing(host, sandbox, [...missing]);
    if (changed === shown) return;
    // Nothing runs yet in a new sandbox.
    const why = read
      ? undefined
      : await endUnused(host.provider(sandbox.provider), sandbox.sandboxId, bindings);
    if (why) host.log.warn({ sandboxId: sandbox.sandboxId, why }, 'what runs of a capability was not ended');
    await noteShown(host.db, sandbox, changed);
  });
}

function toFolder(host: LocalHost, binding: ShownBinding, giveUp: () => void): CapabilityFolder {
  const { owner_id: ownerId, version_id: versionId } = binding;
  return {
    path: binding.capability_name,
    digest: binding.digest,
    files: async function* () {
      let count = 0;
      if (binding.is_available) {
        for await (const file of readFiles(host.db, host.storage, { ownerId, versionId })) {
          count += 1;
          yield file;
        }
      }
      if (count > 0) return;
      giveUp();
      throw new ApiError('not_found_error', `"${binding.capability_name}" is not available any more.`);
    },
  };
}

const toBindingsFile = (bindings: readonly ShownBinding[]) =>
  `${JSON.stringify(
    bindings.map((binding) => ({
      name: binding.capability_name,
      version: binding.version,
      path: folderOf(binding.capability_name),
      flags: effectiveFlags(binding),
    })),
  )}\n`;

async function logMissing(host: LocalHost, key: ShowingSandbox, missing: readonly ShownBinding[]) {
  if (missing.length === 0) return;
  const entries = missing.map(({ capability_name: capability, version }) => ({
    kind: 'lifecycle' as const,
    message: 'capability left out',
    details: { capability, version, reason: 'It was deleted, or is not public any more.' },
  }));
  await host.step((trx) => appendLog(trx, key, entries));
}

async function noteShown(db: Db, { organizationId, runtimeId }: RuntimeKey, changed: number): Promise<void> {
  await sql`
    UPDATE runtimes SET capabilities_shown = ${changed}
     WHERE organization_id = ${organizationId} AND id = ${runtimeId}`.execute(db);
}

/** Resolves once the sandbox has applied the installed capabilities or does not run: the next start or resume applies them. */
export async function showInRuntime(host: LocalHost, key: RuntimeKey): Promise<void> {
  const sandbox = await untilSettled(host, key);
  if (!sandbox) return;
  try {
    await showCapabilities(host, sandbox);
  } catch (error) {
    const now = await untilSettled(host, key);
    if (now?.sandboxId === sandbox.sandboxId) throw error;
  }
}

/** @returns undefined if the sandbox does not run on this host */
async function untilSettled(host: LocalHost, key: RuntimeKey): Promise<ShowingSandbox | undefined> {
  for (const deadline = performance.now() + WAIT_TIMEOUT_MS; ; ) {
    const { rows } = await sql<{
      status: string;
      move: Transition | null;
      id: string | null;
      provider: string;
    }>`
      SELECT r.status, r.move, s.id, s.provider FROM runtimes AS r
        LEFT JOIN sandboxes AS s
          ON s.organization_id = r.organization_id AND s.id = r.sandbox_id AND s.host_id = ${host.lease.hostId}
       WHERE r.organization_id = ${key.organizationId} AND r.id = ${key.runtimeId}`.execute(host.db);
    const [row] = rows;
    if (!row) return undefined;
    const { status, move, id, provider } = row;
    if (move === null)
      return status === 'running' && id !== null ? { ...key, sandboxId: id, provider } : undefined;
    if (performance.now() > deadline) throw busy(move);
    await sleep(PAUSE_MS);
  }
}

/** Finds running sandboxes of this host that are outdated, for example because a process was killed before it requested the update. */
export async function showForgotten(host: LocalHost): Promise<void> {
  const { rows } = await sql<RuntimeKey>`
    SELECT organization_id AS "organizationId", id AS "runtimeId" FROM runtimes /* of every organization */
     WHERE host_id = ${host.lease.hostId} AND capabilities_changed <> capabilities_shown
       AND status = 'running' AND move IS NULL
     LIMIT 50`.execute(host.db);
  for (const key of rows) {
    await showInRuntime(host, key).catch((error: unknown) =>
      host.log.warn({ err: error, runtimeId: key.runtimeId }, 'capabilities could not be shown yet'),
    );
  }
}
