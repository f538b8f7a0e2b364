/** Watches whether a caller is still connected, and still authorized, while its request is in progress. */
import { ApiError } from '../errors.ts';

/**
 * Uses a plain timer: every call is watched, and a signal that ends a wait would create two errors with stack traces that are never read.
 */
export function watchCaller(recheck: () => Promise<unknown>, recheckMs: number) {
  const caller = new AbortController();
  let isOver = false;
  let timer: NodeJS.Timeout;
  const check = () =>
    recheck().then(
      () => isOver || wait(),
      // Internal problems, such as a short database outage, are not refusals: the work continues.
      (error: unknown) => isOver || (isRefusal(error) ? caller.abort(error) : wait()),
    );
  const wait = () => {
    timer = setTimeout(() => void check(), recheckMs);
  };
  wait();
  return {
    /** Aborted with an AbortError when the caller has disconnected, else with the reason why it is no longer authorized. */
    signal: caller.signal,
    leave: () => isOver || caller.abort(),
    refuse: (reason: Error) => isOver || caller.abort(reason),
    end: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.status < 500;
