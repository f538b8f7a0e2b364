/** Compacts a transcript: a summary replaces everything before it, and a new era begins. Nothing is deleted. */
import { sql } from 'kysely';
import type { z } from 'zod';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import { getSession, type LockedSession } from '../lookup.ts';
import type { Viewer } from '../visibility.ts';
import { toMessageEvents } from './message-events.ts';
import type { TranscriptCompactRequest } from './schema.ts';
import { type LockedTranscript, withTranscript } from './state.ts';
import { placeMessages, storeMessages } from './store-messages.ts';

export async function compactTranscript(
  db: Db,
  scope: Viewer,
  given: string,
  { up_to_seq, summary }: z.output<typeof TranscriptCompactRequest>,
) {
  const ids = summary.id ? [summary.id] : [];
  const compact = async (trx: Trx, transcript: LockedTranscript) => {
    const { fresh, places } = placeMessages(transcript, transcript.model, [summary]);
    const [place] = places;
    if (!place) throw new Error('A summary has no place.');
    if (fresh.length === 0) {
      const era = await getEra(trx, scope, transcript.id, { summary_seq: place.seq, up_to_seq });
      return { session: await getSession(trx, scope, transcript.id), summary: place, era, isNew: false };
    }
    requireBoundary(transcript, up_to_seq);
    const compaction = { up_to_seq, summary_seq: place.seq, era: transcript.compaction_count + 1 };
    await storeMessages(trx, scope, transcript, fresh);
    await beginEra(trx, scope, transcript, compaction);
    const session = await getSession(trx, scope, transcript.id);
    await appendEvents(trx, { organizationId: scope.organizationId, streamId: transcript.id }, [
      ...toMessageEvents(fresh, place.seq, transcript.rewind_count),
      { type: 'compacted', data: compaction },
    ]);
    return { session, summary: place, era: compaction.era, isNew: true };
  };
  return withTranscript(db, scope, given, ids, compact, { isSure: true });
}

interface Compaction {
  readonly up_to_seq: number;
  readonly summary_seq: number;
  readonly era: number;
}

function requireBoundary({ last_seq, compacted_up_to }: LockedSession, upToSeq: number): void {
  if (upToSeq > last_seq) {
    const msg = `is no message of this session, whose last is ${last_seq}`;
    throw invalidValue(['body', 'up_to_seq'], msg);
  }
  if (upToSeq <= compacted_up_to) {
    const detail = `This session is compacted up to message ${compacted_up_to}; give a later one.`;
    throw new ApiError('conflict_error', detail);
  }
}

/** Returns the era that an earlier identical request began. */
async function getEra(
  trx: Trx,
  { organizationId }: Viewer,
  sessionId: string,
  { summary_seq, up_to_seq }: Omit<Compaction, 'era'>,
): Promise<number> {
  const { rows } = await sql<{ era: number }>`
    SELECT c.era FROM session_compactions AS c
     WHERE c.organization_id = ${organizationId} AND c.session_id = ${sessionId} AND c.summary_seq = ${summary_seq}
       AND c.up_to_seq::bigint = ${up_to_seq}`.execute(trx);
  const [compaction] = rows;
  if (compaction) return compaction.era;
  const detail =
    'A message of this id is stored, and is not the summary of these; give the summary another id.';
  throw new ApiError('conflict_error', detail);
}

/** Moves the messages between the previous boundary and this one to the past era. */
async function beginEra(
  trx: Trx,
  { organizationId }: Viewer,
  { id, compacted_up_to }: LockedSession,
  { up_to_seq, summary_seq, era }: Compaction,
): Promise<void> {
  await sql`
    INSERT INTO session_compactions (organization_id, session_id, era, up_to_seq, summary_seq)
    VALUES (${organizationId}, ${id}, ${era}, ${up_to_seq}, ${summary_seq})`.execute(trx);
  await sql`
    UPDATE sessions AS s
       SET updated_at = ${NEXT_CHANGE},
           compacted_up_to = ${up_to_seq},
           compaction_count = ${era},
           compacted_input_tokens = s.compacted_input_tokens + past.input_tokens,
           compacted_output_tokens = s.compacted_output_tokens + past.output_tokens,
           compacted_cache_read_input_tokens = s.compacted_cache_read_input_tokens + past.cache_read_input_tokens,
           compacted_cache_creation_input_tokens =
             s.compacted_cache_creation_input_tokens + past.cache_creation_input_tokens,
           compacted_tool_call_count = s.compacted_tool_call_count + past.tool_call_count,
           compacted_cost_usd = s.compacted_cost_usd + past.cost_usd,
           compacted_unpriced_count = s.compacted_unpriced_count + past.unpriced_count
      FROM (
        SELECT coalesce(sum(m.tool_call_count), 0) AS tool_call_count,
               coalesce(sum(m.input_tokens) FILTER (WHERE m.role = 'assistant'), 0) AS input_tokens,
               coalesce(sum(m.output_tokens) FILTER (WHERE m.role = 'assistant'), 0) AS output_tokens,
               coalesce(sum(m.cache_read_input_tokens) FILTER (WHERE m.role = 'assistant'), 0) AS cache_read_input_tokens,
               coalesce(sum(m.cache_creation_input_tokens) FILTER (WHERE m.role = 'assistant'), 0)
                 AS cache_creation_input_tokens,
               coalesce(sum(m.cost_usd) FILTER (WHERE m.role = 'assistant'), 0) AS cost_usd,
               count(*) FILTER (WHERE m.role = 'assistant' AND m.input_tokens IS NOT NULL AND m.cost_usd IS NULL)
                 AS unpriced_count
          FROM session_messages AS m
         WHERE m.organization_id = ${organizationId} AND m.session_id = ${id}
           AND m.seq > ${compacted_up_to} AND m.seq <= ${up_to_seq}
      ) AS past
     WHERE s.organization_id = ${organizationId} AND s.id = ${id}`.execute(trx);
}
