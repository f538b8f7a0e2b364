/** Runs two statements in the same snapshot, on two connections if a second one is free: each statement keeps one processor busy. */
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { type Db, poolOf } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';

/**
 * The second connection is optional. If it has not started when the first statement is done, the first connection runs both: no caller
 * waits for a connection while holding one.
 */
export async function readTogether<Row extends pg.QueryResultRow>(
  db: Db,
  first: RawBuilder<Row>,
  second: RawBuilder<Row>,
): Promise<readonly Row[]> {
  const { rows, others } = await transaction(db, async (trx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.execute(trx);
    const pool = poolOf(db);
    const help = pool && new Help<Row>(pool, await exportSnapshot(trx), second.compile(db));
    const own = await first.execute(trx).finally(() => help?.endWaiting());
    // Waited for outside the transaction, because the database ends idle transactions.
    if (help?.hasBegun) return { rows: own.rows, others: () => help.rows };
    const { rows: others } = await second.execute(trx);
    return { rows: own.rows, others: async () => others };
  });
  return [...rows, ...(await others())];
}

async function exportSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`SELECT pg_export_snapshot() AS id`.execute(db);
  return rows[0]?.id ?? '';
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

class Help<Row extends pg.QueryResultRow> {
  /** Empty if it never started. */
  readonly rows: Promise<readonly Row[]>;
  hasBegun = false;
  private hasEnded = false;

  constructor(pool: pg.Pool, snapshotId: string, statement: Statement) {
    this.rows = this.give(pool, snapshotId, statement);
    // There may be no free connection, or one to another server behind a pooler; the second connection is optional.
    this.rows.catch(() => undefined);
  }

  /** Prevents a later start. */
  endWaiting(): void {
    this.hasEnded = true;
  }

  private async give(pool: pg.Pool, snapshotId: string, statement: Statement): Promise<readonly Row[]> {
    const client = await pool.connect();
    let isDone = this.hasEnded;
    try {
      if (isDone) return [];
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // Sent without parameters, so that it stays unnamed: otherwise there would be one prepared statement per snapshot.
      await client.query(`SET TRANSACTION SNAPSHOT '${snapshotId}'`);
      this.hasBegun = !this.hasEnded;
      const found = this.hasBegun && (await client.query<Row>(statement.sql, [...statement.parameters]));
      await client.query('COMMIT');
      isDone = true;
      return found ? found.rows : [];
    } finally {
      client.release(!isDone);
    }
  }
}
