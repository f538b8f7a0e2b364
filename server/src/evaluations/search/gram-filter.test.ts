import { expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { probesOf, toGramFilter } from './gram-filter.ts';

const hasBit = (filter: Buffer, bit: number) =>
  ((filter[(bit % (filter.length * 8)) >> 3] ?? 0) >> (bit % 8)) & 1;
const mayHold = (filter: Buffer, part: string) => probesOf(part).every((bit) => hasBit(filter, bit) === 1);

const random = new Random('grams', 'texts');
const ALPHABET = Array.from('abcdefghijklmnopqrstuvwxyz     .,{}":0123456789ßé漢字\u{1F600}');
const textOf = (length: number) => Array.from({ length }, () => random.pick(ALPHABET)).join('');

test('toGramFilter passes every part of its text', () => {
  for (const length of [4_097, 9_000, 100_000]) {
    const text = textOf(length);
    const filter = toGramFilter(text) as Buffer;
    for (let round = 0; round < 2_000; round++) {
      const start = random.integer(0, text.length - 1);
      const part = text.slice(start, start + random.integer(1, 40));
      expect(mayHold(filter, part), JSON.stringify(part)).toBe(true);
    }
  }
});

test('toGramFilter keeps most others out', () => {
  const words = Array.from({ length: 300 }, () => textOf(6));
  const text = Array.from({ length: 3_000 }, () => random.pick(words)).join(' ');
  const filter = toGramFilter(text) as Buffer;
  const others = Array.from({ length: 1_000 }, () => textOf(8)).filter((part) => !text.includes(part));
  expect(others.filter((part) => mayHold(filter, part)).length).toBeLessThan(others.length / 20);
  expect(['~', '#~', 'q~x', '\u{1F680}'].filter((part) => mayHold(filter, part))).toEqual([]);
});

test('toGramFilter makes none for short texts, and none that does not fit into a row', () => {
  expect(toGramFilter('x'.repeat(4_096))).toBeNull();
  expect(toGramFilter('x'.repeat(1_000_000))?.length).toBe(7_168);
});

test('probesOf always gives as many', () => {
  for (const length of [1, 2, 3, 4, 8, 500]) {
    const probes = probesOf('abcdefgh'.repeat(63).slice(0, length));
    expect(probes).toHaveLength(8);
    expect(probes.every((bit) => bit >= 0 && bit < 2 ** 31)).toBe(true);
  }
});
