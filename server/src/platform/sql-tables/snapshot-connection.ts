/** A connection on which all that is read is of one moment, and on which a COPY can be stopped without ending that. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openClient } from '../db/open-client.ts';
import type { Sink } from './sink.ts';

export interface SnapshotOptions {
  readonly url: string;
  readonly statementTimeoutMs: number;
  readonly signal: AbortSignal;
}

const QUERY_CANCELED = '57014';
/** PostgreSQL stops within milliseconds. Else the connection is ended, which ends it too: sooner where nobody needs it any more. */
const PATIENCE_MS = { left: 10_000, aborted: 500 };
const REPEAT_MS = 20;

/**
 * Moments and numbers are as DuckDB reads them, whatever the database is set to. One process for each question: it is read beside
 * requests. All that is read has an index by whose it is: where statistics are old, it may seem faster to pass over everybody's.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: "'UTC'",
  DateStyle: "'ISO'",
  extra_float_digits: '1',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  enable_seqscan: 'off',
};

/** A backend whose client is gone finds that out even while it sorts, where its machine can tell. */
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
  /** Of the backend, which is ours until the transaction ends, whatever stands between. */
  readonly #pid: number;
  /** From then on it may be somebody else's. */
  #isEnded = false;

  private constructor(client: pg.Client, { url, signal }: SnapshotOptions, pid: number) {
    this.#client = client;
    this.#url = url;
    this.#signal = signal;
    this.#pid = pid;
  }

  static async begin(client: pg.Client, options: SnapshotOptions): Promise<SnapshotConnection> {
    await client.query(setUp(options.statementTimeoutMs));
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new SnapshotConnection(client, options, rows[0]?.pid ?? 0);
  }

  /** Resolves when the sink has all rows, or wants no more of them. */
  async copy(text: string, sink: Sink): Promise<void> {
    const onAbort = () => sink.destroy();
    this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#signal.throwIfAborted();
      if (sink.isClosed) return;
      // What is stopped fails, and would end the transaction, and with it the moment that it is of.
      await this.#client.query('SAVEPOINT copying');
      const isStopped = await this.#stream(text, sink);
      await this.#client.query(isStopped ? 'ROLLBACK TO copying' : 'RELEASE copying');
      await sink.end();
      this.#signal.throwIfAborted();
    } catch (error) {
      this.#isEnded = true;
      sink.destroy();
      throw this.#signal.aborted ? this.#signal.reason : error;
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
    }
  }

  /** Rows are taken to the end, also those that nobody wants: a connection in the middle of them is of no use. */
  async #stream(text: string, sink: Sink): Promise<boolean> {
    if (sink.isClosed) return false;
    let isOver = false;
    let stopping: Promise<void> | undefined;
    let tooLate: NodeJS.Timeout | undefined;
    const stop = () => {
      stopping ??= this.#cancel(() => isOver || this.#isEnded);
      clearTimeout(tooLate);
      const patience = this.#signal.aborted ? PATIENCE_MS.aborted : PATIENCE_MS.left;
      tooLate = setTimeout(() => this.#end(), patience);
    };
    sink.onLeft(stop);
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      const rows = this.#client.query(copyTo(text));
      for await (const piece of rows) if (!sink.isClosed) await sink.write(piece as Buffer);
    } catch (error) {
      if (!stopping || (error as { code?: string }).code !== QUERY_CANCELED) throw error;
      return true;
    } finally {
      isOver = true;
      sink.onLeft(undefined);
      this.#signal.removeEventListener('abort', stop);
      clearTimeout(tooLate);
      // A cancellation that is still under way would hit whatever comes next.
      if (!this.#signal.aborted) await stopping;
    }
    return false;
  }

  /** Again and again, since one that comes before its COPY has begun is in vain; but never what comes after it. */
  async #cancel(isOver: () => boolean): Promise<void> {
    try {
      const canceller = await openClient(this.#url, 'ends a question');
      try {
        for (; !isOver(); await sleep(REPEAT_MS))
          await canceller.query('SELECT pg_cancel_backend($1)', [this.#pid]);
      } finally {
        await canceller.end();
      }
    } catch {
      this.#end();
    }
  }

  #end(): void {
    this.#isEnded = true;
    void this.#client.end();
  }
}
