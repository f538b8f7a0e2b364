/** Which failures are worth another attempt, and how long to wait before it. */
import type { DrydockError } from './errors.ts';

/** Longer than anyone wants to wait without knowing: such an answer is passed on, with what it asks for. */
const LONGEST_PAUSE_MS = 60_000;
const LONGEST_BACK_OFF_MS = 8_000;

export interface Attempt {
  /** Sending it twice does no more than sending it once. */
  readonly isRepeatable: boolean;
  readonly hasIdempotencyKey: boolean;
  /** How many attempts have failed. */
  readonly failures: number;
}

/** Undefined where another attempt would be wrong or useless. */
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
  // The first call with this key still runs: its answer will be ours.
  if (error.status === 409) return hasIdempotencyKey && error.retryAfterSeconds !== undefined;
  return error.status === 429 || isUnanswered(error);
}

/** The server may have done it all the same. */
export const isUnanswered = ({ type, status }: DrydockError) =>
  type === 'connection_error' || type === 'timeout_error' || status === 502 || status === 504;

/** Twice as long after each failure; somewhere in its upper half, so that many clients do not return at once. */
export function backOffMs(failures: number, firstPauseMs: number): number {
  const longest = Math.min(LONGEST_BACK_OFF_MS, firstPauseMs * 2 ** (failures - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** A minute at most. Rejects with the signal's reason as soon as it is aborted. */
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
