import { expect, test } from 'vitest';
import { findMeantName, findNearName } from './near-names.ts';

test.each([
  ['serch', 'search'],
  ['SEARCH', 'search'],
  ['searchh', 'search'],
  ['saerch', 'search'],
  ['limits', 'limit'],
])('findMeantName finds the known name when %s is misspelt', (given, meant) => {
  expect(findMeantName(given, ['page', 'limit', 'search'])).toBe(meant);
});

test.each(['pag', 'lim', 'banana', 'srch', 'constructor', '__proto__'])(
  'findMeantName finds nothing when %s is short or far from every known name',
  (given) => {
    expect(findMeantName(given, ['page', 'limit', 'search'])).toBeUndefined();
  },
);

test('findMeantName finds the first known meaning of an alias, however short the alias is', () => {
  const aliases = { q: ['search', 'query'] };
  expect(findMeantName('q', ['query'], aliases)).toBe('query');
  expect(findMeantName('q', ['query', 'search'], aliases)).toBe('search');
  expect(findMeantName('q', ['limit'], aliases)).toBeUndefined();
});

test('findNearName allows a third of a long name to differ', () => {
  expect(findNearName('evaluaton_smples', ['evaluation_samples', 'evaluations'])).toBe('evaluation_samples');
  expect(findNearName('nothing', ['evaluation_samples'])).toBeUndefined();
});
