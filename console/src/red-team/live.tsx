/** Keeps assessments in the query cache up to date: their events say what has to be read again. */
import type { AssessmentResponse, InWorkspace } from '@drydock/sdk';
import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { RUNNING_KEY } from '../frame/running-jobs.tsx';
import {
  ASSESSMENT_KEY,
  ASSESSMENT_LISTS_KEY,
  FINDING_KEY,
  FINDING_LISTS_KEY,
  SUMMARY_KEY,
} from './queries.ts';

/** Events contain no rates, costs and intervals. These are read again, at most this often. */
const READ_AGAIN_MS = 1_000;

/** Assessments of a list that are followed at once: a browser opens at most six connections to a server. */
const MAX_FOLLOWED = 3;

interface FollowAssessmentsProps {
  readonly where: InWorkspace;
  readonly assessments: readonly AssessmentResponse[];
}

/** Follows the first assessments of a list, which are updated in the query cache. It shows nothing itself. */
export function FollowAssessments({ where, assessments }: FollowAssessmentsProps) {
  return assessments
    .slice(0, MAX_FOLLOWED)
    .map(({ id }) => <FollowAssessment key={id} where={where} id={id} />);
}

function FollowAssessment({ where, id }: { readonly where: InWorkspace; readonly id: string }) {
  useLiveAssessment(where, id, true);
  return null;
}

type Part = 'assessment' | 'trials' | 'analytics' | 'findings';

const ALL: readonly Part[] = ['assessment', 'trials', 'analytics', 'findings'];

/** Queries that each event invalidates. Analytics are computed from all trials, so they are read again per finding and not per trial. */
const OUTDATED: Readonly<Record<string, readonly Part[]>> = {
  finding_start: ['assessment', 'findings'],
  trial: ['assessment', 'trials'],
  finding_end: ALL,
};

/** Follows an assessment while `isLive`. */
export function useLiveAssessment(where: InWorkspace, assessmentId: string, isLive: boolean): void {
  const queries = useQueryClient();
  const outdated = useRef(new Set<Part>());
  const readAgain = useThrottledCallback(() => {
    const parts = outdated.current;
    outdated.current = new Set();
    void queries.invalidateQueries({
      queryKey: [ASSESSMENT_KEY, assessmentId],
      predicate: ({ queryKey: [, , part = 'assessment'] }) => parts.has(part as Part),
    });
    if (parts.has('assessment')) void queries.invalidateQueries({ queryKey: [ASSESSMENT_LISTS_KEY] });
    if (parts.has('findings')) void queries.invalidateQueries({ queryKey: [FINDING_LISTS_KEY] });
  }, READ_AGAIN_MS);
  const outdate = (parts: readonly Part[]) => {
    for (const part of parts) outdated.current.add(part);
    if (parts.length > 0) readAgain();
  };
  const outdateAll = () => {
    outdate(ALL);
    // A retest writes its rates into the finding that it tries again, and may open it again.
    for (const key of [RUNNING_KEY, FINDING_KEY, SUMMARY_KEY])
      void queries.invalidateQueries({ queryKey: [key] });
  };
  useLiveEvents({
    name: isLive ? `assessments/${assessmentId}` : undefined,
    open: (options) => drydock.assessments.events({ ...where, assessment_id: assessmentId }, options),
    // It may have ended before its events began to arrive.
    onStart: outdateAll,
    onEvent: ({ type }) =>
      type === 'assessment_start' || type === 'assessment_end' ? outdateAll() : outdate(OUTDATED[type] ?? []),
  });
}

/** @returns a function that reads an assessment again, everywhere, after it was changed */
export function useReadAssessmentAgain(): (assessmentId: string) => void {
  const queries = useQueryClient();
  return (assessmentId) => {
    void queries.invalidateQueries({ queryKey: [ASSESSMENT_KEY, assessmentId] });
    void queries.invalidateQueries({ queryKey: [ASSESSMENT_LISTS_KEY] });
    void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
  };
}
