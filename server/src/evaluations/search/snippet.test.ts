import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';
import { cutAround, findSnippet } from './snippet.ts';

test.each([
  ['a short text as it is', 'The Needle.', 'needle', 'The Needle.'],
  ['a match across folded characters', 'Eine Straße ﬁnden', 'STRASSE FI', 'Eine Straße ﬁnden'],
  [
    'the text before and after',
    `${'a'.repeat(100)}Needle${'b'.repeat(300)}`,
    'needle',
    `…${'a'.repeat(60)}Needle${'b'.repeat(132)}…`,
  ],
  ['the end of a text', `${'a'.repeat(300)}Needle`, 'needle', `…${'a'.repeat(60)}Needle`],
  [
    'a place after characters that fold to more',
    `${'㎒'.repeat(2_000)}${'ß'.repeat(2_000)} Needle`,
    'needle',
    `…${'ß'.repeat(59)} Needle`,
  ],
  [
    'a place after characters that fold to fewer',
    `${'e\u0301'.repeat(3_000)} Needle`,
    'needle',
    `…\u0301${'e\u0301'.repeat(29)} Needle`,
  ],
  [
    'a place after Hangul in parts',
    `${'\u1112\u1161\u11AB'.repeat(900)} Needle`,
    'needle',
    `…\u1161\u11AB${'\u1112\u1161\u11AB'.repeat(19)} Needle`,
  ],
])('findSnippet quotes %s', (_, text, query, expected) => {
  expect(findSnippet([text], foldText(query))).toBe(expected.replaceAll('\u{2026}', '…'));
});

test('findSnippet quotes the first text that matches', () => {
  expect(findSnippet(['nothing', 'a Needle', 'the needle'], 'needle')).toBe('a Needle');
  expect(findSnippet(['nothing'], 'needle')).toBeUndefined();
});

test('cutAround never cuts a character in two', () => {
  for (let shift = 0; shift < 4; shift++) {
    const text = `${'x'.repeat(shift)}${'\u{1F600}'.repeat(300)}`;
    for (let at = 0; at < text.length; at += 7) {
      const snippet = cutAround(text, at);
      expect(snippet.isWellFormed()).toBe(true);
      expect(snippet.length).toBeLessThanOrEqual(200);
    }
  }
});
