/** Whether the server's memory stayed flat. */

export interface Sample {
  readonly index: number;
  readonly bytes: number;
}

export interface Growth {
  readonly before: number;
  readonly after: number;
  readonly isFlat: boolean;
}

const WARM_UP = 0.2;
const WINDOW = 0.2;
const ALLOWED_FACTOR = 1.25;
const ALLOWED_BYTES = 40 * 1024 * 1024;

/** The lowest after the warm-up against the lowest at the end: between them the collector may run when it likes. */
export function measureGrowth(samples: readonly Sample[], count: number): Growth {
  const lowest = (from: number, to: number) =>
    Math.min(
      ...samples
        .filter(({ index }) => index >= from * count && index <= to * count)
        .map(({ bytes }) => bytes),
    );
  const before = lowest(WARM_UP, WARM_UP + WINDOW);
  const after = lowest(1 - WINDOW, 1);
  return { before, after, isFlat: after <= before * ALLOWED_FACTOR + ALLOWED_BYTES };
}
