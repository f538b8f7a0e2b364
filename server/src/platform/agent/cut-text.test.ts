import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

test.each([
  ['', 4, ''],
  ['abcd', 4, 'abcd'],
  ['abcde', 4, 'ab\n[… 1 characters left out …]\nde'],
  ['abcdefgh', 5, 'ab\n[… 4 characters left out …]\ngh'],
])('cutText(%j, %d) keeps both ends', (text, max, cut) => {
  expect(cutText(text, max)).toBe(cut);
});

test('cutText leaves out at least what exceeds 32,000 characters by default', () => {
  expect(cutText('x'.repeat(32_000))).toHaveLength(32_000);
  expect(cutText('x'.repeat(155_456))).toContain('x\n[… 123456 characters left out …]\nx');
});

test('cutText never splits a surrogate pair', () => {
  for (const text of ['🌍'.repeat(20), `x${'🌍'.repeat(20)}`, `${'🌍'.repeat(20)}x`]) {
    for (let max = 0; max <= text.length; max++) {
      const cut = cutText(text, max);
      expect(cut.isWellFormed()).toBe(true);
      const count = Number(/(\d+) characters/.exec(cut)?.[1] ?? 0);
      expect(cut.replace(/\n\[.*\]\n/, '').length + count).toBe(text.length);
    }
  }
});
