/** Reads one task set, with each member as the caller sees it now. */
import { sql } from 'kysely';
import { identityOf } from '../accounts/service.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { ApiError } from '../platform/errors.ts';
import { isShared, resolutionOf } from '../registry/service.ts';
import type { TaskSetDetailOf } from './schema.ts';

/** Columns of the rows `s` of the set, `o` of its organization and `u` of its creator. */
export const SUMMARY = sql`s.id, s.name, s.description, s.source, s.tags, s.is_public, s.member_count, s.organization_id,
  o.key AS org_key, CASE WHEN u.id IS NOT NULL THEN ${identityOf('u')} END AS created_by_user, s.created_at, s.updated_at`;

/** The creator is visible to members of the organization only, because an email address is not for outsiders. */
export function creatorFor({ organizationId, role }: OrgScope) {
  const isMember = role === null ? sql`false` : sql`s.organization_id = ${organizationId}`;
  return sql`SELECT u.id, u.username, u.email_address, u.first_name, u.last_name
    FROM users AS u WHERE u.id = s.created_by AND ${isMember} OFFSET 0`;
}

/** The same message for unknown sets and for those that the caller may not see. */
export const taskSetNotFound = (name: string) =>
  new ApiError('task_set_not_found', `Task set "${name}" was not found.`);

const REFERENCE = {
  ownerKey: sql<string | null>`m.owner_key`,
  name: sql<string>`m.local_name`,
  precedence: sql<string | null>`m.precedence`,
};

/** Reads everything in one statement, so that members and set come from one snapshot. */
export async function getTaskSet(db: Db, scope: OrgScope, name: string): Promise<TaskSetDetailOf> {
  const { rows } = await sql<Omit<TaskSetDetailOf, 'publicly_runnable' | 'warnings'>>`
    SELECT ${SUMMARY}, listed.members, listed.unresolvable_count
      FROM task_sets AS s
      JOIN organizations AS o ON o.id = s.organization_id
      LEFT JOIN LATERAL (${creatorFor(scope)}) AS u ON true
      CROSS JOIN LATERAL (
        SELECT count(resolved.unresolvable_reason) AS unresolvable_count,
               coalesce(json_agg(json_build_object(
                 'task_name', m.task_name, 'task_version', m.task_version, 'resolved_version', resolved.resolved_version,
                 'task_version_pinned', m.task_version, 'task_version_resolved', resolved.resolved_version,
                 'publicly_runnable', resolved.unresolvable_reason IS NULL AND resolved.is_public,
                 'notes', m.notes, 'unresolvable_reason', resolved.unresolvable_reason
               ) ORDER BY m.position), '[]') AS members
          FROM task_set_members AS m
          CROSS JOIN ${resolutionOf(scope, 'task', REFERENCE)} AS resolved
         WHERE m.organization_id = s.organization_id AND m.task_set_id = s.id
      ) AS listed
     WHERE s.organization_id = ${scope.organizationId} AND s.name = ${name} AND ${isShared(scope, 's')}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw taskSetNotFound(name);
  const closed = found.members.filter(({ publicly_runnable }) => !publicly_runnable);
  return {
    ...found,
    publicly_runnable: closed.length === 0,
    warnings: found.is_public ? describeClosed(closed) : [],
  };
}

const MAX_WARNINGS = 100;

/** Describes members that readers of a public set cannot run. */
function describeClosed(closed: TaskSetDetailOf['members']): string[] {
  const named = closed.slice(0, MAX_WARNINGS).map(({ task_name, task_version, unresolvable_reason }) => {
    const task = task_version === null ? task_name : `${task_name}@${task_version}`;
    return unresolvable_reason === null
      ? `${task} is not public; publish the task so that others can run it`
      : `${task} does not exist, or you cannot see it`;
  });
  const rest = closed.length - named.length;
  return rest > 0 ? [...named, `${rest} more members cannot be run by others`] : named;
}
