/** Cleanup jobs of accounts. */
import type { CleanUp } from '../platform/clean-up.ts';
import { forgetOldDeviceCodes } from './device/store.ts';
import { forgetOldLogins } from './login/forget.ts';
import { forgetOldInvitations } from './members/invitations.ts';
import { forgetOldLoginAttempts } from './throttle.ts';

export const accountCleanUps: readonly CleanUp[] = [
  { name: 'logins', run: forgetOldLogins },
  { name: 'login attempts', run: forgetOldLoginAttempts },
  { name: 'device codes', run: forgetOldDeviceCodes },
  { name: 'invitations', run: forgetOldInvitations },
];
