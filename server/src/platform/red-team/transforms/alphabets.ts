/** Alphabets that write letters as signals, code words or dots. Characters outside of an alphabet stay as they are. */
import { type Transform, withoutParams } from './transform.ts';

type Codes = Readonly<Record<string, string>>;

/** Pairs the characters of a text with codes that spaces separate. */
const toCodes = (characters: string, codes: string): Codes => {
  const list = codes.split(' ');
  return Object.fromEntries(Array.from(characters, (character, at) => [character, list[at] ?? character]));
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';

/** International Morse code, Recommendation ITU-R M.1677-1. */
const MORSE: Codes = {
  ...toCodes(
    LETTERS,
    '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..',
  ),
  ...toCodes(DIGITS, '----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.'),
  ...toCodes(
    `.,:?'-/()"=+@`,
    '.-.-.- --..-- ---... ..--.. .----. -....- -..-. -.--. -.--.- .-..-. -...- .-.-. .--.-.',
  ),
};

/** The spelling alphabet of ICAO and NATO. */
const NATO: Codes = {
  ...toCodes(
    LETTERS,
    'Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu',
  ),
  ...toCodes(DIGITS, 'Zero One Two Three Four Five Six Seven Eight Nine'),
};

const spell = (text: string, codes: Codes) =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => Array.from(word, (character) => codes[character.toUpperCase()] ?? character).join(' '))
    .join(' / ');

/** Unified English Braille without contractions. Digits are the letters A to J after a number sign. */
const BRAILLE: Codes = {
  ...toCodes(LETTERS.toLowerCase(), '⠁ ⠃ ⠉ ⠙ ⠑ ⠋ ⠛ ⠓ ⠊ ⠚ ⠅ ⠇ ⠍ ⠝ ⠕ ⠏ ⠟ ⠗ ⠎ ⠞ ⠥ ⠧ ⠺ ⠭ ⠽ ⠵'),
  ...toCodes(DIGITS, '⠚ ⠁ ⠃ ⠉ ⠙ ⠑ ⠋ ⠛ ⠓ ⠊'),
  ...toCodes(`,;:.!?'-()`, '⠂ ⠆ ⠒ ⠲ ⠖ ⠦ ⠄ ⠤ ⠐⠣ ⠐⠜'),
};
const CAPITAL_SIGN = '⠠';
const NUMBER_SIGN = '⠼';
/** Precedes a letter from a to j that would otherwise continue a number. */
const LETTER_SIGN = '⠰';

const toCells = (text: string) => Array.from(text, (character) => BRAILLE[character] ?? character).join('');

const toBraille = (text: string) =>
  text.replaceAll(
    /([0-9]+(?:[.,][0-9]+)*)([a-j])?|([A-Z])|[^A-Z0-9]+/g,
    (other, number?: string, letter?: string, capital?: string) => {
      if (number !== undefined)
        return `${NUMBER_SIGN}${toCells(number)}${letter === undefined ? '' : LETTER_SIGN + toCells(letter)}`;
      return capital === undefined ? toCells(other) : CAPITAL_SIGN + toCells(capital.toLowerCase());
    },
  );

export const ALPHABETS: readonly Transform[] = withoutParams('encoding', [
  {
    name: 'morse',
    summary: 'Writes letters, digits and punctuation in international Morse code.',
    apply: (text) => spell(text, MORSE),
  },
  {
    name: 'nato',
    summary: 'Spells letters and digits with the words of the NATO alphabet.',
    apply: (text) => spell(text, NATO),
  },
  {
    name: 'braille',
    summary: 'Writes letters, digits and punctuation in uncontracted Braille.',
    apply: toBraille,
  },
]);
