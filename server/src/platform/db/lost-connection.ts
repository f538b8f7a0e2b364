/**
 * Distinguishes errors of a PostgreSQL that restarts or cannot work from all others, and waits for one that restarts. See
 * docs/design/bundled-postgresql.md, "Restarts".
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Connection exceptions, insufficient resources, operator intervention. */
const AWAY_CLASSES = new Set(['08', '53', '57']);
/** PostgreSQL was shut down, has crashed, or starts: `57014`, a cancelled statement, is not among them. */
const RESTART_CODES = new Set(['57P01', '57P02', '57P03']);
const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']);
/** The message of a full pool, which comes without a code. */
const POOL_TIMEOUT = /timeout exceeded when trying to connect/;
/** Messages of pg and its pool that come without a code. */
const AWAY_TEXT = /Connection terminated|timeout exceeded when trying to connect|not queryable/;

/** Whether the database cannot work now, also for lack of disk, memory or connections. The response is then `database_error`. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return AWAY_CLASSES.has(error.code?.slice(0, 2) ?? '');
  return isBrokenSocket(error);
}

/**
 * Whether PostgreSQL is restarting: the connection broke or was refused, so waiting helps. A full pool does not count: the caller has
 * already waited.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.code?.startsWith('08') || RESTART_CODES.has(error.code ?? '');
  return isBrokenSocket(error) && !POOL_TIMEOUT.test((error as Error).message);
}

function isBrokenSocket(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall === 'connect' || SOCKET_CODES.has(code) || AWAY_TEXT.test(error.message);
}

/** How long a caller waits for a restarting database: the bundled PostgreSQL is back within 1.1 s of a kill. */
export const MAX_RESTART_MS = 2_000;
/** Long enough for a pool to notice that its idle connections are lost too. */
export const RECONNECT_MS = 50;

/**
 * Retries `ask` for up to 2 s while PostgreSQL restarts.
 * @param ask connects or reads, and changes nothing
 */
export async function untilConnected<T>(ask: () => T | Promise<T>): Promise<T> {
  for (const deadline = performance.now() + MAX_RESTART_MS; ; ) {
    try {
      return await ask();
    } catch (error) {
      if (!isConnectionLost(error) || performance.now() >= deadline) throw error;
    }
    await sleep(RECONNECT_MS);
  }
}
