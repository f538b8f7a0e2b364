import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { EvaluationParams } from '../schema.ts';
import { getAnalytics } from './analytics.ts';
import { EvaluationAnalyticsResponse } from './analytics-schema.ts';

export function analyticsRoutes(db: Db) {
  return workspaceRoutes('Evaluations', (on) => {
    on.get(
      '/evaluation/:evaluation_id/analytics',
      {
        id: 'getEvaluationAnalytics',
        summary: 'Get the statistics of an evaluation',
        description: 'Samples that could not run, or were cancelled, are in no rate.',
        scope: 'evaluations:read',
        role: 'reader',
        params: EvaluationParams,
        answer: EvaluationAnalyticsResponse,
      },
      ({ scope, params }) => getAnalytics(db, scope, params.evaluation_id),
    );
  });
}
