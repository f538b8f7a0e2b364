/** Caches the known scores of candidates on examples. Minibatches of reflections only write them; validations and merges read them too. */
import { createHash } from 'node:crypto';
import type { ScoredExample } from './pool.ts';
import type { Candidate, Split } from './ports.ts';

export class EvaluationCache {
  readonly #scored = new Map<string, Map<number, ScoredExample>>();

  /** @returns the known scores and the other ids, each in the order of `ids` */
  read(
    candidate: Candidate,
    split: Split,
    ids: readonly number[],
  ): { known: ScoredExample[]; unknown: number[] } {
    const scored = this.#scored.get(keyOf(candidate, split));
    return {
      known: [...new Set(ids)].flatMap((id) => scored?.get(id) ?? []),
      unknown: ids.filter((id) => !scored?.has(id)),
    };
  }

  write(candidate: Candidate, split: Split, examples: readonly ScoredExample[]): void {
    const key = keyOf(candidate, split);
    const known = this.#scored.get(key) ?? new Map<number, ScoredExample>();
    for (const example of examples) known.set(example.id, example);
    this.#scored.set(key, known);
  }
}

const keyOf = (candidate: Candidate, split: Split) => `${split} ${contentKey(candidate)}`;

/** Returns the same key for candidates with the same texts, in any order of their components. */
export function contentKey(candidate: Candidate): string {
  const entries = Object.entries(candidate).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}
