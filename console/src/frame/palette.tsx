/**
 * The command palette opens pages, evaluations, assessments, sessions and journeys of capabilities by name, and also traces, findings,
 * jobs and runtimes by ID.
 */
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { drydock } from '../api/client.ts';
import { isUuid } from '../search-params.ts';
import { titleOf } from '../sessions/session-title.ts';
import { useWhere } from './scope.ts';

const MAX_RESULTS = 5;
const TRACE_ID = /^[0-9a-f]{32}$/i;

export const openPalette = (): void => spotlight.open();

/** Opens when it is first rendered, because it is loaded when the user asks for it. */
export function Palette() {
  const [query, setQuery] = useState('');
  useEffect(openPalette, []);
  const found = useResults(query.trim());
  const pages = usePages();
  const needle = query.trim().toLowerCase();
  const groups = [
    {
      group: 'Pages',
      actions: pages.filter(({ label }) => String(label).toLowerCase().includes(needle)),
    },
    { group: 'Results', actions: found },
  ].filter(({ actions }) => actions.length > 0);
  // Spotlight selects nothing when results arrive after typing has stopped, so Enter opens the first result.
  const openFirst = (event: KeyboardEvent<HTMLInputElement>) => {
    const isSelected = event.currentTarget.closest('[role=dialog]')?.querySelector('[data-selected]');
    const action = groups[0]?.actions[0];
    if (event.key !== 'Enter' || isSelected || !action) return;
    spotlight.close();
    action.onClick();
  };
  return (
    <Spotlight
      shortcut={['mod + K']}
      query={query}
      onQueryChange={setQuery}
      actions={groups}
      filter={(_query, actions) => actions}
      nothingFound="No results. Try another name, or paste a complete ID."
      highlightQuery
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      scrollable
      searchProps={{
        placeholder: 'Search pages, names and IDs',
        'aria-label': 'Search',
        onKeyDown: openFirst,
      }}
    />
  );
}

type Action = SpotlightActionData & { readonly onClick: () => void };

function usePages(): Action[] {
  const where = useWhere();
  const navigate = useNavigate();
  const pages = [
    ['Overview', '/o/$org/w/$workspace'],
    ['Sessions', '/o/$org/w/$workspace/sessions'],
    ['Traces', '/o/$org/w/$workspace/traces'],
    ['Evaluations', '/o/$org/w/$workspace/evaluations'],
    ['New evaluation', '/o/$org/w/$workspace/evaluations/new'],
    ['Red team', '/o/$org/w/$workspace/red-team'],
    ['New assessment', '/o/$org/w/$workspace/red-team/new'],
    ['Findings', '/o/$org/w/$workspace/red-team/findings'],
    ['Optimization', '/o/$org/w/$workspace/optimization'],
    ['New optimization job', '/o/$org/w/$workspace/optimization/new'],
    ['Training', '/o/$org/w/$workspace/training'],
    ['New training job', '/o/$org/w/$workspace/training/new'],
    ['Runtimes', '/o/$org/w/$workspace/runtimes'],
    ['Gates', '/o/$org/w/$workspace/gates'],
  ] as const;
  return pages.map(([label, to]) => ({
    id: label,
    label,
    onClick: () => void navigate({ to, params: where }),
  }));
}

/** @returns functions that open the page of a resource */
function useOpeners() {
  const where = useWhere();
  const navigate = useNavigate();
  const toEvaluation = (evaluationId: string) => () =>
    void navigate({
      to: '/o/$org/w/$workspace/evaluations/$evaluationId',
      params: { ...where, evaluationId },
    });
  const toAssessment = (assessmentId: string) => () =>
    void navigate({ to: '/o/$org/w/$workspace/red-team/$assessmentId', params: { ...where, assessmentId } });
  const toSession = (sessionId: string) => () =>
    void navigate({ to: '/o/$org/w/$workspace/sessions/$sessionId', params: { ...where, sessionId } });
  const toOptimization = (jobId: string) => () =>
    void navigate({ to: '/o/$org/w/$workspace/optimization/$jobId', params: { ...where, jobId } });
  const toTraining = (jobId: string) => () =>
    void navigate({ to: '/o/$org/w/$workspace/training/$jobId', params: { ...where, jobId } });
  const toRuntime = (runtime: string) => () =>
    void navigate({ to: '/o/$org/w/$workspace/runtimes/$runtime', params: { ...where, runtime } });
  const toJourney = (capability: string) => () =>
    void navigate({
      to: '/o/$org/w/$workspace/capabilities/$capability/journey',
      params: { ...where, capability },
    });
  return { toEvaluation, toAssessment, toSession, toOptimization, toTraining, toRuntime, toJourney };
}

/** @returns undefined until something was found, and for an ID */
function useFound(query: string) {
  const where = useWhere();
  const [search] = useDebouncedValue(query, 200);
  const isName = search.length > 1 && !isUuid(search) && !TRACE_ID.test(search);
  const { data } = useQuery({
    queryKey: ['palette', where, search],
    enabled: isName,
    queryFn: async ({ signal }) => {
      const [evaluations, assessments, sessions, capabilities] = await Promise.all([
        drydock.evaluations.list(where, { search, page_size: MAX_RESULTS }, { signal }),
        drydock.assessments.list(where, { search, page_size: MAX_RESULTS }, { signal }),
        drydock.sessions.list(where, { search, limit: MAX_RESULTS }, { signal }),
        drydock.capabilities.list(where, { search, limit: MAX_RESULTS }, { signal }),
      ]);
      return {
        evaluations: evaluations.items,
        assessments: assessments.items,
        sessions: sessions.sessions,
        capabilities: capabilities.capabilities,
      };
    },
  });
  return isName ? data : undefined;
}

/** Finds evaluations, assessments, sessions and capabilities by name. An ID is not looked up: each kind of resource that it may belong to is a result. */
function useResults(query: string): Action[] {
  const where = useWhere();
  const navigate = useNavigate();
  const data = useFound(query);
  const { toEvaluation, toAssessment, toSession, toOptimization, toTraining, toRuntime, toJourney } =
    useOpeners();
  if (isUuid(query))
    return [
      { id: 'session', label: `Session ${query}`, onClick: toSession(query) },
      { id: 'evaluation', label: `Evaluation ${query}`, onClick: toEvaluation(query) },
      { id: 'assessment', label: `Assessment ${query}`, onClick: toAssessment(query) },
      {
        id: 'finding',
        label: `Finding ${query}`,
        onClick: () =>
          void navigate({
            to: '/o/$org/w/$workspace/red-team/findings',
            params: where,
            search: { finding: query },
          }),
      },
      {
        id: 'optimization-job',
        label: `Optimization job ${query}`,
        onClick: toOptimization(query),
      },
      { id: 'training-job', label: `Training job ${query}`, onClick: toTraining(query) },
      { id: 'runtime', label: `Runtime ${query}`, onClick: toRuntime(query) },
    ];
  if (TRACE_ID.test(query))
    return [
      {
        id: 'trace',
        label: `Trace ${query}`,
        onClick: () =>
          void navigate({ to: '/o/$org/w/$workspace/traces/$traceId', params: { ...where, traceId: query } }),
      },
    ];
  if (!data) return [];
  return [
    ...data.evaluations.map(({ id, name, model }) => ({
      id,
      label: name,
      description: `Evaluation of ${model}`,
      onClick: toEvaluation(id),
    })),
    ...data.assessments.map(({ id, name, target_model }) => ({
      id,
      label: name,
      description: target_model === null ? 'Assessment' : `Assessment of ${target_model}`,
      onClick: toAssessment(id),
    })),
    ...data.sessions.map((session) => ({
      id: session.id,
      label: titleOf(session),
      description: 'Session',
      onClick: toSession(session.id),
    })),
    ...data.capabilities.map(({ name }) => {
      const capability = name.startsWith(`${where.org}/`) ? name.slice(where.org.length + 1) : name;
      return {
        id: name,
        label: capability,
        description: 'Journey of the capability',
        onClick: toJourney(capability),
      };
    }),
  ];
}
