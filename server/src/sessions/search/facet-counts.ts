/** Facet counts, and their order in responses. */
import { sql } from 'kysely';
import { identityOf, type UserIdentityOf } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { compareCodePoints } from './code-points.ts';
import type { SessionFacetsOf } from './schema.ts';

/** Number of sessions by value. Null is not counted, and no count is zero. */
export type Counts = Map<string, number>;

export interface FacetCounts {
  readonly agents: Counts;
  readonly models: Counts;
  readonly origins: Counts;
  readonly group_kinds: Counts;
  readonly group_statuses: Counts;
  /** Counts by id of the owner. */
  readonly users: Counts;
  /** Counts by key, then by value. */
  readonly labels: Map<string, Counts>;
}

export async function toFacets(db: Db, counts: FacetCounts): Promise<SessionFacetsOf> {
  const keys = [...counts.labels.keys()].filter((key) => counts.labels.get(key)?.size);
  return {
    agents: toEntries(counts.agents),
    models: toEntries(counts.models),
    origins: toEntries(counts.origins),
    users: await toUserEntries(db, counts.users),
    group_kinds: toEntries(counts.group_kinds),
    group_statuses: toEntries(counts.group_statuses),
    labels: Object.fromEntries(
      keys.toSorted(compareCodePoints).map((key) => [key, toEntries(counts.labels.get(key) ?? new Map())]),
    ),
  };
}

function toEntries(counts: Counts) {
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
}

async function toUserEntries(db: Db, counts: Counts): Promise<SessionFacetsOf['users']> {
  if (counts.size === 0) return [];
  const { rows } = await sql<{ identity: UserIdentityOf }>`
    SELECT ${identityOf('u')} AS identity FROM users AS u WHERE u.id = ANY (${[...counts.keys()]}::uuid[])`.execute(
    db,
  );
  return rows
    .map(({ identity: { id, username, email, full_name } }) => ({
      id,
      username,
      email,
      full_name,
      count: counts.get(id) ?? 0,
    }))
    .toSorted((a, b) => b.count - a.count || compareCodePoints(a.username, b.username));
}
