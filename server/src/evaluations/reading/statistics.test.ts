import { expect, test } from 'vitest';
import { wilsonInterval } from '../../platform/wilson-interval.ts';
import { type Cluster, intraclassCorrelation, passAtK, passRateInterval } from './statistics.ts';

const of = (...pairs: readonly (readonly [passed: number, samples: number])[]): Cluster[] =>
  pairs.map(([passed, samples]) => ({ passed, samples }));
const repeat = (times: number, passed: number, samples: number): Cluster[] =>
  Array.from({ length: times }, () => ({ passed, samples }));

test.each([
  ['no task', [], 0],
  ['one task', of([3, 8]), 0],
  ['one sample of each task', of([1, 1], [0, 1], [1, 1]), 0],
  ['tasks that pass or fail as a whole', of([4, 4], [0, 4], [4, 4]), 1],
  ['all passed', repeat(5, 4, 4), 1],
  ['all failed', repeat(5, 0, 4), 1],
  ['tasks that are all alike', repeat(10, 2, 4), 0],
  // MSB = 2·(0.25² + 0.25²)/1 = 0.25, MSW = 0.5/2 = 0.25.
  ['half and whole', of([1, 2], [2, 2]), 0],
  // MSB = 4·(0.25² + 0.25²)/1 = 0.5, MSW = (0.75 + 0.75)/6 = 0.25, n0 = 4.
  ['1 and 3 of 4', of([1, 4], [3, 4]), 0.25 / 1.25],
  // Sizes 2 and 4: MSB = 4/3, MSW = 0, n0 = 6 − 20/6.
  ['tasks of several sizes', of([2, 2], [0, 4]), 1],
  ['a task without results', of([1, 4], [3, 4], [0, 0]), 0.25 / 1.25],
])('intraclassCorrelation of %s', (_, clusters, expected) => {
  expect(intraclassCorrelation(clusters)).toBeCloseTo(expected, 12);
});

test('passRateInterval is that of samples when there are no repetitions', () => {
  expect(passRateInterval([...repeat(8, 1, 1), ...repeat(2, 0, 1)])).toEqual(wilsonInterval(0.8, 10));
});

test('passRateInterval is that of tasks when each passes or fails as a whole', () => {
  expect(passRateInterval([...repeat(8, 5, 5), ...repeat(2, 0, 5)])).toEqual(wilsonInterval(0.8, 10));
  expect(passRateInterval(repeat(10, 16, 16))).toEqual(wilsonInterval(1, 10));
});

test('passRateInterval divides the samples by 1 + (m − 1)·ICC', () => {
  expect(passRateInterval(of([1, 4], [3, 4]))).toEqual(wilsonInterval(0.5, 8 / (1 + 3 * 0.2)));
});

test('passRateInterval of one task is that of its samples', () => {
  expect(passRateInterval(of([8, 10]))).toEqual(wilsonInterval(0.8, 10));
});

test('passRateInterval is null without results', () => {
  expect(passRateInterval([])).toBeNull();
  expect(passRateInterval(of([0, 0], [0, 0]))).toBeNull();
});

test('passAtK is the unbiased estimate, averaged over tasks', () => {
  expect(passAtK(of([1, 3]))).toEqual({ 1: expect.closeTo(1 / 3, 12), 2: expect.closeTo(2 / 3, 12), 3: 1 });
  // 1 − C(6, 5) / C(10, 5)
  expect(passAtK(of([4, 10]))['5']).toBeCloseTo(1 - 6 / 252, 12);
  expect(passAtK(of([1, 2], [0, 2]))).toEqual({ 1: 0.25, 2: 0.5 });
});

test('passAtK goes up to the fewest results of a task', () => {
  expect(Object.keys(passAtK(of([1, 3], [1, 5], [0, 0])))).toEqual(['1', '2', '3']);
  expect(passAtK([])).toEqual({});
});

test('passAtK of 1 is the mean of the rates', () => {
  expect(passAtK(of([1, 4], [2, 2]))['1']).toBeCloseTo(0.625, 12);
});

test('passAtK does not overflow with thousands of samples', () => {
  const rates = passAtK(of([10, 2_000]));
  expect(rates['1']).toBeCloseTo(0.005, 12);
  // 1 − C(1990, 1000) / C(2000, 1000), in exact fractions.
  expect(rates['1000']).toBeCloseTo(0.9990452674173292, 12);
  expect(rates['2000']).toBe(1);
  expect(Object.values(rates).every((rate) => rate >= 0 && rate <= 1)).toBe(true);
});
