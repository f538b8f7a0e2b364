/** Lists the runtimes of a workspace, newest first. */
import { sql } from 'kysely';
import { findProjectId } from '../../accounts/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid } from '../../platform/fields.ts';
import { Cursors } from '../../platform/http/responses/pages.ts';
import { RUNTIME_COLUMNS, RUNTIME_JOINS, type RuntimeRow, toRuntime } from '../responses.ts';
import type { RuntimeQuery } from './schema.ts';

/** @param owner `me`, a user id or a username; an unknown one owns nothing */
function isOwnedBy({ principal }: WorkspaceScope, owner: string) {
  if (owner === 'me') return sql`c.created_by = ${principal.userId}`;
  if (isUuid(owner)) return sql`c.created_by = ${owner}`;
  return sql`c.created_by = (SELECT u.id FROM users AS u WHERE u.username = ${owner})`;
}

export async function listRuntimes(
  db: Db,
  signer: Signer,
  scope: WorkspaceScope,
  { limit, cursor, ...filters }: RuntimeQuery,
) {
  const cursors = new Cursors<{ id: string }>(signer, `runtimes ${scope.workspaceId}`);
  const position = cursors.read(cursor, filters);
  const { state, project_id, owner } = filters;
  const projectId = project_id === undefined ? undefined : await findProjectId(db, scope, project_id);
  if (project_id !== undefined && projectId === undefined) return { items: [], next_cursor: null };
  const conditions = [
    sql`c.organization_id = ${scope.organizationId}`,
    sql`c.workspace_id = ${scope.workspaceId}`,
    sql`c.origin = 'user'`,
    ...(state ? [sql`c.status IN (${sql.join(state)})`] : []),
    ...(owner ? [isOwnedBy(scope, owner)] : []),
    ...(projectId ? [sql`c.project_id = ${projectId}`] : []),
    ...(position ? [sql`c.id < ${position.id}::uuid`] : []),
  ];
  // Selects the rows of the page first and joins the other tables only for them.
  const { rows } = await sql<RuntimeRow>`
    SELECT ${RUNTIME_COLUMNS}
      FROM (SELECT c.organization_id, c.id FROM runtimes AS c
             WHERE ${sql.join(conditions, sql` AND `)} ORDER BY c.id DESC LIMIT ${limit + 1}) AS found
      JOIN runtimes AS r ON r.organization_id = found.organization_id AND r.id = found.id
      ${RUNTIME_JOINS}
     ORDER BY r.id DESC`.execute(db);
  const page = cursors.toPage(rows, limit, filters, ({ id }) => ({ id }));
  return { ...page, items: page.items.map((row) => toRuntime(row, scope.principal.userId)) };
}
