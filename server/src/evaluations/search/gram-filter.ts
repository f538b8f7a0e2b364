/**
 * A Bloom filter of the n-grams (one to three characters) of a long text: a search skips texts that cannot match without reading them.
 * Texts above 4 KiB are few, and hold most of the bytes. A filter takes a fifth of the bytes of its text, at most 7 KB, so that it
 * lies in the row.
 */

const MAX_GRAM = 3;
/** Searching a shorter text takes no longer than testing its filter would. */
const MIN_LENGTH = 4_096;
const BITS_PER_BYTE = 1.5;
const MAX_BYTES = 7_168;
/** A single character sets this many bits, since a query of one character has no longer n-gram to test. */
const BITS_PER_CHARACTER = 3;
/** Number of bits that a search tests. */
const PROBES = 8;

/** Adds a character to the hash of an n-gram. */
const next = (hash: number, code: number) => Math.imul(hash ^ code ^ (hash >>> 15), 0x9e3779b1);
/** @returns a number that becomes the index of a bit modulo the size of a filter */
const toBit = (hash: number) => (hash ^ (hash >>> 16)) >>> 1;

/** @returns null for a text that needs no filter */
export function toGramFilter(text: string): Buffer | null {
  if (text.length <= MIN_LENGTH) return null;
  const filter = Buffer.alloc(Math.min(MAX_BYTES, Math.ceil((Buffer.byteLength(text) * BITS_PER_BYTE) / 8)));
  const size = filter.length * 8;
  for (let start = 0; start < text.length; start++) {
    for (let number = 0; number < BITS_PER_CHARACTER - 1; number++)
      setBit(filter, characterBit(text, start, number) % size);
    const end = Math.min(start + MAX_GRAM, text.length);
    for (let at = start, hash = 0; at < end; at++) {
      hash = next(hash, text.charCodeAt(at));
      setBit(filter, toBit(hash) % size);
    }
  }
  return filter;
}

function setBit(filter: Buffer, bit: number): void {
  filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
}

/** A further bit for a single character, beside that of its n-gram of length 1. */
const characterBit = (text: string, at: number, number: number) =>
  toBit(next(next(0, text.charCodeAt(at)), 0x10000 + number));

/**
 * Bits, modulo the size of the filter, that are set in the filter of every text that contains this part. Those of the longest n-grams
 * come first, since they exclude most texts. There are always 8: where the part has fewer, some are repeated.
 */
export function probesOf(part: string): number[] {
  const probes: number[] = [];
  for (let length = Math.min(MAX_GRAM, part.length); length > 0; length--) {
    const last = part.length - length;
    const count = Math.min(last + 1, PROBES);
    // The n-grams are spread over the part, so that they are not all from its first word.
    for (let index = 0; index < count; index++)
      probes.push(bitOf(part, count === 1 ? 0 : Math.round((last * index) / (count - 1)), length));
  }
  for (let number = 0; number < BITS_PER_CHARACTER - 1; number++)
    for (let at = 0; at < Math.min(part.length, PROBES); at++) probes.push(characterBit(part, at, number));
  return Array.from({ length: PROBES }, (_, index) => probes[index % probes.length] ?? 0);
}

function bitOf(text: string, start: number, length: number): number {
  let hash = 0;
  for (let at = start; at < start + length; at++) hash = next(hash, text.charCodeAt(at));
  return toBit(hash);
}
