/** Finds the days with so many spans in the default partition that they should have one of their own. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Day, dayOf, firstKeptDay, plusDays, startOf } from './days.ts';

/** Minimum number of spans for a partition: fewer are as cheap to delete one by one, and every partition slows down all readers. */
const EARNED_SPANS = 1_000;
/** Maximum age of a new partition, whatever the retention: late spans must not create thousands of partitions. */
const MAX_DAYS_AGO = 400;

/** Maximum number of spans to move: more would exceed the timeout, so they stay in the default partition and expire one by one. */
const MAX_MOVED = 300_000;

/** @param most lowered in tests */
export async function hasTooMany(db: Db, day: Day, most = MAX_MOVED): Promise<boolean> {
  const { rows } = await sql`
    SELECT /* of every organization */ FROM spans_default_near AS s
     WHERE s.start_time >= ${startOf(day)}::timestamptz AND s.start_time < ${startOf(plusDays(day, 1))}::timestamptz
     OFFSET ${most} LIMIT 1`.execute(db);
  return rows.length > 0;
}

/**
 * Jumps from day to day in the index, whatever lies between them.
 * @param longestDays the longest retention of any organization
 */
export async function findEarnedDays(db: Db, longestDays: number, now: Date): Promise<Day[]> {
  const from = sql`${startOf(firstKeptDay(now, Math.min(longestDays, MAX_DAYS_AGO)))}::timestamptz`;
  const to = sql`${startOf(plusDays(dayOf(now), 1))}::timestamptz`;
  const { rows } = await sql<{ day: string }>`
    WITH RECURSIVE seen AS (
      (SELECT s.start_time AS first FROM spans_default_near AS s WHERE s.start_time >= ${from} AND s.start_time < ${to}
        ORDER BY s.start_time LIMIT 1)
      UNION ALL
      SELECT (SELECT s.start_time FROM spans_default_near AS s
               WHERE s.start_time >= date_trunc('day', seen.first, 'UTC') + interval '24 hours' AND s.start_time < ${to}
               ORDER BY s.start_time LIMIT 1)
        FROM seen WHERE seen.first IS NOT NULL
    )
    SELECT /* of every organization */ to_char(seen.first AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM seen
     WHERE (SELECT count(*) FROM (
              SELECT FROM spans_default_near AS s
               WHERE s.start_time >= seen.first AND s.start_time < date_trunc('day', seen.first, 'UTC') + interval '24 hours'
               LIMIT ${EARNED_SPANS}) AS counted) = ${EARNED_SPANS}
     ORDER BY seen.first DESC`.execute(db);
  return rows.map(({ day }) => day);
}
