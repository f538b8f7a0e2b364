/** The state of the optimization pages in the address. */
import { readNumber, readOneOf, readPage, readText } from '../search-params.ts';
import { JOB_STATES, type JobState, TARGET_KINDS, type TargetKind } from './states.ts';

type Search = Record<string, unknown>;

export interface JobListSearch {
  readonly status?: JobState;
  readonly kind?: TargetKind;
  readonly page?: number;
  readonly selected?: string;
}

export const readJobListSearch = (search: Search): JobListSearch => ({
  status: readOneOf(search, 'status', JOB_STATES),
  kind: readOneOf(search, 'kind', TARGET_KINDS),
  page: readPage(search),
  selected: readText(search, 'selected'),
});

const JOB_TABS = ['progress', 'candidates', 'proposals', 'heat-map', 'settings', 'log'] as const;
export type JobTab = (typeof JOB_TABS)[number];

export interface JobSearch {
  readonly tab?: JobTab;
  /** The index of the selected candidate. */
  readonly candidate?: number;
  /** The component whose text is compared. */
  readonly component?: string;
  /** The open proposal: its iteration and its number, such as `3-0`. */
  readonly proposal?: string;
  /** The page of the proposals or of the heat map. */
  readonly page?: number;
}

export const readJobSearch = (search: Search): JobSearch => ({
  tab: readOneOf(search, 'tab', JOB_TABS),
  candidate: readIndex(search),
  component: readText(search, 'component'),
  proposal: readText(search, 'proposal'),
  page: readPage(search),
});

function readIndex(search: Search): number | undefined {
  const index = readNumber(search, 'candidate');
  return index !== undefined && Number.isInteger(index) && index >= 0 ? index : undefined;
}
