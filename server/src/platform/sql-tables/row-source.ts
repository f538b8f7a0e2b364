/**
 * Rows for a question, straight from PostgreSQL: each table as a stream of CSV, all of one moment.
 *
 * A question has a connection of its own, apart from the pool of requests, made for it and closed after it: whatever happens to
 * it, nobody else meets it.
 */
import type { FairSemaphore } from '../admission/fair-semaphore.ts';
import { toCopyStatement } from './copy-statement.ts';
import { moveRows } from './mover/move-rows.ts';
import type { MoveRequest } from './mover/request.ts';
import { startMover } from './row-mover.ts';
import type { SqlTable, SqlViewer } from './sql-table.ts';
import type { RowSource, RowWay, TableNeed } from './table-need.ts';

type Needed = Promise<readonly TableNeed[]>;

export interface RowSourceOptions {
  /** Past any pooler, whose few connections are for what is short; through one it works as well, being one transaction. */
  readonly url: string;
  /** How many connections there may be, over all sources that share it: the others wait, organization by organization. */
  readonly turns: FairSemaphore;
  readonly tables: readonly SqlTable[];
  readonly viewer: SqlViewer;
  /** Of each table: reading takes as long as its reader takes to take it. */
  readonly statementTimeoutMs: number;
  /** Beside the address, for a process that is to reach it as this one does. */
  readonly environment?: Readonly<Record<string, string>>;
}

export function openRowSource(options: RowSourceOptions): RowSource {
  return { copyOut: (needs, way) => (way.isNiced ? moveApart : moveHere)(options, needs, way) };
}

/** Who waits for an answer does not wait for a process to start, which takes longer than most reading. */
async function moveHere(options: RowSourceOptions, needed: Needed, way: RowWay): Promise<void> {
  const { turns, viewer } = options;
  const request = toRequest(options, await needed, way);
  await turns.take({ owner: viewer.organizationId, signal: way.signal }, () => moveRows(request, way));
}

/** What takes minutes is behind everything else, and takes nothing of the one thread that all others share. */
async function moveApart(options: RowSourceOptions, needed: Needed, way: RowWay): Promise<void> {
  const { turns, viewer, statementTimeoutMs: timeoutMs, environment = {} } = options;
  // Others on this machine may read what a process has in its environment.
  const { PGPASSWORD: password, ...env } = environment;
  const over = new AbortController();
  const signal = AbortSignal.any([way.signal, over.signal]);
  const mover = await startMover(way, { timeoutMs, env, signal });
  const move = async () => {
    const request = { ...toRequest(options, await needed, way), password };
    await turns.take({ owner: viewer.organizationId, signal }, () => mover.move(request, way.onRows));
  };
  try {
    // It may end before it is known what is needed, or while others have their turn: nobody waits for that then.
    await Promise.race([move(), mover.moved]);
  } finally {
    over.abort();
    await mover.ended();
  }
  way.signal.throwIfAborted();
}

/** What is wrong with a need is told before anything is read. */
function toRequest(
  { url, statementTimeoutMs, tables, viewer }: RowSourceOptions,
  needs: readonly TableNeed[],
  { pipes, segments }: RowWay,
): MoveRequest {
  const copies = needs.map((need) => {
    const table = tables.find(({ name }) => name === need.table);
    if (!table) throw new Error(`There is no table ${need.table}.`);
    return { statement: toCopyStatement(table, need, viewer), columns: need.columns };
  });
  return { url, password: undefined, statementTimeoutMs, copies, pipes, segments };
}
