/** Days, as partitions of spans have them: of UTC, written `2026-11-15`. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';

export type Day = string;

export const DAY_MS = 24 * 3_600_000;

export const dayOf = (time: Date): Day => time.toISOString().slice(0, 10);

export const plusDays = (day: Day, days: number): Day =>
  dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS));

/** When it begins, in words that no setting of a connection changes. */
export const startOf = (day: Day): string => `${day} 00:00:00+00`;

export const partitionOf = (day: Day): string => `spans_${day.replaceAll('-', '')}`;

/** @returns undefined for what is no day's */
export function findDay(partition: string): Day | undefined {
  const found = /^spans_(\d{4})(\d\d)(\d\d)$/.exec(partition);
  return found ? `${found[1]}-${found[2]}-${found[3]}` : undefined;
}

/** The first day that is kept whole: all before it ended more than so many days ago. */
export const firstKeptDay = (now: Date, retentionDays: number): Day =>
  dayOf(new Date(now.getTime() - retentionDays * DAY_MS));

/** Movable in tests. */
export type Clock = (db: Db) => Date | Promise<Date>;

/** That of the database, which says when spans were received: a process whose own is wrong must not drop what others keep. */
export const databaseClock: Clock = async (db) => {
  const { rows } = await sql<{ now: string }>`SELECT now() AS now`.execute(db);
  return new Date(rows[0]?.now ?? Number.NaN);
};
