/**
 * A server that tells how much it holds: of its buffers those that are still referred to, so that it depends neither on
 * what was there before nor on when garbage is collected. A signal begins a watch, the next one ends it.
 */
import { LiveMemory } from '../object-storage-suite/large-content.ts';

const LOOK_EVERY_MS = 20;
/** Less than what the suite takes for too much. */
const TOLERATED_MIB = 8;

let watch: { readonly memory: LiveMemory; readonly timer: NodeJS.Timeout } | undefined;

process.on('SIGUSR2', () => {
  if (watch) {
    clearInterval(watch.timer);
    console.error(`the watch has ended: ${watch.memory.peakMib} MiB at the most`);
    watch = undefined;
  } else {
    const memory = new LiveMemory();
    watch = { memory, timer: setInterval(() => memory.glance(TOLERATED_MIB), LOOK_EVERY_MS) };
    console.error('the watch has begun');
  }
});

await import('../../src/main.ts');
