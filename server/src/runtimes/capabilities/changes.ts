/** Changes the capabilities of a runtime under the lock of its row, so that concurrent changes are serialized. */
import { sql } from 'kysely';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { ChosenCapability } from '../../registry/service.ts';
import { auditMove } from '../audited.ts';
import { runtimeNotFound } from '../lookup.ts';
import type { Target } from '../operator.ts';
import type { BindingRow, Flags } from './bindings.ts';
import { findFolderConflict } from './folder-names.ts';
import { MAX_BINDINGS } from './schema.ts';

/** The fields of a binding that can be changed. */
export interface BindingState {
  readonly versionId: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly flags: Flags;
}

export async function lockRuntime(trx: Trx, { organizationId, runtimeId }: Target): Promise<void> {
  await sql`SELECT FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtimeId}
               FOR NO KEY UPDATE`.execute(trx);
}

/**
 * Takes the lock and counts the change, so that the host knows that the sandbox is outdated until the change is applied.
 * @returns whether there is a sandbox, or may soon be one, to apply the change to
 */
export async function lockForChange(trx: Trx, { organizationId, runtimeId }: Target): Promise<boolean> {
  const { rows } = await sql<{ is_live: boolean }>`
    UPDATE runtimes SET capabilities_changed = capabilities_changed + 1
     WHERE organization_id = ${organizationId} AND id = ${runtimeId}
    RETURNING status = 'running' OR move IS NOT NULL AS is_live`.execute(trx);
  const [row] = rows;
  if (!row) throw runtimeNotFound(runtimeId);
  return row.is_live;
}

/**
 * Adds a binding; the caller holds the lock.
 * @returns the id of the binding
 */
export async function addBinding(
  trx: Trx,
  target: Target,
  { ownerId, artifactId, versionId, name, version }: ChosenCapability,
  enabled = true,
): Promise<string> {
  const { organizationId, runtimeId, actorId } = target;
  const others = await trx
    .selectFrom('runtime_capabilities')
    .select(['artifact_id', 'capability_name'])
    .where('organization_id', '=', organizationId)
    .where('runtime_id', '=', runtimeId)
    .execute();
  if (others.some(({ artifact_id }) => artifact_id === artifactId)) {
    const detail = `"${name}" is installed in this runtime already; change its version with a PATCH of its binding.`;
    throw new ApiError('already_exists_error', detail);
  }
  if (others.length >= MAX_BINDINGS) {
    const detail = `A runtime has at most ${MAX_BINDINGS} capabilities. Remove one first.`;
    throw new ApiError('conflict_error', detail);
  }
  const problem = findFolderConflict(
    name,
    others.map(({ capability_name }) => capability_name),
  );
  if (problem) throw new ApiError('conflict_error', problem);
  const id = uuidv7();
  await trx
    .insertInto('runtime_capabilities')
    .values({
      organization_id: organizationId,
      id,
      runtime_id: runtimeId,
      owner_id: ownerId,
      artifact_id: artifactId,
      version_id: versionId,
      capability_name: name,
      version,
      enabled,
      created_by: actorId,
    })
    .execute();
  await auditMove(trx, target, 'runtime.capability_installed', { capability: name, version, enabled });
  return id;
}

/**
 * Changes a binding; the caller holds the lock.
 * @returns the time of the change, which is unique for the binding
 */
export async function writeBinding(
  trx: Trx,
  target: Target,
  before: Pick<BindingRow, 'id' | 'capability_name' | 'version' | 'enabled' | 'flags'>,
  after: BindingState,
): Promise<string> {
  const { updated_at: changedAt } = await trx
    .updateTable('runtime_capabilities')
    .set({
      version_id: after.versionId,
      version: after.version,
      enabled: after.enabled,
      flags: JSON.stringify(after.flags),
      updated_at: NEXT_CHANGE,
    })
    .where('organization_id', '=', target.organizationId)
    .where('runtime_id', '=', target.runtimeId)
    .where('id', '=', before.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  const capability = before.capability_name;
  await auditMove(
    trx,
    target,
    'runtime.capability_changed',
    { capability, ...toAudited(after) },
    { capability, ...toAudited(before) },
  );
  return changedAt;
}

/** The caller holds the lock. */
export async function isUnchanged(trx: Trx, target: Target, id: string, since: string): Promise<boolean> {
  const row = await trx
    .selectFrom('runtime_capabilities')
    .select('updated_at')
    .where('organization_id', '=', target.organizationId)
    .where('runtime_id', '=', target.runtimeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.updated_at === since;
}

const toAudited = ({ version, enabled, flags }: Pick<BindingState, 'version' | 'enabled' | 'flags'>) => ({
  version,
  enabled,
  flags: Object.entries(flags).map(([name, value]) => `${name}=${value}`),
});

/**
 * Removes a binding; the caller holds the lock.
 * @returns whether it existed
 */
export async function removeBinding(trx: Trx, target: Target, id: string): Promise<boolean> {
  const removed = await trx
    .deleteFrom('runtime_capabilities')
    .where('organization_id', '=', target.organizationId)
    .where('runtime_id', '=', target.runtimeId)
    .where('id', '=', id)
    .returning(['capability_name', 'version'])
    .executeTakeFirst();
  if (!removed) return false;
  const { capability_name: capability, version } = removed;
  await auditMove(trx, target, 'runtime.capability_removed', undefined, { capability, version });
  return true;
}
