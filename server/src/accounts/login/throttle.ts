/** Slows down guessing: the attempts of the last minutes are counted per address and per account. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const WINDOW_SECONDS = 15 * 60;
/** A person who mistypes stays far below; the wider bounds stop one address and many addresses. */
const MAX_PER_ACCOUNT_AND_ADDRESS = 10;
const MAX_PER_ADDRESS = 100;
const MAX_PER_ACCOUNT = 100;

export interface Attempt {
  readonly subject: string;
  readonly address: string;
}

/** Written and committed before the password is looked at, so that guesses in parallel see each other. */
export async function recordAttempt(db: Db, { subject, address }: Attempt): Promise<void> {
  await db.insertInto('login_attempts').values({ id: uuidv7(), subject, address }).execute();
  const since = sql<string>`now() - make_interval(secs => ${WINDOW_SECONDS})`;
  const { rows } = await sql<{ pair: number; address: number; subject: number }>`
    SELECT (SELECT count(*) FROM login_attempts
             WHERE subject = ${subject} AND attempted_at > ${since} AND address = ${address}) AS pair,
           (SELECT count(*) FROM login_attempts WHERE subject = ${subject} AND attempted_at > ${since}) AS subject,
           (SELECT count(*) FROM login_attempts WHERE address = ${address} AND attempted_at > ${since}) AS address
  `.execute(db);
  const [count] = rows;
  const isWithin =
    count &&
    count.pair <= MAX_PER_ACCOUNT_AND_ADDRESS &&
    count.address <= MAX_PER_ADDRESS &&
    count.subject <= MAX_PER_ACCOUNT;
  if (!isWithin) {
    throw new ApiError(
      'usage_limit_exceeded_error',
      'Too many failed logins; wait some minutes and try again.',
      {
        headers: { 'retry-after': String(WINDOW_SECONDS) },
      },
    );
  }
}

/** The password was right: what was mistyped before it counts no more. */
export async function clearAttempts(db: Db, { subject, address }: Attempt): Promise<void> {
  await db
    .deleteFrom('login_attempts')
    .where('subject', '=', subject)
    .where('address', '=', address)
    .execute();
}
