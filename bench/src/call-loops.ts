/** Runs calls by several callers at once for a number of seconds; each sends the next call when the last one has completed. */
import type { Load } from './load.ts';
import { cpuSeconds } from './process-usage.ts';
import { median, percentile } from './statistics.ts';

export interface CallLoops {
  /** The call that each caller repeats. */
  readonly callers: readonly (() => Promise<unknown>)[];
  readonly seconds: number;
  /** Process whose CPU time is measured. */
  readonly pid: number;
  /** Number of rows that one call writes; figures are given per row. */
  readonly rowsPerCall: number;
}

export async function runLoops({ callers, seconds, pid, rowsPerCall }: CallLoops): Promise<Load> {
  const cpuBefore = cpuSeconds([pid]);
  const started = performance.now();
  const latencies: number[] = [];
  const loop = async (call: () => Promise<unknown>) => {
    for (let sent = started; sent - started < seconds * 1000; ) {
      await call();
      const responded = performance.now();
      latencies.push(responded - sent);
      sent = responded;
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
