import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { Superseded } from './job-row.ts';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

/**
 * Retries while the database is away, until the signal reports that another attempt has taken over. Every retried write is fenced by its
 * attempt, so it does no harm if an earlier try took effect without a response.
 */
export async function retryUntilAborted<T>(
  signal: AbortSignal,
  log: Log,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Superseded) throw error;
      log.warn({ err: error }, 'a job could not be written to the database');
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
    }
  }
}
