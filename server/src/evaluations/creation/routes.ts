import { workspaceRoutes } from '../../platform/http/operations.ts';
import { EvaluationResponse } from '../schema.ts';
import { type CreateOptions, createEvaluation } from './create.ts';
import { estimateEvaluation } from './estimate.ts';
import { EvaluationCreateRequest, EvaluationEstimateResponse } from './schema.ts';

export function creationRoutes(options: CreateOptions) {
  return workspaceRoutes('Evaluations', (on) => {
    on.post(
      '/evaluation',
      {
        id: 'createEvaluation',
        summary: 'Evaluate a model on tasks or on a dataset',
        description:
          'Versions of tasks, dataset and capability are resolved now and stay as they are. What cannot run is refused now.',
        scope: 'evaluations:write',
        role: 'contributor',
        body: EvaluationCreateRequest,
        response: EvaluationResponse,
        status: 201,
        watched: true,
        isBulk: true,
        long: true,
      },
      ({ scope, body, signal }) => createEvaluation(options, scope, body, signal),
    );

    on.post(
      '/evaluation/estimate',
      {
        id: 'estimateEvaluation',
        summary: 'Estimate what an evaluation takes',
        description: 'Checks the request like a creation, and stores nothing.',
        scope: 'evaluations:read',
        role: 'contributor',
        body: EvaluationCreateRequest,
        response: EvaluationEstimateResponse,
        watched: true,
        idempotency: false,
        long: true,
      },
      ({ scope, body, signal }) => estimateEvaluation(options, scope, body, signal),
    );
  });
}
