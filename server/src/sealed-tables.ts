/** Lists every table with values sealed with the secret key. */
import { sealedUserSecrets } from './accounts/secrets/store.ts';
import { sealedProviderKeys } from './inference/providers/keys.ts';
import { sealedResponses } from './platform/idempotency/store.ts';
import type { SealedTable } from './platform/secrets/rewrap.ts';
import { sealedEnvironments } from './runtimes/lifecycle/starting/environment.ts';

export const SEALED_TABLES: readonly SealedTable[] = [
  sealedUserSecrets,
  sealedResponses,
  sealedEnvironments,
  sealedProviderKeys,
];
