/** Measures memory that is still referenced, which does not depend on when garbage is collected and returned to the system. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIB = 1024 ** 2;

const READINGS = {
  buffers: () => process.memoryUsage().arrayBuffers / MIB,
  /** External memory includes that of buffers. */
  all: () => {
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / MIB;
  },
};

/** Measures what is referenced beyond that at the start. */
export class LiveMemory {
  peakMib = 0;
  private readonly collect: () => void;
  private readonly read: () => number;
  private readonly before: number;

  constructor(kind: keyof typeof READINGS) {
    setFlagsFromString('--expose-gc');
    this.collect = runInNewContext('gc') as () => void;
    this.read = READINGS[kind];
    this.before = this.liveMib();
  }

  measure(): void {
    this.peakMib = Math.max(this.peakMib, this.liveMib() - this.before);
  }

  /** Collects garbage, which is slow, only if there is more memory than tolerated; otherwise all counts as live. */
  glance(toleratedMib: number): void {
    const withGarbage = this.read() - this.before;
    if (withGarbage > toleratedMib) this.measure();
    else this.peakMib = Math.max(this.peakMib, withGarbage);
  }

  private liveMib(): number {
    this.collect();
    // What the first collection finds is freed in the background; the second waits for that.
    this.collect();
    return this.read();
  }
}
