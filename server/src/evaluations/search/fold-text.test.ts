import { expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { foldText, toMessageText } from './fold-text.ts';

/** But for the many that have neither case nor another form. */
const CHARACTERS = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => !/[\p{Cn}\p{Co}\p{Cs}\p{Unified_Ideograph}]/u.test(character),
);

test.each([
  ['STRASSE', 'straße'],
  ['ẞ', 'ß'],
  ['İ', 'i\u0307'],
  ['ſ', 's'],
  ['ﬁx', 'FIX'],
  ['㎒', 'mhz'],
  ['Ⓐ', 'ⓐ'],
  ['ＡＢＣ　１', 'abc 1'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['e\u0301', 'É'],
  ['\u1F80', '\u1F88'],
  ['\u1C80', 'В'],
  ['\u212A', 'k'],
  ['ｶﾞ', 'ガ'],
  ['각', '\u1100\u1161\u11A8'],
  ['a\u0323\u0307', 'A\u0307\u0323'],
])('foldText makes %s and %s the same', (one, other) => {
  expect(foldText(one)).toBe(foldText(other));
});

test.each([
  ['ı', 'i'],
  ['e', 'é'],
  ['\u0301', 'é'],
  ['ü', 'u'],
])('foldText keeps %s and %s apart', (one, other) => {
  expect(foldText(other)).not.toContain(foldText(one));
});

test('foldText replaces what PostgreSQL cannot store, and the boundary', () => {
  expect(foldText('a\0b\uD800c\uDC00d\uFFFF')).toBe('a\uFFFDb\uFFFDc\uFFFDd\uFFFD');
});

test('foldText folds every character to what folds to itself, and to the same as its other case', () => {
  const wrong = CHARACTERS.filter((character) => foldText(foldText(character)) !== foldText(character));
  expect(wrong).toEqual([]);
  const apart = CHARACTERS.filter(
    (character) =>
      foldText(character.toLowerCase()) !== foldText(character) ||
      foldText(character.toUpperCase()) !== foldText(character),
  );
  // The dotless i has the capital of i.
  expect(apart).toEqual(['ı']);
});

test('foldText folds texts of odd characters to what folds to itself', () => {
  const random = new Random('fold', 'idempotent');
  const odd = CHARACTERS.filter((character) => /\p{M}/u.test(character) || foldText(character) !== character);
  const texts = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 5 }, () => random.pick(random.chance(0.3) ? ['e', 'I', 'σ', ' '] : odd)).join(''),
  );
  expect(texts.filter((text) => foldText(foldText(text)) !== foldText(text))).toEqual([]);
});

test('foldText composes across parts of a text, so a letter is found with the accent that follows it', () => {
  expect(foldText(['cafe', '\u0301 au lait'].join(''))).toContain(foldText('CAFÉ AU'));
  expect(foldText('cafe\u0301')).not.toContain(foldText('cafe'));
});

test('toMessageText keeps content, names and arguments of tool calls apart', () => {
  const text = toMessageText('Run', [{ name: 'Bash', arguments: '{"a":1}' }]);
  expect(text).toBe('run\uFFFFbash\uFFFF{"a":1}');
  expect(toMessageText('Only', null)).toBe('only');
});
