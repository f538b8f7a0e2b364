/** Installs the capabilities listed in a configuration; capabilities that it does not list are not affected. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { ChosenCapability } from '../../registry/service.ts';
import { getOtherVersion } from '../../registry/service.ts';
import type { Target } from '../operator.ts';
import { type BindingRow, listBindings } from './bindings.ts';
import { addBinding, lockForChange, writeBinding } from './changes.ts';
import { onlyKnown } from './installing.ts';

export interface ConfiguredCapability extends ChosenCapability {
  readonly enabled: boolean;
  /** Whether the version was given explicitly. */
  readonly isPinned: boolean;
}

/**
 * Builds the part after WITH of the statement that creates a runtime.
 * @param created name of the part that creates it
 */
export function toBindingsStatement(
  { organizationId, principal }: Pick<WorkspaceScope, 'organizationId' | 'principal'>,
  configured: readonly ConfiguredCapability[],
  created: string,
): RawBuilder<object> {
  const column = (read: (one: ConfiguredCapability) => unknown) => sql.val(configured.map(read));
  return sql`(INSERT INTO runtime_capabilities
    (organization_id, id, runtime_id, owner_id, artifact_id, version_id, capability_name, version, enabled, created_by)
    SELECT ${organizationId}::uuid, one.id, created.id, one.owner_id, one.artifact_id, one.version_id, one.capability_name,
           one.version, one.enabled, ${principal.userId}::uuid
      FROM ${sql.ref(created)} AS created,
           unnest(${column(() => uuidv7())}::uuid[], ${column(({ ownerId }) => ownerId)}::uuid[],
                  ${column(({ artifactId }) => artifactId)}::uuid[], ${column(({ versionId }) => versionId)}::uuid[],
                  ${column(({ name }) => name)}::text[], ${column(({ version }) => version)}::text[],
                  ${column(({ enabled }) => enabled)}::boolean[])
             AS one (id, owner_id, artifact_id, version_id, capability_name, version, enabled))`;
}

/**
 * Adds new capabilities; existing ones get the listed enabled state and, if given, the version.
 * @returns whether a sandbox must apply the changes
 */
export async function followConfig(
  trx: Trx,
  scope: WorkspaceScope,
  target: Target,
  configured: readonly ConfiguredCapability[],
): Promise<boolean> {
  if (configured.length === 0) return false;
  const isLive = await lockForChange(trx, target);
  const bindings = await listBindings(trx, scope, target.runtimeId);
  for (const one of configured) {
    const before = bindings.find(({ artifact_id }) => artifact_id === one.artifactId);
    if (!before) await addBinding(trx, target, one, one.enabled);
    else await follow(trx, scope, target, before, one);
  }
  return isLive;
}

async function follow(
  trx: Trx,
  scope: WorkspaceScope,
  target: Target,
  before: BindingRow,
  one: ConfiguredCapability,
): Promise<void> {
  const isOther = one.isPinned && one.versionId !== before.version_id;
  if (!isOther && one.enabled === before.enabled) return;
  const { versionId, version, flags } = isOther
    ? await getOtherVersion(trx, scope, one, one.version)
    : { versionId: before.version_id, version: before.version, flags: before.flags };
  const kept = onlyKnown(before.flags, flags);
  await writeBinding(trx, target, before, { versionId, version, enabled: one.enabled, flags: kept });
}
