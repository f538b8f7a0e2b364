/** Days of span partitions, in UTC, written as `2026-11-15`. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';

export type Day = string;

export const DAY_MS = 24 * 3_600_000;

export const dayOf = (time: Date): Day => time.toISOString().slice(0, 10);

export const plusDays = (day: Day, days: number): Day =>
  dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS));

/** Start of the day in a format that does not depend on connection settings. */
export const startOf = (day: Day): string => `${day} 00:00:00+00`;

export const partitionOf = (day: Day): string => `spans_${day.replaceAll('-', '')}`;

/** @returns undefined for a partition that does not belong to a day */
export function findDay(partition: string): Day | undefined {
  const found = /^spans_(\d{4})(\d\d)(\d\d)$/.exec(partition);
  return found ? `${found[1]}-${found[2]}-${found[3]}` : undefined;
}

/** First day that is kept completely: all days before it ended more than this many days ago. */
export const firstKeptDay = (now: Date, retentionDays: number): Day =>
  dayOf(new Date(now.getTime() - retentionDays * DAY_MS));

/** Returns the current time; tests can move it. */
export type Clock = (db: Db) => Date | Promise<Date>;

/** Time of the database, which also sets when spans were received: a process with a wrong clock must not drop data. */
export const databaseClock: Clock = async (db) => {
  const { rows } = await sql<{ now: string }>`SELECT now() AS now`.execute(db);
  return new Date(rows[0]?.now ?? Number.NaN);
};
