/** Between those who remove files of the store and those who count on them: backups and restores. */
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { type Trx, transaction } from '../../db/transaction.ts';

/**
 * Held shared by a backup, from before it takes its snapshot: no file that the snapshot refers to is removed. Held
 * exclusively by a restore, whose files have no owner yet. The two arguments of `pg_advisory_lock`.
 */
export const BLOB_REMOVAL_LOCK: readonly [number, number] = [0x6f62_6a65, 1]; // "obje"

/**
 * What may be removed, or nothing while somebody holds the lock. Who takes it right after sees what was seen here: so
 * the files may be removed when the transaction, and with it the lock, has ended.
 */
export function listRemovable<T>(db: Db, list: (trx: Trx) => Promise<T[]>): Promise<T[]> {
  const [space, number] = BLOB_REMOVAL_LOCK;
  return transaction(db, async (trx) => {
    const { rows } = await sql<{ is_free: boolean }>`
      SELECT pg_try_advisory_xact_lock(${space}::integer, ${number}::integer) AS is_free`.execute(trx);
    return rows[0]?.is_free ? list(trx) : [];
  });
}
