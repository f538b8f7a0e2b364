/** Selects the candidate from which the next proposal starts. */
import type { PythonRandom } from '../random/python-random.ts';
import { type Frontiers, withoutDominated } from './frontier-type.ts';
import type { Pool } from './pool.ts';
import type { CandidateSelectionStrategy } from './ports.ts';

/** Probability with which `epsilon_greedy` explores. */
const EPSILON = 0.1;
/** Number of candidates that `top_k_pareto` considers. */
const TOP_K = 5;

interface Known {
  readonly pool: Pool;
  readonly frontiers: Frontiers;
  readonly random: PythonRandom;
}

const STRATEGIES: Readonly<Record<CandidateSelectionStrategy, (known: Known) => number>> = {
  pareto: (known) => chooseByFrequency(known, known.frontiers.candidates()),
  current_best: ({ pool }) => pool.best,
  epsilon_greedy: ({ pool, random }) =>
    random.random() < EPSILON ? random.randint(0, pool.size - 1) : pool.best,
  top_k_pareto: (known) => chooseByFrequency(known, topCandidates(known.pool)),
};

export function selectCandidate(strategy: CandidateSelectionStrategy, known: Known): number {
  return STRATEGIES[strategy](known);
}

/**
 * Draws one of the candidates that are not dominated, weighted by the number of their fronts. If there are none, it returns the best
 * candidate without a draw.
 */
function chooseByFrequency({ pool, frontiers, random }: Known, among: readonly number[]): number {
  const survivors = withoutDominated(frontiers, pool, among);
  if (survivors.length === 0) return pool.best;
  const ends: number[] = [];
  for (const index of survivors) ends.push((ends.at(-1) ?? 0) + frontiers.frontsOf(index).size);
  const drawn = random.randrange(ends.at(-1) ?? 0);
  return survivors[ends.findIndex((end) => drawn < end)] as number;
}

/** Among equal means, earlier candidates come first. */
function topCandidates(pool: Pool): number[] {
  return Array.from({ length: pool.size }, (_, index) => index)
    .toSorted((a, b) => pool.meanOf(b) - pool.meanOf(a))
    .slice(0, TOP_K);
}
