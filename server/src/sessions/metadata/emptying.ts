/** Deletes the sessions of a workspace before the workspace itself, in portions: all of them would be too much for one statement. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';

/** Limits of a portion; a single session may exceed them. */
const MAX_SESSIONS = 1_000;
const MAX_MESSAGES = 100_000;

interface Last {
  readonly updated_at: string;
  readonly id: string;
}

/** Sorts before all sessions. */
const NONE: Last = { updated_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Sessions that are saved at the same time may be left over; they are deleted with the workspace. */
export async function deleteAllSessions(db: Db, scope: WorkspaceScope): Promise<void> {
  for (let last: Last | undefined = NONE; last; ) {
    const after: Last = last;
    last = await transactionFor(db, scope, (trx) => deletePortion(trx, scope, after));
  }
}

/** Continues after the previous portion, so that deleted rows are never scanned again. */
async function deletePortion(
  trx: Trx,
  { organizationId, workspaceId }: WorkspaceScope,
  after: Last,
): Promise<Last | undefined> {
  const { rows } = await sql<Last>`
    WITH next AS (
      SELECT n.id, n.updated_at, sum(n.last_seq) OVER (ORDER BY n.updated_at, n.id) - n.last_seq AS messages_before
        FROM (SELECT s.id, s.updated_at, s.last_seq FROM sessions AS s
               WHERE s.organization_id = ${organizationId} AND s.workspace_id = ${workspaceId}
                 AND (s.updated_at, s.id) > (${after.updated_at}::timestamptz, ${after.id}::uuid)
               ORDER BY s.updated_at, s.id LIMIT ${MAX_SESSIONS}) AS n
    ), portion AS (
      SELECT id, updated_at FROM next WHERE messages_before < ${MAX_MESSAGES}
    ), deleted AS (
      DELETE FROM sessions AS s USING portion AS p
       WHERE s.organization_id = ${organizationId} AND s.workspace_id = ${workspaceId} AND s.id = p.id
    )
    SELECT updated_at, id FROM portion ORDER BY updated_at DESC, id DESC LIMIT 1`.execute(trx);
  return rows[0];
}
