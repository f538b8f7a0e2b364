import { expect, test } from 'vitest';
import { wilsonInterval } from './wilson-interval.ts';

// 81 of 263 and 1 of 29 are from Newcombe (1998), Statistics in Medicine 17; the others from the formula.
test.each([
  [8, 10, 0.4902, 0.9433],
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [1, 1, 0.2065, 1],
  [50, 100, 0.4038, 0.5962],
  [1, 29, 0.0061, 0.1718],
  [81, 263, 0.2553, 0.3662],
])('wilsonInterval of %i of %i is from %f to %f', (successes, samples, low, high) => {
  const interval = wilsonInterval(successes / samples, samples);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
  expect(interval.level).toBe(0.95);
});

test('wilsonInterval takes a fraction as the sample size', () => {
  // p = 0.5, n = 2.5: the center is 0.5 and the margin z / (1 + z²/n) · √(1/(4n) + z²/(4n²)) = 0.38916.
  const interval = wilsonInterval(0.5, 2.5);
  expect(interval.low).toBeCloseTo(0.1108, 4);
  expect(interval.high).toBeCloseTo(0.8892, 4);
});
