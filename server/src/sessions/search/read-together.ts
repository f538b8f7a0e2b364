/** Two statements at the same moment, on two connections where there is another: each of them keeps a processor busy. */
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { type Db, poolOf } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';

/**
 * The second connection only helps. As long as it has not begun when the first is done, the first does all by itself: nobody
 * waits for a connection while they hold one.
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
    // It is waited for outside: a transaction in which nothing happens is ended by the database.
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
  /** Empty where it has never begun. */
  readonly rows: Promise<readonly Row[]>;
  hasBegun = false;
  private hasEnded = false;

  constructor(pool: pg.Pool, snapshotId: string, statement: Statement) {
    this.rows = this.give(pool, snapshotId, statement);
    // No connection, or one to another server as behind some poolers: it can be done without.
    this.rows.catch(() => undefined);
  }

  /** From now on it does not begin any more. */
  endWaiting(): void {
    this.hasEnded = true;
  }

  private async give(pool: pg.Pool, snapshotId: string, statement: Statement): Promise<readonly Row[]> {
    const client = await pool.connect();
    let isDone = this.hasEnded;
    try {
      if (isDone) return [];
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // Without values it gets no name: there would be one for every snapshot.
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
