import { expect, test } from 'vitest';
import { MemoryRoom } from './memory-room.ts';

const MEBIBYTE = 1024 * 1024;
const mebibytes = (count: number) => count * MEBIBYTE;
const open = () => new MemoryRoom({ what: 'large things' });

test('each user has so much of it, and what is given back is there for the next', () => {
  const room = open();
  const [first, second, others] = [room.open('me'), room.open('me'), room.open('you')];
  expect(first.take(mebibytes(40))).toBeUndefined();
  expect(others.take(mebibytes(40))).toBeUndefined();
  const refusal = second.take(mebibytes(25));
  expect(refusal).toMatchObject({
    type: 'usage_limit_exceeded_error',
    message: expect.stringContaining('You have as many large things under way'),
    headers: { 'retry-after': '2' },
  });
  expect(second.isEmpty).toBe(true);
  expect(second.take(mebibytes(24))).toBeUndefined();
  first.free();
  first.free();
  expect(room.open('me').take(mebibytes(40))).toBeUndefined();
  expect(room.open('me').take(mebibytes(2))).toBeDefined();
});

test('what is over takes nothing any more', () => {
  const room = open();
  const share = room.open('me');
  share.take(mebibytes(10));
  share.free();
  expect(share.take(mebibytes(2))).toBeInstanceOf(Error);
  expect(share.take(10)).toBeUndefined();
  expect(share.isEmpty).toBe(true);
  const others = [room.open('me'), room.open('me')];
  expect(others.map((other) => other.take(mebibytes(32)))).toEqual([undefined, undefined]);
});

test('all together have so much of it', () => {
  const room = open();
  const shares = ['a', 'b', 'c', 'd'].map((user) => room.open(user));
  for (const share of shares) expect(share.take(mebibytes(64))).toBeUndefined();
  const late = room.open('e');
  expect(late.take(mebibytes(2))?.message).toContain('This server has as many large things under way');
  shares[0]?.free();
  expect(late.take(mebibytes(64))).toBeUndefined();
});

test('what grows and shrinks takes the difference', () => {
  const room = open();
  const [growing, other] = [room.open('me'), room.open('me')];
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

test('what is small always fits, and so does what is alone', () => {
  const room = open();
  expect(room.open('me').take(mebibytes(300))).toBeUndefined();
  for (const bytes of [0, 1, MEBIBYTE, Number.NaN]) {
    const share = room.open('me');
    expect(share.take(bytes)).toBeUndefined();
    expect(share.isEmpty).toBe(true);
  }
  expect(room.open('you').take(MEBIBYTE + 1)).toBeDefined();
});
