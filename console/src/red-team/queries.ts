/** The queries of the red team pages. Keys begin with `assessment` and its ID, so that events find everything to update. */
import type { InWorkspace, OneAssessment } from '@drydock/sdk';
import { queryOptions } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

type ListFilters = NonNullable<Parameters<typeof drydock.assessments.list>[1]>;
type TrialFilters = NonNullable<Parameters<typeof drydock.assessments.trials>[1]>;
export type FindingFilters = NonNullable<Parameters<typeof drydock.findings.list>[1]>;

export const ASSESSMENT_LISTS_KEY = 'assessments';
export const ASSESSMENT_KEY = 'assessment';
export const FINDING_LISTS_KEY = 'findings';
export const FINDING_KEY = 'finding';
export const SUMMARY_KEY = 'red-team-summary';

export const TRIALS_PER_PAGE = 25;
/** The catalogues change only with the version of the server. */
const CATALOGUE_FRESH_MS = 600_000;

export const assessmentListQuery = (where: InWorkspace, filters: ListFilters) =>
  queryOptions({
    queryKey: [ASSESSMENT_LISTS_KEY, where.org, where.workspace, filters],
    queryFn: async ({ signal }) => drydock.assessments.list(where, filters, { signal }),
  });

export const assessmentQuery = (where: OneAssessment) =>
  queryOptions({
    queryKey: [ASSESSMENT_KEY, where.assessment_id],
    queryFn: async ({ signal }) => drydock.assessments.get(where, { signal }),
    // Another workspace in the address must not show what was read for this one.
    staleTime: 0,
  });

export const analyticsQuery = (where: OneAssessment) =>
  queryOptions({
    queryKey: [ASSESSMENT_KEY, where.assessment_id, 'analytics'],
    queryFn: async ({ signal }) => drydock.assessments.analytics(where, { signal }),
    staleTime: 0,
  });

export const trialsQuery = (where: OneAssessment, filters: TrialFilters) =>
  queryOptions({
    queryKey: [ASSESSMENT_KEY, where.assessment_id, 'trials', filters],
    queryFn: async ({ signal }) => drydock.assessments.trials(where, filters, { signal }),
  });

/** The findings of one assessment, or of a project. */
export type FindingScope = InWorkspace & { readonly assessment_id?: string; readonly project?: string };

export const findingListQuery = (scope: FindingScope, filters: FindingFilters) =>
  queryOptions({
    queryKey: [FINDING_LISTS_KEY, scope, filters],
    queryFn: async ({ signal }) => {
      const { assessment_id, project = '', ...where } = scope;
      return assessment_id === undefined
        ? drydock.findings.list({ ...where, project }, filters, { signal })
        : drydock.assessments.findings({ ...where, assessment_id }, filters, { signal });
    },
    staleTime: 0,
  });

export const findingQuery = (where: InWorkspace, findingId: string) =>
  queryOptions({
    queryKey: [FINDING_KEY, findingId],
    queryFn: async ({ signal }) => drydock.findings.get({ ...where, finding_id: findingId }, { signal }),
    staleTime: 0,
  });

/** @param project its key or its ID */
export const summaryQuery = (where: InWorkspace, project: string) =>
  queryOptions({
    queryKey: [SUMMARY_KEY, where.org, where.workspace, project],
    queryFn: async ({ signal }) => drydock.redTeam.summary({ ...where, project }, { signal }),
    staleTime: 0,
  });

export const attacksQuery = (where: InWorkspace) =>
  queryOptions({
    queryKey: ['red-team-attacks', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.redTeam.attacks(where, { signal }),
    staleTime: CATALOGUE_FRESH_MS,
  });

export const transformsQuery = (where: InWorkspace) =>
  queryOptions({
    queryKey: ['red-team-transforms', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.redTeam.transforms(where, { signal }),
    staleTime: CATALOGUE_FRESH_MS,
  });

export const categoriesQuery = (where: InWorkspace) =>
  queryOptions({
    queryKey: ['red-team-categories', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.redTeam.goalCategories(where, { signal }),
    staleTime: CATALOGUE_FRESH_MS,
  });
