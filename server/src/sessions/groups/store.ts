/** Groups of related sessions, with counts over the sessions that the caller can see. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../../platform/db/violations.ts';
import { notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { requireRuntime } from '../references.ts';
import type { SessionGroupOf } from '../schema.ts';
import { isVisibleByKey, type Viewer } from '../visibility.ts';
import { findChanged, isEnded } from './changes.ts';
import type { GroupUpdate, NewGroup } from './schema.ts';

const groupNotFound = (id: string) => notFound(`Session group "${id}"`);

/** Returns those of the ids that exist in the workspace. */
export async function findGroups(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Map<string, SessionGroupOf>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<SessionGroupOf>`
    SELECT g.id, g.kind, g.status, g.title, g.worker, g.capability, g.capability_version, g.evaluation_id, g.evaluation_item_id,
           g.evaluation_item_attempt_id, g.runtime_id, c.session_count, c.active_session_count, c.message_count, c.total_tokens,
           g.started_at, g.completed_at, c.last_activity_at, g.created_at, g.updated_at
      FROM session_groups AS g
      CROSS JOIN LATERAL (
        SELECT count(*) AS session_count,
               count(*) FILTER (WHERE s.archived_at IS NULL AND s.frozen_at IS NULL) AS active_session_count,
               coalesce(sum(coalesce(s.claimed_message_count, s.last_seq)), 0) AS message_count,
               least(coalesce(sum(s.input_tokens + s.output_tokens + s.cache_read_input_tokens + s.cache_creation_input_tokens), 0),
                     ${Number.MAX_SAFE_INTEGER}) AS total_tokens,
               max(coalesce(s.last_message_at, s.updated_at)) AS last_activity_at
          FROM sessions AS s WHERE s.group_id = g.id AND ${isVisibleByKey(viewer, 's')} OFFSET 0
      ) AS c
     WHERE g.organization_id = ${viewer.organizationId} AND g.workspace_id = ${viewer.workspaceId}
       AND g.id = ANY (${[...new Set(ids)]}::uuid[])`.execute(db);
  return new Map(rows.map((group) => [group.id, group]));
}

export async function getGroup(db: Db, viewer: Viewer, id: string): Promise<SessionGroupOf> {
  const group = (await findGroups(db, viewer, [id])).get(id);
  if (!group) throw groupNotFound(id);
  return group;
}

export async function createGroup(db: Db, scope: WorkspaceScope, request: NewGroup): Promise<SessionGroupOf> {
  return transactionFor(db, scope, async (trx) =>
    getGroup(trx, scope, await insertGroup(trx, scope, request)),
  );
}

/** @returns the id of the new group */
export async function insertGroup(db: Db, scope: WorkspaceScope, request: NewGroup): Promise<string> {
  const { id = uuidv7(), status, started_at, ...given } = request;
  return transactionFor(db, scope, async (trx) => {
    await requireRuntime(trx, scope, request);
    const insert = trx
      .insertInto('session_groups')
      .values({
        ...given,
        organization_id: scope.organizationId,
        workspace_id: scope.workspaceId,
        id,
        status,
        started_at: started_at ?? (status === null ? null : sql`now()`),
        completed_at: isEnded(status) ? sql`now()` : null,
        created_by: scope.principal.userId,
      })
      .execute();
    await explainViolation(insert, {
      session_groups_pkey: alreadyExists('Another session group has this id; create yours with a new one.'),
      session_groups_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
    });
    return id;
  });
}

export async function updateGroup(
  db: Db,
  scope: WorkspaceScope,
  id: string,
  update: GroupUpdate,
): Promise<SessionGroupOf> {
  return transactionFor(db, scope, async (trx) => {
    const changed = findChanged(await lockGroup(trx, scope, id), update);
    if (Object.keys(changed).length > 0) {
      await trx
        .updateTable('session_groups')
        .set({ ...changed, updated_at: NEXT_CHANGE })
        .where('organization_id', '=', scope.organizationId)
        .where('id', '=', id)
        .execute();
    }
    return getGroup(trx, scope, id);
  });
}

async function lockGroup(trx: Trx, { organizationId, workspaceId }: WorkspaceScope, id: string) {
  const group = await trx
    .selectFrom('session_groups')
    .select(['status', 'title', 'capability', 'capability_version', 'started_at', 'completed_at'])
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!group) throw groupNotFound(id);
  return group;
}
