import { expect, test } from 'vitest';
import { firstUuidAt, uuidv7 } from './uuid.ts';

test('ids are version 7, variant 2, carry their time and grow with it', () => {
  const now = Date.UTC(2026, 0, 1);
  const id = uuidv7(now);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
  expect(uuidv7(now) < uuidv7(now + 1)).toBe(true);
});

test('the first id of a moment stands before all of it and after all before it', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(uuidv7(now - 1) < firstUuidAt(now)).toBe(true);
  expect(firstUuidAt(now) < uuidv7(now)).toBe(true);
  expect(firstUuidAt(-1)).toBe('00000000-0000-0000-0000-000000000000');
});

test('a hundred thousand ids are different', () => {
  expect(new Set(Array.from({ length: 100_000 }, () => uuidv7())).size).toBe(100_000);
});
