/** PostgreSQL reads every literal as the original value, and as nothing else. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { toLiteral, writeOut } from './literals.ts';

const client = new pg.Client({ connectionString: inject('databaseUrl') });
beforeAll(() => client.connect());
afterAll(() => client.end());

const ODD = [
  '',
  "'",
  "''",
  '\\',
  "\\'",
  "'\\",
  "\\\\'; DROP TABLE users; --",
  "'; SELECT 1; --",
  '$1',
  '$$',
  '$tag$',
  ':name',
  '%s',
  '"',
  '/* */',
  '-- ',
  '\n',
  '\r\n',
  '\t',
  '\u0001',
  '\\n',
  '\\x41',
  '\\u0041',
  "E'\\''",
  "U&'\\0041'",
  'ünï',
  '\u{1F680}',
  '\u2028',
  '\uFEFF',
  '\uFFFF',
  '\u02BC',
  'ʹ',
];

const PIECES = ["'", '\\', '"', '$1', '$$', ';', '--', '/*', 'E', "E'", 'U&', 'x', '\n', '\u{1F680}', '0'];

const random = new Random('literals', 'values');
const made = Array.from({ length: 300 }, () =>
  Array.from({ length: random.integer(1, 8) }, () => random.pick(PIECES)).join(''),
);

test.each(['on', 'off'])('toLiteral preserves texts with standard_conforming_strings %s', async (setting) => {
  await client.query(`SET standard_conforming_strings = ${setting}; SET backslash_quote = off`);
  for (const value of [...ODD, ...made]) {
    const { rows } = await client.query(`SELECT ${toLiteral(value)}::text AS value, 'next' AS next`);
    expect(rows).toEqual([{ value, next: 'next' }]);
    const beside = await client.query(writeOut(sql`SELECT 1 AS one WHERE ${value}=${value} AND ${true}`));
    expect(beside.rows).toEqual([{ one: 1 }]);
  }
  await client.query('RESET standard_conforming_strings; RESET backslash_quote');
});

test.each([
  ['NUL', 'a\0b'],
  ['half of a pair', '\uD800'],
  ['the other half', 'x\uDC00y'],
  ['a number', 1],
  ['null', null],
  ['nothing', undefined],
  ['a list', ['a']],
  ['an object', { toString: () => 'x' }],
  ['bytes', Buffer.from('a')],
  ['a text in an object', Object('text')],
])('toLiteral refuses %s', (_, value) => {
  expect(() => toLiteral(value)).toThrow(TypeError);
  expect(() => writeOut(sql`SELECT ${value}`)).toThrow(TypeError);
});
