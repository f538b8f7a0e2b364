/** Ids as four 32-bit words, which sort like their bytes. */

export type Words = Uint32Array;

export const WORDS = 4;
const WORD_BYTES = 4;

export const newWords = (): Words => new Uint32Array(WORDS);

/** @param text an id in lower case with four dashes, as PostgreSQL and this server write it */
export function readUuid(text: string, words: Words): Words {
  words[0] = Number.parseInt(text.slice(0, 8), 16);
  words[1] = Number.parseInt(text.slice(9, 13) + text.slice(14, 18), 16);
  words[2] = Number.parseInt(text.slice(19, 23) + text.slice(24, 28), 16);
  words[3] = Number.parseInt(text.slice(28, 36), 16);
  return words;
}

export function readUuidBytes(bytes: Buffer, start: number, words: Words): Words {
  for (let word = 0; word < WORDS; word++) words[word] = bytes.readUInt32BE(start + word * WORD_BYTES);
  return words;
}

export function toUuid(words: Words, first: number): string {
  let digits = '';
  for (let word = first; word < first + WORDS; word++)
    digits += (words[word] as number).toString(16).padStart(2 * WORD_BYTES, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
