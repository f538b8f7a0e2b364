/** The newest page of traces, in a workspace with few of them and in one with many. */
import { count } from './figures.ts';
import { type Send, startListWorld } from './list-world.ts';
import { insertTraceRows, prepareSpanRows, settleSpanRows } from './span-rows.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const FEW = 10_000;
const WARM_UP_CALLS = 30;
const CALLS = 200;
const COUNTS = 3;
/** Only the fastest share is compared, since the slower ones include other load on the machine. */
const QUICK_SHARE = 0.25;
const MAX_GROWTH = 1.2;
const MAX_P50_MS = 15;

export async function benchTraceLists(traces: number, undo: AsyncDisposableStack): Promise<boolean> {
  const { pool, send } = await startListWorld(undo);
  await prepareSpanRows(pool, 0);
  for (const [key, rows] of [
    ['few', FEW],
    ['many', traces],
  ] as const) {
    await send('POST', '/ws', JSON.stringify({ key, name: key }));
    await insertTraceRows(pool, key, rows);
  }
  await settleSpanRows(pool);
  await measure(send, '', WARM_UP_CALLS);
  const newest = await measure(send, '', CALLS);
  const counted = await measure(send, '?exact_total=true', COUNTS);
  const quick = { few: percentile(newest.few, QUICK_SHARE), many: percentile(newest.many, QUICK_SHARE) };
  const ratio = quick.many / quick.few;
  const p50 = median(newest.many);
  const verdicts = { ratio: ratio <= MAX_GROWTH, p50: p50 <= MAX_P50_MS };
  const ms = (value: number) => value.toFixed(1);
  console.log('\nThe newest 50 traces\n');
  printTable([
    ['', `${count(FEW)}, ms`, `${count(traces)}, ms`, 'bound', ''],
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
async function measure(send: Send, query: string, calls: number) {
  const times = { few: [] as number[], many: [] as number[] };
  for (let call = 0; call < calls; call++) {
    for (const key of ['few', 'many'] as const) {
      const started = performance.now();
      await send('GET', `/ws/${key}/traces${query}`);
      times[key].push(performance.now() - started);
    }
  }
  return times;
}
