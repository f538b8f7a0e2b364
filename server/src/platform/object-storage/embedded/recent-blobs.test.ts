import { expect, test } from 'vitest';
import { RecentBlobs } from './recent-blobs.ts';

const content = (text: string) => Buffer.from(text);

test('what was not asked for longest goes when there is too much', () => {
  const recent = new RecentBlobs(10);
  recent.keep('a', content('aaaa'));
  recent.keep('b', content('bbbb'));
  expect(recent.find('a')).toEqual(content('aaaa'));
  recent.keep('c', content('cccc'));
  expect(recent.find('b')).toBeUndefined();
  expect([recent.find('a'), recent.find('c')]).toEqual([content('aaaa'), content('cccc')]);
});

test('what is kept again, forgotten or too large is counted right', () => {
  const recent = new RecentBlobs(8);
  for (let round = 0; round < 5; round++) recent.keep('a', content('aaaa'));
  recent.keep('b', content('bbbb'));
  expect(recent.find('a')).toBeDefined();
  recent.forget('a');
  recent.forget('a');
  recent.keep('c', content('cccc'));
  expect([recent.find('b'), recent.find('c')]).toEqual([content('bbbb'), content('cccc')]);
  recent.keep('b', content('larger than all'));
  expect(recent.find('b')).toBeUndefined();
  expect(recent.find('c')).toBeDefined();
});
