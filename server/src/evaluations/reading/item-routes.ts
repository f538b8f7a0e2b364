import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import {
  exportTrajectory,
  getTranscript,
  SessionTrajectory,
  TrajectoryQuery,
  TranscriptQuery,
  TranscriptResponse,
} from '../../sessions/service.ts';
import { EvaluationItem, EvaluationParams, ItemParams } from '../schema.ts';
import { getItem, getItemSession, listAttempts, listItems } from './items.ts';
import { AttemptList, EvaluationItemListResponse, ItemQuery } from './schema.ts';

const MAY_READ = { scope: 'evaluations:read', role: 'reader' } as const;

export function itemRoutes(db: Db) {
  return workspaceRoutes('Evaluations', (on) => {
    on.get(
      '/evaluation/:evaluation_id/items',
      {
        id: 'listEvaluationItems',
        summary: 'List the samples of an evaluation',
        ...MAY_READ,
        params: EvaluationParams,
        query: ItemQuery,
        response: EvaluationItemListResponse,
      },
      ({ scope, params, query }) => listItems(db, scope, params.evaluation_id, query),
    );

    on.get(
      '/evaluation/:evaluation_id/items/:item_id',
      {
        id: 'getEvaluationItem',
        summary: 'Get a sample of an evaluation',
        ...MAY_READ,
        params: ItemParams,
        response: EvaluationItem,
      },
      ({ scope, params }) => getItem(db, scope, params.evaluation_id, params.item_id),
    );

    on.get(
      '/evaluation/:evaluation_id/items/:item_id/attempts',
      {
        id: 'listEvaluationItemAttempts',
        summary: 'List the attempts at a sample',
        ...MAY_READ,
        params: ItemParams,
        response: AttemptList,
      },
      ({ scope, params }) => listAttempts(db, scope, params.evaluation_id, params.item_id),
    );

    on.get(
      '/evaluation/:evaluation_id/items/:item_id/transcript',
      {
        id: 'getEvaluationItemTranscript',
        summary: 'Read the messages of a sample',
        ...MAY_READ,
        params: ItemParams,
        query: TranscriptQuery,
        response: TranscriptResponse,
      },
      async ({ scope, params, query }) =>
        getTranscript(
          db,
          scope,
          await getItemSession(db, scope, params.evaluation_id, params.item_id),
          query,
        ),
    );

    on.stream(
      '/evaluation/:evaluation_id/items/:item_id/trajectory',
      {
        id: 'getEvaluationItemTrajectory',
        summary: 'Get evaluation item trajectory',
        description: 'The trajectory of the session that is linked to the item; 404 when there is none.',
        ...MAY_READ,
        params: ItemParams,
        query: TrajectoryQuery,
        response: SessionTrajectory,
        long: true,
      },
      async ({ scope, params, query: { format, include_compacted } }) => {
        const session = await getItemSession(db, scope, params.evaluation_id, params.item_id);
        return exportTrajectory(db, scope, session, { format, includeCompacted: include_compacted });
      },
    );
  });
}
