/** Lock between processes that remove files of the store and those that rely on them: backups and restores. */
import { sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import { type Trx, transaction } from '../../../db/transaction.ts';

/**
 * Held shared by a backup, from before its snapshot, so that no file in the snapshot is removed. Held exclusively by a restore, whose files
 * have no owner yet. The two arguments of `pg_advisory_lock`.
 */
export const BLOB_REMOVAL_LOCK: readonly [number, number] = [0x6f62_6a65, 1]; // ASCII of "obje".

/**
 * Returns what may be removed, or nothing while another process holds the lock. A process that takes the lock afterwards sees the same
 * state, so the files may be removed after the transaction, and thus the lock, has ended.
 */
export function listRemovable<T>(db: Db, list: (trx: Trx) => Promise<T[]>): Promise<T[]> {
  const [space, number] = BLOB_REMOVAL_LOCK;
  return transaction(db, async (trx) => {
    const { rows } = await sql<{ is_free: boolean }>`
      SELECT pg_try_advisory_xact_lock(${space}::integer, ${number}::integer) AS is_free`.execute(trx);
    return rows[0]?.is_free ? list(trx) : [];
  });
}
