/** Random changes that readers hardly notice. */
import { z } from 'zod';
import type { PythonRandom } from '../../random/python-random.ts';
import { rate, type Transform, withParams } from './transform.ts';

const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** The keys to the left and right of a letter on a QWERTY keyboard. */
function neighborsOf(letter: string): string[] {
  const row = KEYBOARD.find((keys) => keys.includes(letter.toLowerCase())) ?? '';
  const at = row.indexOf(letter.toLowerCase());
  const keys = [row[at - 1], row[at + 1]].filter((key) => key !== undefined);
  return letter === letter.toLowerCase() ? keys : keys.map((key) => key.toUpperCase());
}

const TYPOS: readonly ((letter: string, next: string, random: PythonRandom) => string)[] = [
  (letter, next) => next + letter,
  (_, next) => next,
  (letter, next) => letter + letter + next,
  (letter, next, random) => random.choice(neighborsOf(letter)) + next,
];

/** Visits each letter that another one follows; a typo consumes both. */
function addTypos(text: string, share: number, random: PythonRandom): string {
  return text.replaceAll(/([A-Za-z])([A-Za-z]?)/g, (pair, letter: string, next: string) => {
    if (next === '' || random.random() >= share) return pair;
    return random.choice(TYPOS)(letter, next, random);
  });
}

const PUNCTUATION = ['!', '?', '.', ',', ';', ':', '...', '-', '*', '~'];
const EMOJI = ['🌻', '🎈', '🍀', '🎨', '🌊', '🚲', '🐢', '🍎', '⭐', '📎', '🎵', '🧭'];

/** Appends something to a share of the words. */
const afterWords = (text: string, share: number, random: PythonRandom, draw: () => string) =>
  text.replaceAll(/\S+/g, (word) => (random.random() < share ? word + draw() : word));

export const NOISE: readonly Transform[] = [
  withParams({
    name: 'typos',
    group: 'noise',
    summary: 'Swaps, drops, doubles and mistypes letters at random.',
    params: z.strictObject({ rate: rate(0.15, 'The share of the pairs of letters that get a typo.') }),
    apply: (text, params, random) => addTypos(text, params.rate, random),
  }),
  withParams({
    name: 'random_case',
    group: 'noise',
    summary: 'Changes the case of letters at random.',
    params: z.strictObject({ rate: rate(0.5, 'The share of the letters whose case changes.') }),
    apply: (text, params, random) =>
      text.replaceAll(/[A-Za-z]/g, (letter) => {
        if (random.random() >= params.rate) return letter;
        return letter < 'a' ? letter.toLowerCase() : letter.toUpperCase();
      }),
  }),
  withParams({
    name: 'punctuation',
    group: 'noise',
    summary: 'Appends punctuation to words at random.',
    params: z.strictObject({ rate: rate(0.5, 'The share of the words that get punctuation.') }),
    apply: (text, params, random) => afterWords(text, params.rate, random, () => random.choice(PUNCTUATION)),
  }),
  withParams({
    name: 'emoji',
    group: 'noise',
    summary: 'Puts emoji after words at random.',
    params: z.strictObject({ rate: rate(0.5, 'The share of the words that an emoji follows.') }),
    apply: (text, params, random) => afterWords(text, params.rate, random, () => ` ${random.choice(EMOJI)}`),
  }),
];
