/** Saves one session by itself, new or existing. */
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { changeSession } from '../metadata/changes.ts';
import { requireReferences, requireRuntime } from '../references.ts';
import type { SessionRow } from '../responses.ts';
import { insertSessions } from './insert.ts';
import type { SaveRequest } from './schema.ts';

export interface Saved {
  readonly row: SessionRow;
  readonly isNew: boolean;
}

/**
 * Creates a session for a job, with any origin. A repeated call with the same id keeps fields that are not given, so that a retried step
 * continues with the same session.
 * @param db may be a transaction, which the creation becomes part of
 */
export async function createSession(db: Db, scope: WorkspaceScope, request: SaveRequest): Promise<void> {
  await saveAlone(db, scope, request);
}

/** Maximum number of attempts when the session is concurrently created and deleted. */
const MAX_ATTEMPTS = 5;

export function saveAlone(db: Db, scope: WorkspaceScope, request: SaveRequest): Promise<Saved> {
  return transactionFor(db, scope, async (trx) => {
    const { runtime_id, ...others } = request;
    await requireReferences(trx, scope, others);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const own = await lockOwn(trx, scope, request.id);
      // The runtime of the session may have been deleted since, which must not prevent the other changes.
      if (runtime_id !== own?.runtime_id) await requireRuntime(trx, scope, { runtime_id });
      if (own) return { row: await saveAgain(trx, scope, request), isNew: false };
      const [row] = await insertSessions(trx, [{ place: scope, request }]);
      if (row) return { row, isNew: true };
    }
    throw new ApiError('conflict_error', 'This session is being deleted and saved by others; save it again.');
  });
}

interface OwnSession {
  readonly runtime_id: string | null;
}

/** @returns undefined when the session does not exist; throws if it belongs to another user or workspace */
async function lockOwn(trx: Trx, scope: WorkspaceScope, id: string): Promise<OwnSession | undefined> {
  const found = await trx
    .selectFrom('sessions')
    .select(['user_id', 'workspace_id', 'runtime_id'])
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!found) return undefined;
  if (found.user_id === scope.principal.userId && found.workspace_id === scope.workspaceId) return found;
  throw new ApiError('already_exists_error', 'Another session has this id; save yours with a new one.');
}

/** Saves an existing session. The origin never changes, and a shared session stays shared. */
function saveAgain(trx: Trx, scope: WorkspaceScope, request: SaveRequest): Promise<SessionRow> {
  const { id, origin: _, visibility, ...changes } = request;
  return changeSession(trx, scope, id, {
    ...changes,
    ...(visibility === 'workspace' && { visibility }),
  });
}
