/** Changes to a whole session by its owner or, for some changes, by an admin of the workspace. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import { deleteInBatches } from '../../platform/db/delete-in-batches.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { forbidden } from '../../platform/errors.ts';
import { appendState } from '../events.ts';
import { getSessionRow, type LockedSession, lockOwnSession, lockSession } from '../lookup.ts';
import { requireReferences } from '../references.ts';
import { type SessionRow, toSessions } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import { changeSession } from './changes.ts';
import { refuseEvaluated } from './evaluated.ts';
import type { SessionUpdate } from './schema.ts';

/** @param given id or prefix of the session; the same for all functions of this module */
export async function updateSession(
  db: Db,
  scope: WorkspaceScope,
  given: string,
  update: SessionUpdate,
): Promise<SessionOf> {
  return respond(db, scope, async (trx) => {
    await requireReferences(trx, scope, update);
    const { id, visibility } = await lockOwnSession(trx, scope, given);
    if (visibility === 'workspace' && update.visibility === 'private') {
      throw forbidden('This session is visible in its workspace and stays so: others may have read it.');
    }
    return changeSession(trx, scope, id, update);
  });
}

export async function archiveSession(db: Db, scope: WorkspaceScope, given: string): Promise<SessionOf> {
  return respond(db, scope, async (trx) => {
    const { id } = await lockAsAdmin(trx, scope, given, 'archive');
    return setState(trx, scope, id, sql`archived_at = clock_timestamp()`, sql`archived_at IS NULL`);
  });
}

export async function unarchiveSession(db: Db, scope: WorkspaceScope, given: string): Promise<SessionOf> {
  return respond(db, scope, async (trx) => {
    const { id } = await lockAsAdmin(trx, scope, given, 'unarchive');
    return setState(trx, scope, id, sql`archived_at = NULL`, sql`archived_at IS NOT NULL`);
  });
}

/** @param by what froze the session; later calls do not change it */
export async function freezeSession(
  db: Db,
  scope: WorkspaceScope,
  given: string,
  by: 'user' | 'evaluation' = 'user',
): Promise<SessionOf> {
  return respond(db, scope, async (trx) => {
    const { id } = await lockOwnSession(trx, scope, given);
    return setState(
      trx,
      scope,
      id,
      sql`frozen_at = clock_timestamp(), frozen_by = ${by}`,
      sql`frozen_at IS NULL`,
    );
  });
}

export async function deleteSession(db: Db, scope: WorkspaceScope, given: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const { id } = await lockAsAdmin(trx, scope, given, 'delete');
    const { user_id, visibility, origin, group_id } = await getSessionRow(trx, scope, id);
    if (group_id) await refuseEvaluated(trx, scope, group_id, 'archive it instead');
    await trx
      .deleteFrom('sessions')
      .where('organization_id', '=', scope.organizationId)
      .where('id', '=', id)
      .execute();
    // Logs nothing of the content: admins read the log, and may not be able to see the session.
    const before = { user_id, visibility, origin };
    await audit(trx, scope, { action: 'session.deleted', resource: `sessions/${id}`, before });
  });
}

/** Returns the session with its group, as stored after the transaction. */
async function respond(
  db: Db,
  scope: WorkspaceScope,
  change: (trx: Trx) => Promise<SessionRow>,
): Promise<SessionOf> {
  const row = await transactionFor(db, scope, change);
  const [session] = await toSessions(db, scope, [row]);
  return session as SessionOf;
}

/** Locks a session for its owner or an admin. An admin can only change sessions of others that are shared with the workspace. */
async function lockAsAdmin(
  trx: Trx,
  scope: WorkspaceScope,
  given: string,
  what: string,
): Promise<LockedSession> {
  const session = await lockSession(trx, scope, given);
  if (session.user_id === scope.principal.userId || scope.workspaceRole === 'admin') return session;
  throw forbidden(`Only its owner or an admin of the workspace can ${what} this session.`);
}

/** Changes the state of a locked session; does nothing if it has that state already. */
async function setState(
  trx: Trx,
  scope: WorkspaceScope,
  id: string,
  change: ReturnType<typeof sql>,
  isOther: ReturnType<typeof sql>,
): Promise<SessionRow> {
  const { numAffectedRows } = await sql`
    UPDATE sessions SET ${change}, updated_at = ${NEXT_CHANGE}
     WHERE organization_id = ${scope.organizationId} AND id = ${id} AND ${isOther}`.execute(trx);
  const row = await getSessionRow(trx, scope, id);
  if (numAffectedRows) await appendState(trx, scope, id, row);
  return row;
}

/** Longer than any copy of the sessions is kept without being refreshed. */
const DELETIONS_HOURS = 24;

export function forgetOldDeletions(db: Db): Promise<number> {
  return deleteInBatches((size) =>
    sql`
      DELETE /* of every organization */ FROM session_deletions
       WHERE deleted_at < now() - make_interval(hours => ${DELETIONS_HOURS}) AND (organization_id, workspace_id, session_id) IN (
         SELECT organization_id, workspace_id, session_id FROM session_deletions
          WHERE deleted_at < now() - make_interval(hours => ${DELETIONS_HOURS})
          ORDER BY deleted_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`.execute(db),
  );
}
