/**
 * Delivers rows for a query directly from PostgreSQL: each table as a stream of CSV, all from one snapshot. A query has its own connection,
 * separate from the pool of requests, opened for it and closed afterwards, so that its failures affect nothing else.
 */
import type { FairSemaphore } from '../admission/fair-semaphore.ts';
import { toCopyStatement } from './copy-statement.ts';
import { exportRows } from './exporter/export-rows.ts';
import type { MoveRequest } from './exporter/request.ts';
import { startExporter } from './row-exporter.ts';
import type { SqlTable, SqlViewer } from './sql-table.ts';
import type { RowSource, RowWay, TableNeed } from './table-need.ts';

type Needed = Promise<readonly TableNeed[]>;

export interface RowSourceOptions {
  /**
   * Direct connection that bypasses poolers, whose few connections are for short work; a pooler works as well, since all is one
   * transaction.
   */
  readonly url: string;
  /** Limits the connections of all sources that share it: others wait, organization by organization. */
  readonly turns: FairSemaphore;
  readonly tables: readonly SqlTable[];
  readonly viewer: SqlViewer;
  /** Timeout per table: it includes the time for which the reader applies backpressure. */
  readonly statementTimeoutMs: number;
  /** Additional environment, for a process that needs the same database access. */
  readonly environment?: Readonly<Record<string, string>>;
}

export function openRowSource(options: RowSourceOptions): RowSource {
  return { copyOut: (needs, way) => (way.isNiced ? moveApart : moveHere)(options, needs, way) };
}

/** Reads in this process: interactive callers should not wait for a process to start, which takes longer than most reads. */
async function moveHere(options: RowSourceOptions, needed: Needed, way: RowWay): Promise<void> {
  const { turns, viewer } = options;
  const request = toRequest(options, await needed, way);
  await turns.take({ owner: viewer.organizationId, signal: way.signal }, () => exportRows(request, way));
}

/** Reads in a low-priority process, since transfers of minutes would block this process. */
async function moveApart(options: RowSourceOptions, needed: Needed, way: RowWay): Promise<void> {
  const { turns, viewer, statementTimeoutMs: timeoutMs, environment = {} } = options;
  // Removed, since other users of this machine may read the environment of a process.
  const { PGPASSWORD: password, ...env } = environment;
  const over = new AbortController();
  const signal = AbortSignal.any([way.signal, over.signal]);
  const exporter = await startExporter(way, { timeoutMs, env, signal });
  const move = async () => {
    const request = { ...toRequest(options, await needed, way), password };
    await turns.take({ owner: viewer.organizationId, signal }, () => exporter.move(request, way.onRows));
  };
  try {
    // It may end before its needs are known, or while waiting for a turn: the wait ends then.
    await Promise.race([move(), exporter.moved]);
  } finally {
    over.abort();
    await exporter.ended();
  }
  way.signal.throwIfAborted();
}

/** Validates the needs before anything is read. */
function toRequest(
  { url, statementTimeoutMs, tables, viewer }: RowSourceOptions,
  needs: readonly TableNeed[],
  { pipes, segments }: RowWay,
): MoveRequest {
  const copies = needs.map((need) => {
    const table = tables.find(({ name }) => name === need.table);
    if (!table) throw new Error(`Table ${need.table} does not exist.`);
    return { statement: toCopyStatement(table, need, viewer), columns: need.columns };
  });
  return { url, password: undefined, statementTimeoutMs, copies, pipes, segments };
}
