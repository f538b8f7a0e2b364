import { readList, readText } from '../search-params.ts';

type Search = Record<string, unknown>;

export interface EvaluationListSearch {
  readonly search?: string;
  readonly status?: readonly string[];
}

export const readEvaluationListSearch = (search: Search): EvaluationListSearch => ({
  search: readText(search, 'search'),
  status: readList(search, 'status'),
});

export interface EvaluationSearch {
  readonly q?: string;
}

export const readEvaluationSearch = (search: Search): EvaluationSearch => ({ q: readText(search, 'q') });

export interface SampleSearch {
  readonly tab?: string;
}

export const readSampleSearch = (search: Search): SampleSearch => ({ tab: readText(search, 'tab') });
