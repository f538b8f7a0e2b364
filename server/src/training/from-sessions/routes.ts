import { requireScope } from '../../platform/auth/gate.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { PublishStore } from '../../registry/service.ts';
import { makeDataset } from './make-dataset.ts';
import { DatasetFromSessionsRequest, DatasetFromSessionsResponse } from './schema.ts';

export function fromSessionsRoutes(store: PublishStore) {
  return workspaceRoutes('Datasets', (on) => {
    on.post(
      '/datasets/from-sessions',
      {
        id: 'createDatasetFromSessions',
        summary: 'Make a dataset of trajectories from sessions',
        description:
          'Of the sessions that you can see. Every row has the columns `session_id`, `model`, `agent`, `score` and `trajectory`, which is ' +
          'the document as text; a training job takes the dataset in `trajectory_dataset_refs`.',
        scope: 'datasets:write',
        role: 'contributor',
        body: DatasetFromSessionsRequest,
        response: DatasetFromSessionsResponse,
        status: 201,
        watched: true,
        isBulk: true,
        long: true,
      },
      ({ scope, body, signal }) => {
        // An operation declares one scope; this one also reads what sessions hold.
        requireScope(scope.principal, 'sessions:read');
        return makeDataset(store, scope, body, signal);
      },
    );
  });
}
