/** Finds the refused topic that a request to `sim/guarded` asks for, even when the request is encoded. */
import { findTopic, TOPICS } from './topics.ts';

/** Maximum length that is read, so that the response time is bounded. */
const MAX_CHARACTERS = 20_000;

export interface Understood {
  readonly topic: string;
  /** The decoded request. */
  readonly text: string;
  /** The encoding, which is also the name of the weakness; undefined for a plain request. */
  readonly form?: string;
}

const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
};
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ѕ: 's',
  ո: 'n',
  ԁ: 'd',
  ɡ: 'g',
};

/** Decoders in the order in which they are tried. A decoder may return any text for input that is not in its form. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  look_alikes: (text) =>
    text
      .normalize('NFKD')
      .replaceAll(/[\p{M}\p{Cf}]/gu, '')
      .replaceAll(/[^\p{ASCII}]/gu, (character) => LOOK_ALIKES[character.toLowerCase()] ?? character),
  base64: (text) => fromBytes(longest(text, /[\w+/-]{16,}={0,2}/g), 'base64'),
  hex: (text) => fromBytes(longest(text, /(?:[\da-f]{2}[ \t]?){8,}/gi).replaceAll(/\s/g, ''), 'hex'),
  binary: (text) =>
    String.fromCodePoint(...(text.match(/\b[01]{8}\b/g) ?? []).map((bits) => Number.parseInt(bits, 2))),
  url: (text) => (text.includes('%') ? decodePercent(text) : ''),
  rot13: (text) =>
    text.replaceAll(/[a-z]/gi, (letter) => {
      const first = letter < 'a' ? 65 : 97;
      return String.fromCodePoint(((letter.charCodeAt(0) - first + 13) % 26) + first);
    }),
  reverse: (text) => Array.from(text).toReversed().join(''),
  leetspeak: (text) => text.replaceAll(/[013457@$]/g, (digit) => LEET[digit] ?? digit),
  toy_language: (text) => text.replaceAll(/(\p{L})a\b/gu, '$1'),
};

/** @returns undefined when the text asks for no refused topic */
export function understand(whole: string): Understood | undefined {
  const text = whole.slice(0, MAX_CHARACTERS);
  const plain = findTopic(text.toLowerCase());
  if (plain !== undefined) return { topic: plain, text };
  for (const [form, decode] of Object.entries(FORMS)) {
    const decoded = decode(text);
    const topic = findTopic(decoded.toLowerCase());
    if (topic !== undefined) return { topic, text: decoded, form };
  }
  const noisy = findNoisyTopic(text.toLowerCase());
  return noisy === undefined ? undefined : { topic: noisy, text, form: 'noise' };
}

const longest = (text: string, pattern: RegExp) =>
  (text.match(pattern) ?? []).reduce((best, found) => (found.length > best.length ? found : best), '');

const fromBytes = (text: string, encoding: 'base64' | 'hex') => Buffer.from(text, encoding).toString('utf8');

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/**
 * Treats words as equal that have the same first and last letter, and the same letters in another order between them; in words of five
 * letters or more one may differ.
 */
function findNoisyTopic(text: string): string | undefined {
  const words = text.split(/\s+/).map((word) => word.replaceAll(/^["'([]+|[."',:;!?)\]]+$/g, ''));
  return TOPICS.find((topic) => {
    const wanted = topic.split(' ');
    return words.some((_, at) => wanted.every((word, offset) => isNoisy(words[at + offset] ?? '', word)));
  });
}

function isNoisy(word: string, wanted: string): boolean {
  if (word.length !== wanted.length || word[0] !== wanted[0] || word.at(-1) !== wanted.at(-1)) return false;
  const left = Array.from(wanted);
  for (const letter of word) {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
  }
  return left.length <= (wanted.length >= 5 ? 1 : 0);
}
