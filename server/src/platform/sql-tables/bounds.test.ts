import { expect, test } from 'vitest';
import { boundsOf, parseMoment } from './bounds.ts';
import type { Condition } from './table-need.ts';

const at = (is: '=' | '<>' | '<' | '<=' | '>' | '>=', value: string, column = 'at'): Condition => ({
  column,
  is,
  value,
});
const [A, B, C] = ['2026-01-01 00:00:00+00', '2026-01-02 00:00:00.000001+00', '2026-01-03T00:00:00.000002Z'];
const time = (condition: Condition | null) => boundsOf(condition).time('at');

test('time bounds intersect all required comparisons', () => {
  expect(time(null)).toEqual({ from: null, to: null });
  expect(time(at('>=', A))).toEqual({ from: A, to: null });
  expect(time(at('<', B))).toEqual({ from: null, to: B });
  expect(time(at('=', B))).toEqual({ from: B, to: B });
  expect(time(at('<>', B))).toEqual({ from: null, to: null });
  expect(time(at('>', A, 'other'))).toEqual({ from: null, to: null });
  expect(time({ all: [at('>', A), at('>=', B), at('<=', C)] })).toEqual({ from: B, to: C });
  expect(time({ all: [at('<=', B), { column: 'at', is: 'not null' }] })).toEqual({ from: null, to: B });
});

test('time bounds cover all alternatives, and are open when one alternative is', () => {
  expect(time({ any: [at('=', C), at('=', A), at('=', B)] })).toEqual({ from: A, to: C });
  expect(time({ any: [at('>', A), at('=', B)] })).toEqual({ from: A, to: null });
  expect(time({ any: [at('=', A), { column: 'at', is: 'null' }] })).toEqual({ from: null, to: null });
  expect(time({ any: [at('=', A), at('=', A, 'other')] })).toEqual({ from: null, to: null });
  expect(time({ any: [{ all: [at('>=', A), at('<=', B)] }, { all: [at('>=', B), at('<=', C)] }] })).toEqual({
    from: A,
    to: C,
  });
});

test('times are compared by value, not by spelling', () => {
  const [later, earlier] = ['2026-01-01T12:00:00+05', '2026-01-01T08:00:00.5+00:00'];
  expect(time({ all: [at('>=', later), at('>=', earlier)] })).toEqual({ from: earlier, to: null });
  expect(time({ any: [at('>=', later), at('>=', earlier)] })).toEqual({ from: later, to: null });
});

test('only returns the single value that a column must have', () => {
  const only = (condition: Condition | null) => boundsOf(condition).only('at');
  expect(only(null)).toBe(null);
  expect(only(at('=', 'x'))).toBe('x');
  expect(only(at('>=', 'x'))).toBe(null);
  expect(only({ all: [at('=', 'y', 'other'), at('=', 'x')] })).toBe('x');
  expect(only({ any: [at('=', 'x'), at('=', 'x')] })).toBe('x');
  expect(only({ any: [at('=', 'x'), at('=', 'y')] })).toBe(null);
  expect(only({ any: [at('=', 'x'), at('=', 'x', 'other')] })).toBe(null);
  expect(only({ any: [] })).toBe(null);
});

test.each([
  'infinity',
  '-infinity',
  '2026-02-30 00:00:00+00',
  '2026-13-01 00:00:00+00',
  '0044-03-15 (BC) 00:00:00+00',
  '10000-01-01 00:00:00+00',
  '0000-01-01 00:00:00+00',
  '2026-01-01',
  '2026-01-01 00:00:00',
  '2026-01-01 25:00:00+00',
  "2026-01-01 00:00:00+00'",
  '',
])('parseMoment refuses %j, which the databases read differently', (given) => {
  expect(parseMoment(given)).toBe(undefined);
});
