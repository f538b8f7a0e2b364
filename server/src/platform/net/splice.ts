import type { Duplex } from 'node:stream';

/** Makes two connections one: what comes on either goes out on the other, as fast as it is taken, and neither outlives the other. */
export function splice(one: Duplex, other: Duplex): void {
  pass(one, other);
  pass(other, one);
}

function pass(from: Duplex, to: Duplex): void {
  from.on('error', () => undefined); // told by its close
  from.pipe(to); // its end, too: the other direction may go on
  from.once('close', () => {
    // Cut off, it must not look as if it had ended well.
    if (!from.readableEnded) to.destroy();
    else if (to.writableFinished) to.destroy();
    else to.once('finish', () => to.destroy());
  });
  if (from.destroyed) to.destroy();
}
