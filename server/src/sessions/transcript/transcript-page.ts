/**
 * Reads a page of a transcript and its session in one snapshot: neither contains rewound messages or belongs to a later session of the same
 * id.
 */
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { snapshot } from '../../platform/db/transaction.ts';
import { getSessionRow } from '../lookup.ts';
import { toSessions } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import type { Viewer } from '../visibility.ts';
import { readMessages } from './read-messages.ts';
import { MAX_MESSAGES, type TranscriptQuery, type TranscriptResponse } from './schema.ts';
import { findSystemPrompt } from './state.ts';

export async function getTranscript(
  db: Db,
  scope: Viewer,
  given: string,
  { after_seq, limit: requested, include_compacted }: z.output<typeof TranscriptQuery>,
): Promise<z.output<typeof TranscriptResponse>> {
  return snapshot(db, async (trx) => {
    const row = await getSessionRow(trx, scope, given);
    // Published clients request thousands of messages, and follow has_more.
    const limit = Math.min(requested, MAX_MESSAGES);
    const { id, last_seq } = row;
    const from = Math.max(after_seq, include_compacted ? 0 : row.compacted_up_to);
    const afterSeq = Math.min(from, last_seq);
    const [session] = await toSessions(trx, scope, [row]);
    const messages = await readMessages(trx, scope, id, { afterSeq, upToSeq: last_seq, limit });
    const prompt = await findSystemPrompt(trx, { organizationId: scope.organizationId, sessionId: id });
    return {
      session: session as SessionOf,
      messages,
      current_system_prompt: prompt ?? null,
      has_more: (messages.at(-1)?.seq ?? last_seq) < last_seq,
    };
  });
}
