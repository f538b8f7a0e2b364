/** Deletes spans after the retention of their organization: whole days when no organization keeps them, else span by span. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { deleteInBatches } from '../../platform/db/delete-in-batches.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { DAY_MS, type Day, partitionOf, plusDays, startOf } from './days.ts';
import { dropTakenOut } from './partitions.ts';
import { type PartKey, recountParts } from './recount.ts';
import { removeSpans } from './remove-spans.ts';

/** Extra days that a source is kept: a span's day may lie ahead of its arrival, and the use of a source is recorded once a day. */
const SOURCE_DAYS = 10;
const PARTS_BATCH = 1_000;

/**
 * Deletes expired spans from days that another organization keeps, and from the default partition.
 * @returns the number of deleted spans
 */
export async function expireSpans(db: Db, days: readonly Day[], now: Date): Promise<number> {
  let gone = 0;
  for (const day of days) gone += await expireInDay(db, day, now);
  return gone + (await expireWithoutDay(db, now));
}

/** Drops a detached day, including one detached by a process that was killed afterwards. */
export async function dropExpiredDay(db: Db, day: Day): Promise<void> {
  const mayHaveSpans = sql<boolean>`p.last_start >= ${startOf(day)}::timestamptz`;
  await recountBefore(db, plusDays(day, 1), mayHaveSpans);
  await dropTakenOut(db, day);
}

/**
 * Recounts parts that begin before the first kept day. A backup taken before such parts were recounted contains the parts but not the day's
 * spans.
 */
export async function recountCut(db: Db, kept: Day): Promise<void> {
  // This subquery must not become a join, which might scan all spans.
  const isCut = sql<boolean>`(
    SELECT true FROM spans AS s
     WHERE s.organization_id = p.organization_id AND s.trace_id = p.trace_id AND s.start_time = p.first_start
       AND s.workspace_id = p.workspace_id LIMIT 1) IS NULL`;
  await recountBefore(db, kept, isCut);
}

interface WorkspaceKey {
  readonly organization_id: string;
  readonly id: string;
}

/**
 * Recounts parts that began before a day, in every workspace.
 * @param isMeant a condition on a row `p` of sender_parts
 */
async function recountBefore(db: Db, day: Day, isMeant: RawBuilder<boolean>): Promise<void> {
  const { rows } = await sql<WorkspaceKey>`
    SELECT /* of every organization */ w.organization_id, w.id FROM workspaces AS w
     WHERE EXISTS (SELECT FROM sender_parts AS p WHERE p.workspace_id = w.id AND p.first_start < ${startOf(day)}::timestamptz)
     ORDER BY w.organization_id, w.id`.execute(db);
  for (const workspace of rows) await recountIn(db, workspace, day, isMeant);
}

interface FoundPart extends PartKey {
  readonly first_start: string;
  readonly is_meant: boolean;
}

type Position = Pick<FoundPart, 'first_start' | 'trace_id'>;

async function recountIn(
  db: Db,
  { organization_id, id }: WorkspaceKey,
  before: Day,
  isMeant: RawBuilder<boolean>,
): Promise<void> {
  let after: Position | undefined = { first_start: '-infinity', trace_id: Buffer.alloc(0) };
  while (after) {
    const { rows }: { rows: FoundPart[] } = await sql<FoundPart>`
      SELECT p.organization_id, p.workspace_id, p.trace_id, p.user_id, p.session_id, p.project_id, p.first_start::text, ${isMeant} AS is_meant
        FROM sender_parts AS p
       WHERE p.organization_id IS NOT DISTINCT FROM ${organization_id} AND p.workspace_id = ${id}
         AND (p.first_start, p.trace_id) > (${after.first_start}::timestamptz, ${after.trace_id}::bytea)
         AND p.first_start < ${startOf(before)}::timestamptz
       ORDER BY p.first_start, p.trace_id FETCH FIRST ${sql.lit(PARTS_BATCH)} ROWS WITH TIES`.execute(db);
    const meant = rows.filter(({ is_meant }) => is_meant);
    await transaction(db, (trx) => recountParts(trx, meant));
    after = rows.length < PARTS_BATCH ? undefined : rows.at(-1);
  }
}

/** Deletes the spans of organizations whose retention is shorter than that of others. */
async function expireInDay(db: Db, day: Day, now: Date): Promise<number> {
  const table = partitionOf(day);
  const { rows } = await sql<{ id: string }>`
    SELECT o.id FROM organizations AS o
     WHERE o.trace_retention_days < ${daysAgo(day, now)}
       AND EXISTS (SELECT FROM ${sql.table(table)} AS s WHERE s.organization_id = o.id)`.execute(db);
  let gone = 0;
  for (const { id } of rows) gone += await removeSpans(db, { organizationId: id, table, where: sql`true` });
  return gone;
}

/** A day is expired for an organization that keeps fewer days than this: `firstKeptDay` is after it. */
const daysAgo = (day: Day, now: Date) =>
  Math.floor((now.getTime() - Date.parse(`${day}T00:00:00Z`)) / DAY_MS);

/** Spans whose start is too far in the past or the future expire by the time at which they were received. */
async function expireWithoutDay(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ id: string; before: string }>`
    SELECT o.id, b.before::text FROM organizations AS o,
           LATERAL (SELECT ${now.toISOString()}::timestamptz - make_interval(hours => 24 * o.trace_retention_days)) AS b (before)
     WHERE EXISTS (SELECT FROM spans_default AS s WHERE s.organization_id = o.id AND s.received_at < b.before)`.execute(
    db,
  );
  let gone = 0;
  for (const { id, before } of rows) {
    const where = sql`s.received_at < ${before}::timestamptz`;
    gone += await removeSpans(db, { organizationId: id, table: 'spans_default', where });
  }
  return gone;
}

/** Deletes sources without spans: their use was recorded on the day on which their last span arrived. */
export function forgetSources(db: Db, now: Date): Promise<number> {
  return deleteInBatches((size) =>
    sql`
      DELETE /* of every organization */ FROM span_sources AS f USING (
        SELECT u.organization_id, u.id, u.last_used_at FROM span_sources AS u JOIN organizations AS o ON o.id = u.organization_id
         WHERE u.last_used_at < ${now.toISOString()}::timestamptz - make_interval(days => o.trace_retention_days + ${SOURCE_DAYS})
         ORDER BY u.last_used_at LIMIT ${size}) AS old
       WHERE f.organization_id = old.organization_id AND f.id = old.id AND f.last_used_at = old.last_used_at`.execute(
      db,
    ),
  );
}

/** Deletes the byte counts of expired days, whose spans no longer count against a quota. */
export async function forgetBytes(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE /* of every organization */ FROM span_bytes AS b USING organizations AS o
     WHERE o.id = b.organization_id AND b.day < current_date - o.trace_retention_days`.execute(db);
  return Number(numAffectedRows);
}
