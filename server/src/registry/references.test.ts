import { expect, test } from 'vitest';
import { ArtifactName, parsePlace, parseReference } from './references.ts';

const LONGEST = 'a'.repeat(63);

test.each(['a', '0', 'a-b', 'a_b', 'a.b', '0.1', 'a..', LONGEST])(
  'parsePlace accepts the name %s',
  (name) => {
    expect(ArtifactName.safeParse(name).success).toBe(true);
    expect(parsePlace(name)).toEqual({ owner: undefined, name });
    expect(parsePlace(`acme-1/${name}`)).toEqual({ owner: 'acme-1', name });
  },
);

test.each([
  '',
  ' ',
  '.',
  '..',
  '-a',
  '_a',
  '.a',
  'A',
  'é',
  'a b',
  'a ',
  'a\n',
  'a\u0000',
  'a@b',
  'a:b',
  'a\\b',
  'a%2fb',
  `${LONGEST}a`,
])('ArtifactName refuses %j', (name) => {
  expect(ArtifactName.safeParse(name).success).toBe(false);
  expect(parsePlace(name)).toBeUndefined();
  expect(parsePlace(`acme/${name}`)).toBeUndefined();
});

test.each(['/', '/a', 'a/', 'a/b/c', 'a//b', 'Acme/a', 'a_b/c', 'a.b/c', '-a/b', `${LONGEST}a/b`, '../a'])(
  'parsePlace and parseReference refuse %j',
  (text) => {
    expect(parsePlace(text)).toBeUndefined();
    expect(parseReference(text)).toBeUndefined();
  },
);

test.each([
  ['a', { owner: undefined, name: 'a', version: undefined }],
  ['acme/a', { owner: 'acme', name: 'a', version: undefined }],
  ['a@1.0.0', { owner: undefined, name: 'a', version: '1.0.0' }],
  ['acme/a.b_c-d@2.1.0-rc.1+build.5', { owner: 'acme', name: 'a.b_c-d', version: '2.1.0-rc.1+build.5' }],
])('parseReference accepts %s', (text, reference) => {
  expect(parseReference(text)).toEqual(reference);
});

test.each([
  'a@',
  '@1.0.0',
  'a@latest',
  'a@v1.0.0',
  'a@1.0',
  'a@^1.0.0',
  'a@>=1.0.0',
  'a@*',
  'a@1.x',
  'a@1.0.0@1.0.0',
  'a@ 1.0.0',
  'a @1.0.0',
  'acme/a@b/c',
  'a@1.0.0/b',
])('parseReference refuses %s', (text) => {
  expect(parseReference(text)).toBeUndefined();
});
