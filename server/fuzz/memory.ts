/** Whether the server's memory stayed flat. */

export interface Sample {
  readonly index: number;
  readonly bytes: number;
}

export interface Growth {
  /** NaN if nothing was measured. */
  readonly before: number;
  readonly after: number;
  readonly isFlat: boolean;
}

/** Share of the run in which caches, pools and compiled code fill up. */
const WARM_UP = 0.4;
const WINDOW = 0.2;
const ALLOWED_FACTOR = 1.05;
const ALLOWED_BYTES = 20 * 1024 * 1024;

/** Compares the median after the warm-up with the median at the end, so that the time of garbage collection does not matter. */
export function measureGrowth(samples: readonly Sample[], count: number): Growth {
  const between = (from: number, to: number) =>
    median(
      samples.filter(({ index }) => index >= from * count && index <= to * count).map(({ bytes }) => bytes),
    );
  const before = between(WARM_UP, WARM_UP + WINDOW);
  const after = between(1 - WINDOW, 1);
  // If there are no samples, both are NaN, and the comparison fails as it should.
  return { before, after, isFlat: after <= before * ALLOWED_FACTOR + ALLOWED_BYTES };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
