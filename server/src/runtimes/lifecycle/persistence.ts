/** Writing down what has happened already: it cannot be taken back, so a database that is away is waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/errors.ts';
import type { LocalHost } from './local-host.ts';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/** What is not written by then is repaired by the host, as after its death. */
export async function persist<T>(host: LocalHost, write: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof ApiError || performance.now() > deadline) throw error;
      host.log.warn({ err: error }, 'the state of a sandbox could not be stored; trying again');
      await sleep(PAUSE_MS);
    }
  }
}

/** How long ago this was called: what is written down late has happened when it did. */
export function sinceNow(): () => number {
  const start = performance.now();
  return () => performance.now() - start;
}
