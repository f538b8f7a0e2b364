/** API keys of providers: encrypted, each bound to its provider. */

import { ApiError } from '../../platform/errors.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import { type SealedSecret, VaultError } from '../../platform/secrets/envelope.ts';
import type { SealedTable } from '../../platform/secrets/rewrap.ts';

export const sealedProviderKeys: SealedTable = {
  table: 'inference_providers',
  primaryKey: ['organization_id', 'name'],
  owner: ({ organization_id, name }) => ownerOf(String(organization_id), String(name)),
};

const ownerOf = (organizationId: string, provider: string) =>
  `inference_providers/${organizationId}/${provider}`;

export const NO_KEY = { key_id: null, wrapped_key: null, ciphertext: null };

export function sealKey(vault: Vault, organizationId: string, provider: string, key: string): SealedSecret {
  return vault.seal(key, ownerOf(organizationId, provider));
}

interface StoredKey {
  readonly key_id: string | null;
  readonly wrapped_key: Buffer | null;
  readonly ciphertext: Buffer | null;
}

/** Undefined for a provider without a key. */
export function openKey(
  vault: Vault,
  organizationId: string,
  provider: string,
  { key_id, wrapped_key, ciphertext }: StoredKey,
): string | undefined {
  if (key_id === null || wrapped_key === null || ciphertext === null) return undefined;
  try {
    return vault.open({ key_id, wrapped_key, ciphertext }, ownerOf(organizationId, provider));
  } catch (cause) {
    if (!(cause instanceof VaultError)) throw cause;
    const detail =
      `The key of provider "${provider}" cannot be opened: this server has another secret key than the one it was sealed with. ` +
      'Start it with that one, or let an admin of the organization set the key of the provider anew.';
    throw new ApiError('configuration_error', detail, { cause });
  }
}
