/** Loads the trace of a path, as far as the caller may see it. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import type { Viewer } from '../../sessions/service.ts';
import { earliest, latest } from './moments.ts';
import { findParts, type PartRow } from './parts.ts';
import { partKeyOf, seenOf, toPartKey } from './visibility.ts';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export interface SeenTrace {
  readonly id: Buffer;
  /** Visible parts, at least one. */
  readonly parts: readonly PartRow[];
  /** Start of the first and the last span: spans are partitioned by day, and only these days are read. */
  readonly firstStart: string;
  readonly lastStart: string;
}

export async function getSeenTrace(db: Db, viewer: Viewer, given: string): Promise<SeenTrace> {
  const id = parseId(given, TRACE_ID_BYTES);
  const parts = seenOf(viewer, id ? await findParts(db, viewer, [id]) : []);
  if (!id || parts.length === 0) throw notFound(`Trace "${given}"`);
  return {
    id,
    parts,
    firstStart: earliest(parts.map(({ first_start }) => first_start)),
    lastStart: latest(parts.map(({ last_start }) => last_start)),
  };
}

export const parseSpanId = (given: string) => parseId(given, SPAN_ID_BYTES);

function parseId(given: string, bytes: number): Buffer | undefined {
  return given.length === 2 * bytes && /^[0-9a-f]*$/i.test(given) ? Buffer.from(given, 'hex') : undefined;
}

/**
 * Builds a condition on a row of spans: it belongs to this trace, and to a part of it that the caller sees. It excludes spans of the trace
 * in another workspace, and parts that arrived after the trace was read. IS TRUE keeps the parts a hashed set in memory, however many there
 * are; otherwise PostgreSQL would choose a join with guessed row counts.
 * @param alias of that row
 */
export function isSeen(viewer: Viewer, trace: SeenTrace, alias: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const seen = trace.parts.map(toPartKey);
  return sql<boolean>`${column('organization_id')} = ${viewer.organizationId} AND ${column('trace_id')} = ${trace.id}
    AND ${column('start_time')} BETWEEN ${trace.firstStart}::timestamptz AND ${trace.lastStart}::timestamptz
    AND ${column('workspace_id')} = ${viewer.workspaceId}
    AND (${partKeyOf(alias)} IN (SELECT unnest(${seen}::text[]))) IS TRUE`;
}
