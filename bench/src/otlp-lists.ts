/** The newest page of traces, in a workspace with few and with many of them. */

import { count } from './figures.ts';
import { startListWorld } from './list-world.ts';
import { insertTraceRows, prepareSpanRows, settleSpanRows } from './span-rows.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const FEW = 10_000;
const WARM_UP_CALLS = 30;
const CALLS = 100;
/** Only the fastest share is compared, since the slower ones include other load on the machine. */
const QUICK_SHARE = 0.25;
const MAX_GROWTH = 1.2;
const MAX_P50_MS = 15;

export async function benchTraceLists(traces: number, undo: AsyncDisposableStack): Promise<boolean> {
  const { pool, send } = await startListWorld(undo);
  await prepareSpanRows(pool, 0);
  const measure = async (path: string, calls: number) => {
    const times: number[] = [];
    for (let call = -Math.min(WARM_UP_CALLS, calls); call < calls; call++) {
      const started = performance.now();
      await send('GET', path);
      if (call >= 0) times.push(performance.now() - started);
    }
    return { quick: percentile(times, QUICK_SHARE), p50: percentile(times, 0.5) };
  };
  const measureAll = async () => ({
    newest: await measure('/ws/main/traces', CALLS),
    counted: await measure('/ws/main/traces?exact_total=true', 3),
  });
  await insertTraceRows(pool, { traces: FEW, daysAgo: 1, seed: 'few' });
  await settleSpanRows(pool);
  const few = await measureAll();
  await insertTraceRows(pool, { traces: traces - FEW, daysAgo: 0, seed: 'many' });
  await settleSpanRows(pool);
  const many = await measureAll();
  const ratio = many.newest.quick / few.newest.quick;
  const isFlat = ratio <= MAX_GROWTH;
  const isQuick = many.newest.p50 <= MAX_P50_MS;
  const ms = (value: number) => value.toFixed(1);
  console.log(`\nThe newest 50 traces\n`);
  printTable([
    ['', `${count(FEW)}, ms`, `${count(traces)}, ms`, 'bound', ''],
    [
      'quickest quarter',
      ms(few.newest.quick),
      ms(many.newest.quick),
      `ratio ${ratio.toFixed(2)} <= ${MAX_GROWTH}`,
      verdict(isFlat),
    ],
    ['p50', ms(few.newest.p50), ms(many.newest.p50), `<= ${MAX_P50_MS} ms`, verdict(isQuick)],
    ['with exact_total', ms(few.counted.p50), ms(many.counted.p50), '', ''],
  ]);
  return isFlat && isQuick;
}
