import { expect, test } from 'vitest';
import { foldText, toSearchText } from './search-text.ts';

test('title and preview are found without case', () => {
  expect(toSearchText('Große REISE', 'ΟΔΟΣ')).toBe('große reise\uFFFFοδοσ');
  expect(toSearchText(null, 'Hello')).toContain(foldText('HELL'));
});

test('nothing is found across the two', () => {
  const text = toSearchText('one', 'two');
  for (const across of ['onetwo', 'one\uFFFFtwo', '\uFFFF']) expect(text).not.toContain(foldText(across));
});

test('a text that holds the boundary is found by it all the same', () => {
  expect(toSearchText('a\uFFFFb', null)).toContain(foldText('A\uFFFFB'));
  expect(toSearchText('a\uFFFFb', null).split('\uFFFF')).toHaveLength(2);
});
