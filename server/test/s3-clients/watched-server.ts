/**
 * A server that reports how many of its buffers are still referenced, independent of earlier buffers and of the time of garbage collection.
 * A signal starts the measurement, the next one ends it.
 */
import { LiveMemory } from '../live-memory.ts';

const POLL_INTERVAL_MS = 20;
/** Less than the limit of the suite. */
const TOLERATED_MIB = 8;

let watch: { readonly memory: LiveMemory; readonly timer: NodeJS.Timeout } | undefined;

process.on('SIGUSR2', () => {
  if (watch) {
    clearInterval(watch.timer);
    console.error(`the watch has ended: ${watch.memory.peakMib} MiB at the most`);
    watch = undefined;
  } else {
    const memory = new LiveMemory('buffers');
    watch = { memory, timer: setInterval(() => memory.glance(TOLERATED_MIB), POLL_INTERVAL_MS) };
    console.error('the watch has begun');
  }
});

await import('../../src/main.ts');
