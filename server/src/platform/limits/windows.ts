/** Counts the requests of a subject in PostgreSQL, by its clock, for all processes together. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { deleteInBatches } from '../db/delete-in-batches.ts';

/** A minute, in steps: what was used in a step counts until six more have begun. */
const STEPS = 6;
const STEP_SECONDS = 10;

/** At most this fraction of the remaining requests is reserved ahead of need, so that the last ones are not stranded in one process. */
const SHARE_AHEAD = 8;

/** The request rate of an account: reads, writes and bulk ingest are counted separately. */
export type RateClass = 'read' | 'write' | 'ingest';

export interface Counter {
  readonly subject: string;
  readonly class: RateClass;
}

export interface Demand {
  readonly limit: number;
  /** Number of waiting requests. */
  readonly needed: number;
  /** Number of requests including those reserved ahead. */
  readonly wanted: number;
}

export interface Window {
  /** Requests used in each of the last steps, the newest last. */
  readonly used: readonly number[];
  /** Seconds since the newest step began. */
  readonly elapsed: number;
}

export interface Taken extends Window {
  readonly granted: number;
}

/** Steps begin with the subject's first request after a minute without requests. */
export async function takeRequests(db: Db, counter: Counter, demand: Demand): Promise<Taken> {
  const { limit, needed, wanted } = demand;
  const first = Math.min(limit, Math.max(needed, Math.min(wanted, Math.floor(limit / SHARE_AHEAD))));
  const { rows } = await sql<Taken>`
    INSERT INTO rate_limits AS r (subject, class, step_started_at, used, granted)
    VALUES (${counter.subject}, ${counter.class}, now(), ARRAY[0, 0, 0, 0, 0, ${first}::integer], ${first})
    ON CONFLICT (subject, class) DO UPDATE SET (step_started_at, used, granted) = (
      SELECT s.started_at, s.used[1:5] || (s.used[6] + g.granted), g.granted
        FROM (
               SELECT floor(greatest(0, extract(epoch FROM now() - r.step_started_at)) / ${STEP_SECONDS})::integer AS passed
             ) p,
             LATERAL (
               SELECT r.step_started_at + make_interval(secs => p.passed * ${STEP_SECONDS}) AS started_at,
                      r.used[p.passed + 1 : ${STEPS}] || array_fill(0, ARRAY[p.passed]) AS used
                WHERE p.passed < ${STEPS}
               UNION ALL
               SELECT now(), array_fill(0, ARRAY[${STEPS}::integer]) WHERE p.passed >= ${STEPS}
             ) s,
             LATERAL (
               SELECT ${limit} - sum(step) AS remaining FROM unnest(s.used) AS step
             ) l,
             LATERAL (
               SELECT greatest(0, least(l.remaining,
                        greatest(${needed}, least(${wanted}, l.remaining / ${SHARE_AHEAD}))))::integer AS granted
             ) g
    )
    RETURNING r.granted, r.used, greatest(0, extract(epoch FROM now() - r.step_started_at)) AS elapsed
  `.execute(db);
  const [taken] = rows;
  if (!taken) throw new Error('the upsert answered no row');
  return taken;
}

export function remainingOf({ used }: Window, limit: number): number {
  return Math.max(0, limit - used.reduce((sum, step) => sum + step, 0));
}

/** Seconds until one more request is allowed, when nothing remains and no other request arrives in between. */
export function secondsUntilMore(window: Window, limit: number): number {
  let used = window.used.reduce((sum, step) => sum + step, 0);
  const enough = window.used.findIndex((step) => {
    used -= step;
    return used < limit;
  });
  return secondsUntilForgotten(window, enough);
}

/** Seconds until the full limit is available again. */
export function secondsUntilAll(window: Window): number {
  return secondsUntilForgotten(
    window,
    window.used.findLastIndex((step) => step > 0),
  );
}

/** Seconds until the step at this place and those before it no longer count. */
const secondsUntilForgotten = ({ elapsed }: Window, place: number) =>
  Math.max(0, (place + 1) * STEP_SECONDS - elapsed);

export interface Unspent extends Counter {
  readonly count: number;
}

/**
 * Subtracts from the newest step, and the rest from the one before: no lease is older than that. Rows are locked in order, since several
 * processes do this at the same time.
 */
export async function giveBack(db: Db, unspent: readonly Unspent[]): Promise<void> {
  await sql`
    WITH returned AS (
      SELECT subject, class, sum(count)::integer AS count FROM unnest(
        ${unspent.map(({ subject }) => subject)}::text[],
        ${unspent.map((item) => item.class)}::text[],
        ${unspent.map(({ count }) => count)}::integer[]
      ) AS t (subject, class, count)
      GROUP BY subject, class
    ), locked AS (
      SELECT r.subject, r.class, t.count
        FROM rate_limits r JOIN returned t USING (subject, class)
       ORDER BY r.subject, r.class
         FOR UPDATE OF r
    )
    UPDATE rate_limits r
       SET used = r.used[1:4]
                  || greatest(0, r.used[5] - greatest(0, l.count - r.used[6]))
                  || greatest(0, r.used[6] - l.count)
      FROM locked l
     WHERE r.subject = l.subject AND r.class = l.class
  `.execute(db);
}

/** Removes counters that have been unused long enough to allow the full limit again. */
export function forgetOldWindows(db: Db): Promise<number> {
  return deleteInBatches((size) =>
    sql`
      DELETE FROM rate_limits WHERE (subject, class) IN (
        SELECT subject, class FROM rate_limits
         WHERE step_started_at < now() - make_interval(secs => ${3 * STEPS * STEP_SECONDS})
         LIMIT ${size} FOR UPDATE SKIP LOCKED)
    `.execute(db),
  );
}
