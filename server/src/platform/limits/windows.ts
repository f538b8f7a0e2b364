/** How many requests a subject has used, counted in PostgreSQL by its clock, for all processes together. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { deleteInBatches } from '../db/delete-in-batches.ts';

const WINDOW_SECONDS = 60;

/** Of what remains, at most this part is taken ahead of need, so that the last ones are not stranded in one process. */
const SHARE_AHEAD = 8;

/** How often an account may ask: reading, changing, and sending in bulk are counted apart. */
export type RateClass = 'read' | 'write' | 'ingest';

export interface Counter {
  readonly subject: string;
  readonly class: RateClass;
}

export interface Demand {
  readonly limit: number;
  /** Requests that wait. */
  readonly needed: number;
  /** With what is taken ahead. */
  readonly wanted: number;
}

/** The state of a window; seconds are since it began. */
export interface Window {
  readonly used: number;
  readonly used_before: number;
  readonly elapsed: number;
}

export interface Taken extends Window {
  readonly granted: number;
  readonly window_started_at: string;
}

/**
 * A sliding count: the window before this one counts for the part of it that still lies within the last minute. It is
 * taken as spread evenly. Windows begin with the subject's first request.
 */
export async function takeRequests(db: Db, counter: Counter, demand: Demand): Promise<Taken> {
  const { limit, needed, wanted } = demand;
  const first = Math.min(limit, Math.max(needed, Math.min(wanted, Math.floor(limit / SHARE_AHEAD))));
  const { rows } = await sql<Taken>`
    INSERT INTO rate_limits AS r (subject, class, window_started_at, used, used_before, granted)
    VALUES (${counter.subject}, ${counter.class}, now(), ${first}, 0, ${first})
    ON CONFLICT (subject, class) DO UPDATE SET (window_started_at, used, used_before, granted) = (
      SELECT w.started_at, w.used + g.granted, w.used_before, g.granted
        FROM (SELECT greatest(0, extract(epoch FROM now() - r.window_started_at)) AS age) a,
             LATERAL (
               SELECT r.window_started_at AS started_at, r.used, r.used_before, age AS elapsed
                WHERE age < ${WINDOW_SECONDS}
               UNION ALL
               SELECT r.window_started_at + make_interval(secs => ${WINDOW_SECONDS}), 0, r.used, age - ${WINDOW_SECONDS}
                WHERE age >= ${WINDOW_SECONDS} AND age < 2 * ${WINDOW_SECONDS}
               UNION ALL
               SELECT now(), 0, 0, 0 WHERE age >= 2 * ${WINDOW_SECONDS}
             ) w,
             LATERAL (
               SELECT ${limit} - floor(w.used_before * (1 - w.elapsed / ${WINDOW_SECONDS})) - w.used AS remaining
             ) l,
             LATERAL (
               SELECT greatest(0, least(l.remaining,
                        greatest(${needed}, least(${wanted}, floor(l.remaining / ${SHARE_AHEAD})))))::integer AS granted
             ) g
    )
    RETURNING r.granted, r.used, r.used_before, r.window_started_at,
              greatest(0, extract(epoch FROM now() - r.window_started_at)) AS elapsed
  `.execute(db);
  const [taken] = rows;
  if (!taken) throw new Error('the upsert answered no row');
  return taken;
}

export function remainingOf({ used, used_before, elapsed }: Window, limit: number): number {
  const counted = Math.floor(used_before * (1 - elapsed / WINDOW_SECONDS));
  return Math.max(0, limit - counted - used);
}

/** Until one more is allowed, when nothing remains and nobody asks in between. */
export function secondsUntilMore({ used, used_before, elapsed }: Window, limit: number): number {
  if (used < limit) return Math.max(0, WINDOW_SECONDS * (1 - (limit - used) / used_before) - elapsed);
  return WINDOW_SECONDS - elapsed + WINDOW_SECONDS * (1 - limit / used);
}

export function secondsUntilNextWindow({ elapsed }: Window): number {
  return Math.max(0, WINDOW_SECONDS - elapsed);
}

export interface Unspent extends Counter {
  readonly count: number;
  /** The window that they were taken from. */
  readonly window_started_at: string;
}

/** Locked in order, since several processes do this at the same time. */
export async function giveBack(db: Db, unspent: readonly Unspent[]): Promise<void> {
  await sql`
    WITH returned AS (
      SELECT subject, class, count, started_at FROM unnest(
        ${unspent.map(({ subject }) => subject)}::text[],
        ${unspent.map((item) => item.class)}::text[],
        ${unspent.map(({ count }) => count)}::integer[],
        ${unspent.map(({ window_started_at }) => window_started_at)}::timestamptz[]
      ) AS t (subject, class, count, started_at)
    ), locked AS (
      SELECT r.subject, r.class, t.count, t.started_at
        FROM rate_limits r JOIN returned t USING (subject, class)
       ORDER BY r.subject, r.class
         FOR UPDATE OF r
    )
    UPDATE rate_limits r
       SET used = r.used - CASE WHEN r.window_started_at = l.started_at THEN l.count ELSE 0 END,
           used_before = r.used_before - CASE
             WHEN r.window_started_at = l.started_at + make_interval(secs => ${WINDOW_SECONDS}) THEN l.count ELSE 0 END
      FROM locked l
     WHERE r.subject = l.subject AND r.class = l.class
  `.execute(db);
}

/** Removes counters that nobody has used for so long that they allow everything. */
export function forgetOldWindows(db: Db): Promise<number> {
  return deleteInBatches((size) =>
    sql`
      DELETE FROM rate_limits WHERE (subject, class) IN (
        SELECT subject, class FROM rate_limits
         WHERE window_started_at < now() - make_interval(secs => ${3 * WINDOW_SECONDS})
         LIMIT ${size} FOR UPDATE SKIP LOCKED)
    `.execute(db),
  );
}
