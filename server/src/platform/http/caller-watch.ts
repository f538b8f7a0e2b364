/** Watches whether a caller is still there, and still allowed to be, while something goes on for it. */
import { ApiError } from '../errors.ts';

/** With a plain timer: every call is watched, and a signal that ends a wait makes two errors, with their stacks, that nobody reads. */
export function watchCaller(recheck: () => Promise<unknown>, recheckMs: number) {
  const caller = new AbortController();
  let isOver = false;
  let timer: NodeJS.Timeout;
  const check = () =>
    recheck().then(
      () => isOver || wait(),
      // Our own trouble, such as a database that is away for a moment, is no refusal: the work goes on.
      (error: unknown) => isOver || (isRefusal(error) ? caller.abort(error) : wait()),
    );
  const wait = () => {
    timer = setTimeout(() => void check(), recheckMs);
  };
  wait();
  return {
    /** Aborted with an AbortError where the caller has left before the end, else with why it may not go on. */
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
