import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { EvaluationParams } from '../schema.ts';
import { EvaluationItemSearchResponse, ItemSearchQuery } from './schema.ts';
import { searchItems } from './search.ts';

export function searchRoutes(db: Db) {
  return workspaceRoutes('Evaluations', (on) => {
    on.get(
      '/evaluation/:evaluation_id/items/search',
      {
        id: 'searchEvaluationItems',
        summary: 'Search the samples of an evaluation',
        description: 'Searches messages, tool calls and their results, errors and names of tasks.',
        scope: 'evaluations:read',
        role: 'reader',
        params: EvaluationParams,
        query: ItemSearchQuery,
        response: EvaluationItemSearchResponse,
      },
      ({ scope, params, query }) => searchItems(db, scope, params.evaluation_id, query.q),
    );
  });
}
