/** Retries operations that work in any state, such as ending a runtime, while another transition is in progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/errors.ts';

const WAIT_TIMEOUT_MS = 15_000;
const PAUSE_MS = 50;

/** Retries while another change of the same runtime is in progress; finally throws that error. */
export async function afterOtherMoves<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + WAIT_TIMEOUT_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      const isRefused = error instanceof ApiError && error.type === 'conflict_error';
      if (!isRefused || performance.now() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
