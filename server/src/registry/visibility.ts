/** Who sees an artifact: the members of its organization, and everyone when it is public. The one place that says so. */
import { type RawBuilder, sql } from 'kysely';
import type { OrgScope } from '../platform/auth/principal.ts';

/** Who looks, and through the path of which organization. */
export type Viewer = Pick<OrgScope, 'organizationId' | 'role'>;

/** @param alias of a row with organization_id and is_public */
export function isShared({ organizationId, role }: Viewer, alias: string): RawBuilder<boolean> {
  const row = (column: string) => sql.ref(`${alias}.${column}`);
  const isOwn = role === null ? sql`false` : sql`${row('organization_id')} = ${organizationId}`;
  return sql<boolean>`(${row('is_public')} OR ${isOwn})`;
}

/**
 * With all versions deleted it is there for nobody. Never part of a look-up by name, but asked of what that found: together
 * with it, a planner without statistics takes an index of the rows that have versions, and passes over all of them.
 * @param alias of a row of artifacts
 */
export const isVisible = (viewer: Viewer, alias: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${alias}.version_count`)} > 0 AND ${isShared(viewer, alias)})`;
