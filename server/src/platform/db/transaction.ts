import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import pg from 'pg';
import type { Db } from './connect.ts';
import { isConnectionLost, MAX_RESTART_MS, RECONNECT_MS } from './lost-connection.ts';
import type { Database } from './schema.gen.ts';

export type Trx = Transaction<Database>;

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const CHECK_VIOLATION = '23514';
const ATTEMPTS = 5;

/**
 * Runs `work` in one transaction, and again when PostgreSQL requires a retry. So `work` may run several times: it touches nothing but the
 * database, and makes no network call while it holds a connection and its locks.
 * @param db may be a transaction: then `work` is part of it, so that a job can make a store's writes its own
 */
export async function transaction<T>(db: Db | Trx, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return work(db);
  return untilKept(async () => {
    let isCommitting = false;
    try {
      return await db.transaction().execute(async (trx) => {
        const result = await work(trx);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      // Before COMMIT nothing is kept; after it the outcome is unknown.
      throw !isCommitting && isConnectionLost(error) ? new LostBeforeCommit(error) : error;
    }
  });
}

/** Records in a transaction that the call has taken effect, for the repetitions of a call with an Idempotency-Key. */
export type RecordEffect = (trx: Trx) => Promise<void>;

/** A part of every scope, and of the parameters that stand for one. */
export interface Requested {
  /** Present when the call has an Idempotency-Key. */
  readonly recordEffect?: RecordEffect | undefined;
}

/**
 * The transaction of a caller's request: it ends with the record of the call's effect, so that both are kept or neither. Work that a request
 * only prepares or undoes uses `transaction`, since it is not the effect of the call.
 */
export function transactionFor<T>(
  db: Db | Trx,
  { recordEffect }: Requested,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  if (!recordEffect || isTransaction(db)) return transaction(db, work);
  return transaction(db, async (trx) => {
    const result = await work(trx);
    await recordEffect(trx);
    return result;
  });
}

/** The connection broke before COMMIT, for example because PostgreSQL restarted. */
class LostBeforeCommit extends Error {
  constructor(cause: unknown) {
    super('the connection was lost before COMMIT', { cause });
  }
}

const isTransaction = (db: Db | Trx): db is Trx => db.isTransaction;

async function untilKept<T>(write: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + MAX_RESTART_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof LostBeforeCommit) {
        if (performance.now() >= deadline) throw error.cause;
        await sleep(RECONNECT_MS);
      } else {
        if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
        await sleep(Math.random() * 20 * attempt);
      }
    }
  }
}

/** Runs `read` on a snapshot, so that all reads see the same moment. */
export function snapshot<T>(db: Db, read: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** Whether PostgreSQL requires a retry of a transaction of which nothing was kept. */
export function isRetryable(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED || isOfNewPartition(error))
  );
}

/**
 * The row went to the default partition, and its own partition was attached while the row waited there. A row that breaks a check has the
 * same code; the message is in the language of the server.
 */
const isOfNewPartition = ({ code, routine }: pg.DatabaseError) =>
  code === CHECK_VIOLATION && routine === 'ExecPartitionCheckEmitError';
