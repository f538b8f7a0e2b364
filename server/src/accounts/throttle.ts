/**
 * Rate limits: counts the attempts of the last minutes, for passwords per account, per address and for both together, for everything else
 * per subject of a limit.
 */
import { sql } from 'kysely';
import { requireRoom } from '../platform/auth/passwords.ts';
import type { Db } from '../platform/db/connect.ts';
import { deleteInBatches } from '../platform/db/delete-in-batches.ts';
import { type Trx, transaction } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import { firstUuidAt, uuidv7 } from '../platform/uuid.ts';

const WINDOW_SECONDS = 15 * 60;
/** A user who mistypes stays far below; the wider limits stop guesses from one address and from many. */
const MAX_PER_ACCOUNT_AND_ADDRESS = 10;
const MAX_PER_ADDRESS = 100;
const MAX_PER_ACCOUNT = 100;
/** Each sign-up costs a quarter to half a second of CPU. */
const MAX_SIGNUPS_PER_ADDRESS = 60;

export interface Attempt {
  /** The email address of the account. */
  readonly subject: string;
  /** The network address of the client. */
  readonly address: string;
}

/**
 * Takes one of the remaining attempts before the password is verified. Concurrent guesses are serialized here, so that they cannot all take
 * the last one; a refused attempt does not count.
 */
export async function recordAttempt(db: Db, attempt: Attempt): Promise<void> {
  // Comes first, because an attempt that the server has no time to process must not count.
  requireRoom();
  await record(db, attempt, (made) =>
    made.pair < MAX_PER_ACCOUNT_AND_ADDRESS &&
    made.subject < MAX_PER_ACCOUNT &&
    made.address < MAX_PER_ADDRESS
      ? undefined
      : { limit: MAX_PER_ACCOUNT_AND_ADDRESS, what: 'failed logins' },
  );
}

export async function recordSignup(db: Db, address: string): Promise<void> {
  const subject = `sign-up from ${address}`;
  await takeTurn(db, { subject, limit: MAX_SIGNUPS_PER_ADDRESS, what: 'sign-ups' });
}

export interface Bound {
  /** Key under which attempts are counted; it contains spaces, so it never equals an email or network address. */
  readonly subject: string;
  readonly limit: number;
  readonly what: string;
}

/** Takes one of the remaining turns within the window. */
export function takeTurn(db: Db, { subject, limit, what }: Bound): Promise<string> {
  return record(db, { subject, address: subject }, (made) =>
    made.pair < limit ? undefined : { limit, what },
  );
}

/** Returns a turn that does not count toward the limit. */
export async function giveTurnBack(trx: Trx, turn: string): Promise<void> {
  await trx.deleteFrom('login_attempts').where('id', '=', turn).execute();
}

interface Made {
  readonly pair: number;
  readonly subject: number;
  readonly address: number;
  /** Seconds until the oldest attempt leaves the window. */
  readonly seconds: number;
}

interface Exceeded {
  readonly limit: number;
  readonly what: string;
}

/** @returns the id of the attempt */
async function record(
  db: Db,
  attempt: Attempt,
  judge: (made: Made) => Exceeded | undefined,
): Promise<string> {
  const { subject, address } = attempt;
  return transaction(db, async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`attempt ${subject} ${address}`}, 0))`.execute(
      trx,
    );
    await deleteOld(trx, 100);
    const made = await countAttempts(trx, attempt);
    const exceeded = judge(made);
    if (exceeded) throw tooMany(exceeded, made.seconds);
    const id = uuidv7();
    await trx.insertInto('login_attempts').values({ id, subject, address }).execute();
    return id;
  });
}

async function countAttempts(trx: Trx, { subject, address }: Attempt): Promise<Made> {
  const { rows } = await sql<Made>`
    SELECT count(*) FILTER (WHERE subject = ${subject} AND address = ${address}) AS pair,
           count(*) FILTER (WHERE subject = ${subject}) AS subject,
           count(*) FILTER (WHERE address = ${address}) AS address,
           ceil(coalesce(extract(epoch FROM min(attempted_at) - now()), 0) + ${WINDOW_SECONDS}) AS seconds
      FROM login_attempts
     WHERE (subject = ${subject} OR address = ${address})
       AND attempted_at > now() - make_interval(secs => ${WINDOW_SECONDS})
  `.execute(trx);
  return rows[0] ?? { pair: 0, subject: 0, address: 0, seconds: 0 };
}

/** Called with each attempt to delete a few, so that the table holds little more than the window. */
export function forgetOldLoginAttempts(db: Db): Promise<number> {
  return deleteInBatches((size) => deleteOld(db, size));
}

/** Old attempts are found by their ids, which contain the time, and locked ones are skipped. */
function deleteOld(db: Db, size: number) {
  const old = db
    .selectFrom('login_attempts')
    .select('id')
    .where('id', '<', firstUuidAt(Date.now() - 2 * WINDOW_SECONDS * 1000))
    .orderBy('id')
    .limit(size)
    .forUpdate()
    .skipLocked();
  return db.deleteFrom('login_attempts').where('id', 'in', old).executeTakeFirstOrThrow();
}

function tooMany({ limit, what }: Exceeded, seconds: number): ApiError {
  return new ApiError('usage_limit_exceeded_error', `Too many ${what}; try again in ${seconds} s.`, {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  });
}

/** The password was right, so earlier failures no longer count. */
export async function clearAttempts(db: Db, { subject, address }: Attempt): Promise<void> {
  await db
    .deleteFrom('login_attempts')
    .where('subject', '=', subject)
    .where('address', '=', address)
    .execute();
}
