/** Decides which failures are retried, and after which delay. */
import type { DrydockError } from './errors.ts';

/** Longer delays are not waited for: the response is passed on, with the requested delay. */
const LONGEST_PAUSE_MS = 60_000;
const LONGEST_BACK_OFF_MS = 8_000;

export interface Attempt {
  /** True when sending it twice has the same effect as sending it once. */
  readonly isRepeatable: boolean;
  readonly hasIdempotencyKey: boolean;
  /** Number of failed attempts. */
  readonly failures: number;
}

/** Returns undefined when a retry would be wrong or useless. */
export function findPauseMs(
  { isRepeatable, hasIdempotencyKey, failures }: Attempt,
  error: DrydockError,
  firstPauseMs: number,
): number | undefined {
  if (!isRepeatable || !isPassing(error, hasIdempotencyKey)) return undefined;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
  if (askedMs > LONGEST_PAUSE_MS) return undefined;
  return askedMs + backOffMs(askedMs > 0 ? 1 : failures, firstPauseMs);
}

function isPassing(error: DrydockError, hasIdempotencyKey: boolean): boolean {
  // The first call with this key is still running: its response will be ours.
  if (error.status === 409) return hasIdempotencyKey && error.retryAfterSeconds !== undefined;
  return error.status === 429 || hasNoResponse(error);
}

/** Returns whether the server may have processed the request nevertheless. */
export const hasNoResponse = ({ type, status }: DrydockError) =>
  type === 'connection_error' || type === 'timeout_error' || status === 502 || status === 504;

/** Doubles the delay after each failure; randomized within its upper half, so that many clients do not return at once. */
export function backOffMs(failures: number, firstPauseMs: number): number {
  const longest = Math.min(LONGEST_BACK_OFF_MS, firstPauseMs * 2 ** (failures - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** Waits at most a minute. Rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_PAUSE_MS),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
