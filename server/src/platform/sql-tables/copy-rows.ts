/** Reads rows from PostgreSQL, each statement's as a stream of CSV, all of one moment, on a connection of its own. */
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { openClient } from '../db/open-client.ts';
import { Sink } from './sink.ts';
import { SnapshotConnection } from './snapshot-connection.ts';

export interface RowReading {
  readonly url: string;
  /** Of each: reading takes as long as its reader takes to take it. */
  readonly statementTimeoutMs: number;
  /** COPY … TO STDOUT. */
  readonly statements: readonly string[];
}

export interface RowReader {
  /** Where the rows of the statement with this number go. It is given whole rows, and is ended. */
  readonly sinkOf: (statement: number) => Writable;
  /** Told each time how many more there are. */
  readonly onRows: (count: number) => void;
  /** Told the number of PostgreSQL's process before anything is read. */
  readonly onBackend?: (pid: number) => void;
  readonly signal: AbortSignal;
}

/** When it fails, sinks are closed that have not got everything. @throws what has the code EPIPE when a sink is closed early */
export async function copyRows(
  { url, statementTimeoutMs, statements }: RowReading,
  { sinkOf, onRows, onBackend, signal }: RowReader,
): Promise<void> {
  const client = await openOrAbort(url, signal);
  try {
    const connection = await SnapshotConnection.begin(client, { url, statementTimeoutMs, signal });
    onBackend?.(connection.pid);
    for (const [index, text] of statements.entries())
      await connection.copy(text, new Sink(sinkOf(index)), onRows);
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
    signal.throwIfAborted();
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
