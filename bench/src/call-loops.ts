/** Calls by several callers at once, each sending the next when the last is answered, for so many seconds. */
import type { Load } from './load.ts';
import { cpuSeconds } from './process-usage.ts';
import { median, percentile } from './statistics.ts';

export interface CallLoops {
  /** What each of the callers does, again and again. */
  readonly callers: readonly (() => Promise<unknown>)[];
  readonly seconds: number;
  /** Whose use of the processor counts. */
  readonly pid: number;
  /** How much one call writes; figures are given for each of these. */
  readonly rowsPerCall: number;
}

export async function runLoops({ callers, seconds, pid, rowsPerCall }: CallLoops): Promise<Load> {
  const cpuBefore = cpuSeconds([pid]);
  const started = performance.now();
  const latencies: number[] = [];
  const loop = async (call: () => Promise<unknown>) => {
    for (let sent = started; sent - started < seconds * 1000; ) {
      await call();
      const answered = performance.now();
      latencies.push(answered - sent);
      sent = answered;
    }
  };
  await Promise.all(callers.map(loop));
  const elapsedSeconds = (performance.now() - started) / 1000;
  const rows = latencies.length * rowsPerCall;
  return {
    perSecond: rows / elapsedSeconds,
    p50Ms: median(latencies),
    p99Ms: percentile(latencies, 0.99),
    cpuMicroseconds: ((cpuSeconds([pid]) - cpuBefore) / rows) * 1e6,
  };
}
