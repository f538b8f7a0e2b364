import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { InferenceUsageResponse, inferenceUsageQuery } from './schema.ts';
import { sumInferenceUsage } from './store.ts';

export function inferenceUsageRoutes(db: Db) {
  return orgRoutes('Usage', (on) => {
    on.get(
      '/credits/inference-usage',
      {
        id: 'getInferenceUsage',
        summary: 'What calls of models have used, by model',
        description:
          'From the inference gateway and from spans; a call that both tell of counts once, as the gateway has it. It belongs to the moment at which it began.',
        scope: 'usage:read',
        role: 'member',
        query: inferenceUsageQuery,
        response: InferenceUsageResponse,
      },
      ({ scope, query }) => sumInferenceUsage(db, scope, query),
    );
  });
}
