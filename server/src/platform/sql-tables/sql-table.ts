/** What a domain declares to let people ask about its rows with SQL: a table by a name of its own, for one who looks. */
import type { RawBuilder } from 'kysely';
import type { Bounds } from './bounds.ts';

/** Who asks, and about what. */
export interface SqlViewer {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** Whether they see what others of the organization have used. */
  readonly seesAllUsage: boolean;
  /** Only rows of this project, where a table's rows have one; null: of all. */
  readonly projectId: string | null;
}

/** As DuckDB names them. Moments are UTC, with microseconds. */
export type SqlType =
  | 'UUID'
  | 'VARCHAR'
  | 'VARCHAR[]'
  | 'BOOLEAN'
  | 'INTEGER'
  | 'BIGINT'
  | 'DOUBLE'
  | 'DECIMAL(38,18)'
  | 'TIMESTAMP WITH TIME ZONE'
  | 'JSON';

export interface SqlColumn {
  readonly name: string;
  readonly type: SqlType;
  /** For people who have never seen the table. */
  readonly comment: string;
  /** What it is of a row of `rows`, in PostgreSQL: an array of text for `VARCHAR[]`, json or jsonb for `JSON`. */
  readonly value: RawBuilder<unknown>;
  /** Of a value that is bytes in hexadecimal digits: the bytes, which an index may have. */
  readonly bytes?: RawBuilder<unknown>;
}

export const column = (
  name: string,
  type: SqlType,
  value: RawBuilder<unknown>,
  comment: string,
): SqlColumn => ({ name, type, value, comment });

export interface SqlTable {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly SqlColumn[];
  /**
   * `FROM … WHERE …`, with a condition at its end that more can be added to by AND: the rows that this viewer sees. Rows that
   * are not within the bounds may be left out, where that is how an index is used; they are looked at again.
   */
  readonly rows: (viewer: SqlViewer, bounds: Bounds) => RawBuilder<unknown>;
}

/** What the engine needs to know of a table. */
export interface SqlTableShape {
  readonly name: string;
  readonly columns: readonly Pick<SqlColumn, 'name' | 'type'>[];
}
