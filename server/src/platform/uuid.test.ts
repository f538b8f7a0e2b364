import { expect, test } from 'vitest';
import { firstUuidAt, uuidTime, uuidv7 } from './uuid.ts';

const FUTURE = Date.UTC(2999, 0, 1);

test('ids are version 7, variant 2, contain their time and increase with it', () => {
  const before = Date.now();
  const id = uuidv7();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidTime(id)).toBeGreaterThanOrEqual(before);
  expect(uuidTime(id)).toBeLessThanOrEqual(Date.now());
});

test('a hundred thousand ids are unique and in the order of their creation', () => {
  const ids = Array.from({ length: 100_000 }, () => uuidv7());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

test('firstUuidAt sorts before all ids of its moment and after all earlier ones', () => {
  expect(uuidv7(FUTURE - 1) < firstUuidAt(FUTURE)).toBe(true);
  expect(firstUuidAt(FUTURE) < uuidv7(FUTURE)).toBe(true);
  expect(firstUuidAt(-1)).toBe('00000000-0000-0000-0000-000000000000');
});

test('a clock that steps back does not break the order', () => {
  const id = uuidv7(FUTURE + 10);
  expect(uuidv7(FUTURE) > id).toBe(true);
});
