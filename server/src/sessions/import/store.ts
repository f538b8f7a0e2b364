/** Stores an imported session in one transaction. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { getSession } from '../lookup.ts';
import type { SessionOf } from '../schema.ts';
import { insertMessages, type NewMessage } from '../transcript/insert-messages.ts';
import { recountSession } from '../transcript/recount.ts';
import type { ImportedMessage, ImportedSession } from './imported-session.ts';

const PORTION = 1_000;

/** The session is private and belongs to the caller. */
export async function importSession(
  db: Db,
  scope: WorkspaceScope,
  session: ImportedSession,
): Promise<SessionOf> {
  const { organizationId, workspaceId } = scope;
  return transactionFor(db, scope, async (trx) => {
    const sessionId = await insertSession(trx, scope, session);
    for (let at = 0; at < session.messages.length; at += PORTION) {
      const portion = session.messages.slice(at, at + PORTION).map(toNewMessage);
      await insertMessages(trx, { organizationId, workspaceId, sessionId }, at + 1, portion);
    }
    await insertContext(trx, { organizationId, sessionId }, session);
    await recountSession(trx, organizationId, sessionId);
    return getSession(trx, scope, sessionId);
  });
}

function toNewMessage({ created_at, ...message }: ImportedMessage): NewMessage {
  return { ...message, id: uuidv7(), ...(created_at !== undefined && { created_at }) };
}

/** Uses the id of the document unless another session of the organization has it. */
async function insertSession(trx: Trx, scope: WorkspaceScope, session: ImportedSession): Promise<string> {
  const insert = async (id: string) => {
    const { rows } = await sql<{ id: string }>`
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, agent, title, origin, visibility, labels, tools,
                            imported)
      VALUES (${scope.organizationId}, ${id}, ${scope.workspaceId}, ${scope.principal.userId}, ${session.model},
              ${session.agent}, ${session.title}, ${session.origin ?? 'user'}, 'private',
              ${JSON.stringify(session.labels ?? {})}, ${toJson(session.tools)}, ${toJson(session.imported)})
      ON CONFLICT (organization_id, id) DO NOTHING RETURNING id`.execute(trx);
    return rows[0]?.id;
  };
  const id = (session.id && (await insert(session.id))) ?? (await insert(uuidv7()));
  if (!id) throw new Error('A new id was taken.');
  return id;
}

async function insertContext(
  trx: Trx,
  { organizationId, sessionId }: { readonly organizationId: string; readonly sessionId: string },
  { prompts, compactions }: ImportedSession,
): Promise<void> {
  await sql`
    INSERT INTO session_prompts (organization_id, session_id, from_seq, content)
    SELECT ${organizationId}, ${sessionId}, g.from_seq, g.content
      FROM unnest(${prompts.map(({ from_seq }) => from_seq)}::integer[], ${prompts.map(({ content }) => content)}::text[])
        AS g (from_seq, content)`.execute(trx);
  await sql`
    INSERT INTO session_compactions (organization_id, session_id, era, up_to_seq, summary_seq)
    SELECT ${organizationId}, ${sessionId}, g.era, g.up_to_seq, g.summary_seq
      FROM unnest(${compactions.map(({ up_to_seq }) => up_to_seq)}::integer[],
                  ${compactions.map(({ summary_seq }) => summary_seq)}::integer[])
        WITH ORDINALITY AS g (up_to_seq, summary_seq, era)`.execute(trx);
}

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));
