/** Intervals of rates, such as pass rates and attack success rates. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
}

const LEVEL = 0.95;
/** The quantile of the normal distribution that leaves 2.5 % above it. */
const Z = 1.959963984540054;

/**
 * Computes the Wilson score interval.
 * @param samples may be a fraction, such as an effective sample size
 */
export function wilsonInterval(rate: number, samples: number): Interval {
  const spread = Z ** 2 / samples;
  const center = (rate + spread / 2) / (1 + spread);
  const margin = (Z / (1 + spread)) * Math.sqrt((rate * (1 - rate)) / samples + spread / (4 * samples));
  // At a rate of 0 or 1 the formula gives exactly that bound, apart from rounding errors.
  const low = rate === 0 ? 0 : Math.max(0, center - margin);
  const high = rate === 1 ? 1 : Math.min(1, center + margin);
  return { low, high, level: LEVEL };
}
