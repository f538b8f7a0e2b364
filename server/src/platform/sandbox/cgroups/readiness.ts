/**
 * Keeps the kernel ready to move processes between control groups. The first move after a while waits for an RCU grace period on every CPU,
 * which adds 10 to 20 ms to each command; a move that follows soon does not. So while sandboxes are in use, this process moves itself to
 * its own group, which changes nothing and takes a tenth of a millisecond.
 */
import { closeSync, openSync, write } from 'node:fs';

/** Shorter than the time after which the kernel drops that state. */
const INTERVAL_MS = 10;
/** Time to stay ready after the last operation: an agent's next command usually comes within seconds. */
const WINDOW_MS = 5_000;

export class Readiness {
  readonly #file: number | undefined;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  #isMoving = false;
  #isClosed = false;

  /** @param procsFile of the group of this process; undefined when it may not move processes */
  constructor(procsFile: string | undefined) {
    this.#file = procsFile === undefined ? undefined : openSync(procsFile, 'w');
  }

  /** Stays ready for a while from now on. */
  keep(): void {
    if (this.#file === undefined || this.#isClosed) return;
    this.#until = performance.now() + WINDOW_MS;
    this.#move();
    this.#timer ??= setInterval(() => this.#move(), INTERVAL_MS).unref();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rest();
    if (!this.#isMoving) this.#closeFile();
  }

  #move(): void {
    if (this.#file === undefined || this.#isMoving) return;
    if (performance.now() > this.#until) return this.#rest();
    this.#isMoving = true;
    write(this.#file, '0', () => {
      this.#isMoving = false;
      if (this.#isClosed) this.#closeFile();
    });
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
