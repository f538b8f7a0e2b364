/** What other domains may know of accounts: who made something, and where a caller may make something. */
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { hasRoleIn } from '../platform/auth/gate.ts';
import type { OrgScope, WorkspaceRole } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { Id } from '../platform/http/fields.ts';
import { selectEntries } from './workspaces/entry.ts';

export const UserIdentity = z
  .object({ id: Id, username: z.string(), email: z.string(), full_name: z.string().nullable() })
  .meta({ id: 'UserIdentity' });

export type UserIdentityOf = z.output<typeof UserIdentity>;

/** Of a row of users, as one value. @param alias of that row */
export function identityOf(alias: string): RawBuilder<UserIdentityOf> {
  const user = (column: string) => sql.ref(`${alias}.${column}`);
  const fullName = sql`nullif(concat_ws(' ', ${user('first_name')}, ${user('last_name')}), '')`;
  return sql<UserIdentityOf>`jsonb_build_object('id', ${user('id')}, 'username', ${user('username')},
    'email', ${user('email_address')}, 'full_name', ${fullName})`;
}

export interface Named {
  readonly ids: readonly string[];
  readonly keys: readonly string[];
}

export interface OwnWorkspace {
  readonly id: string;
  readonly key: string;
  readonly isDefault: boolean;
}

/** Of the workspaces that are named, and of the default one, those that the caller may change something in. */
export async function findOwnWorkspaces(
  db: Db,
  scope: OrgScope,
  { ids, keys }: Named,
): Promise<OwnWorkspace[]> {
  const rows = await selectEntries(db, scope.organizationId, scope.principal.userId)
    .select(['w.key', 'w.is_default'])
    .where(({ or, eb }) =>
      or([
        eb('w.id', '=', sql<string>`ANY (${ids}::uuid[])`),
        eb('w.key', '=', sql<string>`ANY (${keys}::text[])`),
        eb('w.is_default', '=', true),
      ]),
    )
    .execute();
  return rows
    .filter((row) => mayChange(scope, row))
    .map(({ id, key, is_default }) => ({ id, key, isDefault: is_default }));
}

export interface OwnProject {
  readonly id: string;
  readonly key: string;
  readonly workspaceId: string;
}

/** Those that are named, in every workspace that the caller may change something in. */
export async function findOwnProjects(db: Db, scope: OrgScope, { ids, keys }: Named): Promise<OwnProject[]> {
  const { organizationId, principal } = scope;
  const rows = await db
    .selectFrom('projects as p')
    .innerJoin(selectEntries(db, organizationId, principal.userId).as('w'), 'w.id', 'p.workspace_id')
    .select(['p.id as project_id', 'p.key', 'w.id', 'w.is_restricted', 'w.role'])
    .where('p.organization_id', '=', organizationId)
    .where(({ or, eb }) =>
      or([
        eb('p.id', '=', sql<string>`ANY (${ids}::uuid[])`),
        eb('p.key', '=', sql<string>`ANY (${keys}::text[])`),
      ]),
    )
    .execute();
  return rows
    .filter((row) => mayChange(scope, row))
    .map(({ project_id, key, id }) => ({ id: project_id, key, workspaceId: id }));
}

interface Entry {
  readonly id: string;
  readonly is_restricted: boolean;
  readonly role: WorkspaceRole | null;
}

const mayChange = (scope: OrgScope, { id, is_restricted, role }: Entry) =>
  hasRoleIn(scope, { id, isRestricted: is_restricted, listedRole: role }, 'contributor');
