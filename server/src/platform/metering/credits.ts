/**
 * Credits: an append-only ledger, and a balance that is exact at every moment. Reservations are in reservations.ts. Writers only append, so
 * none waits for another; reservations within an organization are serialized.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { recordSet } from '../db/record-set.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import { list } from '../db/value-list.ts';
import { firstUuidAt, uuidv7 } from '../uuid.ts';

export interface Adjustment {
  readonly organizationId: string;
  /** Unique in the organization, over adjustments and charges: a repeat counts once. */
  readonly reference: string;
  /** Positive adds, negative subtracts. */
  readonly amount: number;
  readonly actorId: string;
  readonly note: string | null;
}

/** The purpose of a charge or a reservation. */
export interface Reference {
  readonly organizationId: string;
  readonly reference: string;
}

export interface Settlement extends Reference {
  /** The actual cost, also if it exceeds the reservation. */
  readonly amount: number;
}

/** @returns false if the reference had been used before: nothing changed */
export async function adjust(trx: Trx, adjustment: Adjustment): Promise<boolean> {
  return append(trx, { ...adjustment, kind: 'adjustment' });
}

/**
 * Charges the cost and ends the reservation, which may have expired long ago.
 * @returns false if it was settled before
 */
export async function settle(trx: Trx, settlement: Settlement): Promise<boolean> {
  const [isFirst = false] = await settleAll(trx, [settlement]);
  return isFirst;
}

/** Settles many charges at once, of one organization or several. The first of two with the same reference counts. */
export async function settleAll(trx: Trx, settlements: readonly Settlement[]): Promise<boolean[]> {
  const parts = sql`${chargeParts(settlements)}, released AS (${reservationDelete(settlements)})`;
  return appendAll(trx, settlements.map(toCharge), parts);
}

/** The charges of `settleAll` for a WITH clause: a caller that stores rows of its own saves the round trips of a transaction. */
export const chargeParts = (settlements: readonly Settlement[]) => ledgerParts(settlements.map(toCharge));

function toCharge({ organizationId, reference, amount }: Settlement): Entry {
  requireAmount(amount);
  // Not -amount: PostgreSQL refuses -0 as an integer.
  return { organizationId, reference, amount: 0 - amount, kind: 'charge', actorId: null, note: null };
}

/** Ends a reservation without a charge. */
export const release = (trx: Trx, organizationId: string, reference: string) =>
  releaseAll(trx, [{ organizationId, reference }]);

/** Ends reservations without a charge. */
export async function releaseAll(trx: Trx, references: readonly Reference[]): Promise<void> {
  if (references.length > 0) await reservationDelete(references).execute(trx);
}

/** Deletes in the order of the keys, as reserving inserts, so that two transactions never deadlock. */
export function reservationDelete(references: readonly Reference[]): RawBuilder<unknown> {
  const sorted = references.toSorted(byKey);
  const organizations = sorted.map(({ organizationId }) => organizationId);
  const names = sorted.map(({ reference }) => reference);
  return sql`
    DELETE FROM credit_reservations AS r
     USING (
       SELECT h.organization_id, h.reference
         FROM unnest(${list(organizations, 'uuid')}, ${list(names, 'text')}) AS g (organization_id, reference)
        CROSS JOIN LATERAL (
          SELECT h.organization_id, h.reference FROM credit_reservations AS h
           WHERE h.organization_id = g.organization_id AND h.reference = g.reference
             FOR UPDATE
        ) AS h
     ) AS s
     WHERE r.organization_id = s.organization_id AND r.reference = s.reference`;
}

/** Returns the sum of the ledger, regardless of reservations. It is one statement and so one snapshot: exact also while a fold runs. */
export async function balance(db: Db, organizationId: string): Promise<number> {
  const { rows } = await sql<{
    balance: number;
  }>`SELECT ${balanceOf(sql.val(organizationId))} AS balance`.execute(db);
  return rows[0]?.balance ?? 0;
}

export const balanceOf = (organizationId: RawBuilder<unknown>) => sql<number>`(
  coalesce((SELECT b.amount FROM credit_balances AS b WHERE b.organization_id = ${organizationId}), 0)
  + coalesce((SELECT sum(d.amount) FROM credit_deltas AS d WHERE d.organization_id = ${organizationId}), 0))`;

interface Entry extends Omit<Adjustment, 'actorId'> {
  readonly kind: 'adjustment' | 'charge';
  readonly actorId: string | null;
}

async function append(trx: Trx, entry: Entry): Promise<boolean> {
  const [isFirst = false] = await appendAll(trx, [entry]);
  return isFirst;
}

/** @param parts parts of a WITH clause that append the entries */
async function appendAll(
  trx: Trx,
  entries: readonly Entry[],
  parts: RawBuilder<unknown> = ledgerParts(entries),
): Promise<boolean[]> {
  const { rows } = await sql<{ organization_id: string; reference: string }>`
    WITH ${parts}
    SELECT organization_id, reference FROM ledger_entries`.execute(trx);
  const appended = new Set(rows.map((row) => keyOf(row.organization_id, row.reference)));
  return entries.map(({ organizationId, reference }) => appended.delete(keyOf(organizationId, reference)));
}

/** Inserts in the order of the keys: two batches that share references may wait for each other, but never deadlock. */
const ledgerParts = (entries: readonly Entry[]) => sql`
  ledger_entries AS (
    INSERT INTO credit_transactions (${ENTRIES.names}) ${ENTRIES.select(entries.toSorted(byKey).map(toRow))}
    ON CONFLICT (organization_id, reference) DO NOTHING
    RETURNING organization_id, id, reference, amount
  ),
  ledger_deltas AS (
    INSERT INTO credit_deltas (organization_id, id, amount)
    SELECT organization_id, (array_agg(id))[1], sum(amount) FROM ledger_entries GROUP BY organization_id
  )`;

const ENTRIES = recordSet({
  organization_id: 'uuid',
  id: 'uuid',
  kind: 'text',
  reference: 'text',
  amount: 'bigint',
  actor_id: 'uuid',
  note: 'text',
});

function toRow({ organizationId, kind, reference, amount, actorId, note }: Entry) {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is not an amount of credits`);
  return { organization_id: organizationId, id: uuidv7(), kind, reference, amount, actor_id: actorId, note };
}

const keyOf = (organizationId: string, reference: string) => `${organizationId} ${reference}`;

export const byKey = (a: Reference, b: Reference) =>
  compare(keyOf(a.organizationId, a.reference), keyOf(b.organizationId, b.reference));

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

export function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`${amount} is not an amount of credits`);
}

/**
 * Moves deltas into the balances, one batch per transaction; any number of processes may do so at once. It makes one pass in the order of
 * the key, and only over what was there when it began: it ends, and no organization starves another.
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

/** The key of the batch's last delta, and the number of deltas. */
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
