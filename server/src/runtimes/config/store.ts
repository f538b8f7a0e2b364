/** The configuration of a runtime that is there: read by all who see it, replaced by its owner. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Limit } from '../../platform/sandbox/sandbox-provider.ts';
import { followConfig } from '../capabilities/configured.ts';
import type { RuntimeOperator } from '../lifecycle/operator.ts';
import { getOwnTarget, isNamed, runtimeNotFound } from '../lookup.ts';
import { configDigest } from './canonical-config.ts';
import { requireConfigReferences } from './references.ts';
import type { RuntimeConfigOf } from './schema.ts';

const MASK = '***';

export async function getConfig(db: Db, scope: WorkspaceScope, given: string): Promise<RuntimeConfigOf> {
  const { rows } = await sql<{ config: RuntimeConfigOf; created_by: string }>`
    SELECT r.config, r.created_by FROM runtimes AS r WHERE ${isNamed(scope, given)}`.execute(db);
  const [found] = rows;
  if (!found) throw runtimeNotFound(given);
  return found.created_by === scope.principal.userId ? found.config : toMasked(found.config);
}

function toMasked(config: RuntimeConfigOf): RuntimeConfigOf {
  const names = Object.keys(config.runtime_server.env);
  return { ...config, runtime_server: { env: Object.fromEntries(names.map((name) => [name, MASK])) } };
}

export interface GivenConfig {
  readonly config: RuntimeConfigOf;
  readonly limits: readonly Limit[];
}

/** What runs goes on as it was started: the next start is by the new configuration. Only its capabilities are installed at once. */
export async function replaceConfig(
  db: Db,
  operator: Pick<RuntimeOperator, 'setCapabilities'>,
  scope: WorkspaceScope,
  given: string,
  { config, limits }: GivenConfig,
): Promise<RuntimeConfigOf> {
  const capabilities = await requireConfigReferences(db, scope, config, ['body']);
  const target = await getOwnTarget(db, scope, given);
  const { organizationId, runtimeId } = target;
  const config_digest = configDigest(config);
  const isToShow = await transaction(db, async (trx) => {
    const { rows } = await sql<{ config_digest: string }>`
      SELECT config_digest FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtimeId}
         FOR NO KEY UPDATE`.execute(trx);
    const [before] = rows;
    if (!before) throw runtimeNotFound(given);
    await trx
      .updateTable('runtimes')
      .set({
        config: JSON.stringify(config),
        config_digest,
        given_limits: [...limits],
        updated_at: NEXT_CHANGE,
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', runtimeId)
      .execute();
    await audit(trx, scope, {
      action: 'runtime.configured',
      resource: `runtimes/${runtimeId}`,
      before,
      after: { config_digest },
    });
    return followConfig(trx, scope, target, capabilities);
  });
  if (isToShow) await operator.setCapabilities(target);
  return config;
}
