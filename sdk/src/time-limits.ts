/** Timers within the range of setTimeout, and work that ends with a signal. */

/** setTimeout uses 32 bits; longer times would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns a function that stops the timer. A time that is too long for a timer never expires. */
export function startTimer(ms: number, onEnd: () => void): () => void {
  if (ms > LONGEST_TIMER_MS) return () => undefined;
  const timer = setTimeout(onEnd, ms);
  return () => clearTimeout(timer);
}

/** Rejects with the signal's reason for work that does not support signals, and lets the work continue. */
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
