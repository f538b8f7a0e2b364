/** Which candidate the next proposal starts from. */
import type { PythonRandom } from '../random/python-random.ts';
import { type Frontiers, withoutDominated } from './frontier-type.ts';
import type { Pool } from './pool.ts';
import type { CandidateSelectionStrategy } from './ports.ts';

/** How often `epsilon_greedy` explores. */
const EPSILON = 0.1;
/** How many candidates `top_k_pareto` considers. */
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

/** Draws one of the candidates that are not dominated, weighted by the number of their fronts. Without any it is the best, without a draw. */
function chooseByFrequency({ pool, frontiers, random }: Known, among: readonly number[]): number {
  const survivors = withoutDominated(frontiers, pool, among);
  if (survivors.length === 0) return pool.best;
  const ends: number[] = [];
  for (const index of survivors) ends.push((ends.at(-1) ?? 0) + frontiers.frontsOf(index).size);
  const drawn = random.randrange(ends.at(-1) ?? 0);
  return survivors[ends.findIndex((end) => drawn < end)] as number;
}

/** Earlier candidates first among equal means. */
function topCandidates(pool: Pool): number[] {
  return Array.from({ length: pool.size }, (_, index) => index)
    .toSorted((a, b) => pool.meanOf(b) - pool.meanOf(a))
    .slice(0, TOP_K);
}
