import { workspaceRoutes } from '../../platform/http/operations.ts';
import { EvaluationItem, EvaluationParams, EvaluationResponse, ItemParams } from '../schema.ts';
import { deleteEvaluation } from './deletion.ts';
import { cancelItem, retryFailed, retryItem } from './retry.ts';
import { EvaluationRetryRequest, EvaluationUpdateRequest, RETRIED_STATES } from './schema.ts';
import { type ControlOptions, cancelEvaluation, updateEvaluation } from './update.ts';

const MAY_CHANGE = { scope: 'evaluations:write', role: 'contributor' } as const;

export function controlRoutes(options: ControlOptions) {
  return workspaceRoutes('Evaluations', (on) => {
    on.patch(
      '/evaluation/:evaluation_id',
      {
        id: 'updateEvaluation',
        summary: 'Change, pause or resume an evaluation',
        ...MAY_CHANGE,
        params: EvaluationParams,
        body: EvaluationUpdateRequest,
        response: EvaluationResponse,
      },
      ({ scope, params, body }) => updateEvaluation(options, scope, params.evaluation_id, body),
    );

    on.delete(
      '/evaluation/:evaluation_id',
      {
        id: 'deleteEvaluation',
        summary: 'Delete an evaluation that has ended',
        description: 'Its sessions stay, and can be deleted like any other from then on.',
        ...MAY_CHANGE,
        params: EvaluationParams,
      },
      ({ scope, params }) => deleteEvaluation(options.db, scope, params.evaluation_id),
    );

    on.post(
      '/evaluation/:evaluation_id/cancel',
      {
        id: 'cancelEvaluation',
        summary: 'Cancel an evaluation',
        ...MAY_CHANGE,
        params: EvaluationParams,
        response: EvaluationResponse,
      },
      ({ scope, params }) => cancelEvaluation(options, scope, params.evaluation_id),
    );

    on.post(
      '/evaluation/:evaluation_id/retry-failed',
      {
        id: 'retryEvaluation',
        summary: 'Run samples again that did not pass',
        description: 'An evaluation that has ended begins again. Earlier attempts are kept.',
        ...MAY_CHANGE,
        params: EvaluationParams,
        body: EvaluationRetryRequest.nullish(),
        response: EvaluationResponse,
      },
      ({ scope, params, body }) =>
        retryFailed(options, scope, params.evaluation_id, body?.states ?? RETRIED_STATES),
    );

    on.post(
      '/evaluation/:evaluation_id/items/:item_id/retry',
      {
        id: 'retryEvaluationItem',
        summary: 'Run a sample again that has ended',
        ...MAY_CHANGE,
        params: ItemParams,
        response: EvaluationItem,
      },
      ({ scope, params }) => retryItem(options, scope, params.evaluation_id, params.item_id),
    );

    on.post(
      '/evaluation/:evaluation_id/items/:item_id/cancel',
      {
        id: 'cancelEvaluationItem',
        summary: 'Cancel a sample',
        ...MAY_CHANGE,
        params: ItemParams,
        response: EvaluationItem,
      },
      ({ scope, params }) => cancelItem(options, scope, params.evaluation_id, params.item_id),
    );
  });
}
