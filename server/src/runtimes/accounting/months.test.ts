import { expect, test } from 'vitest';
import { splitByMonth } from './months.ts';

test.each([
  ['2026-01-15T00:00:00.000Z', '2026-01-15T00:00:00.000Z', []],
  ['2026-01-15T00:00:00.000Z', '2026-01-15T00:00:00.001Z', [['2026-01', 1]]],
  ['2026-01-31T23:59:59.000Z', '2026-02-01T00:00:00.000Z', [['2026-01', 1_000]]],
  ['2026-02-01T00:00:00.000Z', '2026-02-01T00:00:01.000Z', [['2026-02', 1_000]]],
  [
    '2026-01-31T23:59:59.999Z',
    '2026-02-01T00:00:00.002Z',
    [
      ['2026-01', 1],
      ['2026-02', 2],
    ],
  ],
  [
    '2025-12-31T23:00:00.000Z',
    '2026-02-01T00:00:00.500Z',
    [
      ['2025-12', 3_600_000],
      ['2026-01', 2_678_400_000],
      ['2026-02', 500],
    ],
  ],
] as const)('splitByMonth splits the time from %s to %s', (from, to, parts) => {
  const found = splitByMonth(from, to);
  expect(found.map(({ month, milliseconds }) => [month, milliseconds])).toEqual(parts);
  for (const part of found) expect(part.from.startsWith(part.month)).toBe(true);
});
