import { expect, test } from 'vitest';
import { describeMissing, findMissing, packagesFor } from './system-packages.ts';

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

test('what only tests need is left out unless asked for, and says how to ask', () => {
  const tool = { ...absent, onlyForTests: true };
  expect(packagesFor([shell, tool], false)).toEqual([shell]);
  expect(packagesFor([shell, tool], true)).toEqual([shell, tool]);
  expect(describeMissing([tool])).toContain('npm run setup -- --tests');
});
