/** The newest page of traces, in a workspace with few of them and in one with many. */
import { startListWorld } from './list-world.ts';
import { compareNewestPages, FEW } from './newest-pages.ts';
import { insertTraceRows, prepareSpanRows, settleSpanRows } from './span-rows.ts';

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
  return compareNewestPages(send, 'traces', traces);
}
