import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import { InferenceProvider, InferenceProvidersReplaceRequest, PROVIDERS_BYTES } from './schema.ts';
import { listProviders, type ProviderRules, replaceProviders } from './store.ts';

export interface ProvidersOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly rules: ProviderRules;
  /** Called after a list was replaced. */
  readonly replaced: () => void;
}

export function providerRoutes({ db, vault, rules, replaced }: ProvidersOptions) {
  return orgRoutes('Inference', (on) => {
    on.get(
      '/inference/providers',
      {
        id: 'listInferenceProviders',
        summary: 'List the providers of models, with their prices',
        scope: 'inference:read',
        role: 'member',
        response: z.array(InferenceProvider),
      },
      ({ scope }) => listProviders(db, scope),
    );

    on.put(
      '/inference/providers',
      {
        id: 'replaceInferenceProviders',
        summary: 'Replace the list of providers',
        description:
          'A provider that is not in the list goes, with its key. A key that is left out stays, as long as the kind and the ' +
          'origin of the provider do.',
        scope: 'inference:write',
        role: 'admin',
        organizationWide: true,
        body: InferenceProvidersReplaceRequest,
        largeBody: { maxBytes: PROVIDERS_BYTES },
        response: z.array(InferenceProvider),
      },
      async ({ scope, body }) => {
        const providers = await replaceProviders(db, vault, rules, scope, body.providers);
        replaced();
        return providers;
      },
    );
  });
}
