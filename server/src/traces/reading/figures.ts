/** Sums of what clients say of their spans. */

/** A sum that no JSON reader could hold must not keep others from reading a list. */
export const toCount = (sum: number) => Math.min(sum, Number.MAX_SAFE_INTEGER);

const COST_DIGITS = 12;

/** A sum of decimal figures is one too; as doubles they leave a remainder. */
export const toCost = (costs: readonly number[]) =>
  Number(costs.reduce((total, cost) => total + cost, 0).toFixed(COST_DIGITS));
