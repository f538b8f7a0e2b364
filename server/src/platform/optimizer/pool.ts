/** The candidates that were kept, with everything that decisions depend on. */
import type { Candidate } from './ports.ts';

/** The scores of one candidate on one example. */
export interface ScoredExample {
  readonly id: number;
  readonly score: number;
  readonly objectives?: Readonly<Record<string, number>> | undefined;
}

export interface Member {
  readonly candidate: Candidate;
  readonly parents: readonly number[];
  /** All ancestors: parents, their parents, and so on. */
  readonly ancestors: ReadonlySet<number>;
  /** Scores by position in the validation set. */
  readonly scores: Float64Array;
  readonly mean: number;
  /** The position of the component that the next reflection changes. */
  nextComponent: number;
}

export class Pool {
  readonly #members: Member[] = [];
  #best = 0;

  get size(): number {
    return this.#members.length;
  }

  /** The first of the candidates with the highest mean. Every candidate is evaluated on all examples, so coverage never decides. */
  get best(): number {
    return this.#best;
  }

  at(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new RangeError(`There is no candidate ${index}; there are ${this.size}.`);
    return member;
  }

  meanOf(index: number): number {
    return this.at(index).mean;
  }

  /** @param examples one per position of the validation set, in the order in which their scores are added up */
  add(candidate: Candidate, parents: readonly number[], examples: readonly ScoredExample[]): number {
    const scores = new Float64Array(examples.length);
    for (const { id, score } of examples) scores[id] = score;
    const members = parents.map((parent) => this.at(parent));
    const mean = sum(examples.map(({ score }) => score)) / examples.length;
    const index = this.#members.push({
      candidate,
      parents,
      ancestors: new Set(members.flatMap(({ ancestors }, at) => [...ancestors, parents[at] as number])),
      scores,
      mean,
      nextComponent: Math.max(0, ...members.map(({ nextComponent }) => nextComponent)),
    });
    if (mean > this.meanOf(this.#best)) this.#best = index - 1;
    return index - 1;
  }
}

/** Adds from left to right, as the reference does: another order may round to another sum, and change a decision. */
export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** @returns the mean of each objective, in the order in which they were first seen */
export function objectiveMeans(examples: readonly ScoredExample[]): Record<string, number> {
  const found = new Map<string, { total: number; count: number }>();
  for (const { objectives } of examples)
    for (const [name, score] of Object.entries(objectives ?? {})) {
      const known = found.get(name) ?? { total: 0, count: 0 };
      found.set(name, { total: known.total + score, count: known.count + 1 });
    }
  return Object.fromEntries([...found].map(([name, { total, count }]) => [name, total / count]));
}
