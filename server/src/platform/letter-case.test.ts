import { expect, test } from 'vitest';
import { foldCase } from './letter-case.ts';

const TEXTS = [
  'ΟΔΟΣΑ',
  'ΟΔΟΣ ΣΟΦΟΣ',
  'οδος',
  'İstanbul',
  'Größe',
  'STRASSE',
  'ǅ',
  '\u{10400}x',
  'K',
  'Σ',
  'aΣ',
  '',
];

function partsOf(text: string): string[] {
  const letters = Array.from(text);
  return letters.flatMap((_, start) =>
    letters.slice(start).map((__, end) => letters.slice(start, start + end + 1).join('')),
  );
}

test('foldCase makes every part of a text findable in its own case, in lower and in upper case', () => {
  for (const text of TEXTS) {
    for (const part of partsOf(text)) {
      expect(foldCase(text)).toContain(foldCase(part));
      expect(foldCase(text)).toContain(foldCase(part.toLowerCase()));
    }
  }
  for (const part of partsOf('ΟΔΟΣ σοφος'))
    expect(foldCase('οδος ΣΟΦΟΣ')).toContain(foldCase(part.toUpperCase()));
});

test('a text found in lower case is found after foldCase', () => {
  for (const text of TEXTS) {
    for (const part of TEXTS.flatMap(partsOf))
      if (text.toLowerCase().includes(part.toLowerCase())) expect(foldCase(text)).toContain(foldCase(part));
  }
});

test('foldCase folds each letter by itself', () => {
  for (let code = 0; code <= 0x1ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    const folded = foldCase(letter);
    if (
      foldCase(`a${letter}`) !== `a${folded}` ||
      foldCase(`${letter}a`) !== `${folded}a` ||
      foldCase(folded) !== folded
    )
      expect.fail(`U+${code.toString(16)} depends on what is beside it`);
  }
});
