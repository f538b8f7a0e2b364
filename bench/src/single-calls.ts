/** Single calls, one after the other: our time against the minimum. */
import { median } from './statistics.ts';
import { verdict } from './table.ts';

/** Number of calls until plans are cached and the code is compiled, as in a server that has run for a minute. */
const WARM_UP = 150;

export const SINGLE_CALLS_HEADER = ['', 'bare ms', 'HTTP ms', 'ratio', 'bound', ''];

export interface ComparedCalls {
  readonly row: string[];
  readonly isKept: boolean;
}

/** Alternates, so that other load on the machine affects both equally. */
export async function compareCalls(
  title: string,
  bare: () => Promise<unknown>,
  ours: () => Promise<unknown>,
  { rounds, maxRatio }: { readonly rounds: number; readonly maxRatio: number },
): Promise<ComparedCalls> {
  const times = { bare: [] as number[], ours: [] as number[] };
  for (let round = -WARM_UP; round < rounds; round++) {
    const [bareMs, oursMs] = [await millisecondsOf(bare), await millisecondsOf(ours)];
    if (round < 0) continue;
    times.bare.push(bareMs);
    times.ours.push(oursMs);
  }
  const ratio = median(times.ours) / median(times.bare);
  const isKept = ratio <= maxRatio;
  const figures = [median(times.bare), median(times.ours), ratio].map((figure) => figure.toFixed(2));
  return { row: [title, ...figures, `<= ${maxRatio}`, verdict(isKept)], isKept };
}

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
