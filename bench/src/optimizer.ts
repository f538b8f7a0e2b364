/** The cost of an optimizer decision with many candidates and rows, without evaluations and reflections. */

import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { optimize } from '@drydock/server/src/platform/optimizer/optimize.ts';
import type { EvaluationRequest, OptimizeOptions } from '@drydock/server/src/platform/optimizer/ports.ts';
import { megabytes } from './figures.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const MAX_MS = 5;
const MAX_BYTES = 100e6;
const MINIBATCH = 3;
const COMPONENTS = 4;

/** The frequency of ties on a row determines the size of the fronts. */
const PROFILES: Readonly<Record<string, (candidate: number, row: number) => number>> = {
  'all rows tie': () => 1,
  'scores of 0 and 1': (candidate, row) => hash(candidate, row) & 1,
  'scores of 0 to 10': (candidate, row) => (hash(candidate, row) % 11) / 10,
  'hardly a tie': (candidate, row) => hash(candidate, row) / 2 ** 32,
};

interface Found {
  readonly title: string;
  /** Milliseconds of each iteration after there are enough candidates. */
  readonly ms: readonly number[];
  readonly bytes: number;
}

export async function benchOptimizer(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      candidates: { type: 'string', default: '500' },
      rows: { type: 'string', default: '500' },
      iterations: { type: 'string', default: '100' },
    },
  });
  const [candidates, rows, iterations] = [values.candidates, values.rows, values.iterations].map(Number) as [
    number,
    number,
    number,
  ];
  const found: Found[] = [];
  for (const [profile, score] of Object.entries(PROFILES))
    for (const strategy of ['pareto', 'top_k_pareto'] as const) {
      const options = toOptions(score, { rows, strategy });
      found.push({ title: `${profile}, ${strategy}`, ...(await measure(options, candidates, iterations)) });
    }
  return report(found, `${candidates} candidates, ${rows} validation rows, ${iterations} iterations each`);
}

/** Every child beats its parent, so that every iteration includes all decisions: an acceptance and its fronts too. */
function toOptions(
  score: (candidate: number, row: number) => number,
  { rows, strategy }: { rows: number; strategy: 'pareto' | 'top_k_pareto' },
): OptimizeOptions {
  let validated = 0;
  let reflected = 0;
  const scoreOf = ({ purpose, ids }: EvaluationRequest) => {
    if (purpose !== 'validation') return ids.map(() => Number(purpose !== 'parent'));
    const candidate = validated++;
    return ids.map((row) => score(candidate, row));
  };
  return {
    seed_candidate: Object.fromEntries(
      Array.from({ length: COMPONENTS }, (_, at) => [`component ${at}`, 'seed']),
    ),
    train_size: rows,
    val_size: rows,
    candidate_selection_strategy: strategy,
    reflection_minibatch_size: MINIBATCH,
    max_merge_invocations: 100_000,
    cache_evaluation: true,
    max_trials: 100_000,
    evaluate: (request) =>
      Promise.resolve({ scores: scoreOf(request), records: request.ids.map((id) => ({ Inputs: id })) }),
    reflect: () => Promise.resolve(`text ${reflected++}`),
  };
}

async function measure(options: OptimizeOptions, candidates: number, iterations: number) {
  const before = usedBytes();
  const clock = { outside: 0 };
  const ms: number[] = [];
  let accepted = 0;
  let started = performance.now();
  for await (const event of optimize(withClock(options, clock))) {
    if (event.type === 'candidate_accepted') accepted++;
    if (event.type !== 'pareto_front_updated' && event.type !== 'candidate_rejected') continue;
    // The end of an iteration, since each has one proposal.
    const now = performance.now();
    if (accepted > candidates) ms.push(now - started - clock.outside);
    // Measured before the loop is left, which releases the run.
    if (ms.length === iterations) return { ms, bytes: usedBytes() - before };
    clock.outside = 0;
    started = performance.now();
  }
  throw new Error(`The run ended with ${accepted} candidates.`);
}

function withClock(options: OptimizeOptions, clock: { outside: number }): OptimizeOptions {
  const timed =
    <In, Out>(call: (request: In) => Promise<Out>) =>
    async (request: In) => {
      const started = performance.now();
      const result = await call(request);
      clock.outside += performance.now() - started;
      return result;
    };
  return { ...options, evaluate: timed(options.evaluate), reflect: timed(options.reflect) };
}

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

function hash(candidate: number, row: number): number {
  let mixed = Math.imul(candidate + 1, 0x9e3779b1) ^ Math.imul(row + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

function report(found: readonly Found[], title: string): boolean {
  const isKept = ({ ms, bytes }: Found) => median(ms) <= MAX_MS && bytes <= MAX_BYTES;
  console.log(`\n${title}\n`);
  printTable([
    ['', 'ms a decision', 'p99 ms', 'bound', 'memory', 'bound', ''],
    ...found.map((one) => [
      one.title,
      median(one.ms).toFixed(2),
      percentile(one.ms, 0.99).toFixed(2),
      `<= ${MAX_MS}`,
      megabytes(one.bytes),
      `<= ${megabytes(MAX_BYTES)}`,
      verdict(isKept(one)),
    ]),
  ]);
  return found.every(isKept);
}
