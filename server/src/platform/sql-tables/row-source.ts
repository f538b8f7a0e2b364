/**
 * Rows for a question, straight from PostgreSQL: each table as a stream of CSV, all of one moment.
 *
 * A question has a connection of its own, apart from the pool of requests, made for it and closed after it: whatever happens to
 * it, nobody else meets it.
 */
import { RowPipe } from '../analytics/row-pipe.ts';
import type { Turns } from '../analytics/turns.ts';
import { copyRows } from './copy-rows.ts';
import { toCopyStatement } from './copy-statement.ts';
import type { SqlTable, SqlViewer } from './sql-table.ts';
import type { RowSource, TableNeed } from './table-need.ts';

export interface RowSourceOptions {
  /** Past any pooler, whose few connections are for what is short; through one it works as well, being one transaction. */
  readonly url: string;
  /** How many connections there may be, over all sources that share it: the others wait, organization by organization. */
  readonly turns: Turns;
  readonly tables: readonly SqlTable[];
  readonly viewer: SqlViewer;
  /** Of each table: reading takes as long as its reader takes to take it. */
  readonly statementTimeoutMs: number;
}

export function openRowSource(options: RowSourceOptions): RowSource {
  const { turns, viewer, url, statementTimeoutMs } = options;
  return {
    copyOut: async (needed, way) => {
      const needs = await needed;
      // What is wrong with one is told before anything is read.
      const statements = needs.map((need) => toStatement(options, need));
      const { signal, pipes: folder, segments } = way;
      let rows = 0;
      const sinkOf = (index: number) =>
        new RowPipe({ folder, need: index, columns: needs[index]?.columns ?? [], segments });
      const onRows = (count: number) => {
        rows += count;
        way.onRows?.(rows);
      };
      await turns.take({ owner: viewer.organizationId, signal }, () =>
        copyRows({ url, statementTimeoutMs, statements }, { sinkOf, onRows, signal }),
      );
    },
  };
}

function toStatement({ tables, viewer }: RowSourceOptions, need: TableNeed): string {
  const table = tables.find(({ name }) => name === need.table);
  if (!table) throw new Error(`There is no table ${need.table}.`);
  return toCopyStatement(table, need, viewer);
}
