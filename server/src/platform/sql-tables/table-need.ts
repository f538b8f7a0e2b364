/** What a question needs of a table: found by the engine, read from PostgreSQL, and no more than that. */

export interface TableNeed {
  readonly table: string;
  /** In the order in which their values are read; never none. */
  readonly columns: readonly string[];
  /** What all rows that matter fulfil; null: every row may matter. The engine looks again, so it may keep too many. */
  readonly condition: Condition | null;
}

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly column: string; readonly is: Comparison; readonly value: ConditionValue }
  | { readonly column: string; readonly is: 'null' | 'not null' };

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A number as text, with all its digits; a moment in ISO 8601 with its offset. */
export type ConditionValue = string | boolean;

/** Gives the rows that are needed, all of one moment. */
export interface RowSource {
  /**
   * Writes the rows of each need, one need after the other, as PostgreSQL's COPY writes CSV: nothing at all for NULL, an empty
   * text as "". Ends each sink. A sink that is closed early ends the reading for it, without an error.
   */
  copyOut(
    needs: readonly TableNeed[],
    sinkOf: (need: TableNeed) => NodeJS.WritableStream,
    signal: AbortSignal,
  ): Promise<void>;
}
