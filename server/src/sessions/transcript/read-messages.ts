/** Reads messages with their eras: pages in the order of their sequence numbers, limited in bytes as well. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { StoredMessageOf } from './schema.ts';

type Usage = NonNullable<StoredMessageOf['usage']>;

export interface MessageRow extends Omit<StoredMessageOf, 'usage'> {
  readonly input_tokens: Usage['input_tokens'] | null;
  readonly output_tokens: Usage['output_tokens'] | null;
  readonly cache_read_input_tokens: Usage['cache_read_input_tokens'] | null;
  readonly cache_creation_input_tokens: Usage['cache_creation_input_tokens'] | null;
  readonly cost_usd: Usage['cost_usd'];
}

/** Columns of the rows `m` of session_messages from which a message is built. */
export const STORED_COLUMNS = sql`m.organization_id, m.session_id, m.seq, m.id, m.parent_id, m.role, m.content, m.tool_calls,
  m.tool_call_id, m.model, m.metadata, m.input_tokens, m.output_tokens, m.cache_read_input_tokens,
  m.cache_creation_input_tokens, m.cost_usd, m.created_at`;

/** The message for a response. Boundaries grow with the eras, so the nearest one below a message determines its era. */
export const MESSAGE_COLUMNS = sql`m.seq, m.id, m.parent_id, m.role, m.content, m.tool_calls, m.tool_call_id, m.model,
  m.metadata, m.input_tokens, m.output_tokens, m.cache_read_input_tokens, m.cache_creation_input_tokens, m.cost_usd,
  m.created_at,
  coalesce((
    SELECT c.era FROM session_compactions AS c
     WHERE c.organization_id = m.organization_id AND c.session_id = m.session_id AND c.up_to_seq < m.seq
     ORDER BY c.up_to_seq DESC LIMIT 1), 0) AS era,
  (SELECT c.up_to_seq FROM session_compactions AS c
    WHERE c.organization_id = m.organization_id AND c.session_id = m.session_id AND c.summary_seq = m.seq)
    AS compacted_up_to_seq`;

export function toMessage(row: MessageRow): StoredMessageOf {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd } = row;
  return {
    id: row.id,
    parent_id: row.parent_id,
    role: row.role,
    content: row.content,
    tool_calls: row.tool_calls,
    tool_call_id: row.tool_call_id,
    model: row.model,
    metadata: row.metadata,
    usage:
      input_tokens === null
        ? null
        : {
            input_tokens,
            output_tokens: output_tokens ?? 0,
            cache_read_input_tokens: cache_read_input_tokens ?? 0,
            cache_creation_input_tokens: cache_creation_input_tokens ?? 0,
            cost_usd,
          },
    seq: row.seq,
    era: row.era,
    compacted_up_to_seq: row.compacted_up_to_seq,
    created_at: row.created_at,
  };
}

export interface MessageRange {
  readonly afterSeq: number;
  /** Defaults to the last message. */
  readonly upToSeq?: number;
  readonly limit: number;
  /** Maximum bytes of content per page; a single larger message is still returned. */
  readonly maxBytes?: number;
}

const PAGE_BYTES = 8 * 1024 * 1024;

const LAST_SEQ = 2 ** 31 - 1;

/**
 * The caller has checked that the session may be read. Sequence numbers have no gaps, so a page is a range of them, and PostgreSQL reads no
 * further whatever it estimates.
 * @returns at most `limit` messages, fewer when they are large, and none only at the end
 */
export async function readMessages(
  db: Db,
  { organizationId }: { readonly organizationId: string },
  sessionId: string,
  { afterSeq, upToSeq = LAST_SEQ, limit, maxBytes = PAGE_BYTES }: MessageRange,
): Promise<StoredMessageOf[]> {
  const lastSeq = Math.min(upToSeq, afterSeq + limit);
  const { rows } = await sql<MessageRow>`
    SELECT ${MESSAGE_COLUMNS}
      FROM (
        SELECT ${STORED_COLUMNS}, sum(m.size_bytes) OVER (ORDER BY m.seq) - m.size_bytes AS bytes_before
          FROM session_messages AS m
         WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId}
           AND m.seq > ${afterSeq} AND m.seq <= ${lastSeq}
      ) AS m
     WHERE m.bytes_before < ${maxBytes}
     ORDER BY m.seq`.execute(db);
  return rows.map(toMessage);
}
