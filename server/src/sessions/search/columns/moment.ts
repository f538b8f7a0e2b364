/** The moment of a copy of rows, and how the database determines what has changed since. */
import { type RawBuilder, sql } from 'kysely';

export interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
}

export interface Moment {
  /** `pg_current_snapshot()`, as text. */
  readonly snapshot: string;
  /** Time of the database, in milliseconds. */
  readonly now_ms: number;
  /** Changes when the database is replaced or restarted. */
  readonly instance: string;
}

/** Selects the moment of a statement. */
export const MOMENT = sql`pg_current_snapshot()::text AS snapshot, extract(epoch FROM now())::float8 * 1000 AS now_ms,
  pg_postmaster_start_time()::text || ' ' ||
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS instance`;

/** Deletions are kept for much longer than this. */
const MAX_AGE_MS = 600_000;

/** Tells whether the changes between two moments can be determined: not after a restore, a failover or a long time. */
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

/** Writes a value into a statement: as a parameter or as a literal. */
export type Write = (value: string) => RawBuilder<unknown>;

const asParameter: Write = (value) => sql`${value}`;

/**
 * Matches rows whose `changed_in`, the id of the writing transaction, was not visible in a snapshot. An id in the future comes from another
 * database, from which the rows were copied, and is ignored.
 */
export function isChangedSince(alias: string, snapshot: string, write = asParameter): RawBuilder<boolean> {
  const changedIn = sql.ref(`${alias}.changed_in`);
  return sql<boolean>`${changedIn} >= pg_snapshot_xmin(${write(snapshot)}::pg_snapshot)
    AND ${changedIn} < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT pg_visible_in_snapshot(${changedIn}, ${write(snapshot)}::pg_snapshot)`;
}

/** Matches rows of a workspace, as in visibility.ts. */
export function isOfPlace(
  alias: string,
  { organizationId, workspaceId }: Place,
  write = asParameter,
): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`${column('organization_id')} IS NOT DISTINCT FROM ${write(organizationId)}
    AND ${column('workspace_id')} = ${write(workspaceId)}`;
}
