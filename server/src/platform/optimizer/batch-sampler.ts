/** Minibatches of the training set: every epoch is a new shuffle, cut into slices. */
import type { PythonRandom } from '../random/python-random.ts';

export class EpochShuffled {
  readonly #trainSize: number;
  readonly #minibatchSize: number;
  readonly #random: PythonRandom;
  #ids: number[] = [];
  #epoch = 0;

  constructor(trainSize: number, minibatchSize: number, random: PythonRandom) {
    this.#trainSize = trainSize;
    this.#minibatchSize = minibatchSize;
    this.#random = random;
  }

  /**
   * @param iteration decides the epoch; iterations without a minibatch count too, so an epoch may be skipped
   * @param draw the draw within the iteration: each takes the next slice of the same shuffle
   */
  next(iteration: number, draw: number): number[] {
    const start = iteration * this.#minibatchSize;
    const epoch = this.#ids.length === 0 ? 0 : Math.floor(start / this.#ids.length);
    if (this.#ids.length === 0 || epoch > this.#epoch) {
      this.#epoch = epoch;
      this.#ids = this.#shuffle();
    }
    const from = (start + draw * this.#minibatchSize) % this.#ids.length;
    return this.#ids.slice(from, from + this.#minibatchSize);
  }

  /** Shuffles, then pads to whole minibatches with ids from the end backwards: the least frequent id, and the last one among equals. */
  #shuffle(): number[] {
    const ids = Array.from({ length: this.#trainSize }, (_, id) => id);
    this.#random.shuffle(ids);
    const missing = -ids.length % this.#minibatchSize;
    const padding = Array.from(
      { length: missing === 0 ? 0 : this.#minibatchSize + missing },
      (_, position) => ids[ids.length - 1 - (position % ids.length)] as number,
    );
    return [...ids, ...padding];
  }
}
