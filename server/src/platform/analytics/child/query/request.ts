/**
 * What the two processes say to each other about a question. The request is the first line of stdin. The answers are lines on
 * stdout, all JSON: first what is needed; then, where something is after "go" has come, the result, which rows follow. A
 * failure may come instead of each.
 */
import type { SqlTableShape } from '../../../sql-tables/sql-table.ts';
import type { TableNeed } from '../../../sql-tables/table-need.ts';

export type Target =
  | { readonly form: 'rows'; readonly maxAnswerBytes: number }
  | { readonly form: 'parquet'; readonly path: string; readonly maxTargetBytes: number };

export interface QueryRequest {
  readonly query: string;
  readonly tables: readonly SqlTableShape[];
  /** For what does not fit into memory. */
  readonly scratch: string;
  /** The folder of those that rows come through. */
  readonly pipes: string;
  readonly memoryBytes: number;
  readonly threads: number;
  readonly maxRows: number;
  readonly target: Target;
}

export interface ResultColumn {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
}

export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly row_count: number;
  readonly truncated: boolean;
}

export type QueryFailure =
  /** The asker's mistake; `position` in characters from 0. */
  | { readonly kind: 'sql'; readonly message: string; readonly position: number | null }
  | { readonly kind: 'memory' | 'target_size' | 'answer_size' }
  /** Ours. */
  | { readonly kind: 'failure'; readonly message: string };

export interface Failed {
  readonly failure: QueryFailure;
}
export type NeedsAnswer = { readonly needs: readonly TableNeed[] } | Failed;
export type QueryAnswer = { readonly result: QueryResult } | Failed;
