/** Row sources within this process, which use the usual row pipes. */
import { finished } from 'node:stream/promises';
import { RowPipe } from '../src/platform/sql-tables/row-pipe.ts';
import type { RowSource, RowWay, TableNeed } from '../src/platform/sql-tables/table-need.ts';

/** Writes whole rows, and ends or waits as scripted. */
export type GiveRows = (need: TableNeed, pipe: RowPipe, way: RowWay) => Promise<void> | void;

/** Calls `give` for each need in turn and waits for it. */
export const sourceOf = (give: GiveRows): RowSource => ({
  copyOut: async (needed, way) => {
    for (const [index, need] of (await needed).entries()) {
      const pipe = openPipe(way, index, need);
      const isOver = finished(pipe);
      isOver.catch(() => undefined);
      await give(need, pipe, way);
      if (!pipe.destroyed) pipe.end();
      await isOver;
    }
  },
});

export function openPipe(
  { pipes: folder, segments, signal }: RowWay,
  need: number,
  { columns }: TableNeed,
): RowPipe {
  const pipe = new RowPipe({ folder, need, columns, segments });
  pipe.on('error', () => undefined);
  signal.addEventListener('abort', () => pipe.destroy(signal.reason as Error), { once: true });
  return pipe;
}
