/** Timers that keep to what setTimeout can count, and work that ends with a signal. */

/** setTimeout counts in 32 bits; whatever is longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Gives what stops it. A time that is too long to count never comes. */
export function startTimer(ms: number, onEnd: () => void): () => void {
  if (ms > LONGEST_TIMER_MS) return () => undefined;
  const timer = setTimeout(onEnd, ms);
  return () => clearTimeout(timer);
}

/** For work that knows no signal: rejects with the signal's reason, and leaves the work to itself. */
export async function orAborted<T>(work: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
