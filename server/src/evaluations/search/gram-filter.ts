/**
 * Which runs of one to three characters a long text holds, as bits: a search skips the texts that cannot match without reading them.
 * Texts above 4 KiB are few, and hold most of the bytes. A filter takes a fifth of the bytes of its text, at most 7 KB, so that it
 * lies in the row.
 */

const MAX_GRAM = 3;
/** A text up to this length is searched as fast as its filter would be. */
const MIN_LENGTH = 4_096;
const BITS_PER_BYTE = 1.5;
const MAX_BYTES = 7_168;
/** A character by itself is told by so many bits, since a search for it has nothing else to ask for. */
const BITS_PER_CHARACTER = 3;
/** Bits that a search asks for. */
const PROBES = 8;

/** One more character of a run. */
const next = (hash: number, code: number) => Math.imul(hash ^ code ^ (hash >>> 15), 0x9e3779b1);
/** The number of a bit, modulo the size of a filter. */
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

/** Another bit of a character than that of the run of one. */
const characterBit = (text: string, at: number, number: number) =>
  toBit(next(next(0, text.charCodeAt(at)), 0x10000 + number));

/**
 * Bits that every filter of a text with this part has, modulo its size: of the longest runs, which tell most, then of shorter ones.
 * Always as many; where the part has fewer, some are there again.
 */
export function probesOf(part: string): number[] {
  const probes: number[] = [];
  for (let length = Math.min(MAX_GRAM, part.length); length > 0; length--) {
    const last = part.length - length;
    const count = Math.min(last + 1, PROBES);
    // Spread over the part, so that not all are of its first word.
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
