/**
 * Messages between the two processes about a query. The request is the first line of stdin. The responses are JSON lines on stdout: first
 * the needed tables and columns; then, if any are needed after "go" was received, the result, followed by rows. A failure may replace each
 * of them.
 */
import type { SqlTableShape } from '../../../sql-tables/sql-table.ts';
import type { TableNeed } from '../../../sql-tables/table-need.ts';

export type Target =
  | { readonly form: 'rows'; readonly maxResultBytes: number }
  | { readonly form: 'parquet'; readonly path: string; readonly maxTargetBytes: number };

export interface QueryRequest {
  readonly query: string;
  readonly tables: readonly SqlTableShape[];
  /** Folder for data that does not fit into memory. */
  readonly scratch: string;
  /** Folder of the pipes with rows. */
  readonly pipes: string;
  readonly memoryBytes: number;
  readonly threads: number;
  readonly maxRows: number;
  readonly target: Target;
}

export interface ResultColumn {
  readonly name: string;
  /** Type as written by DuckDB. */
  readonly type: string;
}

export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly row_count: number;
  readonly truncated: boolean;
}

export type QueryFailure =
  /** A user's mistake; `position` in characters from 0. */
  | { readonly kind: 'sql'; readonly message: string; readonly position: number | null }
  | { readonly kind: 'memory' | 'target_size' | 'result_size' }
  /** An internal error. */
  | { readonly kind: 'failure'; readonly message: string };

export interface Failed {
  readonly failure: QueryFailure;
}
export type NeedsResponse = { readonly needs: readonly TableNeed[] } | Failed;
export type QueryResponse = { readonly result: QueryResult } | Failed;
