import type { Db } from '../../platform/db/connect.ts';

/** Selects what access checks need: whether a workspace is restricted, and whether its list contains the user. */
export function selectEntries(db: Db, organizationId: string, userId: string) {
  return db
    .selectFrom('workspaces as w')
    .leftJoin('workspace_members as wm', (join) =>
      join
        .onRef('wm.organization_id', '=', 'w.organization_id')
        .onRef('wm.workspace_id', '=', 'w.id')
        .on('wm.user_id', '=', userId),
    )
    .select(['w.id', 'w.is_restricted', 'wm.role'])
    .where('w.organization_id', '=', organizationId);
}
