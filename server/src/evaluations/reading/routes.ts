import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { EvaluationParams, EvaluationResponse } from '../schema.ts';
import { getAnalytics } from './analytics.ts';
import { EvaluationAnalyticsResponse } from './analytics-schema.ts';
import { EVALUATION_EVENTS, getFeed } from './events.ts';
import {
  EvaluationFacetQuery,
  EvaluationFacetsResponse,
  EvaluationListResponse,
  EvaluationQuery,
} from './schema.ts';
import { getEvaluation, getFacets, listEvaluations } from './store.ts';

const MAY_READ = { scope: 'evaluations:read', role: 'reader' } as const;

export function readingRoutes(db: Db) {
  return workspaceRoutes('Evaluations', (on) => {
    on.get(
      '/evaluations',
      {
        id: 'listEvaluations',
        summary: 'List evaluations',
        ...MAY_READ,
        query: EvaluationQuery,
        response: EvaluationListResponse,
      },
      ({ scope, query }) => listEvaluations(db, scope, query),
    );

    on.get(
      '/evaluations/facets',
      {
        id: 'getEvaluationFacets',
        summary: 'Count evaluations by status and by model',
        ...MAY_READ,
        query: EvaluationFacetQuery,
        response: EvaluationFacetsResponse,
      },
      ({ scope, query }) => getFacets(db, scope, query),
    );

    on.get(
      '/evaluation/:evaluation_id',
      {
        id: 'getEvaluation',
        summary: 'Get an evaluation',
        ...MAY_READ,
        params: EvaluationParams,
        response: EvaluationResponse,
      },
      ({ scope, params }) => getEvaluation(db, scope, params.evaluation_id),
    );

    on.get(
      '/evaluation/:evaluation_id/analytics',
      {
        id: 'getEvaluationAnalytics',
        summary: 'Get the statistics of an evaluation',
        description: 'Samples that could not run, or were cancelled, are in no rate.',
        ...MAY_READ,
        params: EvaluationParams,
        response: EvaluationAnalyticsResponse,
      },
      ({ scope, params }) => getAnalytics(db, scope, params.evaluation_id),
    );

    on.events(
      '/evaluation/:evaluation_id/events',
      {
        id: 'streamEvaluationEvents',
        summary: 'Watch an evaluation: its state, its counts and its samples',
        ...MAY_READ,
        params: EvaluationParams,
        events: EVALUATION_EVENTS,
      },
      ({ scope, params }) => getFeed(db, scope, params.evaluation_id),
    );
  });
}
