/**
 * Reservations hold back credits for running work, so that its cost is covered. Settling (in credits.ts) ends a reservation. Reservations
 * within an organization are serialized until the transaction ends, so a transaction should reserve last.
 */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import { list } from '../db/value-list.ts';
import { ApiError } from '../errors.ts';
import { balanceOf, byKey, type Reference, requireAmount } from './credits.ts';

export interface Reservation extends Reference {
  readonly amount: number;
  /** After this time the reservation holds nothing, so that a dead owner does not block credits for ever. */
  readonly expiresAt: string;
}

/**
 * Reserves what `reference` may cost; a second call with another amount or time replaces the first. The organization's next `reserve` waits
 * until this transaction ends, so call it last.
 */
export async function reserve(trx: Trx, reservation: Reservation): Promise<void> {
  const [refusal] = await reserveAll(trx, [reservation]);
  if (refusal) throw refusal;
}

/**
 * Reserves for many references at once, of one organization or several, in the given order.
 * @returns for each reference the refusal; undefined if it is reserved
 */
export async function reserveAll(
  trx: Trx,
  reservations: readonly Reservation[],
): Promise<(ApiError | undefined)[]> {
  for (const { amount } of reservations) requireAmount(amount);
  const books = await lockBooks(trx, reservations);
  const held = new Map<string, Reservation>();
  const refusals = reservations.map((reservation) => {
    const { organizationId, reference, amount } = reservation;
    const book = bookOf(books, organizationId);
    if (book.settled.has(reference)) return alreadySettled();
    const available = availableFor(book, reference);
    if (available < amount) return tooLittle(amount, available);
    book.held.set(reference, reservation.expiresAt > book.now ? amount : 0);
    held.set(`${organizationId} ${reference}`, reservation);
    return undefined;
  });
  await holdAll(trx, [...held.values()]);
  return refusals;
}

/**
 * Reserves as much of the amount as is available.
 * @returns the reserved amount; 0: nothing is reserved
 */
export async function reserveAtMost(trx: Trx, reservation: Reservation): Promise<number> {
  const { organizationId, reference } = reservation;
  requireAmount(reservation.amount);
  const book = bookOf(await lockBooks(trx, [reservation]), organizationId);
  if (book.settled.has(reference)) throw alreadySettled();
  const amount = Math.max(0, Math.min(reservation.amount, availableFor(book, reference)));
  if (amount > 0) await holdAll(trx, [{ ...reservation, amount }]);
  return amount;
}

/** Returns the credits available to the reference. Other reservations in the organization wait until the transaction ends. */
export async function lockAvailable(trx: Trx, reference: Reference): Promise<number> {
  const book = bookOf(await lockBooks(trx, [reference]), reference.organizationId);
  return availableFor(book, reference.reference);
}

const alreadySettled = () =>
  new ApiError('conflict_error', 'This has been charged already; nothing more can be held for it.');

const tooLittle = (amount: number, available: number) =>
  new ApiError(
    'usage_limit_exceeded_error',
    `This needs ${amount} credits and ${Math.max(0, available)} are available. Add credits, or wait until running work has ended.`,
  );

/** An organization's balance and its reservations, in total and for the requested references. */
interface Book {
  readonly now: string;
  readonly balance: number;
  /** Credits reserved for other references. */
  readonly heldElsewhere: number;
  readonly held: Map<string, number>;
  readonly settled: ReadonlySet<string>;
}

/** Includes what is already reserved for the reference. */
function availableFor({ balance, heldElsewhere, held }: Book, reference: string): number {
  let available = balance - heldElsewhere;
  for (const [other, amount] of held) if (other !== reference) available -= amount;
  return available;
}

function bookOf(books: ReadonlyMap<string, Book>, organizationId: string): Book {
  const book = books.get(organizationId);
  if (!book) throw new Error('every requested organization has a book');
  return book;
}

/** Excludes other reservations of these organizations until the transaction ends. */
async function lockBooks(trx: Trx, requested: readonly Reference[]): Promise<Map<string, Book>> {
  const ids = [...new Set(requested.map(({ organizationId }) => organizationId))];
  // A separate statement: the next one must not read from a snapshot older than the locks. Rows are locked in a fixed order to avoid
  // deadlocks.
  await sql`
    SELECT pg_advisory_xact_lock(key) FROM (
      SELECT DISTINCT hashtextextended('credits ' || id, 0) AS key FROM unnest(${ids}::text[]) AS id ORDER BY key
    ) AS locks`.execute(trx);
  const organizations = requested.map(({ organizationId }) => organizationId);
  const references = requested.map(({ reference }) => reference);
  const { rows } = await sql<BookRow>`
    SELECT o.id, statement_timestamp() AS now, ${balanceOf(sql`o.id`)} AS balance,
           (SELECT coalesce(sum(r.amount), 0) FROM credit_reservations AS r
             WHERE r.organization_id = o.id AND r.expires_at > statement_timestamp()) AS held,
           a.references, a.amounts, a.settled
      FROM unnest(${list(ids, 'uuid')}) AS o (id)
     CROSS JOIN LATERAL (
       SELECT array_agg(g.reference) FILTER (WHERE held.amount IS NOT NULL) AS references,
              array_agg(held.amount) FILTER (WHERE held.amount IS NOT NULL) AS amounts,
              array_agg(g.reference) FILTER (WHERE entry.is_there) AS settled
         FROM (SELECT DISTINCT organization_id, reference
                 FROM unnest(${list(organizations, 'uuid')}, ${list(references, 'text')}) AS g (organization_id, reference)
                WHERE g.organization_id = o.id) AS g
         LEFT JOIN LATERAL (
           SELECT r.amount FROM credit_reservations AS r
            WHERE r.organization_id = g.organization_id AND r.reference = g.reference
              AND r.expires_at > statement_timestamp() OFFSET 0) AS held ON true
         LEFT JOIN LATERAL (
           SELECT true AS is_there FROM credit_transactions AS t
            WHERE t.organization_id = g.organization_id AND t.reference = g.reference OFFSET 0) AS entry ON true
     ) AS a`.execute(trx);
  return new Map(rows.map((row) => [row.id, toBook(row)]));
}

interface BookRow {
  readonly id: string;
  readonly now: string;
  readonly balance: number;
  readonly held: number;
  readonly references: string[] | null;
  readonly amounts: number[] | null;
  readonly settled: string[] | null;
}

function toBook({ now, balance, held, references, amounts, settled }: BookRow): Book {
  const own = new Map((references ?? []).map((reference, index) => [reference, amounts?.[index] ?? 0]));
  const heldElsewhere = held - [...own.values()].reduce((sum, amount) => sum + amount, 0);
  return { now, balance, heldElsewhere, held: own, settled: new Set(settled) };
}

async function holdAll(trx: Trx, reservations: readonly Reservation[]): Promise<void> {
  if (reservations.length === 0) return;
  const sorted = reservations.toSorted(byKey);
  await sql`
    INSERT INTO credit_reservations (organization_id, reference, amount, expires_at)
    SELECT organization_id, reference, amount, expires_at FROM unnest(
      ${list(
        sorted.map(({ organizationId }) => organizationId),
        'uuid',
      )},
      ${list(
        sorted.map(({ reference }) => reference),
        'text',
      )},
      ${list(
        sorted.map(({ amount }) => amount),
        'bigint',
      )},
      ${list(
        sorted.map(({ expiresAt }) => expiresAt),
        'timestamptz',
      )}
    ) AS requested (organization_id, reference, amount, expires_at)
    ON CONFLICT (organization_id, reference)
    DO UPDATE SET amount = excluded.amount, expires_at = excluded.expires_at`.execute(trx);
}

/**
 * Renews reservations that still exist; those released in between stay released. Rows are locked in the order of their keys, as in their
 * removal.
 */
export async function renewAll(db: Db, references: readonly Reference[], expiresAt: string): Promise<void> {
  const sorted = references.toSorted(byKey);
  const organizations = sorted.map(({ organizationId }) => organizationId);
  const names = sorted.map(({ reference }) => reference);
  await sql`
    UPDATE credit_reservations AS r SET expires_at = ${expiresAt}
      FROM (
        SELECT h.organization_id, h.reference
          FROM unnest(${list(organizations, 'uuid')}, ${list(names, 'text')}) AS g (organization_id, reference)
         CROSS JOIN LATERAL (
           SELECT h.organization_id, h.reference FROM credit_reservations AS h
            WHERE h.organization_id = g.organization_id AND h.reference = g.reference
              FOR UPDATE
         ) AS h
      ) AS s
     WHERE r.organization_id = s.organization_id AND r.reference = s.reference`.execute(db);
}

/**
 * Deletes expired reservations, one batch per statement.
 * @returns how many were deleted
 */
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
