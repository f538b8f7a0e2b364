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

test('a package whose program is missing is reported with its purpose', () => {
  const missing = findMissing([shell, absent]);
  expect(missing).toEqual([absent]);
  expect(describeMissing(missing)).toMatch(/no-such-package, needed for dreaming[\s\S]*npm run setup/);
});

test('nothing is reported when nothing is missing', () => {
  expect(describeMissing(findMissing([shell]))).toBe('');
});

test('packages that only tests need are left out by default, with a hint on how to include them', () => {
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

test('findProgram returns the path of a program', () => {
  expect(findProgram('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
  expect(findProgram('no-such-program')).toBeUndefined();
});

test('the packages of the server do not include the S3 clients of the tests', () => {
  const clients = ['aws', 's3cmd', 'rclone'];
  const commands = (...purposes: Purpose[]) =>
    packagesFor(SYSTEM_PACKAGES, purposes)
      .map(({ command }) => command)
      .filter((command) => clients.includes(command));
  expect(commands('tests')).toEqual(clients);
  expect(commands()).toEqual([]);
});

test('neither the packages of the server nor those of the tests include another S3', () => {
  const names = (...purposes: Purpose[]) => packagesFor(SYSTEM_PACKAGES, purposes).map(({ name }) => name);
  expect(names('foreign-s3')).toEqual(expect.arrayContaining(['radosgw', 'ceph-mon', 'ceph-osd']));
  expect([...names(), ...names('tests')].filter((name) => /rados|ceph/.test(name))).toEqual([]);
});

test('the packages of the server include those that runtimes need', () => {
  const names = packagesFor(SYSTEM_PACKAGES, []).map(({ name }) => name);
  expect(names).toEqual(['bubblewrap', 'tini', 'socat']);
});
