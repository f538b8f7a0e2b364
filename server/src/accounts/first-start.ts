/** An empty database gets its first user, organization, workspace and project. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { hashPassword } from '../platform/auth/passwords.ts';
import { newApiKey } from '../platform/auth/random-token.ts';
import type { Db } from '../platform/db/connect.ts';
import { transaction } from '../platform/db/transaction.ts';
import { insertKey } from './keys/store.ts';
import { createUser } from './login/store.ts';
import { createOrganization } from './organizations/create.ts';
import { requireUsername } from './users/username.ts';

export interface FirstStart {
  readonly organization: string;
  readonly workspace: string;
  readonly project: string;
  readonly email: string;
  readonly username: string;
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
}

/** What the first user needs to know; undefined where it was given and need not be shown. */
export interface FirstOwner {
  readonly email: string;
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
}

const KEY_NAME = 'first start';
const LOCK = 0x6669_7273; // "firs"

/** @returns the first owner when this call made them, undefined when the database had users already */
export async function prepareFirstStart(db: Db, first: FirstStart): Promise<FirstOwner | undefined> {
  const anyone = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (anyone) return undefined;
  requireUsername(first.username);
  const password = first.password ?? randomBytes(15).toString('base64url');
  const apiKey = first.apiKey ?? newApiKey();
  const password_hash = await hashPassword(password);
  const isFirst = await transaction(db, async (trx) => {
    // Of several processes that start on an empty database, one goes through; the others find its user.
    await sql`SELECT pg_advisory_xact_lock(${LOCK})`.execute(trx);
    if (await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()) return false;
    const userId = await createUser(trx, {
      email_address: first.email.toLowerCase(),
      username: first.username,
      password_hash,
      is_platform_admin: true,
      onboarding_completed_at: new Date().toISOString(),
    });
    const { organization: key, workspace, project } = first;
    const actor = { userId, apiKeyId: null, requestId: null };
    await createOrganization(trx, actor, { name: key, key, workspace, project });
    const principal = { userId, isPlatformAdmin: true, apiKey: undefined, loginId: undefined };
    const request = { name: KEY_NAME, allow_self_revoke: false };
    const origin = { key: apiKey, isByOperator: true };
    await insertKey(trx, { principal, requestId: 'first-start' }, request, origin);
    return true;
  });
  if (!isFirst) return undefined;
  return {
    email: first.email,
    password: first.password ? undefined : password,
    apiKey: first.apiKey ? undefined : apiKey,
  };
}
