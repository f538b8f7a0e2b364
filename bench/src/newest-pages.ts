/** Compares the newest page of a list in two workspaces: `few` has ten thousand items, `many` as many as are asked for. */
import { count } from './figures.ts';
import type { Send } from './list-world.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

export const FEW = 10_000;
const WARM_UP_CALLS = 30;
const CALLS = 200;
const COUNTS = 3;
/** Only the fastest share is compared, since the slower ones include other load on the machine. */
const QUICK_SHARE = 0.25;
const MAX_GROWTH = 1.2;
const MAX_P50_MS = 15;

/** @param list path below a workspace */
export async function compareNewestPages(send: Send, list: string, many: number): Promise<boolean> {
  await measure(send, list, WARM_UP_CALLS);
  const newest = await measure(send, list, CALLS);
  const counted = await measure(send, `${list}?exact_total=true`, COUNTS);
  const quick = { few: percentile(newest.few, QUICK_SHARE), many: percentile(newest.many, QUICK_SHARE) };
  const ratio = quick.many / quick.few;
  const p50 = median(newest.many);
  const verdicts = { ratio: ratio <= MAX_GROWTH, p50: p50 <= MAX_P50_MS };
  const ms = (value: number) => value.toFixed(1);
  console.log(`\nThe newest 50 ${list}\n`);
  printTable([
    ['', `${count(FEW)}, ms`, `${count(many)}, ms`, 'bound', ''],
    [
      'quickest quarter',
      ms(quick.few),
      ms(quick.many),
      `ratio ${ratio.toFixed(2)} <= ${MAX_GROWTH}`,
      verdict(verdicts.ratio),
    ],
    ['p50', ms(median(newest.few)), ms(p50), `<= ${MAX_P50_MS} ms`, verdict(verdicts.p50)],
    ['p50 with exact_total', ms(median(counted.few)), ms(median(counted.many)), '', ''],
  ]);
  return verdicts.ratio && verdicts.p50;
}

/** Alternates, so that other load on the machine affects both equally. */
async function measure(send: Send, path: string, calls: number) {
  const times = { few: [] as number[], many: [] as number[] };
  for (let call = 0; call < calls; call++) {
    for (const key of ['few', 'many'] as const) {
      const started = performance.now();
      await send('GET', `/ws/${key}/${path}`);
      times[key].push(performance.now() - started);
    }
  }
  return times;
}
