/** Deletes spans of an organization in batches; the summaries of their traces match the remaining spans after each batch. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { goByKeys, type PartKey, recountParts } from './recount.ts';

/** Spans per batch: takes some hundredths of a second, including indexes and the recount. */
const BATCH = 2_000;

export interface Unwanted {
  readonly organizationId: string;
  /** `spans`, or a partition of it. */
  readonly table: string;
  /** A condition on a row `s` of the table. */
  readonly where: RawBuilder<unknown>;
}

/** Position in the order of the primary key. */
interface Position {
  readonly trace_id: Buffer;
  readonly start_time: string;
  readonly span_id: Buffer;
}

const START: Position = { trace_id: Buffer.alloc(0), start_time: '-infinity', span_id: Buffer.alloc(0) };

/**
 * Can be killed between two batches and called again.
 * @returns the number of deleted spans
 */
export async function removeSpans(db: Db, unwanted: Unwanted): Promise<number> {
  let all = 0;
  for (let after: Position | undefined = START; after; ) {
    const from: Position = after;
    const { removed, last } = await transaction(db, (trx) => removeBatch(trx, unwanted, from));
    all += removed;
    after = last;
  }
  return all;
}

interface RemovedPart extends PartKey {
  readonly spans: number;
  readonly last_trace_id: Buffer;
  readonly last_start_time: string;
  readonly last_span_id: Buffer;
}

/** Continues after the previous batch, and so never scans deleted rows again: during a backup, they stay in the index. */
async function removeBatch(
  trx: Trx,
  { organizationId, table, where }: Unwanted,
  after: Position,
): Promise<{ readonly removed: number; readonly last: Position | undefined }> {
  await goByKeys(trx);
  const { rows } = await sql<RemovedPart>`
    WITH chosen AS (
      SELECT s.organization_id, s.trace_id, s.start_time, s.span_id FROM ${sql.table(table)} AS s
       WHERE s.organization_id = ${organizationId} AND ${where}
         AND (s.trace_id, s.start_time, s.span_id) > (${after.trace_id}::bytea, ${after.start_time}::timestamptz, ${after.span_id}::bytea)
       ORDER BY s.organization_id, s.trace_id, s.start_time, s.span_id LIMIT ${BATCH}
    ), removed AS (
      DELETE FROM ${sql.table(table)} AS s USING chosen AS c
       WHERE s.organization_id = ${organizationId} AND s.organization_id = c.organization_id AND s.trace_id = c.trace_id
         AND s.start_time = c.start_time AND s.span_id = c.span_id
      RETURNING s.organization_id, s.workspace_id, s.trace_id, s.user_id, s.session_id, s.project_id
    ), last AS (
      SELECT trace_id, start_time::text, span_id FROM chosen ORDER BY trace_id DESC, chosen.start_time DESC, span_id DESC LIMIT 1
    )
    SELECT r.organization_id, r.workspace_id, r.trace_id, r.user_id, r.session_id, r.project_id, count(r.trace_id) AS spans,
           last.trace_id AS last_trace_id, last.start_time AS last_start_time, last.span_id AS last_span_id
      FROM last LEFT JOIN removed AS r ON true
     GROUP BY r.organization_id, r.workspace_id, r.trace_id, r.user_id, r.session_id, r.project_id, last.trace_id,
              last.start_time, last.span_id`.execute(trx);
  // If another process has removed the spans in between, there is nothing to recount.
  const parts = rows.filter(({ spans }) => spans > 0);
  await recountParts(trx, parts);
  const [row] = rows;
  return {
    removed: parts.reduce((sum, { spans }) => sum + spans, 0),
    last: row && { trace_id: row.last_trace_id, start_time: row.last_start_time, span_id: row.last_span_id },
  };
}
