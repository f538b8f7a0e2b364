/** Moves rows from PostgreSQL to the pipes of a query, in any process. */

import { copyRows } from '../copy-rows.ts';
import { RowPipe } from '../row-pipe.ts';
import type { RowWay } from '../table-need.ts';
import type { MoveRequest } from './request.ts';

/** @throws an error with the code EPIPE when their reader has disconnected */
export async function exportRows(
  { url, statementTimeoutMs, copies, pipes, segments }: MoveRequest,
  { signal, onRows }: Pick<RowWay, 'signal' | 'onRows'>,
): Promise<void> {
  let rows = 0;
  await copyRows(
    { url, statementTimeoutMs, statements: copies.map(({ statement }) => statement) },
    {
      sinkOf: (need) => new RowPipe({ folder: pipes, need, columns: copies[need]?.columns ?? [], segments }),
      onRows: (count) => {
        rows += count;
        onRows?.(rows);
      },
      signal,
    },
  );
}
