/** Two servers under the same load, in turns, and the rows of a table that compares them. */
import type { Load } from './load.ts';
import { median } from './statistics.ts';
import { verdict } from './table.ts';

const WARM_UP_SECONDS = 3;

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  /** Seconds of warm-up of each side; 3 by default, or less for shorter rounds. */
  readonly warmUpSeconds?: number;
}

export interface Comparison {
  readonly title: string;
  readonly bare: readonly Load[];
  readonly ours: readonly Load[];
}

type PutUnderLoad = (seconds: number) => Promise<Load>;

/** Alternates, so that other load on the machine affects both equally. */
export async function compareLoads(
  title: string,
  bare: PutUnderLoad,
  ours: PutUnderLoad,
  { rounds, seconds, warmUpSeconds = Math.min(WARM_UP_SECONDS, seconds) }: Rounds,
): Promise<Comparison> {
  for (const load of [bare, ours]) await load(warmUpSeconds);
  const loads: { bare: Load[]; ours: Load[] } = { bare: [], ours: [] };
  for (let round = 1; round <= rounds; round++) {
    console.log(`${title}: round ${round} of ${rounds}`);
    loads.bare.push(await bare(seconds));
    loads.ours.push(await ours(seconds));
  }
  return { title, ...loads };
}

/** Ratio of each round's pair, since a disturbance slows both of a round. */
function ratios({ bare, ours }: Comparison): number[] {
  return ours.map((load, round) => load.perSecond / (bare[round]?.perSecond ?? Number.NaN));
}

export const isKept = (comparison: Comparison, minRatio: number) => median(ratios(comparison)) >= minRatio;

export const COMPARISON_HEADER = [
  '',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'ratio',
  'of rounds',
  'bound',
  '',
];

/** @param minRatio undefined: the ratio is printed without a bound */
export function toRows(comparison: Comparison, bareName: string, minRatio: number | undefined): string[][] {
  const found = ratios(comparison);
  return [
    toRow(`${comparison.title}, ${bareName}`, comparison.bare, ['', '', '', '']),
    toRow(`${comparison.title}, Drydock`, comparison.ours, [
      percent(median(found)),
      `${percent(Math.min(...found))} to ${percent(Math.max(...found))}`,
      minRatio === undefined ? '' : `>= ${percent(minRatio)}`,
      minRatio === undefined ? '' : verdict(isKept(comparison, minRatio)),
    ]),
  ];
}

function toRow(title: string, loads: readonly Load[], rest: string[]): string[] {
  const middle = (read: (load: Load) => number, digits = 0) => median(loads.map(read)).toFixed(digits);
  return [
    title,
    middle((load) => load.perSecond),
    middle((load) => load.p50Ms, 1),
    middle((load) => load.p99Ms, 1),
    middle((load) => load.cpuMicroseconds),
    ...rest,
  ];
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
