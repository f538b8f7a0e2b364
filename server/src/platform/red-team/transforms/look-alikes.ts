/** Characters that look like others, or are invisible. */
import { z } from 'zod';
import { reverse } from './structure.ts';
import { type PureTransform, rate, type Transform, withoutParams, withParams } from './transform.ts';

/** Cyrillic, Greek and IPA characters that Unicode lists as confusable with the Latin letter (UTS #39), as code points. */
const HOMOGLYPHS: Readonly<Record<string, number>> = {
  a: 0x0430,
  c: 0x0441,
  d: 0x0501,
  e: 0x0435,
  g: 0x0261,
  h: 0x04bb,
  i: 0x0456,
  j: 0x0458,
  o: 0x043e,
  p: 0x0440,
  q: 0x051b,
  s: 0x0455,
  u: 0x03c5,
  v: 0x03bd,
  w: 0x051d,
  x: 0x0445,
  y: 0x0443,
  A: 0x0410,
  B: 0x0412,
  C: 0x0421,
  E: 0x0415,
  H: 0x041d,
  I: 0x0406,
  J: 0x0408,
  K: 0x041a,
  M: 0x041c,
  N: 0x039d,
  O: 0x041e,
  P: 0x0420,
  S: 0x0405,
  T: 0x0422,
  X: 0x0425,
  Y: 0x04ae,
  Z: 0x0396,
};

const homoglyphs = withParams({
  name: 'homoglyphs',
  group: 'look_alike',
  summary: 'Replaces Latin letters by Cyrillic and Greek ones that look the same.',
  params: z.strictObject({ rate: rate(1, 'The share of the letters that are replaced.') }),
  apply: (text, params, random) =>
    text.replaceAll(/[A-Za-z]/g, (letter) => {
      const code = HOMOGLYPHS[letter];
      return code !== undefined && random.random() < params.rate ? String.fromCodePoint(code) : letter;
    }),
});

const MARKS = { first: 0x0300, last: 0x036f };

const combiningMarks = withParams({
  name: 'combining_marks',
  group: 'look_alike',
  summary: 'Stacks random combining marks on each letter.',
  params: z.strictObject({
    count: z.int().min(1).max(10).default(2).describe('The number of marks on each letter.'),
  }),
  apply: (text, { count }, random) =>
    text.replaceAll(/\p{L}/gu, (letter) => {
      const marks = Array.from({ length: count }, () => random.randint(MARKS.first, MARKS.last));
      return letter + String.fromCodePoint(...marks);
    }),
});

const SMALL_CAPITALS = Array.from('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ');

/** Moves the characters of a range to another that begins at `target`. */
const moveRange = (text: string, range: RegExp, first: string, target: number) =>
  text.replaceAll(range, (character) =>
    String.fromCodePoint(target + character.charCodeAt(0) - first.charCodeAt(0)),
  );

/** The first capital, small letter and digit of alphabets that have no gaps; two of them have no digits. */
const STYLES = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce],
  bold_script: [0x1d4d0, 0x1d4ea, null],
  bold_fraktur: [0x1d56c, 0x1d586, null],
  sans_serif: [0x1d5a0, 0x1d5ba, 0x1d7e2],
  monospace: [0x1d670, 0x1d68a, 0x1d7f6],
} as const satisfies Record<string, readonly [number, number, number | null]>;
const STYLE_NAMES = Object.keys(STYLES) as (keyof typeof STYLES)[];

const mathematicalLetters = withParams({
  name: 'mathematical_letters',
  group: 'look_alike',
  summary: 'Writes letters and digits with the mathematical alphabets of Unicode.',
  params: z.strictObject({ style: z.enum(STYLE_NAMES).default('bold').describe('The alphabet.') }),
  apply: (text, { style }) => {
    const [capital, small, digit] = STYLES[style];
    const letters = moveRange(moveRange(text, /[A-Z]/g, 'A', capital), /[a-z]/g, 'a', small);
    return digit === null ? letters : moveRange(letters, /[0-9]/g, '0', digit);
  },
});

const RIGHT_TO_LEFT_OVERRIDE = '\u202e';
const POP_FORMATTING = '\u202c';

/** An override ends with its line, so each line has its own. */
const bidiOverride: Pick<PureTransform, 'name' | 'summary' | 'apply' | 'inverse'> = {
  name: 'bidi_override',
  summary: 'Stores each line backwards, and has it displayed forwards by a right-to-left override.',
  apply: (text) =>
    text.replaceAll(/[^\n]+/g, (line) => RIGHT_TO_LEFT_OVERRIDE + reverse(line) + POP_FORMATTING),
  inverse: (text) => text.replaceAll(/[^\n]+/g, (line) => reverse(line.slice(1, -1))),
};

const REGIONAL_INDICATOR_A = 0x1f1e6;
const toUpper = (letter: string) => letter.toUpperCase();
/** A space between letters, three between words. */
const spaceLetters = (text: string) =>
  text.replaceAll(' ', '   ').replaceAll(/(?<=[A-Za-z])(?=[A-Za-z])/g, ' ');

export const LOOK_ALIKES: readonly Transform[] = [
  homoglyphs,
  ...withoutParams('look_alike', [
    {
      name: 'zero_width',
      summary: 'Puts a zero-width space between the letters and digits of a word.',
      apply: (text) => text.replaceAll(/(?<=[\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, '\u200b'),
    },
    {
      name: 'full_width',
      summary: 'Writes ASCII characters in the full width of East Asian ones.',
      apply: (text) => moveRange(text, /[!-~]/g, '!', 0xff01).replaceAll(' ', '\u3000'),
    },
  ]),
  combiningMarks,
  ...withoutParams('look_alike', [
    bidiOverride,
    {
      name: 'small_caps',
      summary: 'Writes lower-case letters as small capitals.',
      apply: (text) =>
        text.replaceAll(/[a-z]/g, (letter) => SMALL_CAPITALS[letter.charCodeAt(0) - 97] ?? letter),
    },
  ]),
  mathematicalLetters,
  ...withoutParams('look_alike', [
    {
      name: 'regional_indicators',
      summary: 'Writes letters as regional indicators, with spaces so that no flags appear.',
      apply: (text) =>
        moveRange(spaceLetters(text).replaceAll(/[a-z]/g, toUpper), /[A-Z]/g, 'A', REGIONAL_INDICATOR_A),
    },
  ]),
];
