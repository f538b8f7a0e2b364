/** Sums of figures that clients report for their spans. */

/** Caps a sum at the largest safe integer, so that one huge sum does not break the list for JSON readers. */
export const toCount = (sum: number) => Math.min(sum, Number.MAX_SAFE_INTEGER);

const COST_DIGITS = 12;

/** Adds decimals exactly, since adding them as doubles leaves a remainder. */
export const toCost = (costs: readonly number[]) =>
  Number(costs.reduce((total, cost) => total + cost, 0).toFixed(COST_DIGITS));
