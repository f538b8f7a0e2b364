import { expect, test } from 'vitest';
import { isPrerelease, isVersion, precedenceOf, SemVer } from './version.ts';

test.each([
  '0.0.0',
  '1.0.0',
  '10.20.30',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-0.3.7',
  '1.0.0-x.7.z.92',
  '1.0.0-x-y-z.--',
  '1.0.0--',
  '1.0.0-0a',
  '1.0.0+20130313144700',
  '1.0.0-beta+exp.sha.5114f85',
  '1.0.0+21AF26D3---117B344092BD',
  '1.0.0+001',
  '99999999999999999999999.999999999999999999.99999999999999999',
])('%s is a valid version', (version) => {
  expect(isVersion(version)).toBe(true);
  expect(SemVer.safeParse(version).success).toBe(true);
});

test.each([
  '',
  ' ',
  '1',
  '1.0',
  '1.0.0.0',
  'v1.0',
  'v1.0.0',
  'V1.0.0',
  '=1.0.0',
  'latest',
  '*',
  'x',
  '1.x',
  '1.0.x',
  '^1.0.0',
  '~1.0.0',
  '>=1.0.0',
  '<2.0.0',
  '1.0.0 - 2.0.0',
  '1.0.0 || 2.0.0',
  '1.0.0,2.0.0',
  '01.0.0',
  '1.01.0',
  '1.0.00',
  '1.0.0-',
  '1.0.0-01',
  '1.0.0-a..b',
  '1.0.0-a.',
  '1.0.0-é',
  '1.0.0-a_b',
  '1.0.0+',
  '1.0.0+a..b',
  '1.0.0+a+b',
  '-1.0.0',
  '1.-1.0',
  ' 1.0.0',
  '1.0.0 ',
  '1.0.0\n',
  '1. 0.0',
  '1.0.0\u0000',
  '１.0.0',
  `1.0.0-${'a'.repeat(123)}`,
])('%j is not a valid version', (text) => {
  expect(isVersion(text)).toBe(false);
  expect(SemVer.safeParse(text).success).toBe(false);
});

test('precedenceOf throws for an invalid version', () => {
  expect(() => precedenceOf('1.0')).toThrow('"1.0" is not a semantic version');
});

test('versions sort as in the examples of the specification', () => {
  const ascending = [
    '0.9.10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.9.0',
    '1.10.0',
    '1.11.0',
    '2.0.0',
    '2.1.0',
    '2.1.1',
    '10.0.0',
    '99999999999999999998.0.0',
    '99999999999999999999.0.0',
    '100000000000000000000.0.0',
  ];
  const byPrecedence = (a: string, b: string) => compareTexts(precedenceOf(a), precedenceOf(b));
  expect(ascending.toReversed().toSorted(byPrecedence)).toEqual(ascending);
});

test('versions that differ only in build metadata have the same precedence', () => {
  expect(precedenceOf('1.0.0+b')).toBe(precedenceOf('1.0.0'));
  expect(precedenceOf('1.0.0-a.1+b.c')).toBe(precedenceOf('1.0.0-a.1+other'));
  expect(precedenceOf('1.0.0-a.1')).not.toBe(precedenceOf('1.0.0-a-1'));
});

test('only versions with a pre-release part are pre-releases, whatever their build metadata', () => {
  const versions = ['1.0.0-a', '1.0.0--', '1.0.0', '1.0.0+a-b'];
  expect(versions.map(isPrerelease)).toEqual([true, true, false, false]);
});

test('precedence of random versions compares as the specification says', () => {
  const random = createRandom(7);
  const versions = Array.from({ length: 400 }, () => randomVersion(random));
  let equal = 0;
  for (const a of versions) {
    for (const b of versions) {
      const expected = compareVersions(a, b);
      if (expected === 0) equal++;
      const found = Math.sign(compareTexts(precedenceOf(a), precedenceOf(b)));
      if (found !== expected) expect.fail(`${a} against ${b}: ${found}, not ${expected}`);
    }
  }
  expect(equal).toBeGreaterThan(versions.length);
});

/** Compares by bytes, as PostgreSQL does in the collation C. */
const compareTexts = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Implements section 11 of the specification literally. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [split(a), split(b)];
  for (let place = 0; place < 3; place++) {
    const order = compareNumbers(first.core[place] ?? '', second.core[place] ?? '');
    if (order !== 0) return order;
  }
  if (first.identifiers.length === 0 || second.identifiers.length === 0) {
    return Math.sign(second.identifiers.length - first.identifiers.length);
  }
  for (let place = 0; ; place++) {
    const [left, right] = [first.identifiers[place], second.identifiers[place]];
    if (left === undefined || right === undefined) {
      return Math.sign(first.identifiers.length - second.identifiers.length);
    }
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
}

function split(version: string) {
  const [withoutBuild = ''] = version.split('+');
  const dash = withoutBuild.indexOf('-');
  const core = (dash < 0 ? withoutBuild : withoutBuild.slice(0, dash)).split('.');
  return { core, identifiers: dash < 0 ? [] : withoutBuild.slice(dash + 1).split('.') };
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumber && isOtherNumber) return compareNumbers(a, b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareNumbers(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** A small random number generator by Marsaglia, with the same sequence in every run. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Creates versions from few parts, so that many are equal or nearly equal. */
function randomVersion(random: (below: number) => number): string {
  const numbers = ['0', '1', '2', '9', '10', '11', '100', '18446744073709551616'];
  const identifiers = [
    ...numbers,
    'a',
    'A',
    'alpha',
    'alpha1',
    'a-b',
    '-',
    '--',
    '0a',
    '1-',
    'z',
    '-1',
    'rc',
  ];
  const pick = (from: readonly string[]) => from[random(from.length)] ?? '';
  const core = [pick(numbers.slice(0, 3)), pick(numbers.slice(0, 2)), pick(numbers)].join('.');
  const prerelease = Array.from({ length: random(4) }, () => pick(identifiers)).join('.');
  const build = random(4) === 0 ? `+${pick(identifiers)}` : '';
  return core + (prerelease && `-${prerelease}`) + build;
}
