import { expect, test } from 'vitest';
import { firstAfter, firstBeyond, rangeAfter, rangeUnder } from './key-range.ts';

const LAST = '\u{10ffff}';

test.each([
  ['a', 'b'],
  ['a/', 'a0'],
  ['\u007f', '\u0080'],
  ['a\uffff', 'a\u{10000}'],
  ['a\ud7ff', 'a\ue000'],
  ['a\u{1f600}', 'a\u{1f601}'],
  [`a${LAST}`, 'b'],
  [`a${LAST}${LAST}`, 'b'],
  [LAST, undefined],
  ['', undefined],
])('firstBeyond returns the first key after all that start with %j: %j', (prefix, beyond) => {
  expect(firstBeyond(prefix)).toBe(beyond);
});

test('firstBeyond returns undefined for an empty prefix and for one of last characters', () => {
  const longest = Buffer.from(LAST.repeat(256));
  expect(longest).toHaveLength(1_024);
  for (const prefix of ['', LAST])
    expect(Buffer.compare(longest, Buffer.from(rangeUnder(prefix).to))).toBe(-1);
});

test('a listing continues after a key, or after all keys of a common prefix', () => {
  const at = (prefix: string, after: string, delimiter?: string) =>
    rangeAfter({ prefix, after, delimiter }).from;
  expect(at('a/', '')).toBe('a/');
  expect(at('a/', 'a/b')).toBe(firstAfter('a/b'));
  expect(at('a/', 'a/b/')).toBe(firstAfter('a/b/'));
  expect(at('a/', 'a/b/', '/')).toBe('a/b0');
  // The text does not end with the delimiter, so it is a key under a common prefix, which others may follow.
  expect(at('a/', 'a/b/c', '/')).toBe(firstAfter('a/b/c'));
  // A key before the prefix has no effect; a key after it leaves nothing.
  expect(at('b/', 'a', '/')).toBe('b/');
  const { from, to } = rangeAfter({ prefix: 'b/', after: 'c' });
  expect(from > to).toBe(true);
});
