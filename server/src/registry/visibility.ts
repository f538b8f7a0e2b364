/** The visibility rule of artifacts: members of the organization see them, and everyone if they are public. No other module decides it. */
import { type RawBuilder, sql } from 'kysely';
import type { OrgScope } from '../platform/auth/principal.ts';

/** The caller, and the organization in the request path. */
export type Viewer = Pick<OrgScope, 'organizationId' | 'role'>;

/** @param alias of a row with organization_id and is_public */
export function isShared({ organizationId, role }: Viewer, alias: string): RawBuilder<boolean> {
  const row = (column: string) => sql.ref(`${alias}.${column}`);
  const isOwn = role === null ? sql`false` : sql`${row('organization_id')} = ${organizationId}`;
  return sql<boolean>`(${row('is_public')} OR ${isOwn})`;
}

/**
 * Artifacts without versions are invisible. Apply this to the result of a lookup by name, never within it: otherwise a planner without
 * statistics uses the index of rows with versions and scans all of them.
 * @param alias of a row of artifacts
 */
export const isVisible = (viewer: Viewer, alias: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${alias}.version_count`)} > 0 AND ${isShared(viewer, alias)})`;
