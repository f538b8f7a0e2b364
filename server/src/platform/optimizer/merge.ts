/** Merges two candidates with a common ancestor: each contributes the components that it changed. */
import { withoutDominated } from './frontier-type.ts';
import { sum } from './pool.ts';
import type { Candidate, Event } from './ports.ts';
import { count, evaluateMissing, type Found, keep, type Run } from './run.ts';

const ROUNDS = 10;
const DRAWS_PER_ROUND = 10;
/** Number of validation examples that decide whether a merge is kept, and number of each kind that are drawn first. */
const MINIBATCH_SIZE = 5;
const FIRST_PER_KIND = 2;

interface Triple {
  readonly first: number;
  readonly second: number;
  readonly ancestor: number;
}

interface Merge extends Triple {
  readonly candidate: Candidate;
}

/** @returns whether a merge was tried; the iteration then makes no other proposal */
export async function* tryMerge(run: Run): AsyncGenerator<Event, boolean> {
  const merge = findMerge(run);
  if (!merge) return false;
  const { iteration, pool, merges } = run;
  const { first, second, ancestor, candidate } = merge;
  const parents = [first, second];
  merges.triples.add(tripleKey(merge));
  const minibatch = drawMinibatch(run, merge);
  yield { type: 'iteration_start', iteration, merge: { parents, ancestor, minibatch } };

  const { split } = run.settings.validation;
  const request = { iteration, proposal: 0, purpose: 'merge', candidate, split, ids: minibatch } as const;
  const { examples, metricCalls } = await evaluateMissing(run, request);
  yield count(run, metricCalls);
  const byId = new Map(examples.map(({ id, score }) => [id, score]));
  const child_scores = minibatch.map((id) => byId.get(id) as number);
  const [one, other] = parents.map((parent) =>
    minibatch.map((id) => pool.at(parent).scores[id] as number),
  ) as [number[], number[]];
  const parent_scores = sum(other) > sum(one) ? other : one;
  const components = Object.keys(candidate).filter(
    (component) => candidate[component] !== pool.at(first).candidate[component],
  );
  const found: Found = {
    proposal: 0,
    parents,
    candidate,
    components,
    found_by: 'merge',
    minibatch,
    parent_scores,
    child_scores,
  };
  if (sum(child_scores) >= sum(parent_scores)) {
    yield* keep(run, [found]);
    merges.due--;
    merges.accepted++;
  } else {
    const { found_by: _, ...rest } = found;
    yield { type: 'candidate_rejected', iteration, reason: 'merge_not_better', ...rest, parents };
  }
  return true;
}

function findMerge(run: Run): Merge | undefined {
  const { pool, merges, settings } = run;
  const survivors = withoutDominated(run.frontiers, pool, run.frontiers.candidates());
  if (survivors.length < 2 || pool.size < 3) return undefined;
  survivors.sort((a, b) => a - b);
  for (let round = 0; round < ROUNDS; round++) {
    const triple = drawTriple(run, survivors);
    if (!triple) continue;
    const { candidate, givers } = compose(run, triple);
    const composition = `${triple.first} ${triple.second}: ${givers.join()}`;
    if (merges.compositions.has(composition)) continue;
    // Every candidate is evaluated on all examples, so all of them are common to any two.
    if (settings.validation.size < settings.merge_val_overlap_floor) continue;
    merges.compositions.add(composition);
    return { ...triple, candidate };
  }
  return undefined;
}

function drawTriple(run: Run, survivors: readonly number[]): Triple | undefined {
  const { pool, random } = run;
  for (let draw = 0; draw < DRAWS_PER_ROUND; draw++) {
    const [first, second] = random.sample(survivors, 2).toSorted((a, b) => a - b) as [number, number];
    if (pool.at(first).ancestors.has(second) || pool.at(second).ancestors.has(first)) continue;
    const ancestors = usefulAncestors(run, first, second);
    if (ancestors.length > 0) return { first, second, ancestor: drawAncestor(run, ancestors) };
  }
  return undefined;
}

/** Common ancestors whose mean is not above that of either, and with at least one component that exactly one of the two has changed. */
function usefulAncestors({ pool, merges }: Run, first: number, second: number): number[] {
  const [one, other] = [pool.at(first), pool.at(second)];
  return [...one.ancestors]
    .filter((ancestor) => other.ancestors.has(ancestor))
    .filter((ancestor) => {
      const { candidate, mean } = pool.at(ancestor);
      return (
        !merges.triples.has(tripleKey({ first, second, ancestor })) &&
        mean <= one.mean &&
        mean <= other.mean &&
        Object.entries(candidate).some(([component, text]) => {
          const [a, b] = [one.candidate[component], other.candidate[component]];
          return a !== b && (a === text || b === text);
        })
      );
    })
    .toSorted((a, b) => a - b);
}

/** Draws with the means as weights. Returns the first ancestor, without a draw, if their sum is not positive. */
function drawAncestor({ pool, random }: Run, ancestors: readonly number[]): number {
  const weights = ancestors.map((ancestor) => pool.meanOf(ancestor));
  if (!(sum(weights) > 0)) return ancestors[0] as number;
  return random.choices(ancestors, 1, weights)[0] as number;
}

function compose({ pool, random }: Run, { first, second, ancestor }: Triple) {
  const [one, other] = [pool.at(first), pool.at(second)];
  const giverOf = (component: string, text: string): number => {
    const [a, b] = [one.candidate[component], other.candidate[component]];
    if (a === b) return a === text ? first : betterOf();
    if (a === text) return second;
    return b === text ? first : betterOf();
  };
  const betterOf = () => {
    if (one.mean === other.mean) return random.choice([first, second]);
    return one.mean > other.mean ? first : second;
  };
  const entries = Object.entries(pool.at(ancestor).candidate);
  const givers = entries.map(([component, text]) => giverOf(component, text));
  const texts = entries.map(([component], at) => [
    component,
    pool.at(givers[at] as number).candidate[component],
  ]);
  return { candidate: Object.fromEntries(texts) as Candidate, givers };
}

/** Draws examples where the first wins, where the second wins, and ties, two of each, then any until there are five. */
function drawMinibatch({ pool, random, settings }: Run, { first, second }: Triple): number[] {
  const [one, other] = [pool.at(first).scores, pool.at(second).scores];
  const all = Array.from({ length: settings.validation.size }, (_, id) => id);
  const kinds = Map.groupBy(all, (id) => Math.sign((one[id] as number) - (other[id] as number)));
  const drawn: number[] = [];
  for (const kind of [1, -1, 0]) {
    const ids = kinds.get(kind) ?? [];
    const take = Math.min(ids.length, FIRST_PER_KIND, MINIBATCH_SIZE - drawn.length);
    if (take > 0) drawn.push(...random.sample(ids, take));
  }
  const missing = MINIBATCH_SIZE - drawn.length;
  if (missing === 0) return drawn;
  const unused = all.filter((id) => !drawn.includes(id));
  const more = unused.length >= missing ? random.sample(unused, missing) : random.choices(all, missing);
  return [...drawn, ...more];
}

const tripleKey = ({ first, second, ancestor }: Triple) => `${first} ${second} ${ancestor}`;
