/** The state of the red team pages in the address. */
import { readList, readNumber, readOneOf, readPage, readText } from '../search-params.ts';
import {
  ASSESSMENT_STATES,
  type AssessmentState,
  FINDING_STATES,
  FINDING_TYPES,
  type FindingState,
  type FindingType,
  SEVERITIES,
  type Severity,
} from './states.ts';

type Search = Record<string, unknown>;

export interface AssessmentListSearch {
  readonly status?: AssessmentState;
  readonly search?: string;
  readonly page?: number;
  readonly selected?: string;
}

export const readAssessmentListSearch = (search: Search): AssessmentListSearch => ({
  status: readOneOf(search, 'status', ASSESSMENT_STATES),
  search: readText(search, 'search'),
  page: readPage(search),
  selected: readText(search, 'selected'),
});

export const FINDING_SORTS = ['score', 'severity', 'created_at', 'attack_name'] as const;

/** The filters of a list of findings, its order, and the finding that is open. */
export interface FindingListSearch {
  readonly severity?: readonly Severity[];
  readonly status?: readonly FindingState[];
  readonly type?: readonly FindingType[];
  readonly category?: readonly string[];
  readonly attack?: readonly string[];
  readonly search?: string;
  readonly sort?: (typeof FINDING_SORTS)[number];
  readonly dir?: 'asc' | 'desc';
  readonly page?: number;
  readonly finding?: string;
}

export const readFindingListSearch = (search: Search): FindingListSearch => ({
  severity: readSeveral(search, 'severity', SEVERITIES),
  status: readSeveral(search, 'status', FINDING_STATES),
  type: readSeveral(search, 'type', FINDING_TYPES),
  category: readList(search, 'category'),
  attack: readList(search, 'attack'),
  search: readText(search, 'search'),
  sort: readOneOf(search, 'sort', FINDING_SORTS),
  dir: readOneOf(search, 'dir', ['asc', 'desc']),
  page: readPage(search),
  finding: readText(search, 'finding'),
});

function readSeveral<Value extends string>(
  search: Search,
  key: string,
  values: readonly Value[],
): readonly Value[] | undefined {
  const given = readList(search, key) ?? [];
  const known = values.filter((value) => given.includes(value));
  return known.length > 0 ? known : undefined;
}

const ASSESSMENT_TABS = ['report', 'findings', 'trials', 'settings'] as const;
export type AssessmentTab = (typeof ASSESSMENT_TABS)[number];

export interface AssessmentSearch extends FindingListSearch {
  readonly tab?: AssessmentTab;
  /** The open trial. */
  readonly trial?: string;
  readonly min_score?: number;
}

export const readAssessmentSearch = (search: Search): AssessmentSearch => ({
  ...readFindingListSearch(search),
  tab: readOneOf(search, 'tab', ASSESSMENT_TABS),
  trial: readText(search, 'trial'),
  min_score: readScore(search),
});

function readScore(search: Search): number | undefined {
  const score = readNumber(search, 'min_score');
  return score !== undefined && score >= 0 && score <= 1 ? score : undefined;
}
