/** Saves one session by itself, whether it is there or not. */
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { changeSession } from '../metadata/changes.ts';
import { requireReferences } from '../references.ts';
import type { SessionRow } from '../responses.ts';
import { insertSessions } from './insert.ts';
import type { SaveRequest } from './schema.ts';

export interface Saved {
  readonly row: SessionRow;
  readonly isNew: boolean;
}

/** How often a session may come or go between two looks at it. */
const LOOKS = 5;

export function saveAlone(db: Db, scope: WorkspaceScope, request: SaveRequest): Promise<Saved> {
  return transaction(db, async (trx) => {
    await requireReferences(trx, scope, request);
    for (let look = 1; look <= LOOKS; look++) {
      if (await lockOwn(trx, scope, request.id))
        return { row: await saveAgain(trx, scope, request), isNew: false };
      const [row] = await insertSessions(trx, [{ place: scope, request }]);
      if (row) return { row, isNew: true };
    }
    throw new ApiError('conflict_error', 'This session is being deleted and saved by others; save it again.');
  });
}

/** @returns whether it is there; fails where it is somebody else's, or of another workspace */
async function lockOwn(trx: Trx, scope: WorkspaceScope, id: string): Promise<boolean> {
  const found = await trx
    .selectFrom('sessions')
    .select(['user_id', 'workspace_id'])
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!found) return false;
  if (found.user_id === scope.principal.userId && found.workspace_id === scope.workspaceId) return true;
  throw new ApiError('already_exists_error', 'Another session has this id; save yours with a new one.');
}

/** Where it came from is never told anew, and what is shared stays so. */
function saveAgain(trx: Trx, scope: WorkspaceScope, request: SaveRequest): Promise<SessionRow> {
  const { id, origin: _, runtime_id: __, visibility, ...changes } = request;
  return changeSession(trx, scope, id, {
    ...changes,
    ...(visibility === 'workspace' && { visibility }),
  });
}
