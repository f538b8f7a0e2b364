/** What a query needs of a table: derived by the engine, and exactly what is read from PostgreSQL. */

export interface TableNeed {
  readonly table: string;
  /** Columns in the order in which their values are read; never empty. */
  readonly columns: readonly string[];
  /** Condition that all needed rows fulfil; null: every row may be needed. The engine filters again, so extra rows are harmless. */
  readonly condition: Condition | null;
}

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly column: string; readonly is: Comparison; readonly value: ConditionValue }
  | { readonly column: string; readonly is: 'null' | 'not null' };

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A number as text with all its digits; a timestamp in ISO 8601 with its offset. */
export type ConditionValue = string | boolean;

/** Delivery of rows to a query. */
export interface RowWay {
  /** Folder of the pipes to write into: see RowPipe. */
  readonly pipes: string;
  /** Maximum number of segments per table. */
  readonly segments: number;
  /** Runs with lower priority. */
  readonly isNiced: boolean;
  readonly signal: AbortSignal;
  /** Receives the number of rows of all needs so far, now and then and at the end. */
  readonly onRows: ((count: number) => void) | undefined;
}

/** Delivers the needed rows, all from one snapshot. */
export interface RowSource {
  /**
   * Writes the rows of each need into its pipe, one need after the other, in the CSV format of PostgreSQL's COPY: nothing for NULL, "" for
   * an empty text. The needs may not be known yet; the promise rejects when there are none.
   * @throws an error with the code EPIPE when the reader has disconnected
   */
  copyOut(needs: Promise<readonly TableNeed[]>, way: RowWay): Promise<void>;
}
