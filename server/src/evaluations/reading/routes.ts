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
import { EvaluationItem, EvaluationParams, EvaluationResponse, ItemParams } from '../schema.ts';
import { EVALUATION_EVENTS, getFeed } from './events.ts';
import { getItem, getItemSession, listAttempts, listItems } from './items.ts';
import {
  AttemptList,
  EvaluationItemListResponse,
  EvaluationListResponse,
  EvaluationQuery,
  ItemQuery,
} from './schema.ts';
import { getEvaluation, listEvaluations } from './store.ts';

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
        answer: EvaluationListResponse,
      },
      ({ scope, query }) => listEvaluations(db, scope, query),
    );

    on.get(
      '/evaluation/:evaluation_id',
      {
        id: 'getEvaluation',
        summary: 'Get an evaluation',
        ...MAY_READ,
        params: EvaluationParams,
        answer: EvaluationResponse,
      },
      ({ scope, params }) => getEvaluation(db, scope, params.evaluation_id),
    );

    on.get(
      '/evaluation/:evaluation_id/items',
      {
        id: 'listEvaluationItems',
        summary: 'List the samples of an evaluation',
        ...MAY_READ,
        params: EvaluationParams,
        query: ItemQuery,
        answer: EvaluationItemListResponse,
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
        answer: EvaluationItem,
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
        answer: AttemptList,
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
        answer: TranscriptResponse,
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
        answer: SessionTrajectory,
        long: true,
      },
      async ({ scope, params, query: { format, include_compacted } }) => {
        const session = await getItemSession(db, scope, params.evaluation_id, params.item_id);
        return exportTrajectory(db, scope, session, { format, includeCompacted: include_compacted });
      },
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
