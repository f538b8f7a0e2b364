import { expect, test } from 'vitest';
import { findNumber } from './find-number.ts';

test.each([
  ['42', 42],
  ['12 apples', 12],
  ['it is 42.', 42],
  ['0', 0],
  ['-1.5e2 m', -150],
  ['1,2,3', 3],
  ['12,345', 12_345],
  ['1,2345', 2_345],
  ['.5', 0.5],
  ['5.', 5],
  ['1e3', 1_000],
  ['1e999', undefined],
  ['+7', 7],
  ['#### none, 3', 3],
  ['3 #### none', 3],
  ['', undefined],
])('findNumber reads %j as %j', (text, number) => {
  expect(findNumber(text)).toBe(number);
});

test('findNumber takes time proportional to the length of the text', () => {
  for (const text of ['1'.repeat(1_000_000), '1,'.repeat(500_000), '#### '.repeat(200_000)])
    expect(() => findNumber(text)).not.toThrow();
});
