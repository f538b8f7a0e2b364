/** The configuration of an existing runtime: readable by everyone who sees the runtime, replaced by its owner. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { followConfig } from '../capabilities/configured.ts';
import type { RuntimeConfigOf, RuntimeConfigResponseOf } from '../config-schema.ts';
import { getOwnTarget, isNamed, runtimeNotFound } from '../lookup.ts';
import type { RuntimeOperator } from '../operator.ts';
import { changedLimits, configDigest, type GivenConfig } from './canonical-config.ts';
import { requireConfigReferences } from './references.ts';

const MASK = '***';

interface ConfigRow {
  readonly id: string;
  readonly config: RuntimeConfigOf;
  readonly config_digest: string;
}

export async function getConfig(
  db: Db,
  scope: WorkspaceScope,
  given: string,
): Promise<RuntimeConfigResponseOf> {
  const { rows } = await sql<ConfigRow & { created_by: string }>`
    SELECT r.id, r.config, r.config_digest, r.created_by FROM runtimes AS r WHERE ${isNamed(scope, given)}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw runtimeNotFound(given);
  const isOwner = found.created_by === scope.principal.userId;
  return toResponse(isOwner ? found : { ...found, config: toMasked(found.config) });
}

function toResponse({ id, config, config_digest }: ConfigRow): RuntimeConfigResponseOf {
  const { egress_allow, ...sandbox } = config.sandbox;
  const egress = egress_allow && { egress: { allow: egress_allow } };
  return {
    ...config,
    runtime_id: id,
    config_digest,
    config: { ...config, sandbox: { ...sandbox, ...egress } },
  };
}

function toMasked(config: RuntimeConfigOf): RuntimeConfigOf {
  const names = Object.keys(config.runtime_server.env);
  return { ...config, runtime_server: { env: Object.fromEntries(names.map((name) => [name, MASK])) } };
}

/** A running sandbox is not affected: the configuration applies from the next start. Only capabilities are installed at once. */
export async function replaceConfig(
  db: Db,
  operator: Pick<RuntimeOperator, 'setCapabilities'>,
  scope: WorkspaceScope,
  given: string,
  replacement: GivenConfig,
): Promise<RuntimeConfigResponseOf> {
  const { config, limits, isEdited, loc } = replacement;
  const capabilities = await requireConfigReferences(db, scope, config, loc);
  const target = await getOwnTarget(db, scope, given);
  const { organizationId, runtimeId } = target;
  const config_digest = configDigest(config);
  const mustUpdateSandbox = await transactionFor(db, scope, async (trx) => {
    const { rows } = await sql<ConfigRow & { given_limits: string[] }>`
      SELECT id, config, config_digest, given_limits FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtimeId}
         FOR NO KEY UPDATE`.execute(trx);
    const [before] = rows;
    if (!before) throw runtimeNotFound(given);
    await trx
      .updateTable('runtimes')
      .set({
        config: JSON.stringify(config),
        config_digest,
        given_limits: isEdited ? changedLimits(replacement, before) : [...limits],
        updated_at: NEXT_CHANGE,
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', runtimeId)
      .execute();
    await audit(trx, scope, {
      action: 'runtime.configured',
      resource: `runtimes/${runtimeId}`,
      before: { config_digest: before.config_digest },
      after: { config_digest },
    });
    return followConfig(trx, scope, target, capabilities);
  });
  if (mustUpdateSandbox) await operator.setCapabilities(target);
  return toResponse({ id: runtimeId, config, config_digest });
}
