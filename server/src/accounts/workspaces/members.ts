/** The members of a workspace, with their roles. Only they see a restricted workspace. */
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceRole, WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { toIdentity } from '../identity.ts';
import { currentRole } from '../members/store.ts';
import { lockOrganization } from '../organizations/lock.ts';
import { selectEntries } from './entry.ts';

function selectMembers(db: Db, scope: WorkspaceScope) {
  return db
    .selectFrom('workspace_members as wm')
    .innerJoin('users as u', 'u.id', 'wm.user_id')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'wm.organization_id').onRef('m.user_id', '=', 'wm.user_id'),
    )
    .select([
      'wm.user_id',
      'wm.role',
      'wm.created_at',
      'u.username',
      'u.email_address',
      'u.first_name',
      'u.last_name',
      'm.first_used_at',
    ])
    .where('wm.organization_id', '=', scope.organizationId)
    .where('wm.workspace_id', '=', scope.workspaceId);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;

function toWorkspaceMember({ user_id, role, created_at, ...user }: Row) {
  return { user_id, role, created_at, user: toIdentity(user_id, user) };
}

export async function listWorkspaceMembers(db: Db, scope: WorkspaceScope) {
  const rows = await selectMembers(db, scope).orderBy('wm.created_at').orderBy('wm.user_id').execute();
  return rows.map(toWorkspaceMember);
}

export async function setWorkspaceMember(db: Db, scope: WorkspaceScope, userId: string, role: WorkspaceRole) {
  return transactionFor(db, scope, async (trx) => {
    const { organizationId: organization_id, workspaceId: workspace_id } = scope;
    await requireStillAdmin(trx, scope);
    const before = await selectMembers(trx, scope).where('wm.user_id', '=', userId).executeTakeFirst();
    const write = trx
      .insertInto('workspace_members')
      .values({ organization_id, workspace_id, user_id: userId, role })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'workspace_id', 'user_id']).doUpdateSet({ role }),
      );
    await explainViolation(write.execute(), {
      workspace_members_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
      workspace_members_member_fkey: () => notFound('Member of the organization'),
    });
    await audit(trx, scope, {
      action: 'workspace_member.set',
      resource: `workspaces/${workspace_id}/members/${userId}`,
      before: before && { role: before.role },
      after: { role },
    });
    return toWorkspaceMember(
      await selectMembers(trx, scope).where('wm.user_id', '=', userId).executeTakeFirstOrThrow(),
    );
  });
}

/** Runs under the organization's lock, because an entry made with a lost role would stay. */
async function requireStillAdmin(trx: Trx, scope: WorkspaceScope): Promise<void> {
  await lockOrganization(trx, scope.organizationId);
  if ((await currentRole(trx, scope)) !== 'member') return;
  const entries = selectEntries(trx, scope.organizationId, scope.principal.userId);
  const own = await entries.where('w.id', '=', scope.workspaceId).executeTakeFirst();
  if (own?.role !== 'admin') throw forbidden('This needs the role "admin" in the workspace.');
}

export async function removeWorkspaceMember(db: Db, scope: WorkspaceScope, userId: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const removed = await trx
      .deleteFrom('workspace_members')
      .where('organization_id', '=', scope.organizationId)
      .where('workspace_id', '=', scope.workspaceId)
      .where('user_id', '=', userId)
      .returning('role')
      .executeTakeFirst();
    if (!removed) throw notFound('Member of the workspace');
    const resource = `workspaces/${scope.workspaceId}/members/${userId}`;
    await audit(trx, scope, { action: 'workspace_member.removed', resource, before: { role: removed.role } });
  });
}
