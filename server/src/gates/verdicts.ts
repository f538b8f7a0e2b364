/**
 * Verdicts of rules. A rule passes only where its interval says so: few samples, and samples that could not run, leave it inconclusive.
 * The interval is on the 95 % level.
 */
import { type Interval, wilsonInterval } from '../platform/wilson-interval.ts';
import type { RuleResultOf } from './schema.ts';

export type Judged = Pick<
  RuleResultOf,
  'verdict' | 'value' | 'interval' | 'n' | 'errors' | 'more_samples' | 'reason'
>;

export interface Bound {
  readonly bound: number;
  readonly margin: number;
}

/** Above this number of samples, a rate is too close to its bound to be distinguished from it. */
const MAX_SAMPLES = 100_000;
/** A mean of fewer samples says little about the spread. */
const MIN_FOR_MEAN = 10;
const Z = 1.959963984540054;

export interface MeasuredRate {
  readonly successes: number;
  readonly n: number;
  /** The size that n has after samples of the same task are counted as alike. */
  readonly effective: number;
  readonly errors: number;
}

/** @param isFloor whether the rate must reach the bound, and not stay below it */
export function judgeRate(
  { successes, n, effective, errors }: MeasuredRate,
  { bound, margin }: Bound,
  isFloor: boolean,
): Judged {
  if (n === 0) return nothingMeasured(errors);
  const rate = successes / n;
  const interval = wilsonInterval(rate, effective);
  const measured = { value: rate, interval, n, errors };
  const isMet = isFloor ? rate >= bound : rate <= bound;
  if (!isMet && isExcluded(interval, bound, isFloor))
    return { ...measured, verdict: 'failed', more_samples: null, reason: describeMiss(rate, bound, isFloor) };
  if (errors > 0) return { ...measured, ...withErrors(errors) };
  if (isMet && isWithin(interval, { bound, margin }, isFloor))
    return {
      ...measured,
      verdict: 'passed',
      more_samples: null,
      reason: `${percent(rate)} of ${n}, with a bound of ${percent(bound)}.`,
    };
  const decides = (size: number) => {
    const wider = wilsonInterval(rate, size);
    return isMet ? isWithin(wider, { bound, margin }, isFloor) : isExcluded(wider, bound, isFloor);
  };
  const more = countMore(effective, decides, n / effective);
  return { ...measured, verdict: 'inconclusive', more_samples: more, reason: describeMore(n, more) };
}

const isWithin = ({ low, high }: Interval, { bound, margin }: Bound, isFloor: boolean) =>
  isFloor ? low >= bound - margin : high <= bound + margin;

const isExcluded = ({ low, high }: Interval, bound: number, isFloor: boolean) =>
  isFloor ? high < bound : low > bound;

export interface MeasuredMean {
  readonly mean: number;
  /** The standard deviation of the samples. */
  readonly deviation: number;
  readonly n: number;
  readonly errors: number;
}

/** Costs and durations, which must stay below their bound. */
export function judgeMean({ mean, deviation, n, errors }: MeasuredMean, bound: number): Judged {
  if (n === 0) return nothingMeasured(errors);
  const half = (size: number) => (Z * deviation) / Math.sqrt(size);
  const interval = { low: Math.max(0, mean - half(n)), high: mean + half(n), level: 0.95 };
  const measured = { value: mean, interval, n, errors };
  const shown = Number(mean.toPrecision(3));
  if (n >= MIN_FOR_MEAN && interval.low > bound)
    return {
      ...measured,
      verdict: 'failed',
      more_samples: null,
      reason: `${shown} on average over ${n}, above the bound of ${bound}.`,
    };
  if (errors > 0) return { ...measured, ...withErrors(errors) };
  if (n >= MIN_FOR_MEAN && interval.high <= bound)
    return {
      ...measured,
      verdict: 'passed',
      more_samples: null,
      reason: `${shown} on average over ${n}, within the bound of ${bound}.`,
    };
  const decides = (size: number) =>
    size >= MIN_FOR_MEAN && (mean <= bound ? mean + half(size) <= bound : mean - half(size) > bound);
  const more = countMore(n, decides, 1);
  return { ...measured, verdict: 'inconclusive', more_samples: more, reason: describeMore(n, more) };
}

/**
 * @param factor samples for each unit of size.
 * @returns null if no number of samples decides
 */
function countMore(size: number, decides: (size: number) => boolean, factor: number): number | null {
  let high = Math.max(1, size);
  while (!decides(high)) {
    high *= 2;
    if (high > MAX_SAMPLES) return null;
  }
  let low = size;
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (decides(middle)) high = middle;
    else low = middle;
  }
  return Math.max(1, Math.ceil((high - size) * factor));
}

const nothingMeasured = (errors: number): Judged => ({
  verdict: 'inconclusive',
  value: null,
  interval: null,
  n: 0,
  errors,
  more_samples: null,
  reason: errors > 0 ? withErrors(errors).reason : 'Nothing was measured.',
});

const withErrors = (errors: number) => ({
  verdict: 'inconclusive' as const,
  more_samples: null,
  reason: `${errors === 1 ? '1 sample' : `${errors} samples`} could not run, which says nothing about the version. Check again.`,
});

const describeMiss = (rate: number, bound: number, isFloor: boolean) =>
  `${percent(rate)} is ${isFloor ? 'below' : 'above'} the bound of ${percent(bound)}.`;

const describeMore = (n: number, more: number | null) =>
  more === null
    ? `${n} samples do not decide, and more at the same rate would not either: it is too near the bound.`
    : `${n} samples are too few: ${more} more are needed at the same rate.`;

const percent = (rate: number) => `${Number((rate * 100).toFixed(1))} %`;
