import { expect, test } from 'vitest';
import { creditsFor, secondsFor } from './prices.ts';
import { climbLadder } from './runtime-limits.ts';

const PLATFORM = { maxSeconds: 86_400, defaultSeconds: 3_600 };

/** Requests at start, at creation and in the configuration; maximum and default of the organization; result. */
const LADDER = [
  // The first given request counts.
  [[100, 200, 300], [null, null], 100, 100, 'l4_requested'],
  [[null, 200, 300], [null, null], 200, 200, 'l4_requested'],
  [[undefined, null, 300], [null, null], 300, 300, 'l4_requested'],
  // A default applies if nothing was requested.
  [[null, null, null], [null, null], null, 3_600, 'l1_platform_default'],
  [[null, null, null], [null, 1_800], null, 1_800, 'l3_org_default'],
  [[null, null, null], [null, 7_200], null, 7_200, 'l3_org_default'],
  // Limited by the organization, by the platform, by the smaller of both; an equal value is not limited.
  [[100_000, null, null], [50_000, null], 100_000, 50_000, 'l2_org_max'],
  [[100_000, null, null], [null, null], 100_000, 86_400, 'l1_platform_max'],
  [[100_000, null, null], [90_000, null], 100_000, 86_400, 'l1_platform_max'],
  [[50_000, null, null], [50_000, null], 50_000, 50_000, 'l4_requested'],
  [[86_400, null, null], [null, null], 86_400, 86_400, 'l4_requested'],
  [[100_000, null, null], [86_400, null], 100_000, 86_400, 'l2_org_max'],
  // Defaults are limited as well.
  [[null, null, null], [1_000, null], null, 1_000, 'l2_org_max'],
  [[null, null, null], [1_000, 2_000], null, 1_000, 'l2_org_max'],
  [[null, null, null], [null, 90_000], null, 86_400, 'l1_platform_max'],
  [[null, null, null], [2_000, 1_000], null, 1_000, 'l3_org_default'],
] as const;

test.each(LADDER)(
  'the limit for requests %j under organization settings %j',
  (requested, [maxSeconds, defaultSeconds], asked, seconds, level) => {
    const limit = climbLadder({
      requested,
      organization: { maxSeconds, defaultSeconds },
      platform: PLATFORM,
    });
    expect(limit).toEqual({
      requested: asked === null ? null : { seconds: asked, level: 'l4_requested' },
      configured: { seconds, level },
      maxSeconds: Math.min(maxSeconds ?? Number.POSITIVE_INFINITY, PLATFORM.maxSeconds),
    });
  },
);

test('a platform default above the platform maximum grants the maximum', () => {
  const { configured } = climbLadder({
    requested: [],
    organization: { maxSeconds: null, defaultSeconds: null },
    platform: { maxSeconds: 60, defaultSeconds: 3_600 },
  });
  expect(configured).toEqual({ seconds: 60, level: 'l1_platform_max' });
});

test.each([
  [0, 0],
  [1, 1],
  [1_000, 1],
  [18_115, 1],
  [18_116, 2],
  [10_000_000, 552],
  [10_000_001, 553],
  [86_400_000, 4_770],
])('%d ms cost %d credits', (milliseconds, credits) => {
  expect(creditsFor(milliseconds)).toBe(credits);
});

test('secondsFor returns the maximum time that credits pay for', () => {
  for (const credits of [0, 1, 2, 17, 552, 553, 1_000, 999_999]) {
    const seconds = secondsFor(credits);
    expect(creditsFor(seconds * 1_000)).toBeLessThanOrEqual(credits);
    expect(creditsFor((seconds + 1) * 1_000)).toBeGreaterThan(credits);
  }
});
