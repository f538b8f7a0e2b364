/**
 * Credits: an append-only ledger, what is held back of it, and a balance that is exact at every moment.
 *
 * Writers only append, so none waits for another; `reserve` alone takes turns within its organization.
 */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import { ApiError } from '../http/errors.ts';
import { firstUuidAt, uuidv7 } from '../uuid.ts';

export interface Adjustment {
  readonly organizationId: string;
  /** Unique in the organization, over adjustments and charges: a repeat counts once. */
  readonly reference: string;
  /** Positive adds, negative takes. */
  readonly amount: number;
  readonly actorId: string;
  readonly note: string | null;
}

export interface Reservation {
  readonly organizationId: string;
  readonly reference: string;
  readonly amount: number;
  /** From then on it holds nothing, so that one whose maker died is not held for ever. */
  readonly expiresAt: string;
}

export interface Settlement {
  readonly organizationId: string;
  readonly reference: string;
  /** What it really cost, also when that is more than was reserved. */
  readonly amount: number;
}

/** @returns false when the reference had been used: nothing changed */
export async function adjust(trx: Trx, adjustment: Adjustment): Promise<boolean> {
  return append(trx, { ...adjustment, kind: 'adjustment' });
}

/**
 * Holds back what `reference` may cost; again, with another amount or time, it replaces what was held. The organization's
 * next `reserve` waits until this transaction ends, so call it last.
 */
export async function reserve(
  trx: Trx,
  { organizationId, reference, amount, expiresAt }: Reservation,
): Promise<void> {
  requireAmount(amount);
  const available = await lockAvailable(trx, organizationId, reference);
  if (available < amount) {
    throw new ApiError(
      'usage_limit_exceeded_error',
      `This needs ${amount} credits and ${Math.max(0, available)} are available. Add credits, or wait until something that runs has ended.`,
    );
  }
  await hold(trx, { organizationId, reference, amount, expiresAt });
}

/** The same for who makes do with less: holds what there is of the amount. @returns how much that is; 0: nothing is held */
export async function reserveAtMost(trx: Trx, reservation: Reservation): Promise<number> {
  requireAmount(reservation.amount);
  const available = await lockAvailable(trx, reservation.organizationId, reservation.reference);
  const amount = Math.max(0, Math.min(reservation.amount, available));
  if (amount > 0) await hold(trx, { ...reservation, amount });
  return amount;
}

/** What can be held for the reference, with what is held for it already; nobody else holds anything until the end. */
async function lockAvailable(trx: Trx, organizationId: string, reference: string): Promise<number> {
  // A statement of its own: what the next one reads must be no older than the lock.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`credits ${organizationId}`}, 0))`.execute(trx);
  const { available, is_settled } = await readAvailable(trx, organizationId, reference);
  if (is_settled)
    throw new ApiError('conflict_error', 'This has been charged already; nothing more can be held for it.');
  return available;
}

async function hold(trx: Trx, { organizationId, reference, amount, expiresAt }: Reservation): Promise<void> {
  await trx
    .insertInto('credit_reservations')
    .values({ organization_id: organizationId, reference, amount, expires_at: expiresAt })
    .onConflict((held) =>
      held.columns(['organization_id', 'reference']).doUpdateSet({ amount, expires_at: expiresAt }),
    )
    .execute();
}

/** Charges what it cost and ends the reservation, which may be long gone. @returns false when it was settled before */
export async function settle(trx: Trx, { organizationId, reference, amount }: Settlement): Promise<boolean> {
  requireAmount(amount);
  const entry = { organizationId, reference, amount: -amount, actorId: null, note: null };
  const isFirst = await append(trx, { ...entry, kind: 'charge' });
  await release(trx, organizationId, reference);
  return isFirst;
}

export async function release(trx: Trx, organizationId: string, reference: string): Promise<void> {
  await trx
    .deleteFrom('credit_reservations')
    .where('organization_id', '=', organizationId)
    .where('reference', '=', reference)
    .execute();
}

/** The sum of the ledger, whatever is held back. One statement, so one snapshot: exact also while a fold runs. */
export async function balance(db: Db, organizationId: string): Promise<number> {
  const { rows } = await sql<{ balance: number }>`SELECT ${balanceOf(organizationId)} AS balance`.execute(db);
  return rows[0]?.balance ?? 0;
}

const balanceOf = (organizationId: string) => sql<number>`(
  coalesce((SELECT amount FROM credit_balances WHERE organization_id = ${organizationId}), 0)
  + coalesce((SELECT sum(amount) FROM credit_deltas WHERE organization_id = ${organizationId}), 0))`;

async function readAvailable(trx: Trx, organizationId: string, reference: string) {
  const { rows } = await sql<{ available: number; is_settled: boolean }>`
    SELECT ${balanceOf(organizationId)}
           - (SELECT coalesce(sum(amount), 0) FROM credit_reservations
               WHERE organization_id = ${organizationId} AND reference <> ${reference}
                 AND expires_at > statement_timestamp()) AS available,
           EXISTS (SELECT FROM credit_transactions
                    WHERE organization_id = ${organizationId} AND reference = ${reference}) AS is_settled
  `.execute(trx);
  return rows[0] ?? { available: 0, is_settled: false };
}

interface Entry extends Omit<Adjustment, 'actorId'> {
  readonly kind: 'adjustment' | 'charge';
  readonly actorId: string | null;
}

async function append(
  trx: Trx,
  { organizationId, reference, amount, kind, actorId, note }: Entry,
): Promise<boolean> {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is no amount of credits`);
  const { numAffectedRows } = await sql`
    WITH entry AS (
      INSERT INTO credit_transactions (organization_id, id, kind, reference, amount, actor_id, note)
      VALUES (${organizationId}, ${uuidv7()}, ${kind}, ${reference}, ${amount}, ${actorId}, ${note})
      ON CONFLICT (organization_id, reference) DO NOTHING
      RETURNING organization_id, id, amount)
    INSERT INTO credit_deltas (organization_id, id, amount)
    SELECT organization_id, id, amount FROM entry`.execute(trx);
  return numAffectedRows === 1n;
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`${amount} is no amount of credits`);
}

/**
 * Moves deltas into the balances, a batch per transaction; any number of processes may do so at once. One pass in the
 * order of the key, and only over what was there when it began: it ends, and no organization starves another.
 *
 * @returns how many were moved
 */
export async function foldCredits(db: Db, batch = 1_000): Promise<number> {
  const horizon = firstUuidAt(Date.now());
  let after = { organization_id: NIL, id: NIL };
  for (let moved = 0; ; ) {
    const last = await transaction(db, (trx) => foldBatch(trx, after, horizon, batch));
    moved += last?.count ?? 0;
    if (!last || last.count < batch) return moved;
    after = last;
  }
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** The key of its last delta, and how many there were. */
interface FoldedBatch {
  readonly organization_id: string;
  readonly id: string;
  readonly count: number;
}

async function foldBatch(
  trx: Trx,
  after: { organization_id: string; id: string },
  horizon: string,
  batch: number,
) {
  const { rows } = await sql<FoldedBatch>`
    WITH picked AS (
      SELECT organization_id, id FROM credit_deltas
       WHERE (organization_id, id) > (${after.organization_id}, ${after.id}) AND id < ${horizon}
       ORDER BY organization_id, id LIMIT ${batch} FOR UPDATE SKIP LOCKED
    ), moved AS (
      DELETE FROM credit_deltas AS d USING picked AS p
       WHERE d.organization_id = p.organization_id AND d.id = p.id
      RETURNING d.organization_id, d.id, d.amount
    ), folded AS (
      INSERT INTO credit_balances AS b (organization_id, amount)
      SELECT organization_id, sum(amount) FROM moved GROUP BY organization_id ORDER BY organization_id
      ON CONFLICT (organization_id) DO UPDATE SET amount = b.amount + excluded.amount
    )
    SELECT organization_id, id, count(*) OVER () AS count
      FROM moved ORDER BY organization_id DESC, id DESC LIMIT 1`.execute(trx);
  return rows[0];
}

/** Those that hold nothing any more, a batch per statement. @returns how many there were */
export async function forgetOldReservations(db: Db, batch = 1_000): Promise<number> {
  for (let forgotten = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      WITH old AS (
        SELECT organization_id, reference FROM credit_reservations
         WHERE expires_at <= statement_timestamp() LIMIT ${batch} FOR UPDATE SKIP LOCKED)
      DELETE FROM credit_reservations AS r USING old
       WHERE r.organization_id = old.organization_id AND r.reference = old.reference`.execute(db);
    forgotten += Number(numAffectedRows);
    if (numAffectedRows < batch) return forgotten;
  }
}
