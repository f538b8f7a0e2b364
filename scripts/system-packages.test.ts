import { expect, test } from 'vitest';
import { describeMissing, findMissing } from './system-packages.ts';

const shell = { name: 'dash', command: 'sh', feature: 'everything' };
const absent = { name: 'no-such-package', command: 'no-such-program', feature: 'dreaming' };

test('a package whose program is not there is missing, and is named with what it is for', () => {
  const missing = findMissing([shell, absent]);
  expect(missing).toEqual([absent]);
  expect(describeMissing(missing)).toMatch(/no-such-package, needed for dreaming[\s\S]*npm run setup/);
});

test('nothing is said where nothing is missing', () => {
  expect(describeMissing(findMissing([shell]))).toBe('');
});
