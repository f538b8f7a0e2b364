/**
 * What is held back of credits for what runs, so that it is paid for whatever it comes to. Settling it, in credits.ts, ends it.
 *
 * Who reserves takes turns within the organization, until the transaction ends: so reserve last.
 */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import { list } from '../db/value-list.ts';
import { ApiError } from '../errors.ts';
import { balanceOf, byKey, type Reference, requireAmount } from './credits.ts';

export interface Reservation extends Reference {
  readonly amount: number;
  /** From then on it holds nothing, so that one whose maker died is not held for ever. */
  readonly expiresAt: string;
}

/**
 * Holds back what `reference` may cost; again, with another amount or time, it replaces what was held. The organization's
 * next `reserve` waits until this transaction ends, so call it last.
 */
export async function reserve(trx: Trx, reservation: Reservation): Promise<void> {
  const [refusal] = await reserveAll(trx, [reservation]);
  if (refusal) throw refusal;
}

/**
 * Many at once, of one organization or several, as if one after the other: those that come first are held first.
 *
 * @returns of each why it is not held; undefined for what is
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

/** The same for who makes do with less: holds what there is of the amount. @returns how much that is; 0: nothing is held */
export async function reserveAtMost(trx: Trx, reservation: Reservation): Promise<number> {
  const { organizationId, reference } = reservation;
  requireAmount(reservation.amount);
  const book = bookOf(await lockBooks(trx, [reservation]), organizationId);
  if (book.settled.has(reference)) throw alreadySettled();
  const amount = Math.max(0, Math.min(reservation.amount, availableFor(book, reference)));
  if (amount > 0) await holdAll(trx, [{ ...reservation, amount }]);
  return amount;
}

/** What there is for the reference. Nobody else holds anything of the organization until the transaction ends. */
export async function lockAvailable(trx: Trx, reference: Reference): Promise<number> {
  const book = bookOf(await lockBooks(trx, [reference]), reference.organizationId);
  return availableFor(book, reference.reference);
}

const alreadySettled = () =>
  new ApiError('conflict_error', 'This has been charged already; nothing more can be held for it.');

const tooLittle = (amount: number, available: number) =>
  new ApiError(
    'usage_limit_exceeded_error',
    `This needs ${amount} credits and ${Math.max(0, available)} are available. Add credits, or wait until something that runs has ended.`,
  );

/** What can be held of an organization's credits, and what is for the references that are asked for. */
interface Book {
  readonly now: string;
  readonly balance: number;
  /** For other references. */
  readonly heldElsewhere: number;
  readonly held: Map<string, number>;
  readonly settled: ReadonlySet<string>;
}

/** With what is held for the reference already. */
function availableFor({ balance, heldElsewhere, held }: Book, reference: string): number {
  let available = balance - heldElsewhere;
  for (const [other, amount] of held) if (other !== reference) available -= amount;
  return available;
}

function bookOf(books: ReadonlyMap<string, Book>, organizationId: string): Book {
  const book = books.get(organizationId);
  if (!book) throw new Error('every organization that is asked for has a book');
  return book;
}

/** Nobody else holds anything of these organizations until the end. */
async function lockBooks(trx: Trx, asked: readonly Reference[]): Promise<Map<string, Book>> {
  const ids = [...new Set(asked.map(({ organizationId }) => organizationId))];
  // A statement of its own: what the next one reads must be no older than the locks. In their order, so that no two wait in a circle.
  await sql`
    SELECT pg_advisory_xact_lock(key) FROM (
      SELECT DISTINCT hashtextextended('credits ' || id, 0) AS key FROM unnest(${ids}::text[]) AS id ORDER BY key
    ) AS locks`.execute(trx);
  const organizations = asked.map(({ organizationId }) => organizationId);
  const references = asked.map(({ reference }) => reference);
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
    ) AS asked (organization_id, reference, amount, expires_at)
    ON CONFLICT (organization_id, reference)
    DO UPDATE SET amount = excluded.amount, expires_at = excluded.expires_at`.execute(trx);
}

/** Holds on to what is held still; what is released meanwhile stays so. In the order of their keys, as they are removed. */
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
