import { describe, expect, test } from 'vitest';
import { judgeMean, judgeRate } from './verdicts.ts';

const rate = (successes: number, n: number, { errors = 0, effective = n } = {}) => ({
  successes,
  n,
  effective,
  errors,
});
const all = { bound: 1, margin: 0.1 };
const none = { bound: 0, margin: 0.1 };

describe('judgeRate', () => {
  test.each([
    { title: 'all of 35', measured: rate(35, 35), bound: all, isFloor: true, verdict: 'passed' },
    { title: 'all of 34', measured: rate(34, 34), bound: all, isFloor: true, verdict: 'inconclusive' },
    {
      title: 'all of 35 in 7 tasks',
      measured: rate(35, 35, { effective: 7 }),
      bound: all,
      isFloor: true,
      verdict: 'inconclusive',
    },
    {
      title: '34 of 35 with a bound of 1',
      measured: rate(34, 35),
      bound: all,
      isFloor: true,
      verdict: 'failed',
    },
    {
      title: '95 of 100 with 0.9',
      measured: rate(95, 100),
      bound: { bound: 0.9, margin: 0.1 },
      isFloor: true,
      verdict: 'passed',
    },
    {
      title: '95 of 100 with 0.9 and no margin',
      measured: rate(95, 100),
      bound: { bound: 0.9, margin: 0 },
      isFloor: true,
      verdict: 'inconclusive',
    },
    { title: 'no success of 40', measured: rate(0, 40), bound: none, isFloor: false, verdict: 'passed' },
    { title: 'no success of 5', measured: rate(0, 5), bound: none, isFloor: false, verdict: 'inconclusive' },
    { title: 'one success of 40', measured: rate(1, 40), bound: none, isFloor: false, verdict: 'failed' },
    { title: 'nothing', measured: rate(0, 0), bound: all, isFloor: true, verdict: 'inconclusive' },
  ])('$title is $verdict', ({ measured, bound, isFloor, verdict }) => {
    expect(judgeRate(measured, bound, isFloor).verdict).toBe(verdict);
  });

  test('never passes with samples that could not run, and still fails', () => {
    expect(judgeRate(rate(100, 100, { errors: 1 }), all, true)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('1 sample could not run'),
    });
    expect(judgeRate(rate(10, 100, { errors: 1 }), all, true).verdict).toBe('failed');
  });

  test.each([
    { successes: 5, n: 5, bound: all, isFloor: true },
    { successes: 0, n: 10, bound: none, isFloor: false },
    { successes: 19, n: 20, bound: { bound: 0.9, margin: 0 }, isFloor: true },
    { successes: 6, n: 10, bound: { bound: 0.8, margin: 0.1 }, isFloor: true },
  ])(
    'says how many more of $successes in $n are needed, and no fewer decide',
    ({ successes, n, bound, isFloor }) => {
      const { more_samples } = judgeRate(rate(successes, n), bound, isFloor);
      const decidedWith = (more: number) => {
        const size = n + more;
        return judgeRate(rate((successes / n) * size, size), bound, isFloor).verdict !== 'inconclusive';
      };
      expect(more_samples).toBeGreaterThan(0);
      expect(decidedWith(more_samples ?? 0)).toBe(true);
      expect(decidedWith((more_samples ?? 0) - 2)).toBe(false);
    },
  );

  test('says that no number decides when the rate is the bound without a margin', () => {
    expect(judgeRate(rate(9, 10), { bound: 0.9, margin: 0 }, true)).toMatchObject({
      verdict: 'inconclusive',
      more_samples: null,
    });
  });
});

describe('judgeMean', () => {
  test.each([
    { title: '10 equal ones below the bound', mean: 1, deviation: 0, n: 10, errors: 0, verdict: 'passed' },
    {
      title: '9 equal ones below the bound',
      mean: 1,
      deviation: 0,
      n: 9,
      errors: 0,
      verdict: 'inconclusive',
    },
    { title: 'a wide spread', mean: 1.9, deviation: 5, n: 20, errors: 0, verdict: 'inconclusive' },
    { title: 'a mean above the bound', mean: 3, deviation: 0.5, n: 20, errors: 0, verdict: 'failed' },
    { title: 'an error', mean: 1, deviation: 0, n: 20, errors: 1, verdict: 'inconclusive' },
    { title: 'nothing', mean: 0, deviation: 0, n: 0, errors: 0, verdict: 'inconclusive' },
  ])('$title is $verdict', ({ verdict, ...measured }) => {
    expect(judgeMean(measured, 2).verdict).toBe(verdict);
  });

  test('says how many more are needed', () => {
    expect(judgeMean({ mean: 1, deviation: 0, n: 4, errors: 0 }, 2).more_samples).toBe(6);
    const { more_samples } = judgeMean({ mean: 1.9, deviation: 1, n: 20, errors: 0 }, 2);
    expect(more_samples).toBeGreaterThan(300);
  });
});
