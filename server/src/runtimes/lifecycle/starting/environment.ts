/** The environment of a sandbox, from its configuration and its owner's secrets, encrypted while the sandbox lives. */
import { z } from 'zod';
import { openSecrets } from '../../../accounts/service.ts';
import type { Db } from '../../../platform/db/connect.ts';
import type { Trx } from '../../../platform/db/transaction.ts';
import { invalidValue } from '../../../platform/errors.ts';
import type { Vault } from '../../../platform/secrets/envelope.ts';
import type { SealedTable } from '../../../platform/secrets/rewrap.ts';
import type { SandboxKey } from '../../accounting/periods.ts';

export type Environment = Readonly<Record<string, string>>;

export const sealedEnvironments: SealedTable = {
  table: 'sandbox_environments',
  primaryKey: ['organization_id', 'sandbox_id'],
  owner: ({ sandbox_id }) => ownerOf(String(sandbox_id)),
};

const ownerOf = (sandboxId: string) => `sandboxes/${sandboxId}`;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface EnvironmentSources {
  readonly ownerId: string;
  readonly env: Environment;
  /** Secrets of the configuration, then of the start: later ones take precedence. */
  readonly configured: readonly string[];
  readonly requested: readonly string[];
}

export async function composeEnvironment(
  trx: Trx,
  vault: Vault,
  { ownerId, env, configured, requested }: EnvironmentSources,
): Promise<Environment> {
  for (const name of Object.keys(env)) {
    if (!NAME.test(name))
      throw invalidValue(['body', 'config', 'runtime_server', 'env', name], 'is not a valid variable name');
  }
  const composed: Record<string, string> = { ...env };
  const secrets = await openSecrets(trx, vault, ownerId, [...configured, ...requested]);
  const add = (id: string, loc: readonly (string | number)[]) => {
    const secret = secrets.get(id);
    if (!secret) throw invalidValue(loc, 'is not a secret of the owner of this runtime');
    if (!NAME.test(secret.name))
      throw invalidValue(
        loc,
        `is a secret whose name, "${secret.name}", is not a valid variable name; rename it`,
      );
    composed[secret.name] = secret.value;
  };
  configured.forEach((id, index) => add(id, ['body', 'config', 'secrets', 'secret_ids', index]));
  requested.forEach((id, index) => add(id, ['body', 'secret_ids', index]));
  return composed;
}

/** Encrypts the environment for a row of sandbox_environments. */
export function sealEnvironment(
  vault: Vault,
  { organizationId, sandboxId }: SandboxKey,
  environment: Environment,
) {
  const sealed = vault.seal(JSON.stringify(environment), ownerOf(sandboxId));
  return { organization_id: organizationId, sandbox_id: sandboxId, ...sealed };
}

const Sealed = z.record(z.string(), z.string());

/** Empty if the sandbox has ended. */
export async function openEnvironment(
  db: Db,
  vault: Vault,
  { organizationId, sandboxId }: SandboxKey,
): Promise<Environment> {
  const sealed = await db
    .selectFrom('sandbox_environments')
    .select(['key_id', 'wrapped_key', 'ciphertext'])
    .where('organization_id', '=', organizationId)
    .where('sandbox_id', '=', sandboxId)
    .executeTakeFirst();
  return sealed ? Sealed.parse(JSON.parse(vault.open(sealed, ownerOf(sandboxId)))) : {};
}
