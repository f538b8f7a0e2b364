/** The labels of sessions. Sessions with the same labels share a numbered set, so that each set is evaluated once per query. */
import { randomInt } from 'node:crypto';
import { compareCodePoints } from '../code-points.ts';
import type { LabelFilter } from '../query.ts';
import { MAX_LABELS } from '../schema.ts';
import { Dictionary } from './dictionary.ts';
import { partition } from './partition.ts';
import { bytesOf, withRoom } from './room.ts';

/** Separates key and value; PostgreSQL cannot store it in a text. */
const SEPARATOR = '\0';
const FIRST_SLOTS = 64;
const LOAD = 0.7;
/** Maximum number of cached texts, which need not be parsed again; long texts are not cached. */
const REMEMBERED_TEXTS = 4_096;
const MAX_REMEMBERED = 512;
/** Memory overhead per cached text. */
const TEXT_BYTES = 96;
/** Fewer unused sets than this are not worth rebuilding for. */
const FEW = 10_000;
/** Clients choose labels, so the hash has a secret seed. */
const SEED = randomInt(2 ** 32);

/** Set number 0 is the set without labels and always exists. */
export class LabelSets {
  private readonly pairs = new Dictionary();
  /** Codes of pairs in ascending order, set after set; set n occupies starts[n] to starts[n + 1]. */
  private runs = new Int32Array(0);
  private starts = new Int32Array(2);
  private uses = new Int32Array(1);
  private unused = 0;
  /** Number of a set; 0 marks a free slot. */
  private slots = new Int32Array(FIRST_SLOTS);
  private readonly byText = new Map<string, number>();
  private textBytes = 0;
  /** Set numbers are below this. */
  count = 1;

  get bytes(): number {
    return this.pairs.bytes + this.textBytes + bytesOf(this.runs, this.starts, this.uses, this.slots);
  }

  /** Whether most sets have no session any more. */
  get isWorn(): boolean {
    return this.unused > Math.max(FEW, this.count / 2);
  }

  /** @param text the JSON object with the labels */
  add(text: string): number {
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    const set = this.addRun(this.toRun(JSON.parse(text) as Record<string, string[]>));
    if (text.length <= MAX_REMEMBERED) this.remember(text, set);
    return set;
  }

  private remember(text: string, set: number): void {
    if (this.byText.size >= REMEMBERED_TEXTS) {
      this.byText.clear();
      this.textBytes = 0;
    }
    this.byText.set(text, set);
    this.textBytes += TEXT_BYTES + 2 * text.length;
  }

  use(set: number): void {
    if (this.uses[set] === 0 && set > 0) this.unused--;
    this.uses[set] = (this.uses[set] as number) + 1;
  }

  leave(set: number): void {
    this.uses[set] = (this.uses[set] as number) - 1;
    if (this.uses[set] === 0 && set > 0) this.unused++;
  }

  /** Returns 1 for each set that has one of the values of every key. */
  match(filters: readonly LabelFilter[]): Uint8Array {
    const wanted = new Int32Array(this.pairs.size + 1);
    filters.forEach(({ key, values }, index) => {
      for (const value of values) wanted[this.pairs.find(key + SEPARATOR + value)] = index + 1;
    });
    wanted[0] = 0;
    const matched = new Uint8Array(this.count);
    /** The last set that passed, by filter. */
    const passed = new Int32Array(filters.length + 1).fill(-1);
    for (let set = 0; set < this.count; set++) {
      let count = 0;
      for (let at = this.starts[set] as number; at < (this.starts[set + 1] as number); at++) {
        const filter = wanted[this.runs[at] as number] as number;
        if (filter === 0 || passed[filter] === set) continue;
        passed[filter] = set;
        count++;
      }
      if (count === filters.length) matched[set] = 1;
    }
    return matched;
  }

  /**
   * @param counts sessions by set
   * @returns sessions by key, then by value
   */
  toCounts(counts: Int32Array): Map<string, Map<string, number>> {
    const ofPairs = new Int32Array(this.pairs.size + 1);
    for (let set = 0; set < this.count; set++) {
      const count = counts[set] as number;
      if (count === 0) continue;
      for (let at = this.starts[set] as number; at < (this.starts[set + 1] as number); at++) {
        const pair = this.runs[at] as number;
        ofPairs[pair] = (ofPairs[pair] as number) + count;
      }
    }
    const byKey = new Map<string, Map<string, number>>();
    for (const pair of this.findMost(ofPairs)) {
      const count = ofPairs[pair] as number;
      const text = this.pairs.text(pair);
      const end = text.indexOf(SEPARATOR);
      const key = text.slice(0, end);
      const values = byKey.get(key) ?? new Map<string, number>();
      byKey.set(key, values.set(text.slice(end + 1), count));
    }
    return byKey;
  }

  /** Selects the pairs with the highest counts, as many as a response contains. */
  private findMost(counts: Int32Array): Int32Array {
    const counted = new Int32Array(counts.length);
    let size = 0;
    counts.forEach((count, pair) => {
      if (count > 0) counted[size++] = pair;
    });
    // The separator sorts before every other character, so key and value can be compared as one text.
    partition(counted, 0, size, MAX_LABELS, (a, b) => {
      const difference = (counts[b] as number) - (counts[a] as number);
      return (
        difference < 0 || (difference === 0 && compareCodePoints(this.pairs.text(a), this.pairs.text(b)) < 0)
      );
    });
    return counted.subarray(0, Math.min(size, MAX_LABELS));
  }

  private toRun(labels: Record<string, string[]>): Int32Array {
    const codes = new Set<number>();
    for (const [key, values] of Object.entries(labels))
      for (const value of values) codes.add(this.pairs.add(key + SEPARATOR + value));
    return Int32Array.from(codes).toSorted();
  }

  private addRun(run: Int32Array): number {
    if (run.length === 0) return 0;
    const slot = this.slotOf(run);
    const known = this.slots[slot] as number;
    if (known > 0) return known;
    const set = this.count++;
    const start = this.starts[set] as number;
    this.runs = withRoom(this.runs, start + run.length);
    this.runs.set(run, start);
    this.starts = withRoom(this.starts, set + 2);
    this.starts[set + 1] = start + run.length;
    this.uses = withRoom(this.uses, set + 1);
    this.unused++;
    this.slots[slot] = set;
    if (this.count > this.slots.length * LOAD) this.spread();
    return set;
  }

  private slotOf(run: Int32Array): number {
    const last = this.slots.length - 1;
    for (let slot = hash(run, 0, run.length) & last; ; slot = (slot + 1) & last) {
      const set = this.slots[slot] as number;
      if (set === 0 || this.isRun(set, run)) return slot;
    }
  }

  private isRun(set: number, run: Int32Array): boolean {
    const start = this.starts[set] as number;
    if ((this.starts[set + 1] as number) - start !== run.length) return false;
    for (let at = 0; at < run.length; at++) if (this.runs[start + at] !== run[at]) return false;
    return true;
  }

  private spread(): void {
    this.slots = new Int32Array(this.slots.length * 2);
    const last = this.slots.length - 1;
    for (let set = 1; set < this.count; set++) {
      let slot = hash(this.runs, this.starts[set] as number, this.starts[set + 1] as number) & last;
      while (this.slots[slot] !== 0) slot = (slot + 1) & last;
      this.slots[slot] = set;
    }
  }
}

function hash(codes: Int32Array, from: number, to: number): number {
  let mixed = SEED ^ (to - from);
  for (let at = from; at < to; at++) {
    mixed = Math.imul(mixed ^ (codes[at] as number), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> 0;
}
