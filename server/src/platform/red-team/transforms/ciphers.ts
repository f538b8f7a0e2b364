/** Ciphers and word games that replace or move letters of the Latin alphabet. */
import { z } from 'zod';
import { type Transform, withoutParams, withParams } from './transform.ts';

const ALPHABET_SIZE = 26;
/** The classes list both cases: with the flags `iu`, `[a-z]` would also match the long s and the Kelvin sign. */
const LETTER = /[A-Za-z]/g;
const isUpper = (letter: string) => letter < 'a';

/** @param move returns the new position in the alphabet, which may lie before its start or after its end */
function moveLetter(letter: string, move: (position: number) => number): string {
  const first = isUpper(letter) ? 65 : 97;
  const position = move(letter.charCodeAt(0) - first);
  return String.fromCharCode(first + ((position + ALPHABET_SIZE) % ALPHABET_SIZE));
}

const caesar = (text: string, shift: number) =>
  text.replaceAll(LETTER, (letter) => moveLetter(letter, (position) => position + shift));

const atbash = (text: string) =>
  text.replaceAll(LETTER, (letter) => moveLetter(letter, (position) => ALPHABET_SIZE - 1 - position));

/** The 94 printable characters of ASCII, by half. */
const rot47 = (text: string) =>
  text.replaceAll(/[!-~]/g, (character) =>
    String.fromCharCode(33 + ((character.charCodeAt(0) - 33 + 47) % 94)),
  );

/** Only letters use up the key. */
function vigenere(text: string, key: string, direction: 1 | -1): string {
  const shifts = Array.from(key.toLowerCase(), (letter) => letter.charCodeAt(0) - 97);
  let used = 0;
  return text.replaceAll(LETTER, (letter) => {
    const shift = shifts[used++ % shifts.length] ?? 0;
    return moveLetter(letter, (position) => position + direction * shift);
  });
}

const LEADING_CONSONANTS = /^(?:[^aeiouq]*qu|y?[^aeiouy]*)/i;

function toPigLatin(word: string): string {
  const lead = LEADING_CONSONANTS.exec(word)?.[0] ?? '';
  const moved = `${word.slice(lead.length)}${lead}${lead === '' ? 'way' : 'ay'}`;
  if (word.length > 1 && word === word.toUpperCase()) return moved.toUpperCase();
  return isUpper(word) ? `${moved.slice(0, 1).toUpperCase()}${moved.slice(1).toLowerCase()}` : moved;
}

const LEET: Readonly<Record<string, string>> = {
  a: '4',
  b: '8',
  e: '3',
  g: '9',
  i: '1',
  o: '0',
  s: '5',
  t: '7',
};

export const CIPHERS: readonly Transform[] = [
  ...withoutParams('encoding', [
    {
      name: 'rot13',
      summary: 'Moves each letter by 13 places in the alphabet.',
      apply: (text) => caesar(text, 13),
      inverse: (text) => caesar(text, 13),
    },
    {
      name: 'rot47',
      summary: 'Moves each printable ASCII character by 47 of 94 places.',
      apply: rot47,
      inverse: rot47,
    },
    {
      name: 'atbash',
      summary: 'Replaces each letter by its counterpart from the other end of the alphabet.',
      apply: atbash,
      inverse: atbash,
    },
  ]),
  withParams({
    name: 'caesar',
    group: 'encoding',
    summary: 'Moves each letter by a number of places in the alphabet.',
    params: z.strictObject({
      shift: z.int().min(1).max(25).default(3).describe('How many places each letter moves.'),
    }),
    apply: (text, { shift }) => caesar(text, shift),
    inverse: (text, { shift }) => caesar(text, -shift),
  }),
  withParams({
    name: 'vigenere',
    group: 'encoding',
    summary: 'Moves each letter by the next letter of a repeated key.',
    params: z.strictObject({
      key: z
        .string()
        .max(100)
        .regex(/^[A-Za-z]+$/)
        .default('lemon')
        .describe('Letters from A (0 places) to Z (25 places).'),
    }),
    apply: (text, { key }) => vigenere(text, key, 1),
    inverse: (text, { key }) => vigenere(text, key, -1),
  }),
  ...withoutParams('encoding', [
    {
      name: 'pig_latin',
      summary: 'Moves leading consonants to the end of each word and adds "ay".',
      apply: (text) => text.replaceAll(/[A-Za-z]+/g, toPigLatin),
    },
    {
      name: 'leetspeak',
      summary: 'Replaces letters by digits that resemble them.',
      apply: (text) => text.replaceAll(LETTER, (letter) => LEET[letter.toLowerCase()] ?? letter),
    },
  ]),
];
