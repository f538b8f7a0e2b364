/** Stores what has already happened and cannot be undone, so it waits while the database is down. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/errors.ts';
import type { LocalHost } from './local-host.ts';

const WAIT_TIMEOUT_MS = 10_000;
const PAUSE_MS = 250;

/** After the timeout, the host repairs the state as after a crash. */
export async function persist<T>(host: LocalHost, write: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + WAIT_TIMEOUT_MS; ; ) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof ApiError || performance.now() > deadline) throw error;
      host.log.warn({ err: error }, 'the state of a sandbox could not be stored; trying again');
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns a function with the milliseconds since this call, because a delayed write stores the original time. */
export function sinceNow(): () => number {
  const start = performance.now();
  return () => performance.now() - start;
}
