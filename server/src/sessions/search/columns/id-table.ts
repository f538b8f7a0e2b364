/** Maps ids to row numbers: a hash table in typed arrays, about 24 bytes per id. */
import { randomInt } from 'node:crypto';
import { bytesOf, withRoom } from './room.ts';
import { newWords, readUuid, toUuid, WORDS, type Words } from './uuid-words.ts';

const NONE = -1;
const FIRST_SLOTS = 64;
/** Maximum share of slots in use. */
const LOAD = 0.7;

/** Clients choose ids, so the hash has a secret seed: no client can make a table slow. */
const SEED = randomInt(2 ** 32);

export class IdTable {
  private words: Words = new Uint32Array(0);
  /** Row number plus 1; 0 marks a free slot. */
  private slots = new Int32Array(FIRST_SLOTS);
  private free = new Int32Array(0);
  private freeCount = 0;
  private readonly parsed = newWords();
  /** Row numbers are below this; rows of removed ids are reused. */
  rowCount = 0;

  get size(): number {
    return this.rowCount - this.freeCount;
  }

  get bytes(): number {
    return bytesOf(this.words, this.slots, this.free);
  }

  reserve(rows: number): void {
    this.words = withRoom(this.words, rows * WORDS);
    let length = this.slots.length;
    while (rows > length * LOAD) length *= 2;
    this.spread(length);
  }

  /** Returns -1 for an unknown id. */
  find(id: Words): number {
    return (this.slots[this.slotOf(id)] as number) - 1;
  }

  findText(id: string): number {
    return this.find(readUuid(id, this.parsed));
  }

  /** Returns the row of an id and assigns one if needed. */
  add(id: Words): number {
    const slot = this.slotOf(id);
    const known = (this.slots[slot] as number) - 1;
    if (known !== NONE) return known;
    const row = this.freeCount > 0 ? (this.free[--this.freeCount] as number) : this.rowCount++;
    this.words = withRoom(this.words, this.rowCount * WORDS);
    this.words.set(id, row * WORDS);
    this.slots[slot] = row + 1;
    if (this.size > this.slots.length * LOAD) this.spread(this.slots.length * 2);
    return row;
  }

  /** @returns the former row of the id, or -1 */
  remove(id: Words): number {
    const slot = this.slotOf(id);
    const row = (this.slots[slot] as number) - 1;
    if (row === NONE) return NONE;
    this.free = withRoom(this.free, this.freeCount + 1);
    this.free[this.freeCount++] = row;
    this.close(slot);
    return row;
  }

  text(row: number): string {
    return toUuid(this.words, row * WORDS);
  }

  /** Returns a negative number when the id of row `a` sorts first. */
  compare(a: number, b: number): number {
    const { words } = this;
    for (let word = 0; word < WORDS; word++) {
      const difference = (words[a * WORDS + word] as number) - (words[b * WORDS + word] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Returns the slot of an id, or the slot where it would be inserted. */
  private slotOf(id: Words): number {
    const { words, slots } = this;
    const last = slots.length - 1;
    for (let slot = hash(id, 0) & last; ; slot = (slot + 1) & last) {
      const row = (slots[slot] as number) - 1;
      if (row === NONE) return slot;
      const first = row * WORDS;
      if (
        words[first] === id[0] &&
        words[first + 1] === id[1] &&
        words[first + 2] === id[2] &&
        words[first + 3] === id[3]
      )
        return slot;
    }
  }

  /** Empties a slot and moves later entries that would become unreachable. */
  private close(gap: number): void {
    const { slots } = this;
    const last = slots.length - 1;
    let empty = gap;
    for (let slot = (gap + 1) & last; slots[slot] !== 0; slot = (slot + 1) & last) {
      const home = hash(this.words, ((slots[slot] as number) - 1) * WORDS) & last;
      if (((slot - home) & last) < ((slot - empty) & last)) continue;
      slots[empty] = slots[slot] as number;
      empty = slot;
    }
    slots[empty] = 0;
  }

  private spread(length: number): void {
    const before = this.slots;
    const last = length - 1;
    this.slots = new Int32Array(length);
    for (const taken of before) {
      if (taken === 0) continue;
      let slot = hash(this.words, (taken - 1) * WORDS) & last;
      while (this.slots[slot] !== 0) slot = (slot + 1) & last;
      this.slots[slot] = taken;
    }
  }
}

/** MurmurHash3 of four words. */
function hash(words: Words, first: number): number {
  let mixed = SEED;
  for (let word = first; word < first + WORDS; word++) {
    let part = Math.imul(words[word] as number, 0xcc9e2d51);
    part = Math.imul((part << 15) | (part >>> 17), 0x1b873593);
    mixed ^= part;
    mixed = (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
