/** Appends to a transcript atomically, each message once, in the order given by the session's lock. */
import { sql } from 'kysely';
import type { z } from 'zod';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import { toStateEvent } from '../events.ts';
import { getSessionRow } from '../lookup.ts';
import { type SessionRow, toSessions } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import type { Viewer } from '../visibility.ts';
import { toMessageEvents } from './message-events.ts';
import type { TranscriptAppendRequest, TranscriptContextRequest } from './schema.ts';
import { findSystemPrompt, type LockedTranscript, withTranscript } from './state.ts';
import { placeMessages, storeMessages } from './store-messages.ts';

type AppendRequest = z.output<typeof TranscriptAppendRequest>;

export interface Appended {
  /** In the order of the request, including messages that were stored before. */
  readonly messages: { readonly id: string; readonly seq: number }[];
  /** False when every message was stored before and the context is unchanged. */
  readonly isNew: boolean;
}

/** @param db may be a transaction, which the append becomes part of */
export async function appendMessages(
  db: Db,
  scope: Viewer,
  given: string,
  request: AppendRequest,
): Promise<Appended> {
  return append(db, scope, given, request, async (_trx, _row, appended) => appended);
}

/** Appends messages and returns the resulting session. */
export async function appendTranscript(db: Db, scope: Viewer, given: string, request: AppendRequest) {
  return append(db, scope, given, request, async (trx, row, appended) => {
    const [session] = await toSessions(trx, scope, [row]);
    return { session: session as SessionOf, ...appended };
  });
}

async function append<Result>(
  db: Db,
  scope: Viewer,
  given: string,
  { messages, context }: AppendRequest,
  toResult: (trx: Trx, row: SessionRow, appended: Appended) => Promise<Result>,
): Promise<Result> {
  const ids = messages.flatMap(({ id }) => id ?? []);
  return withTranscript(db, scope, given, ids, async (trx, transcript) => {
    const stream = { organizationId: scope.organizationId, streamId: transcript.id };
    const { fresh, places } = placeMessages(transcript, context?.model ?? transcript.model, messages);
    const isChanged = context ? await changeContext(trx, scope, transcript, context) : false;
    const row =
      fresh.length > 0
        ? await storeMessages(trx, scope, transcript, fresh)
        : await getSessionRow(trx, scope, transcript.id);
    const isNew = fresh.length > 0 || isChanged;
    const result = await toResult(trx, row, { messages: [...places], isNew });
    if (!isNew) return result;
    await appendEvents(trx, stream, [
      // Notifies readers about a new prompt or new tools as well, which they look up.
      ...(isChanged ? [toStateEvent(row)] : []),
      ...toMessageEvents(fresh, transcript.last_seq + 1, transcript.rewind_count),
    ]);
    return result;
  });
}

/**
 * Fields that are not given stay unchanged.
 * @returns whether any given field differs from its former value
 */
async function changeContext(
  trx: Trx,
  { organizationId }: Viewer,
  { id, last_seq, model, agent: agentBefore }: LockedTranscript,
  context: TranscriptContextRequest,
): Promise<boolean> {
  const place = { organizationId, sessionId: id };
  const agent = context.agent === undefined ? agentBefore : context.agent;
  const isState = context.model !== model || agent !== agentBefore;
  const hasTools = context.tools !== undefined;
  const tools = context.tools ? JSON.stringify(context.tools) : null;
  const isPrompt = await changePrompt(trx, place, last_seq + 1, context.system_prompt);
  if (!isState && !isPrompt && !hasTools) return false;
  const { rows } = await sql`
    UPDATE sessions AS s
       SET updated_at = ${NEXT_CHANGE}, model = ${context.model}, agent = ${agent},
           tools = CASE WHEN ${hasTools} THEN ${tools}::json ELSE s.tools END
     WHERE s.organization_id = ${organizationId} AND s.id = ${id}
       AND (${isState || isPrompt} OR s.tools::text IS DISTINCT FROM ${tools})
    RETURNING s.id`.execute(trx);
  return rows.length > 0;
}

/** @returns whether the prompt differs from the one in force */
async function changePrompt(
  trx: Trx,
  place: { readonly organizationId: string; readonly sessionId: string },
  fromSeq: number,
  prompt: string | null | undefined,
): Promise<boolean> {
  if (prompt === undefined || (prompt || undefined) === (await findSystemPrompt(trx, place))) return false;
  await sql`
    INSERT INTO session_prompts (organization_id, session_id, from_seq, content)
    VALUES (${place.organizationId}, ${place.sessionId}, ${fromSeq}, ${prompt ?? ''})
    ON CONFLICT (organization_id, session_id, from_seq) DO UPDATE SET content = excluded.content`.execute(
    trx,
  );
  return true;
}
