/** As of when a copy of rows is, and what the database has to say for it to be brought up to date. */
import { type RawBuilder, sql } from 'kysely';

export interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
}

export interface Moment {
  /** `pg_current_snapshot()`, as text. */
  readonly snapshot: string;
  /** By the clock of the database, in milliseconds. */
  readonly now_ms: number;
  /** Another one when the database is another, or was started anew. */
  readonly instance: string;
}

/** What a statement selects to tell its moment. */
export const MOMENT = sql`pg_current_snapshot()::text AS snapshot, extract(epoch FROM now())::float8 * 1000 AS now_ms,
  pg_postmaster_start_time()::text || ' ' ||
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS instance`;

/** Deleted sessions are told of for much longer. */
const MAX_AGE_MS = 600_000;

/** Whether what has changed since a moment can be known at a later one: not after a restore, a failover or a long time. */
export function isContinued(before: Moment, now: Moment): boolean {
  const [xmin = 0n, xmax = 0n] = toBounds(before.snapshot);
  const [laterXmin = 0n, laterXmax = 0n] = toBounds(now.snapshot);
  return (
    before.instance === now.instance &&
    laterXmin >= xmin &&
    laterXmax >= xmax &&
    now.now_ms - before.now_ms <= MAX_AGE_MS
  );
}

const toBounds = (snapshot: string) => snapshot.split(':', 2).map(BigInt);

/** How a statement holds a value: as a parameter, or written out. */
export type Write = (value: string) => RawBuilder<unknown>;

const asParameter: Write = (value) => sql`${value}`;

/**
 * Of rows of a table whose `changed_in` notes the transaction: those that a snapshot did not see. One that is still to come
 * is of another database, from which the rows were brought as they are; it tells nothing.
 */
export function isChangedSince(alias: string, snapshot: string, write = asParameter): RawBuilder<boolean> {
  const changedIn = sql.ref(`${alias}.changed_in`);
  return sql<boolean>`${changedIn} >= pg_snapshot_xmin(${write(snapshot)}::pg_snapshot)
    AND ${changedIn} < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT pg_visible_in_snapshot(${changedIn}, ${write(snapshot)}::pg_snapshot)`;
}

/** By workspace, as in visibility.ts. */
export function isOfPlace(
  alias: string,
  { organizationId, workspaceId }: Place,
  write = asParameter,
): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`${column('organization_id')} IS NOT DISTINCT FROM ${write(organizationId)}
    AND ${column('workspace_id')} = ${write(workspaceId)}`;
}
