/** Keeps the embedded store from removing any file for as long as some work takes. */
import { openClient } from '../db/open-client.ts';
import { BLOB_REMOVAL_LOCK } from '../object-storage/embedded/removal-lock.ts';

const TAKE = {
  /** Beside others who want the same. */
  shared: 'SELECT pg_advisory_xact_lock_shared($1, $2)',
  exclusive: 'SELECT pg_advisory_xact_lock($1, $2)',
};

/** @param purpose what the connection is called */
export async function withStoreLock<T>(
  url: string,
  mode: keyof typeof TAKE,
  purpose: string,
  work: () => Promise<T>,
): Promise<T> {
  const client = await openClient(url, purpose);
  try {
    // Of a transaction, not of the session: behind a pooler that would outlive this process.
    await client.query(
      'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    );
    await client.query(TAKE[mode], [...BLOB_REMOVAL_LOCK]);
    const result = await work();
    // Fails when the connection was lost, and the lock with it.
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}
