/** Reads rows from PostgreSQL on a separate connection, each statement as a stream of CSV, all from one snapshot. */
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { openClient } from '../db/open-client.ts';
import { Sink } from './sink.ts';
import { SnapshotConnection } from './snapshot-connection.ts';

export interface RowReading {
  readonly url: string;
  /** Timeout per statement: it includes the time for which the reader applies backpressure. */
  readonly statementTimeoutMs: number;
  /** Statements of the form COPY … TO STDOUT. */
  readonly statements: readonly string[];
}

export interface RowReader {
  /** Returns the sink for the rows of the statement with this number. It receives whole rows, and is ended. */
  readonly sinkOf: (statement: number) => Writable;
  /** Receives the number of additional rows. */
  readonly onRows: (count: number) => void;
  /** Receives PostgreSQL's process id before anything is read. */
  readonly onBackend?: (pid: number) => void;
  readonly signal: AbortSignal;
}

/**
 * On failure, incomplete sinks are closed.
 * @throws an error with the code EPIPE when a sink is closed early
 */
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

/** An abort does not wait until there is a connection to close. */
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
