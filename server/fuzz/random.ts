/** Reproducible randomness: the same seed and index give the same choices. */
import { createHash } from 'node:crypto';

const WORD = 2 ** 32;

export class Random {
  private state: number;

  /** Each purpose has a stream of its own, so that one request's choices do not shift the next one's. */
  constructor(seed: string, purpose: string | number) {
    this.state = createHash('sha256').update(`${seed} ${purpose}`).digest().readUInt32LE(0);
  }

  /** At least 0, below 1. */
  fraction(): number {
    // mulberry32: small, fast, and sufficiently uniform.
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / WORD;
  }

  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('There is nothing to pick from.');
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error('There is nothing to choose from.');
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.integer(0, alphabet.length - 1)]).join('');
  }

  uuid(): string {
    const hex = this.text('0123456789abcdef', 32);
    return [8, 4, 4, 4, 12]
      .reduce(
        ({ at, parts }, length) => ({ at: at + length, parts: [...parts, hex.slice(at, at + length)] }),
        { at: 0, parts: [] as string[] },
      )
      .parts.join('-');
  }
}
