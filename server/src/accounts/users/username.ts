import { randomBytes } from 'node:crypto';
import { ApiError } from '../../platform/errors.ts';
import { toSlug } from '../../platform/fields.ts';

export const usernamePattern = /^[a-z0-9][a-z0-9-]{1,37}[a-z0-9]$/;

export function requireUsername(username: string): void {
  if (usernamePattern.test(username)) return;
  const msg = 'must be 3 to 39 lower-case letters, digits or dashes, with no dash at either end';
  throw new ApiError('invalid_username_error', `The username ${msg}.`, {
    issues: [{ loc: ['body', 'username'], msg, type: 'invalid_username' }],
  });
}

/** Derives a username from the email address for a sign-up without one, unique by a suffix. */
export function suggestUsername(email: string): string {
  const slug =
    toSlug(email.split('@')[0] ?? '')
      .slice(0, 28)
      .replace(/-+$/, '') || 'user';
  return `${slug}-${randomBytes(4).toString('hex')}`;
}
