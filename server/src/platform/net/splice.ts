import type { Duplex } from 'node:stream';

/** Connects two streams in both directions with backpressure; neither outlives the other. */
export function splice(one: Duplex, other: Duplex): void {
  pass(one, other);
  pass(other, one);
}

function pass(from: Duplex, to: Duplex): void {
  from.on('error', () => undefined); // reported by its close event
  from.pipe(to); // forwards its end, too: the other direction may continue
  from.once('close', () => {
    // A stream that was cut off must not look as if it had ended normally.
    if (!from.readableEnded) to.destroy();
    else if (to.writableFinished) to.destroy();
    else to.once('finish', () => to.destroy());
  });
  if (from.destroyed) to.destroy();
}
