/** Waiting for one's turn: what ends a runtime works in any state, also in one that is just about to change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/errors.ts';

const PATIENCE_MS = 15_000;
const PAUSE_MS = 50;

/** Tries again while another change of the same runtime is under way; in the end says so. */
export async function afterOtherMoves<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      const isRefused = error instanceof ApiError && error.type === 'conflict_error';
      if (!isRefused || performance.now() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
