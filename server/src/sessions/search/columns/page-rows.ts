/** Finds the rows of one page of the selected sessions, in order, without sorting the others. */
import type { PageOrder } from '../session-index.ts';
import { type IsBefore, partition } from './partition.ts';
import type { Selection } from './selection.ts';
import { NO_TIME, type SessionColumns } from './session-columns.ts';

/** Orders by the values of a column. */
export interface ColumnOrder extends PageOrder {
  readonly sort_by: Exclude<PageOrder['sort_by'], 'title'>;
}

/** Changes the order of the rows in the selection. */
export function findPage(
  columns: SessionColumns,
  { rows, count }: Selection,
  { offset, limit, ...order }: ColumnOrder,
): string[] {
  const isBefore = toOrder(columns, order);
  const from = Math.min(offset, count);
  const to = Math.min(offset + limit, count);
  partition(rows, 0, count, from, isBefore);
  partition(rows, from, count, to, isBefore);
  const page = rows.subarray(from, to).toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  return Array.from(page, (row) => columns.ids.text(row));
}

/** Missing values sort last in both directions, and ids break ties. */
function toOrder(columns: SessionColumns, order: Pick<ColumnOrder, 'sort_by' | 'sort_dir'>): IsBefore {
  const keys = keysOf(columns, order.sort_by);
  const isDescending = order.sort_dir === 'desc';
  const { ids } = columns;
  return (a, b) => {
    const left = keys[a] as number;
    const right = keys[b] as number;
    if (left === right) return ids.compare(a, b) < 0;
    return isDescending && left !== NO_TIME && right !== NO_TIME ? left > right : left < right;
  };
}

function keysOf(columns: SessionColumns, sortBy: ColumnOrder['sort_by']) {
  if (sortBy === 'created_at') return columns.createdAt;
  if (sortBy === 'updated_at') return columns.updatedAt;
  if (sortBy === 'last_message_at') return columns.lastMessageAt;
  return columns.messageCounts;
}
