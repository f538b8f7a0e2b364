/** Defines which growth counts as flat. */
import { expect, test } from 'vitest';
import { measureGrowth, type Sample } from './memory.ts';

const MIB = 1024 * 1024;
const COUNT = 1_000;

/** Creates a sample every 20 requests. */
const samples = (mebibytes: (index: number) => number): Sample[] =>
  Array.from({ length: COUNT / 20 }, (_, at) => (at + 1) * 20).map((index) => ({
    index,
    bytes: mebibytes(index) * MIB,
  }));

test.each<[string, boolean, (index: number) => number]>([
  ['the same throughout', true, () => 200],
  ['what grows only while it warms up', true, (index) => Math.min(200, 100 + index)],
  ['one that goes up and down with its collector', true, (index) => 180 + (index % 100)],
  ['a single peak at the end', true, (index) => (index === COUNT ? 500 : 200)],
  ['a little more at the end', true, (index) => (index > 600 ? 225 : 200)],
  ['a quarter more at the end', false, (index) => (index > 600 ? 250 : 200)],
  ['a hundred KiB kept of each request', false, (index) => 200 + index / 10],
])('%s: flat is %s', (_name, isFlat, mebibytes) => {
  expect(measureGrowth(samples(mebibytes), COUNT).isFlat).toBe(isFlat);
});

test('memory that was not measured does not count as flat', () => {
  expect(measureGrowth([], COUNT).isFlat).toBe(false);
  const early = samples(() => 200).filter(({ index }) => index < COUNT / 2);
  expect(measureGrowth(early, COUNT).isFlat).toBe(false);
  const late = samples(() => 200).filter(({ index }) => index > 0.7 * COUNT);
  expect(measureGrowth(late, COUNT).isFlat).toBe(false);
});
