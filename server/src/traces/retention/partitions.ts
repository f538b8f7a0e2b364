/** Partitions of spans by day: created together with their existing spans, and dropped. */
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { type Day, databaseClock, dayOf, findDay, partitionOf, plusDays, startOf } from './days.ts';

/** Days created ahead, so that a process that was offline for less time still finds a partition to write to. */
const DAYS_AHEAD = 7;
/** Advisory lock that serializes partition changes over all processes. */
const LOCK = 0x7370_616e; // "span"
/** Timeout for table locks. Statements queue behind a waiting lock, so it is given up soon and tried again. */
const LOCK_TIMEOUT_MS = 500;
/** Timeout for moving spans, during which readers and writers of the default partition wait. */
const MOVE_TIMEOUT_MS = 20_000;

const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const DEADLOCK_DETECTED = '40P01';

export interface Partitions {
  readonly days: readonly Day[];
  /** Detached and not yet dropped. */
  readonly expired: readonly Day[];
}

export async function readPartitions(db: Db): Promise<Partitions> {
  const { rows } = await sql<{ name: string; is_expired: boolean }>`
    SELECT c.relname AS name, false AS is_expired
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'public.spans'::regclass
    UNION ALL
    SELECT c.relname, true FROM pg_class AS c WHERE c.relnamespace = 'expired_spans'::regnamespace AND c.relkind = 'r'
    ORDER BY name`.execute(db);
  const daysOf = (isExpired: boolean) =>
    rows
      .filter(({ is_expired }) => is_expired === isExpired)
      .map(({ name }) => findDay(name))
      .filter((day) => day !== undefined);
  return { days: daysOf(false), expired: daysOf(true) };
}

/** Returns the missing partitions among yesterday, since spans may be sent after midnight, and the days to come. */
export function findMissing(days: readonly Day[], now: Date): Day[] {
  const ahead = Array.from({ length: DAYS_AHEAD + 2 }, (_, n) => plusDays(dayOf(now), n - 1));
  return ahead.filter((day) => !days.includes(day));
}

/** Runs at the start of a process. A clean-up creates the days that fail here; until then their spans go to the default partition. */
export async function makeDaysAhead(db: Db): Promise<number> {
  const { days } = await readPartitions(db);
  let made = 0;
  for (const day of findMissing(days, await databaseClock(db)))
    if ((await makeDay(db, day)) === 'made') made++;
  return made;
}

/**
 * Creates the days that a backup contains.
 * @param names of partitions; names that do not belong to a day are ignored
 */
export async function makeDays(db: Db, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const day = findDay(name);
    if (day) await makeDay(db, day);
  }
}

/** @returns `busy` when a table lock timed out, `too_long` when there was too much to scan or move */
export async function makeDay(db: Db, day: Day): Promise<'made' | 'there' | 'busy' | 'too_long'> {
  return giveUpSoon(() =>
    transaction(db, async (trx) => {
      await limitWaiting(trx);
      const { days } = await readPartitions(trx);
      if (days.includes(day)) return 'there';
      await createWithSpans(trx, day);
      return 'made';
    }),
  );
}

/**
 * Writers of other days do not wait, and the table is invisible until it is complete. Writers of spans in the default partition wait until
 * spans are moved (some seconds for a hundred thousand); readers of it wait while PostgreSQL scans the rest (a quarter of a second).
 */
async function createWithSpans(trx: Trx, day: Day): Promise<void> {
  const table = sql.table(partitionOf(day));
  const [from, to] = [sql.lit(startOf(day)), sql.lit(startOf(plusDays(day, 1)))];
  const check = sql.ref(`${partitionOf(day)}_check`);
  const columns = sql.join((await readColumns(trx)).map((name) => sql.ref(name)));
  // The check constraint saves a second scan of the new table.
  await sql`
    CREATE TABLE ${table} (LIKE spans INCLUDING ALL,
      CONSTRAINT ${check} CHECK (start_time >= ${from} AND start_time < ${to}))
    WITH (${sql.raw(await readStorageOptions(trx))})`.execute(trx);
  await sql`LOCK TABLE spans IN SHARE UPDATE EXCLUSIVE MODE`.execute(trx);
  await sql`LOCK TABLE spans_default IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
  // The moved spans are now kept until their day expires, and so are their sources.
  await sql`
    WITH moved AS (
      DELETE /* of every organization */ FROM spans_default
       WHERE start_time >= ${from}::timestamptz AND start_time < ${to}::timestamptz RETURNING ${columns}),
    used_sources AS (
      UPDATE span_sources AS f SET last_used_at = now() FROM (SELECT DISTINCT organization_id, source_id FROM moved) AS m
       WHERE f.organization_id = m.organization_id AND f.id = m.source_id AND f.last_used_at < now() - interval '1 day')
    INSERT INTO ${table} (${columns}) SELECT ${columns} FROM moved`.execute(trx);
  await sql`ALTER TABLE spans ATTACH PARTITION ${table} FOR VALUES FROM (${from}) TO (${to})`.execute(trx);
  await sql`ALTER TABLE ${table} DROP CONSTRAINT ${check}`.execute(trx);
}

async function readColumns(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT attname AS name FROM pg_attribute
     WHERE attrelid = 'public.spans'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     ORDER BY attnum`.execute(trx);
  return rows.map(({ name }) => name);
}

/** Returns the storage options of the partitions, which CREATE TABLE … LIKE does not copy. */
async function readStorageOptions(trx: Trx): Promise<string> {
  const { rows } = await sql<{ options: string }>`
    SELECT array_to_string(reloptions, ', ') AS options FROM pg_class
     WHERE oid = 'public.spans_default_near'::regclass`.execute(trx);
  return rows[0]?.options ?? '';
}

/**
 * Detaches a day, which hides its spans; later spans of that day go to the default partition.
 * @returns false when the table locks timed out
 */
export async function takeOut(db: Db, day: Day): Promise<boolean> {
  const table = sql.table(partitionOf(day));
  const done = await giveUpSoon(() =>
    transaction(db, async (trx) => {
      await limitWaiting(trx);
      const { days } = await readPartitions(trx);
      if (!days.includes(day)) return 'there';
      await sql`ALTER TABLE spans DETACH PARTITION ${table}`.execute(trx);
      await sql`ALTER TABLE ${table} SET SCHEMA expired_spans`.execute(trx);
      return 'made';
    }),
  );
  return done === 'made' || done === 'there';
}

export async function dropTakenOut(db: Db, day: Day): Promise<void> {
  await sql`DROP TABLE IF EXISTS expired_spans.${sql.ref(partitionOf(day))}`.execute(db);
}

/** The limits apply to one transaction only, so they also work behind a connection pooler. */
async function limitWaiting(trx: Trx): Promise<void> {
  await sql`SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true),
                   set_config('statement_timeout', ${`${MOVE_TIMEOUT_MS}ms`}, true)`.execute(trx);
  await sql`SELECT pg_advisory_xact_lock(${LOCK})`.execute(trx);
}

async function giveUpSoon<T>(work: () => Promise<T>): Promise<T | 'busy' | 'too_long'> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED) return 'busy';
    if (code === QUERY_CANCELED) return 'too_long';
    throw error;
  }
}
