/** Creates the first user, organization, workspace and project in an empty database. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { hashPassword, verifyPassword } from '../platform/auth/passwords.ts';
import { toApiKey, tokenHash } from '../platform/auth/random-token.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transaction } from '../platform/db/transaction.ts';
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

/** Credentials to show to the first owner; undefined if the operator has given and thus knows them. */
export interface FirstOwner {
  readonly email: string;
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
}

/** The server's secret key, and the other one that is in use while it is being changed. */
interface Secrets {
  readonly current: string;
  readonly other: string | undefined;
}

const KEY_NAME = 'first start';
const LOCK = 0x6669_7273; // ASCII of "firs".
/** Logins are kept for at least 30 days, so only for that time is it known that the owner has not logged in. */
const SHOWN_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the first owner if there is none. See docs/design/start.md, "First credentials".
 * @returns the credentials to show, at every start until the owner first signs in or uses the key, so that credentials are not lost when a
 * start is killed before it has shown them
 */
export async function prepareFirstStart(
  db: Db,
  first: FirstStart,
  secrets: Secrets,
): Promise<FirstOwner | undefined> {
  return (await findUnused(db, secrets)) ?? (await makeOwner(db, first, secrets.current));
}

/**
 * Derives password and key from the secret key and the id of the user, so that no stored value opens the account, and all processes of a
 * database show the same. Anyone with the secret key could sign tokens for every account anyway.
 */
function deriveCredentials(secretKey: string, userId: string) {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, userId, `drydock first owner ${purpose}`, bytes));
  return { password: derive('password', 15).toString('base64url'), apiKey: toApiKey(derive('api key', 30)) };
}

/**
 * Ends the first owner's credentials that were derived from a secret key that is being replaced, because anyone with that key can derive
 * them.
 * @returns whether there were any
 */
export async function revokeDerived(db: Db, secretKey: string): Promise<boolean> {
  const owner = await db
    .selectFrom('users')
    .select(['id', 'email_address'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!owner) return false;
  const derived = deriveCredentials(secretKey, owner.id);
  const key = await db
    .deleteFrom('api_keys')
    .where('user_id', '=', owner.id)
    .where('key_hash', '=', tokenHash(derived.apiKey))
    .executeTakeFirst();
  const ownIdentity = { provider: 'password' as const, subject: owner.email_address };
  const identity = await db
    .selectFrom('identities')
    .select('password_hash')
    .where('provider', '=', ownIdentity.provider)
    .where('subject', '=', ownIdentity.subject)
    .executeTakeFirst();
  const isPassword = await verifyPassword(derived.password, identity?.password_hash ?? undefined);
  if (isPassword) {
    await db
      .updateTable('identities')
      .set({ password_hash: await hashPassword(randomBytes(32).toString('base64url')) })
      .where('provider', '=', ownIdentity.provider)
      .where('subject', '=', ownIdentity.subject)
      .execute();
  }
  return isPassword || key.numDeletedRows > 0n;
}

async function makeOwner(db: Db, first: FirstStart, secretKey: string): Promise<FirstOwner | undefined> {
  if (await findAnyone(db)) return undefined;
  requireUsername(first.username);
  return transaction(db, async (trx) => {
    // If several processes start on an empty database, one creates the owner and the others find it.
    await sql`SELECT pg_advisory_xact_lock(${LOCK})`.execute(trx);
    if (await findAnyone(trx)) return undefined;
    const email_address = first.email.toLowerCase();
    const userId = await createUser(trx, {
      email_address,
      username: first.username,
      is_platform_admin: true,
      onboarding_completed_at: new Date().toISOString(),
    });
    const derived = deriveCredentials(secretKey, userId);
    const password_hash = await hashPassword(first.password ?? derived.password);
    const identity = { provider: 'password' as const, subject: email_address, user_id: userId };
    await trx
      .insertInto('identities')
      .values({ ...identity, password_hash })
      .execute();
    const { organization: key, workspace, project } = first;
    const actor = { userId, apiKeyId: null, requestId: null };
    await createOrganization(trx, actor, { name: key, key, workspace, project });
    const principal = { userId, isPlatformAdmin: true, apiKey: undefined, loginId: undefined };
    const request = { name: KEY_NAME, allow_self_revoke: false };
    const origin = { key: first.apiKey ?? derived.apiKey, isByOperator: true };
    await insertKey(trx, { principal, requestId: 'first-start' }, request, origin);
    return {
      email: first.email,
      password: first.password ? undefined : derived.password,
      apiKey: first.apiKey ? undefined : derived.apiKey,
    };
  });
}

const findAnyone = (db: Db | Trx) => db.selectFrom('users').select('id').limit(1).executeTakeFirst();

/** Returns the derived credentials of the first owner, while the owner has used none of them. */
async function findUnused(db: Db, { current, other }: Secrets): Promise<FirstOwner | undefined> {
  // UUIDv7 ids grow with time, so the first owner has the smallest.
  const owner = await db
    .selectFrom('users')
    .select(['id', 'email_address', 'created_at'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!owner || Date.parse(owner.created_at) < Date.now() - SHOWN_DAYS * DAY_MS) return undefined;
  const login = db.selectFrom('logins').select('id').where('user_id', '=', owner.id).limit(1);
  if (await login.executeTakeFirst()) return undefined;
  const keys = db.selectFrom('api_keys').select(['key_hash', 'name', 'issued_by_operator', 'last_used_at']);
  const ofOwner = await keys.where('user_id', '=', owner.id).execute();
  const key = ofOwner.find(({ name, issued_by_operator }) => issued_by_operator && name === KEY_NAME);
  if (!key || ofOwner.some(({ last_used_at }) => last_used_at !== null)) return undefined;
  const identity = await db
    .selectFrom('identities')
    .select('password_hash')
    .where('provider', '=', 'password')
    .where('subject', '=', owner.email_address)
    .executeTakeFirst();
  for (const secretKey of other === undefined ? [current] : [current, other]) {
    const derived = deriveCredentials(secretKey, owner.id);
    const isKey = tokenHash(derived.apiKey).equals(key.key_hash);
    const isPassword = await verifyPassword(derived.password, identity?.password_hash ?? undefined);
    if (!isKey && !isPassword) continue;
    return {
      email: owner.email_address,
      password: isPassword ? derived.password : undefined,
      apiKey: isKey ? derived.apiKey : undefined,
    };
  }
  return undefined;
}
