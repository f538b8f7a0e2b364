import pg from 'pg';
import { expect, test } from 'vitest';
import { describeError } from './log.ts';

test('an error is described by named fields only', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', client: { password: 'canary' } });
  const error = new TypeError('it failed', { cause });
  const described = describeError(error);
  expect(described).toMatchObject({
    type: 'TypeError',
    message: 'it failed',
    cause: { code: 'ECONNREFUSED' },
  });
  expect(described.stack).toMatch(/^ {4}at /);
  expect(JSON.stringify(described)).not.toContain('canary');
});

test('what PostgreSQL quotes of a value is left out', () => {
  const error = new pg.DatabaseError('invalid input syntax for type uuid: "canary"', 0, 'error');
  error.code = '22P02';
  error.detail = 'canary';
  expect(JSON.stringify(describeError(error))).not.toContain('canary');
});

test('whatever is thrown can be described', () => {
  expect(describeError('text')).toEqual({ type: 'string', message: 'thrown without an Error' });
});
