/** Adds messages to a session and updates its counters. */
import { sql } from 'kysely';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { CHANGED_COLUMNS, SESSION_COLUMNS, SESSION_JOINS, type SessionRow } from '../responses.ts';
import { toSearchText } from '../search-text.ts';
import type { Viewer } from '../visibility.ts';
import { messageInsert, type NewMessage } from './insert-messages.ts';
import { PREVIEW_LENGTH } from './recount.ts';
import type { MessageRequest } from './schema.ts';
import type { LockedTranscript } from './state.ts';

export interface Places {
  readonly fresh: readonly NewMessage[];
  /** Ids and sequence numbers of all given messages. */
  readonly places: readonly { readonly id: string; readonly seq: number }[];
}

/** Assigns ids and sequence numbers. A message whose id is stored, or occurs earlier in the request, is not stored again. */
export function placeMessages(
  { last_seq, known, now }: LockedTranscript,
  model: string,
  messages: readonly MessageRequest[],
): Places {
  const seqs = new Map(known);
  const fresh: NewMessage[] = [];
  const places = messages.map((message) => {
    const id = message.id ?? uuidv7();
    const knownSeq = seqs.get(id);
    if (knownSeq !== undefined) return { id, seq: knownSeq };
    fresh.push({ ...message, id, model: message.role === 'assistant' ? model : null, created_at: now });
    const seq = last_seq + fresh.length;
    seqs.set(id, seq);
    return { id, seq };
  });
  return { fresh, places };
}

/** @returns the resulting session */
export async function storeMessages(
  trx: Trx,
  { organizationId, workspaceId }: Viewer,
  { id: sessionId, last_seq, title, rewind_count, now }: LockedTranscript,
  messages: readonly NewMessage[],
): Promise<SessionRow> {
  const place = { organizationId, workspaceId, sessionId, rewindCount: rewind_count };
  const sums = toSums(messages);
  const preview = findPreview(messages);
  const { rows } = await sql<SessionRow>`
    WITH stored AS (${messageInsert(place, last_seq + 1, messages)}
    ), changed AS (
      UPDATE sessions AS s
       SET updated_at = ${NEXT_CHANGE},
           claimed_message_count = NULL,
           last_seq = s.last_seq + ${messages.length},
           last_message_at = ${now},
           -- The first message of a user is the only one that is ever shown.
           search_text = CASE WHEN s.preview_text IS NULL THEN ${toSearchText(title, preview)} ELSE s.search_text END,
           preview_text = coalesce(s.preview_text, ${preview}),
           last_generation_input_tokens = coalesce(${sums.last_input_tokens}, s.last_generation_input_tokens),
           input_tokens = s.input_tokens + ${sums.input_tokens},
           output_tokens = s.output_tokens + ${sums.output_tokens},
           cache_read_input_tokens = s.cache_read_input_tokens + ${sums.cache_read_input_tokens},
           cache_creation_input_tokens = s.cache_creation_input_tokens + ${sums.cache_creation_input_tokens},
           tool_call_count = s.tool_call_count + ${sums.tool_call_count},
           cost_usd = s.cost_usd + (SELECT coalesce(sum(c.cost), 0) FROM unnest(${sums.costs}::numeric[]) AS c (cost)),
           unpriced_count = s.unpriced_count + ${sums.unpriced_count}
     WHERE s.organization_id = ${organizationId} AND s.id = ${sessionId}
    RETURNING ${CHANGED_COLUMNS}
    )
    SELECT ${SESSION_COLUMNS} FROM changed AS s ${SESSION_JOINS}`.execute(trx);
  const [session] = rows;
  if (!session) throw new Error(`Session ${sessionId} is locked, and is not there.`);
  return session;
}

/** Costs are summed by the database, whose decimals have no rounding error. */
function toSums(messages: readonly NewMessage[]) {
  const generations = messages.flatMap(({ role, usage }) => (role === 'assistant' && usage ? usage : []));
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const costs = generations.flatMap(({ cost_usd }) => cost_usd ?? []);
  return {
    input_tokens: sum(generations.map(({ input_tokens }) => input_tokens)),
    output_tokens: sum(generations.map(({ output_tokens }) => output_tokens)),
    cache_read_input_tokens: sum(generations.map((usage) => usage.cache_read_input_tokens)),
    cache_creation_input_tokens: sum(generations.map((usage) => usage.cache_creation_input_tokens)),
    tool_call_count: sum(messages.map(({ tool_calls }) => tool_calls?.length ?? 0)),
    costs,
    unpriced_count: generations.length - costs.length,
    last_input_tokens: generations.at(-1)?.input_tokens ?? null,
  };
}

function findPreview(messages: readonly NewMessage[]): string | null {
  const first = messages.find(({ role }) => role === 'user');
  if (!first) return null;
  // A character has at most two UTF-16 code units.
  return Array.from(first.content.slice(0, 2 * PREVIEW_LENGTH))
    .slice(0, PREVIEW_LENGTH)
    .join('');
}
