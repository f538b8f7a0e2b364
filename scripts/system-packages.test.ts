import { expect, test } from 'vitest';
import {
  describeMissing,
  findMissing,
  findProgram,
  type Purpose,
  packagesFor,
  SYSTEM_PACKAGES,
} from './system-packages.ts';

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
  const tool = { ...absent, onlyFor: 'tests' as const };
  const server = { ...absent, onlyFor: 'foreign-s3' as const };
  const all = [shell, tool, server];
  expect(packagesFor(all, [])).toEqual([shell]);
  expect(packagesFor(all, ['tests'])).toEqual([shell, tool]);
  expect(packagesFor(all, ['foreign-s3'])).toEqual([shell, server]);
  expect(packagesFor(all, ['tests', 'foreign-s3'])).toEqual(all);
  expect(describeMissing([absent])).toContain('"npm run setup"');
  expect(describeMissing([tool])).toContain('"npm run setup -- --tests"');
  expect(describeMissing([server])).toContain('"npm run setup -- --foreign-s3"');
  expect(describeMissing([server, tool])).toContain('"npm run setup -- --tests --foreign-s3"');
});

test('a program is found where it lies', () => {
  expect(findProgram('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
  expect(findProgram('no-such-program')).toBeUndefined();
});

test('who only runs the server need not install the S3 clients of the tests', () => {
  const clients = ['aws', 's3cmd', 'rclone'];
  const commands = (...purposes: Purpose[]) =>
    packagesFor(SYSTEM_PACKAGES, purposes)
      .map(({ command }) => command)
      .filter((command) => clients.includes(command));
  expect(commands('tests')).toEqual(clients);
  expect(commands()).toEqual([]);
});

test('neither who runs the server nor who tests it need install another S3', () => {
  const names = (...purposes: Purpose[]) => packagesFor(SYSTEM_PACKAGES, purposes).map(({ name }) => name);
  expect(names('foreign-s3')).toEqual(expect.arrayContaining(['radosgw', 'ceph-mon', 'ceph-osd']));
  expect([...names(), ...names('tests')].filter((name) => /rados|ceph/.test(name))).toEqual([]);
});

test('what runtimes need is installed with the server', () => {
  const names = packagesFor(SYSTEM_PACKAGES, []).map(({ name }) => name);
  expect(names).toEqual(['bubblewrap', 'tini', 'socat']);
});
