/** The state of the evaluation pages in the address. */
import { readOneOf, readPage, readText } from '../search-params.ts';
import { EVALUATION_STATES, type EvaluationState, ITEM_STATES, type ItemState } from './states.ts';

type Search = Record<string, unknown>;

const DIRECTIONS = ['asc', 'desc'] as const;
type Direction = (typeof DIRECTIONS)[number];

const LIST_SORTS = ['created_at', 'name'] as const;

export interface EvaluationListSearch {
  readonly search?: string;
  readonly status?: EvaluationState;
  readonly model?: string;
  readonly sort?: (typeof LIST_SORTS)[number];
  readonly dir?: Direction;
  readonly page?: number;
  readonly selected?: string;
}

export const readEvaluationListSearch = (search: Search): EvaluationListSearch => ({
  search: readText(search, 'search'),
  status: readOneOf(search, 'status', EVALUATION_STATES),
  model: readText(search, 'model'),
  sort: readOneOf(search, 'sort', LIST_SORTS),
  dir: readOneOf(search, 'dir', DIRECTIONS),
  page: readPage(search),
  selected: readText(search, 'selected'),
});

const ITEM_SORTS = ['position', 'score', 'duration_ms', 'cost_usd'] as const;
const EVALUATION_TABS = ['samples', 'analytics', 'log'] as const;
const PASSED = ['yes', 'no'] as const;

export interface EvaluationSearch {
  /** Searched for in all samples. */
  readonly q?: string;
  readonly tab?: (typeof EVALUATION_TABS)[number];
  readonly state?: ItemState;
  readonly passed?: (typeof PASSED)[number];
  readonly task?: string;
  readonly sort?: (typeof ITEM_SORTS)[number];
  readonly dir?: Direction;
  readonly page?: number;
}

export const readEvaluationSearch = (search: Search): EvaluationSearch => ({
  q: readText(search, 'q'),
  tab: readOneOf(search, 'tab', EVALUATION_TABS),
  state: readOneOf(search, 'state', ITEM_STATES),
  passed: readOneOf(search, 'passed', PASSED),
  task: readText(search, 'task'),
  sort: readOneOf(search, 'sort', ITEM_SORTS),
  dir: readOneOf(search, 'dir', DIRECTIONS),
  page: readPage(search),
});

const SAMPLE_TABS = ['transcript', 'verification', 'scores', 'sandbox', 'attempts'] as const;

export interface SampleSearch {
  readonly tab?: (typeof SAMPLE_TABS)[number];
  /** Searched for in the transcript. */
  readonly q?: string;
}

export const readSampleSearch = (search: Search): SampleSearch => ({
  tab: readOneOf(search, 'tab', SAMPLE_TABS),
  q: readText(search, 'q'),
});
