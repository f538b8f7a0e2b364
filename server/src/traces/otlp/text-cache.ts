/** Cache of repeated texts, such as attribute keys: looked up by their bytes, and decoded once. */
import { toStorableText } from '../../platform/storable-text.ts';

const SLOTS = 1024;
const FNV_PRIME = 0x01000193;

export class TextCache {
  /** Maximum length of cached texts; longer ones are decoded each time. */
  readonly longest: number;
  private readonly texts: string[] = Array.from({ length: SLOTS }, () => '');
  private readonly lengths = new Uint8Array(SLOTS);
  private readonly contents: Uint8Array;

  constructor(longest: number) {
    this.longest = longest;
    this.contents = new Uint8Array(SLOTS * longest);
  }

  read(bytes: Buffer, start: number, length: number): string {
    const slot = slotOf(bytes, start, length);
    if (this.lengths[slot] === length && this.holds(slot, bytes, start, length))
      return this.texts[slot] ?? '';
    const text = toText(bytes, start, length);
    const place = slot * this.longest;
    for (let index = 0; index < length; index++) this.contents[place + index] = bytes[start + index] ?? 0;
    this.lengths[slot] = length;
    this.texts[slot] = text;
    return text;
  }

  private holds(slot: number, bytes: Buffer, start: number, length: number): boolean {
    const place = slot * this.longest;
    for (let index = 0; index < length; index++)
      if (this.contents[place + index] !== bytes[start + index]) return false;
    return true;
  }
}

function slotOf(bytes: Buffer, start: number, length: number): number {
  let hash = length;
  for (let at = start; at < start + length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

/** Decodes UTF-8; invalid bytes and characters that PostgreSQL cannot store become U+FFFD. */
export function toText(bytes: Buffer, start: number, length: number): string {
  const text = bytes.toString('utf8', start, start + length);
  return text.includes('\0') ? toStorableText(text) : text;
}
