/** Keeps evaluations in the query cache up to date: their events are written into everything that pages have read of them. */
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
} from '@drydock/sdk';
import { useThrottledCallback } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { RUNNING_KEY } from '../frame/running-jobs.tsx';
import { FACETS_KEY, LISTS_KEY, type LogLine } from './queries.ts';
import { applyCounts, hasItemEnded } from './states.ts';

/** Events do not contain scores, costs and durations. These are read again, at most this often. */
const READ_AGAIN_MS = 1_000;
const MAX_LOG_LINES = 200;

/** Evaluations of a list that are followed at once: a browser opens at most six connections to a server. */
const MAX_FOLLOWED = 3;

interface FollowEvaluationsProps {
  readonly where: InWorkspace;
  readonly evaluations: readonly EvaluationResponse[];
}

/** Follows the first evaluations of a list, which are updated in the query cache. It shows nothing itself. */
export function FollowEvaluations({ where, evaluations }: FollowEvaluationsProps) {
  return evaluations
    .slice(0, MAX_FOLLOWED)
    .map(({ id }) => <FollowEvaluation key={id} where={where} id={id} />);
}

function FollowEvaluation({ where, id }: { readonly where: InWorkspace; readonly id: string }) {
  useLiveEvaluation(where, id, true);
  return null;
}

/** Follows an evaluation while `isLive`. */
export function useLiveEvaluation(where: InWorkspace, evaluationId: string, isLive: boolean): void {
  const queries = useQueryClient();
  const outdated = useRef<Outdated>({ isAll: false, items: new Set() });
  const readAgain = useThrottledCallback(() => {
    const { isAll, items } = outdated.current;
    outdated.current = { isAll: false, items: new Set() };
    void queries.invalidateQueries({
      queryKey: ['evaluation', evaluationId],
      predicate: ({ queryKey: [, , part, itemId] }) =>
        part === 'item' ? isAll || items.has(String(itemId)) : part !== 'log' && part !== 'position',
    });
    if (isAll) {
      void queries.invalidateQueries({ queryKey: [LISTS_KEY] });
      void queries.invalidateQueries({ queryKey: [FACETS_KEY] });
    }
  }, READ_AGAIN_MS);
  const readAllAgain = () => {
    outdated.current = { ...outdated.current, isAll: true };
    readAgain();
  };
  useLiveEvents({
    name: isLive ? `evaluations/${evaluationId}` : undefined,
    open: (options) => drydock.evaluations.events({ ...where, evaluation_id: evaluationId }, options),
    onStart: readAllAgain,
    onEvent: ({ type, data }) => {
      if (type === 'counts') applyCountsEvent(queries, evaluationId, data as EvaluationCountsEvent);
      if (type === 'log') addLogLine(queries, evaluationId, data as EvaluationLogEvent);
      if (type === 'item') {
        const { id, item_status, passed } = data as EvaluationItemEvent;
        patchItem(queries, evaluationId, id, { item_status, passed });
        outdated.current.items.add(id);
        // In the other states, the event contains everything that has changed.
        if (hasItemEnded(item_status) || item_status === 'agent_running') readAgain();
      }
      if (type === 'state') {
        applyStateEvent(queries, evaluationId, data as EvaluationStateEvent);
        readAllAgain();
      }
    },
  });
}

/** What has changed since it was last read. */
interface Outdated {
  readonly isAll: boolean;
  readonly items: Set<string>;
}

const applyCountsEvent = (queries: QueryClient, id: string, { item_counts }: EvaluationCountsEvent): void =>
  patchEvaluation(queries, id, (evaluation) => applyCounts(evaluation, item_counts));

function applyStateEvent(
  queries: QueryClient,
  id: string,
  { status, pause_reason = null, error = null }: EvaluationStateEvent,
): void {
  patchEvaluation(queries, id, (evaluation) => ({ ...evaluation, status, pause_reason, error }));
  void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
}

/** Changes an evaluation in its own page and in all lists that show it. */
function patchEvaluation(
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

/** @returns a function that writes a changed evaluation, as the server returned it, into everything that shows it */
export function useAccept(): (evaluation: EvaluationResponse) => void {
  const queries = useQueryClient();
  return (changed) => {
    patchEvaluation(queries, changed.id, (old) => ({ ...old, ...changed }));
    void queries.invalidateQueries({ queryKey: ['evaluation', changed.id, 'items'] });
  };
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
