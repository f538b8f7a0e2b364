/**
 * A connection that reads everything from one snapshot. When no more rows are needed, the statement is cancelled, and the connection ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openClient } from '../db/open-client.ts';
import { CopyOut } from './copy-out.ts';
import type { Sink } from './sink.ts';

export interface SnapshotOptions {
  readonly url: string;
  readonly statementTimeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Time for a cancellation, which PostgreSQL handles within milliseconds. Afterwards the connection is closed, which ends the statement too.
 */
const WAIT_TIMEOUT_MS = 300;
const REPEAT_MS = 20;

/**
 * Timestamps and numbers are formatted for DuckDB, whatever the database's settings. No parallel workers, since queries run beside
 * requests. Sequential scans are disabled: every table has an index by owner, and outdated statistics may make scanning all tenants seem
 * faster.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: "'UTC'",
  DateStyle: "'ISO'",
  extra_float_digits: '1',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  enable_seqscan: 'off',
};

/** Makes a backend detect the loss of its client even while it sorts, if its platform supports that. */
const NOTICE_LOSS = `
  DO $$ BEGIN
    PERFORM set_config('client_connection_check_interval', '1s', true);
  EXCEPTION WHEN invalid_parameter_value THEN NULL;
  END $$`;

const setUp = (statementTimeoutMs: number) =>
  [
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    `SET LOCAL statement_timeout = ${Math.ceil(statementTimeoutMs)}`,
    ...Object.entries(SETTINGS).map(([name, value]) => `SET LOCAL ${name} = ${value}`),
    NOTICE_LOSS,
  ].join('; ');

export class SnapshotConnection {
  readonly #client: pg.Client;
  readonly #url: string;
  readonly #signal: AbortSignal;
  /** Process id of the backend, which is ours until the transaction ends, even behind a pooler. */
  readonly pid: number;

  private constructor(client: pg.Client, { url, signal }: SnapshotOptions, pid: number) {
    this.#client = client;
    this.#url = url;
    this.#signal = signal;
    this.pid = pid;
  }

  static async begin(client: pg.Client, options: SnapshotOptions): Promise<SnapshotConnection> {
    await client.query(setUp(options.statementTimeoutMs));
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new SnapshotConnection(client, options, rows[0]?.pid ?? 0);
  }

  /**
   * Resolves when the sink has all rows.
   * @throws the signal's reason; an error with the code EPIPE when the sink's reader has disconnected
   */
  async copy(text: string, sink: Sink, onRows: (count: number) => void): Promise<void> {
    const leave = () => sink.destroy();
    this.#signal.addEventListener('abort', leave, { once: true });
    try {
      this.#signal.throwIfAborted();
      await this.#stream(text, sink, onRows);
      await sink.end();
      this.#signal.throwIfAborted();
    } catch (error) {
      const left = sink.error;
      sink.destroy();
      throw this.#signal.aborted ? this.#signal.reason : (left ?? error);
    } finally {
      this.#signal.removeEventListener('abort', leave);
    }
  }

  async #stream(text: string, sink: Sink, onRows: (count: number) => void): Promise<void> {
    const copying = new CopyOut(text, (rows, count) => {
      onRows(count);
      return sink.write(rows);
    });
    let isOver = false;
    let tooLate: NodeJS.Timeout | undefined;
    sink.onLeft(() => {
      void this.#cancel(() => isOver);
      tooLate = setTimeout(() => void this.#client.end(), WAIT_TIMEOUT_MS);
    });
    try {
      await this.#client.query(copying).ended;
    } finally {
      isOver = true;
      sink.onLeft(undefined);
      clearTimeout(tooLate);
    }
  }

  /** Repeats the cancellation, since one that arrives before the COPY has begun has no effect. */
  async #cancel(isOver: () => boolean): Promise<void> {
    try {
      const canceller = await openClient(this.#url, 'ends a question');
      try {
        for (; !isOver(); await sleep(REPEAT_MS))
          await canceller.query('SELECT pg_cancel_backend($1)', [this.pid]);
      } finally {
        await canceller.end();
      }
    } catch {
      await this.#client.end();
    }
  }
}
