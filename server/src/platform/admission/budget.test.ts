import { expect, test } from 'vitest';
import { connectionBudget, memoryBudget } from './budget.ts';

const MEBIBYTE = 1024 * 1024;
const mebibytes = (count: number) => count * MEBIBYTE;
const openBudget = () => memoryBudget('large things');

test('Budget limits each owner, and reuses what was given back', () => {
  const budget = openBudget();
  const [first, second, others] = [budget.open('me'), budget.open('me'), budget.open('you')];
  expect(first.take(mebibytes(40))).toBeUndefined();
  expect(others.take(mebibytes(40))).toBeUndefined();
  const refusal = second.take(mebibytes(25));
  expect(refusal).toMatchObject({
    type: 'usage_limit_exceeded_error',
    message: expect.stringContaining('Your large things under way have reached the memory limit'),
    headers: { 'retry-after': '2' },
  });
  expect(second.isEmpty).toBe(true);
  expect(second.take(mebibytes(24))).toBeUndefined();
  first.free();
  first.free();
  expect(budget.open('me').take(mebibytes(40))).toBeUndefined();
  expect(budget.open('me').take(mebibytes(2))).toBeDefined();
});

test('Share refuses to take anything after it was given back', () => {
  const budget = openBudget();
  const share = budget.open('me');
  share.take(mebibytes(10));
  share.free();
  expect(share.take(mebibytes(2))).toBeInstanceOf(Error);
  expect(share.take(10)).toBeUndefined();
  expect(share.isEmpty).toBe(true);
  const others = [budget.open('me'), budget.open('me')];
  expect(others.map((other) => other.take(mebibytes(32)))).toEqual([undefined, undefined]);
});

test('Budget limits all owners together', () => {
  const budget = openBudget();
  const shares = ['a', 'b', 'c', 'd'].map((user) => budget.open(user));
  for (const share of shares) expect(share.take(mebibytes(64))).toBeUndefined();
  expect(budget.taken).toBe(mebibytes(256));
  const late = budget.open('e');
  expect(late.take(mebibytes(2))?.message).toContain(
    'This server has reached its memory limit for large things',
  );
  shares[0]?.free();
  expect(late.take(mebibytes(64))).toBeUndefined();
});

test('Share takes and gives back the difference when it grows and shrinks', () => {
  const budget = openBudget();
  const [growing, other] = [budget.open('me'), budget.open('me')];
  for (let size = 2; size <= 60; size++) expect(growing.take(mebibytes(size))).toBeUndefined();
  expect(other.take(mebibytes(4))).toBeUndefined();
  expect(growing.take(mebibytes(60) + 1)).toBeDefined();
  expect(growing.take(mebibytes(5))).toBeUndefined();
  expect(other.take(mebibytes(59))).toBeUndefined();
  expect(growing.take(mebibytes(6))).toBeDefined();
  expect(growing.take(10)).toBeUndefined();
  expect(growing.isEmpty).toBe(true);
  expect(other.take(mebibytes(64))).toBeUndefined();
});

test('Share always takes small amounts, and any amount when it is alone', () => {
  const budget = openBudget();
  expect(budget.open('me').take(mebibytes(300))).toBeUndefined();
  for (const bytes of [0, 1, MEBIBYTE, Number.NaN]) {
    const share = budget.open('me');
    expect(share.take(bytes)).toBeUndefined();
    expect(share.isEmpty).toBe(true);
  }
  expect(budget.open('you').take(MEBIBYTE + 1)).toBeDefined();
});

test('hold counts connections, and refuses one more than the limit of an owner or of the process', () => {
  const budget = connectionBudget('event streams', { perOwner: 2, total: 3 });
  const free = budget.hold('me');
  budget.hold('me');
  expect(() => budget.hold('me')).toThrow(
    'You have 2 event streams open, which is the most; close one first.',
  );
  budget.hold(undefined);
  expect(() => budget.hold('you')).toThrow('This server has as many event streams open as it takes');
  free();
  free();
  expect(budget.taken).toBe(2);
  budget.hold('you');
});
