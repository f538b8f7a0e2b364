/** The events of an evaluation, written into everything that pages have read of it. */
import type {
  EvaluationCountsEvent,
  EvaluationItem,
  EvaluationItemEvent,
  EvaluationItemListResponse,
  EvaluationListResponse,
  EvaluationLogEvent,
  EvaluationResponse,
  EvaluationStateEvent,
  InWorkspace,
  ServerEvent,
} from '@drydock/sdk';
import { useThrottledCallback } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { LISTS_KEY, type LogLine } from './queries.ts';
import { applyCounts, hasItemEnded } from './states.ts';

/** Events do not tell scores, costs and durations. They are read again at most so often. */
const READ_AGAIN_MS = 1_000;
const MAX_LOG_LINES = 200;

/** Follows an evaluation while `isLive`. */
export function useLiveEvaluation(where: InWorkspace, evaluationId: string, isLive: boolean): void {
  const queries = useQueryClient();
  const readAgain = useThrottledCallback(
    () =>
      void queries.invalidateQueries(
        { queryKey: ['evaluation', evaluationId], predicate: ({ queryKey }) => queryKey[2] !== 'log' },
        { cancelRefetch: false },
      ),
    READ_AGAIN_MS,
  );
  useLiveEvents({
    name: isLive ? `evaluations/${evaluationId}` : undefined,
    open: (options) => drydock.evaluations.events({ ...where, evaluation_id: evaluationId }, options),
    onStart: readAgain,
    onEvent: (event) => {
      if (applyEvent(queries, evaluationId, event)) readAgain();
    },
  });
}

/** @returns whether there is more to read than the event tells */
function applyEvent(queries: QueryClient, id: string, { type, data }: ServerEvent): boolean {
  if (type === 'counts') {
    const { item_counts } = data as EvaluationCountsEvent;
    patchEvaluation(queries, id, (evaluation) => applyCounts(evaluation, item_counts));
    return false;
  }
  if (type === 'item') {
    const { id: itemId, item_status, passed } = data as EvaluationItemEvent;
    patchItem(queries, id, itemId, { item_status, passed });
    return hasItemEnded(item_status) || item_status === 'agent_running';
  }
  if (type === 'state') {
    const { status, pause_reason = null, error = null } = data as EvaluationStateEvent;
    patchEvaluation(queries, id, (evaluation) => ({ ...evaluation, status, pause_reason, error }));
    return true;
  }
  if (type === 'log') addLogLine(queries, id, data as EvaluationLogEvent);
  return false;
}

/** Changes an evaluation in its own page and in all lists that show it. */
export function patchEvaluation(
  queries: QueryClient,
  id: string,
  change: (evaluation: EvaluationResponse) => EvaluationResponse,
): void {
  queries.setQueryData<EvaluationResponse>(['evaluation', id], (old) => old && change(old));
  queries.setQueriesData<EvaluationListResponse>(
    { queryKey: [LISTS_KEY] },
    (old) => old && { ...old, items: old.items.map((one) => (one.id === id ? change(one) : one)) },
  );
}

export function patchItem(
  queries: QueryClient,
  evaluationId: string,
  itemId: string,
  change: Partial<EvaluationItem>,
): void {
  queries.setQueryData<EvaluationItem>(
    ['evaluation', evaluationId, 'item', itemId],
    (old) => old && { ...old, ...change },
  );
  queries.setQueriesData<EvaluationItemListResponse>(
    { queryKey: ['evaluation', evaluationId, 'items'] },
    (old) =>
      old && { ...old, items: old.items.map((one) => (one.id === itemId ? { ...one, ...change } : one)) },
  );
}

function addLogLine(queries: QueryClient, id: string, { item_id, message }: EvaluationLogEvent): void {
  queries.setQueryData<readonly LogLine[]>(['evaluation', id, 'log'], (old = []) => [
    ...old.slice(1 - MAX_LOG_LINES),
    { number: (old.at(-1)?.number ?? 0) + 1, at: new Date().toISOString(), itemId: item_id, message },
  ]);
}
