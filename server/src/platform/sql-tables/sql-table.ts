/** Declaration of an SQL table by a domain: its name, its columns, and the rows that a viewer sees. */
import type { RawBuilder } from 'kysely';
import type { Bounds } from './bounds.ts';

/** Caller and workspace of a query. */
export interface SqlViewer {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** True when the viewer sees the usage of the whole organization. */
  readonly seesAllUsage: boolean;
  /** Limits tables with a project column to this project; null for all projects. */
  readonly projectId: string | null;
}

/** Types by their DuckDB names. Timestamps are UTC, with microseconds. */
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
  /** Description for users who have never seen the table. */
  readonly comment: string;
  /** Expression on a row of `rows` in PostgreSQL: an array of text for `VARCHAR[]`, json or jsonb for `JSON`. */
  readonly value: RawBuilder<unknown>;
  /** The underlying bytes of a value in hexadecimal digits, which may have an index. */
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
   * `FROM … WHERE …` for the rows that this viewer sees, ending with a condition to which more can be appended with AND. Rows outside the
   * bounds may be left out so that an index is used; all rows are filtered again.
   */
  readonly rows: (viewer: SqlViewer, bounds: Bounds) => RawBuilder<unknown>;
}

/** Table properties for the engine. */
export interface SqlTableShape {
  readonly name: string;
  readonly columns: readonly Pick<SqlColumn, 'name' | 'type'>[];
}
