/** Task sets for other domains: reading the references of members, and adding a member. */
import { sql } from 'kysely';
import type { OrgScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { isShared, parsePlace, type Reference } from '../registry/service.ts';

export { addToTaskSet } from './store.ts';

export interface SetMember {
  /** Name as listed in the set. */
  readonly taskName: string;
  readonly taskVersion: string | null;
  /** Refers to the organization of the set if the member names none. */
  readonly reference: Reference;
}

/**
 * @param given `name` or `org/name`
 * @returns undefined for a set that does not exist or that the caller cannot see
 */
export async function findSetMembers(
  db: Db,
  scope: OrgScope,
  given: string,
): Promise<SetMember[] | undefined> {
  const place = parsePlace(given);
  if (!place) return undefined;
  const { rows: sets } = await sql<{ organization_id: string; id: string; org_key: string }>`
    SELECT s.organization_id, s.id, o.key AS org_key
      FROM organizations AS o
      JOIN task_sets AS s ON s.organization_id = o.id AND s.name = ${place.name}
     WHERE o.key = ${place.owner ?? scope.organizationKey} AND o.is_active AND ${isShared(scope, 's')}`.execute(
    db,
  );
  const [set] = sets;
  if (!set) return undefined;
  const { rows } = await sql<{
    task_name: string;
    task_version: string | null;
    owner_key: string | null;
    local_name: string;
  }>`
    SELECT task_name, task_version, owner_key, local_name FROM task_set_members
     WHERE organization_id = ${set.organization_id} AND task_set_id = ${set.id} ORDER BY position`.execute(
    db,
  );
  return rows.map(({ task_name, task_version, owner_key, local_name }) => ({
    taskName: task_name,
    taskVersion: task_version,
    reference: { owner: owner_key ?? set.org_key, name: local_name, version: task_version ?? undefined },
  }));
}
