import pg from 'pg';
import { expect, test } from 'vitest';
import { notFound } from '../errors.ts';
import { alreadyExists, explainViolation } from './violations.ts';

const ERRORS = {
  users_username_key: alreadyExists('This username is taken.'),
  projects_workspace_fkey: () => notFound('Workspace'),
};

function databaseError(code: string, constraint: string): pg.DatabaseError {
  const error = new pg.DatabaseError('as PostgreSQL says it', 0, 'error');
  return Object.assign(error, { code, constraint });
}

test('explainViolation returns the result of a successful write', async () => {
  expect(await explainViolation(Promise.resolve('row'), ERRORS)).toBe('row');
});

test('explainViolation replaces a named constraint violation by its error', async () => {
  const taken = explainViolation(Promise.reject(databaseError('23505', 'users_username_key')), ERRORS);
  await expect(taken).rejects.toMatchObject({
    type: 'already_exists_error',
    message: 'This username is taken.',
  });
  const gone = explainViolation(Promise.reject(databaseError('23503', 'projects_workspace_fkey')), ERRORS);
  await expect(gone).rejects.toMatchObject({ type: 'not_found_error' });
});

test.each([
  ['of another constraint', databaseError('23505', 'users_email_address_key')],
  ['of another kind on that constraint', databaseError('23514', 'users_username_key')],
  ['of another origin', new Error('users_username_key')],
])('explainViolation rethrows a failure %s unchanged', async (_kind, error) => {
  await expect(explainViolation(Promise.reject(error), ERRORS)).rejects.toBe(error);
});
