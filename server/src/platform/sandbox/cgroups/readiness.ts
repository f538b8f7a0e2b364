/**
 * Keeps the kernel ready to move processes between control groups.
 *
 * The first move after a while waits until every processor has taken notice, which is 10 to 20 ms of each command; one that
 * follows soon does not. So while sandboxes are being operated, this process moves itself to the group that it is in, which
 * changes nothing and takes a tenth of a millisecond.
 */
import { closeSync, openSync, write } from 'node:fs';

/** Sooner than the kernel lets go of it. */
const INTERVAL_MS = 10;
/** After the last that was done: an agent's next command mostly comes within seconds. */
const WINDOW_MS = 5_000;

export class Readiness {
  readonly #file: number | undefined;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  #isMoving = false;
  #isClosed = false;

  /** @param procsFile of the group that this process is in; undefined where it may move nothing */
  constructor(procsFile: string | undefined) {
    this.#file = procsFile === undefined ? undefined : openSync(procsFile, 'w');
  }

  /** From now on, for a while. */
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
