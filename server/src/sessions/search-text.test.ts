import { expect, test } from 'vitest';
import { foldText, toSearchText } from './search-text.ts';

test('search finds title and preview regardless of case', () => {
  expect(toSearchText('Große REISE', 'ΟΔΟΣ')).toBe('große reise\uFFFFοδοσ');
  expect(toSearchText(null, 'Hello')).toContain(foldText('HELL'));
});

test('search finds no text that spans title and preview', () => {
  const text = toSearchText('one', 'two');
  for (const across of ['onetwo', 'one\uFFFFtwo', '\uFFFF']) expect(text).not.toContain(foldText(across));
});

test('search finds a text that contains the boundary character', () => {
  expect(toSearchText('a\uFFFFb', null)).toContain(foldText('A\uFFFFB'));
  expect(toSearchText('a\uFFFFb', null).split('\uFFFF')).toHaveLength(2);
});
