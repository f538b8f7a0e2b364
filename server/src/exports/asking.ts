/** What running a SQL query requires, and whose rows it sees. */
import { findProjectId } from '../accounts/service.ts';
import type { OrgRole, WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { invalidValue } from '../platform/errors.ts';
import type { SqlTable, SqlViewer } from '../platform/sql-tables/sql-table.ts';
import type { RowSource } from '../platform/sql-tables/table-need.ts';

/** The tables of all domains, as the viewer sees them. */
export interface SqlTables {
  readonly tables: readonly SqlTable[];
  readonly rowsFor: (viewer: SqlViewer) => RowSource;
}

/** Whether a key is limited to its workspace. */
export const isLimited = ({ principal }: WorkspaceScope) => Boolean(principal.apiKey?.workspaceId);

/** The usage of all users is for owners only, as in the usage breakdown. */
export const maySeeAllUsage = (role: OrgRole, limited: boolean) => role === 'owner' && !limited;

export function toViewer(scope: WorkspaceScope, projectId: string | null): SqlViewer {
  const { organizationId, workspaceId, principal } = scope;
  const seesAllUsage = maySeeAllUsage(scope.role, isLimited(scope));
  return { organizationId, workspaceId, userId: principal.userId, seesAllUsage, projectId };
}

/** @throws ApiError for an unknown project */
export async function getProjectId(
  db: Db,
  scope: WorkspaceScope,
  given: string | null | undefined,
): Promise<string | null> {
  if (given === null || given === undefined) return null;
  const id = await findProjectId(db, scope, given);
  if (id === undefined) throw invalidValue(['body', 'project_id'], 'names no project of this workspace');
  return id;
}
