/**
 * Rows for a question, straight from PostgreSQL: each table as a stream of CSV, all of one moment.
 *
 * A question has a connection of its own, apart from the pool of requests, made for it and closed after it: whatever happens to
 * it, nobody else meets it.
 */
import type pg from 'pg';
import type { Turns } from '../analytics/turns.ts';
import { openClient } from '../db/open-client.ts';
import { toCopyStatement } from './copy-statement.ts';
import { Sink } from './sink.ts';
import { SnapshotConnection } from './snapshot-connection.ts';
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

/** When it fails, sinks are closed that have not got everything: only the promise tells. */
export function openRowSource(options: RowSourceOptions): RowSource {
  const { turns, viewer } = options;
  return {
    copyOut: async (needs, sinkOf, signal) => {
      // What is wrong with one is told before anything is read.
      const copies = needs.map((need) => ({ need, text: toStatement(options, need) }));
      await turns.take({ owner: viewer.organizationId, signal }, () =>
        withConnection(options, signal, async (connection) => {
          for (const { need, text } of copies) await connection.copy(text, new Sink(sinkOf(need)));
        }),
      );
    },
  };
}

function toStatement({ tables, viewer }: RowSourceOptions, need: TableNeed): string {
  const table = tables.find(({ name }) => name === need.table);
  if (!table) throw new Error(`There is no table ${need.table}.`);
  return toCopyStatement(table, need, viewer);
}

async function withConnection(
  { url, statementTimeoutMs }: RowSourceOptions,
  signal: AbortSignal,
  work: (connection: SnapshotConnection) => Promise<void>,
): Promise<void> {
  const client = await openOrAbort(url, signal);
  try {
    await work(await SnapshotConnection.begin(client, { url, statementTimeoutMs, signal }));
    await client.query('ROLLBACK');
  } finally {
    await client.end();
  }
}

/** Who is no longer wanted does not wait until there is a connection to close. */
async function openOrAbort(url: string, signal: AbortSignal): Promise<pg.Client> {
  const opening = openClient(url, 'rows for a question');
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([opening, aborted]);
  } catch (error) {
    void opening.then(
      (client) => client.end(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
