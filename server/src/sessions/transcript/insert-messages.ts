/** Inserts any number of messages with one statement whose text never changes. */
import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { foldText } from '../search-text.ts';
import type { MessageRequest } from './schema.ts';

export interface NewMessage extends MessageRequest {
  readonly id: string;
  /** Model of the session; set for assistant messages only. */
  readonly model: string | null;
  /** Defaults to the current time. */
  readonly created_at?: string;
}

export interface MessagePlace {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  /** Number of times that the session has been rewound. */
  readonly rewindCount?: number;
}

/**
 * The caller holds the session's lock, knows that none of the ids is stored, and updates the counters of the session.
 * @param firstSeq sequence number of the first message
 */
export async function insertMessages(
  trx: Trx,
  place: MessagePlace,
  firstSeq: number,
  messages: readonly NewMessage[],
): Promise<void> {
  await messageInsert(place, firstSeq, messages).execute(trx);
}

/** Returns the insert as a part of a larger statement. */
export function messageInsert(
  { organizationId, workspaceId, sessionId, rewindCount = 0 }: MessagePlace,
  firstSeq: number,
  messages: readonly NewMessage[],
): RawBuilder<unknown> {
  const column = <Value>(of: (message: NewMessage) => Value) => messages.map(of);
  return sql`
    INSERT INTO session_messages (
      organization_id, session_id, workspace_id, rewind_count, seq, id, parent_id, role, content, tool_calls, tool_call_count,
      tool_call_id, model, metadata, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
      cost_usd, search_text, created_at)
    SELECT ${organizationId}, ${sessionId}, ${workspaceId}, ${rewindCount}, ${firstSeq} + g.place - 1, g.id, g.parent_id, g.role,
           g.content, g.tool_calls, g.tool_call_count, g.tool_call_id, g.model, g.metadata, g.input_tokens, g.output_tokens,
           g.cache_read_input_tokens, g.cache_creation_input_tokens, g.cost_usd, g.search_text,
           coalesce(g.created_at, clock_timestamp())
      FROM unnest(
        ${column(({ id }) => id)}::text[],
        ${column(({ parent_id }) => parent_id ?? null)}::text[],
        ${column(({ role }) => role)}::text[],
        ${column(({ content }) => content)}::text[],
        ${column(({ tool_calls }) => toJson(tool_calls))}::json[],
        ${column(({ tool_calls }) => tool_calls?.length ?? 0)}::integer[],
        ${column(({ tool_call_id }) => tool_call_id ?? null)}::text[],
        ${column(({ model }) => model)}::text[],
        ${column(({ metadata }) => toJson(metadata))}::json[],
        ${column(({ usage }) => usage?.input_tokens ?? null)}::bigint[],
        ${column(({ usage }) => usage?.output_tokens ?? null)}::bigint[],
        ${column(({ usage }) => usage?.cache_read_input_tokens ?? null)}::bigint[],
        ${column(({ usage }) => usage?.cache_creation_input_tokens ?? null)}::bigint[],
        ${column(({ usage }) => usage?.cost_usd ?? null)}::numeric[],
        ${column(({ content }) => foldText(content))}::text[],
        ${column(({ created_at }) => created_at ?? null)}::timestamptz[]
      ) WITH ORDINALITY AS g (
        id, parent_id, role, content, tool_calls, tool_call_count, tool_call_id, model, metadata, input_tokens, output_tokens,
        cache_read_input_tokens, cache_creation_input_tokens, cost_usd, search_text, created_at, place)`;
}

const toJson = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);
