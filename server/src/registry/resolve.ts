/** Resolves references for a reader: to the newest release, or to the pinned version, of an artifact that the reader may see. */
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import type { Kind } from './kinds.ts';
import type { Reference } from './references.ts';
import { precedenceOf } from './version.ts';
import { isVisible, type Viewer } from './visibility.ts';

/** Expressions from which a statement reads a reference. */
export interface ReferenceColumns {
  /** Key of the organization; null if the reference names none. */
  readonly ownerKey: Expression<string | null>;
  readonly name: Expression<string>;
  /** Precedence of the version, from `precedenceOf`; null for the newest release. */
  readonly precedence: Expression<string | null>;
  /** Organization of names without an owner; defaults to the organization of the path. */
  readonly homeId?: Expression<string>;
}

export type UnresolvableReason = 'not_found' | 'version_not_found';

/** `not_found` includes artifacts that the viewer may not see; a pre-release is found only if it is pinned. */
export type Resolution =
  | {
      readonly owner_id: string;
      readonly artifact_id: string;
      readonly version_id: string;
      readonly resolved_version: string;
      readonly unresolvable_reason: null;
    }
  | {
      readonly owner_id: string | null;
      readonly artifact_id: string | null;
      readonly version_id: null;
      readonly resolved_version: null;
      readonly unresolvable_reason: UnresolvableReason;
    };

/**
 * A lateral subquery to follow `CROSS JOIN`, with an alias after it: one row of a `Resolution` per reference. Its limits keep each lookup
 * an index scan for one name, however many references there are: with a plain join and many references, the planner would read the
 * artifacts of all organizations.
 */
export function resolutionOf(
  viewer: Viewer,
  kind: Kind,
  reference: ReferenceColumns,
): RawBuilder<Resolution> {
  const { ownerKey, name, precedence, homeId = sql`${viewer.organizationId}::uuid` } = reference;
  return sql<Resolution>`LATERAL (
    SELECT a.organization_id AS owner_id, a.id AS artifact_id,
           CASE WHEN ${precedence} IS NOT NULL THEN v.id
                WHEN a.latest_release IS NOT NULL THEN a.latest_id END AS version_id,
           CASE WHEN ${precedence} IS NOT NULL THEN v.version ELSE a.latest_release END AS resolved_version,
           CASE WHEN a.id IS NULL THEN 'not_found'
                WHEN ${precedence} IS NOT NULL AND v.id IS NULL THEN 'version_not_found'
                WHEN ${precedence} IS NULL AND a.latest_release IS NULL THEN 'version_not_found'
           END AS unresolvable_reason, a.is_public
      FROM (SELECT) AS always
      LEFT JOIN LATERAL (
        SELECT a.organization_id, a.id, a.latest_id, a.latest_release, a.is_public, a.version_count
          FROM artifacts AS a
         WHERE a.organization_id = CASE WHEN ${ownerKey} IS NULL THEN ${homeId}
                                        ELSE ${ownerOf(ownerKey)} END
           AND a.kind = ${kind} AND a.name = ${name}
         LIMIT 1
      ) AS a ON ${isVisible(viewer, 'a')}
      LEFT JOIN LATERAL (
        SELECT v.id, v.version
          FROM artifact_versions AS v
         WHERE v.organization_id = a.organization_id AND v.artifact_id = a.id
           AND v.precedence = ${precedence} AND v.deleted_at IS NULL
         LIMIT 1
      ) AS v ON true
  )`;
}

/** Uses the collation of the index: a column of another collation would lead to a scan of all organizations. */
const ownerOf = (key: Expression<string | null>) =>
  sql`(SELECT o.id FROM organizations AS o WHERE o.key = ${key} COLLATE "default" AND o.is_active)`;

/** Resolves all references in one statement, in the order given. */
export async function resolveReferences(
  db: Db,
  viewer: Viewer,
  kind: Kind,
  references: readonly Reference[],
): Promise<Resolution[]> {
  const owners = references.map(({ owner }) => owner ?? null);
  const names = references.map(({ name }) => name);
  const precedences = references.map(({ version }) => version && precedenceOf(version));
  const columns = {
    ownerKey: sql<string | null>`r.owner_key`,
    name: sql<string>`r.name`,
    precedence: sql<string | null>`r.precedence`,
  };
  const { rows } = await sql<Resolution>`
    SELECT found.owner_id, found.artifact_id, found.version_id, found.resolved_version, found.unresolvable_reason
      FROM unnest(${owners}::text[], ${names}::text[], ${precedences}::text[])
             WITH ORDINALITY AS r (owner_key, name, precedence, position)
     CROSS JOIN ${resolutionOf(viewer, kind, columns)} AS found
     ORDER BY r.position
  `.execute(db);
  return rows;
}
