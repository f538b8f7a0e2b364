/** The state of the training pages in the address. */
import { readNumber, readOneOf, readPage, readText } from '../search-params.ts';
import { JOB_STATES, type JobState } from './states.ts';

type Search = Record<string, unknown>;

export interface TrainingListSearch {
  readonly status?: JobState;
  readonly page?: number;
  readonly selected?: string;
  /** IDs of the jobs whose curves are overlaid, with commas between them. */
  readonly with?: string;
}

export const readTrainingListSearch = (search: Search): TrainingListSearch => ({
  status: readOneOf(search, 'status', JOB_STATES),
  page: readPage(search),
  selected: readText(search, 'selected'),
  with: readText(search, 'with'),
});

const JOB_TABS = ['curves', 'checkpoints', 'log', 'config', 'lineage'] as const;
export type TrainingTab = (typeof JOB_TABS)[number];

const LEVELS = ['info', 'warning', 'error'] as const;

export interface TrainingSearch {
  readonly tab?: TrainingTab;
  /** IDs of the jobs whose curves are drawn over those of this job, with commas between them. */
  readonly with?: string;
  /** The weight of the past in the smoothed curves, from 0 to 0.99. */
  readonly smoothing?: number;
  readonly scale?: 'log';
  /** The least level of the log lines that are shown. */
  readonly level?: (typeof LEVELS)[number];
  /** The job whose settings are compared. */
  readonly diff?: string;
}

export const readTrainingSearch = (search: Search): TrainingSearch => ({
  tab: readOneOf(search, 'tab', JOB_TABS),
  with: readText(search, 'with'),
  smoothing: readSmoothing(search),
  scale: readOneOf(search, 'scale', ['log']),
  level: readOneOf(search, 'level', LEVELS),
  diff: readText(search, 'diff'),
});

function readSmoothing(search: Search): number | undefined {
  const weight = readNumber(search, 'smoothing');
  return weight !== undefined && weight > 0 && weight <= 0.99 ? weight : undefined;
}
