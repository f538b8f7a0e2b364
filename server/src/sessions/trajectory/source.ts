/** Reads a session as it was when its export began, in pages and without a long transaction. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { getSessionId } from '../lookup.ts';
import { SESSION_COLUMNS, SESSION_JOINS, type SessionRow, toSessions } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import {
  MESSAGE_COLUMNS,
  type MessageRow,
  readMessages,
  STORED_COLUMNS,
  toMessage,
} from '../transcript/read-messages.ts';
import type { StoredMessageOf } from '../transcript/schema.ts';
import { isVisibleByKey, type Viewer } from '../visibility.ts';

/** Memory budget of one export in this process; a message that is larger with its results may exceed it. */
export const PAGE_BYTES = 256 * 1024;
export const PAGE_TURNS = 250;

/** Messages that are stored later are not included. The rows can be read until any of them is rewound. */
export interface TrajectorySource {
  readonly session: SessionOf;
  readonly tools: unknown[] | null;
  readonly imported: Record<string, unknown> | null;
  readonly viewer: Viewer;
  readonly organizationId: string;
  readonly lastSeq: number;
  readonly rewindCount: number;
  /** Compactions, ordered by their boundaries. */
  readonly compactions: readonly { readonly up_to_seq: number; readonly summary_seq: number }[];
  /** Prompts, ordered by the message with which they take effect: at the latest the next message to be stored. */
  readonly prompts: readonly { readonly from_seq: number; readonly size_bytes: number }[];
}

type SourceRow = SessionRow &
  Pick<TrajectorySource, 'tools' | 'imported' | 'compactions' | 'prompts'> & {
    readonly rewind_count: number;
  };

/**
 * Reads everything in one statement and thus one snapshot.
 * @param given id or prefix of the session
 */
export async function getTrajectorySource(db: Db, viewer: Viewer, given: string): Promise<TrajectorySource> {
  const { organizationId } = viewer;
  const id = await getSessionId(db, viewer, given);
  const { rows } = await sql<SourceRow>`
    SELECT ${SESSION_COLUMNS}, s.rewind_count, s.tools, s.imported,
           (SELECT coalesce(json_agg(json_build_object('up_to_seq', c.up_to_seq, 'summary_seq', c.summary_seq)
                                     ORDER BY c.up_to_seq), '[]')
              FROM session_compactions AS c WHERE c.organization_id = ${organizationId} AND c.session_id = ${id}) AS compactions,
           (SELECT coalesce(json_agg(json_build_object('from_seq', r.from_seq, 'size_bytes', octet_length(r.content))
                                     ORDER BY r.from_seq), '[]')
              FROM session_prompts AS r WHERE r.organization_id = ${organizationId} AND r.session_id = ${id}) AS prompts
      FROM sessions AS s ${SESSION_JOINS}
     WHERE s.id = ${id} AND ${isVisibleByKey(viewer, 's')}`.execute(db);
  const [row] = rows;
  if (!row) throw notFound(`Session "${given}"`);
  const [session] = await toSessions(db, viewer, [row]);
  const { tools, imported, compactions, prompts, rewind_count: rewindCount, last_seq: lastSeq } = row;
  const history = { lastSeq, rewindCount, compactions, prompts };
  return { session: session as SessionOf, tools, imported, viewer, organizationId, ...history };
}

/** Returns the last message that a summary replaces; 0 if there is none. */
export const boundaryOf = ({ compactions }: TrajectorySource) => compactions.at(-1)?.up_to_seq ?? 0;

/** Reads messages by their sequence numbers; each must exist. */
export async function readMessagesOf(
  db: Db,
  source: TrajectorySource,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, StoredMessageOf>> {
  if (seqs.length === 0) return new Map();
  const rows = await readRows<MessageRow>(
    db,
    source,
    seqs.length,
    // One lookup per message. Ordering by sequence number forces this index: a planner that assumes short sessions would otherwise scan the
    // whole session for each lookup.
    sql`SELECT ${MESSAGE_COLUMNS} FROM sessions AS s CROSS JOIN unnest(${seqs}::integer[]) AS wanted (seq)
         CROSS JOIN LATERAL (
           SELECT ${STORED_COLUMNS} FROM session_messages AS m
            WHERE m.organization_id = s.organization_id AND m.session_id = s.id AND m.seq >= wanted.seq
            ORDER BY m.seq LIMIT 1
         ) AS m
         WHERE m.seq = wanted.seq`,
  );
  return new Map(rows.map((row) => [row.seq, asOf(source, toMessage(row))]));
}

/** Reads the next page in order; it is empty only at the end. */
export async function readMessagesAfter(
  db: Db,
  source: TrajectorySource,
  afterSeq: number,
): Promise<StoredMessageOf[]> {
  const { session, viewer, lastSeq: upToSeq } = source;
  const page = { afterSeq, upToSeq, limit: PAGE_TURNS, maxBytes: PAGE_BYTES };
  const messages = await readMessages(db, viewer, session.id, page);
  // The rewind count only increases: if it is unchanged now, it was unchanged when the rows were read.
  await readRows(db, source, 1, sql`SELECT s.id FROM sessions AS s WHERE true`);
  return messages.map((message) => asOf(source, message));
}

/** A compaction after the export began would have moved the message to a later era. */
function asOf({ compactions }: TrajectorySource, message: StoredMessageOf): StoredMessageOf {
  return { ...message, era: compactions.findLastIndex(({ up_to_seq }) => up_to_seq < message.seq) + 1 };
}

export async function readPromptsOf(
  db: Db,
  source: TrajectorySource,
  fromSeqs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (fromSeqs.length === 0) return new Map();
  const rows = await readRows<{ from_seq: number; content: string }>(
    db,
    source,
    fromSeqs.length,
    sql`SELECT r.from_seq, r.content FROM sessions AS s
          JOIN session_prompts AS r ON r.organization_id = s.organization_id AND r.session_id = s.id
         WHERE r.from_seq = ANY(${fromSeqs}::integer[])`,
  );
  return new Map(rows.map(({ from_seq, content }) => [from_seq, content]));
}

/** The columns of a message that assign results to calls. */
export interface CallRow {
  readonly seq: number;
  readonly size_bytes: number;
  /** Call ids of an assistant message; long ids are replaced by digests. */
  readonly call_ids: readonly string[] | null;
  /** The call id of a tool message. */
  readonly answers: string | null;
}

/** The ids of a whole transcript are held in memory at once, and each may be as long as a message. */
const shortened = (id: RawBuilder<unknown>) =>
  sql`CASE WHEN length(${id}) > 64 THEN encode(sha256(convert_to(${id}, 'UTF8')), 'hex') || ' by hash' ELSE ${id} END`;

/** Reads a range of rows in order. */
export async function readCallRows(
  db: Db,
  source: TrajectorySource,
  fromSeq: number,
  toSeq: number,
): Promise<CallRow[]> {
  return readRows<CallRow>(
    db,
    source,
    toSeq - fromSeq + 1,
    sql`SELECT m.seq, m.size_bytes,
               CASE WHEN m.role = 'assistant' AND m.tool_call_count > 0
                    THEN ARRAY(SELECT ${shortened(sql`c.call ->> 'id'`)} FROM json_array_elements(m.tool_calls) AS c (call))
                END AS call_ids,
               CASE WHEN m.role = 'tool' THEN ${shortened(sql`m.tool_call_id`)} END AS answers
          FROM sessions AS s
          JOIN session_messages AS m ON m.organization_id = s.organization_id AND m.session_id = s.id
         WHERE m.seq BETWEEN ${fromSeq} AND ${toSeq}`,
    sql`ORDER BY m.seq`,
  );
}

/**
 * Reads rows of the same history, of a session that the caller can still see; otherwise fewer rows than expected are returned, which is an
 * error.
 */
async function readRows<Row>(
  db: Db,
  { viewer, session, rewindCount }: TrajectorySource,
  count: number,
  statement: RawBuilder<unknown>,
  order = sql``,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    ${statement} AND s.id = ${session.id} AND ${isVisibleByKey(viewer, 's')} AND s.rewind_count = ${rewindCount} ${order}`.execute(
    db,
  );
  if (rows.length === count) return rows;
  throw new ApiError(
    'conflict_error',
    'The session was rewound or deleted while it was exported; ask for it again.',
  );
}
