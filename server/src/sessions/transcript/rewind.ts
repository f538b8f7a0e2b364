/** Rewinds a transcript: removes the messages from a sequence number on. */
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { invalidValue } from '../../platform/errors.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import { lockOwnSession, refuseFrozen } from '../lookup.ts';
import type { Viewer } from '../visibility.ts';
import { recountSession } from './recount.ts';
import type { SessionRewindRequest, SessionRewindResponse } from './schema.ts';

export async function rewindSession(
  db: Db,
  scope: Viewer,
  given: string,
  { from_seq }: z.output<typeof SessionRewindRequest>,
): Promise<z.output<typeof SessionRewindResponse>> {
  const { organizationId } = scope;
  return transactionFor(db, scope, async (trx) => {
    const locked = await lockOwnSession(trx, scope, given);
    const { id, last_seq } = locked;
    refuseFrozen(locked);
    if (from_seq > last_seq) {
      const msg = `is no message of this session, whose last is ${last_seq}`;
      throw invalidValue(['body', 'from_seq'], msg);
    }
    const taken = await deleteFrom(trx, { organizationId, sessionId: id }, from_seq);
    await recountSession(trx, organizationId, id);
    const data = { from_seq, deleted_count: taken.deleted_count, target_seq: from_seq - 1 };
    await appendEvents(trx, { organizationId, streamId: id }, [{ type: 'rewound', data: data }]);
    return { ...taken, target_seq: data.target_seq };
  });
}

/**
 * Deletes the compactions whose summaries are removed as well. A prompt that took effect with the first removed message applies to its
 * replacement.
 */
async function deleteFrom(
  trx: Trx,
  { organizationId, sessionId }: { readonly organizationId: string; readonly sessionId: string },
  fromSeq: number,
) {
  const { rows } = await sql<{ deleted_count: number; restored_content: string }>`
    WITH taken AS (
      DELETE FROM session_messages AS m
       WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId} AND m.seq >= ${fromSeq}
      RETURNING CASE WHEN m.seq = ${fromSeq} THEN m.content END AS content
    ), eras AS (
      DELETE FROM session_compactions AS c
       WHERE c.organization_id = ${organizationId} AND c.session_id = ${sessionId} AND c.summary_seq >= ${fromSeq}
    ), prompts AS (
      DELETE FROM session_prompts AS p
       WHERE p.organization_id = ${organizationId} AND p.session_id = ${sessionId} AND p.from_seq > ${fromSeq}
    ), counted AS (
      UPDATE sessions AS s SET rewind_count = s.rewind_count + 1
       WHERE s.organization_id = ${organizationId} AND s.id = ${sessionId}
    )
    SELECT count(*) AS deleted_count, coalesce(max(taken.content), '') AS restored_content FROM taken`.execute(
    trx,
  );
  const [taken] = rows;
  if (!taken) throw new Error('A count has no row.');
  return taken;
}
