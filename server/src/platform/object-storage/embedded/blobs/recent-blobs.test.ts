import { expect, test } from 'vitest';
import { RecentBlobs } from './recent-blobs.ts';

const content = (letter: string) => Buffer.alloc(1_024, letter);
/** Space for two such blobs, but not for three. */
const ROOM_FOR_TWO = 3 * 1_024;

test('the least recently used blob is evicted when the budget is exceeded', () => {
  const recent = new RecentBlobs(ROOM_FOR_TWO);
  recent.keep('a', content('a'));
  recent.keep('b', content('b'));
  expect(recent.find('a')).toEqual(content('a'));
  recent.keep('c', content('c'));
  expect(recent.find('b')).toBeUndefined();
  expect([recent.find('a'), recent.find('c')]).toEqual([content('a'), content('c')]);
});

test('the size is counted correctly for repeated, removed and too large blobs', () => {
  const recent = new RecentBlobs(ROOM_FOR_TWO);
  for (let round = 0; round < 5; round++) recent.keep('a', content('a'));
  recent.keep('b', content('b'));
  expect(recent.find('a')).toBeDefined();
  recent.forget('a');
  recent.forget('a');
  recent.keep('c', content('c'));
  expect([recent.find('b'), recent.find('c')]).toEqual([content('b'), content('c')]);
  recent.keep('b', Buffer.alloc(2 * ROOM_FOR_TWO));
  expect(recent.find('b')).toBeUndefined();
});

test('many tiny blobs are limited too, and none retains a larger buffer that it is a slice of', () => {
  const recent = new RecentBlobs(ROOM_FOR_TWO);
  const large = Buffer.alloc(8_192, 'x');
  const ids = Array.from({ length: 1_000 }, (_, index) => `tiny-${index}`);
  for (const id of ids) recent.keep(id, large.subarray(0, 1));
  const kept = ids.flatMap((id) => recent.find(id) ?? []);
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.length).toBeLessThan(20);
  expect(kept.map(({ buffer }) => buffer.byteLength)).toEqual(kept.map(() => 1));
});
