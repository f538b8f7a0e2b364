import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { OPENAI_ERRORS } from '../openai-errors.ts';
import { ModelEntry, ModelEntryList, modelParam } from './schema.ts';
import { getModelEntry, listModels } from './store.ts';

export function modelRoutes(db: Db) {
  return orgRoutes(
    'Inference',
    (on) => {
      on.get(
        '/inference/v1/models',
        {
          id: 'listInferenceModels',
          summary: 'List the models that can be called',
          description: 'In the form of OpenAI, so that its clients can read it, with prices.',
          scope: 'inference:read',
          role: 'member',
          response: ModelEntryList,
        },
        ({ scope }) => listModels(db, scope),
      );

      on.get(
        '/inference/v1/models/*path',
        {
          id: 'getInferenceModel',
          summary: 'Get a model that can be called',
          scope: 'inference:read',
          role: 'member',
          params: modelParam,
          response: ModelEntry,
        },
        ({ scope, params }) => getModelEntry(db, scope, params.path),
      );
    },
    OPENAI_ERRORS,
  );
}
