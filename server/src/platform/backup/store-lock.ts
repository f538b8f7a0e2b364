/** Keeps the embedded store from removing any file while some work runs. */
import { openClient } from '../db/open-client.ts';
import { BLOB_REMOVAL_LOCK } from '../object-storage/embedded/blobs/removal-lock.ts';

const TAKE = {
  /** Shared with other holders of the same lock mode. */
  shared: 'SELECT pg_advisory_xact_lock_shared($1, $2)',
  exclusive: 'SELECT pg_advisory_xact_lock($1, $2)',
};

/** @param purpose the application name of the connection */
export async function withStoreLock<T>(
  url: string,
  mode: keyof typeof TAKE,
  purpose: string,
  work: () => Promise<T>,
): Promise<T> {
  const client = await openClient(url, purpose);
  try {
    // A lock of the transaction, not of the session: behind a pooler a session lock would outlive this process.
    await client.query(
      'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    );
    await client.query(TAKE[mode], [...BLOB_REMOVAL_LOCK]);
    const result = await work();
    // Fails if the connection was lost, and the lock with it.
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}
