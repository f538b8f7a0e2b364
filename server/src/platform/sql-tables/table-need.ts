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

/** How rows get to who asked for them. */
export interface RowWay {
  /** The folder of the pipes that they are written into: see RowPipe. */
  readonly pipes: string;
  /** How many there may be of each table. */
  readonly segments: number;
  /** Behind everything else on this machine. */
  readonly isNiced: boolean;
  readonly signal: AbortSignal;
  /** Told now and then how many there were up to now, of all needs, and at the end. */
  readonly onRows: ((count: number) => void) | undefined;
}

/** Gives the rows that are needed, all of one moment. */
export interface RowSource {
  /**
   * Writes the rows of each need into its pipe, one need after the other, as PostgreSQL's COPY writes CSV: nothing at all for
   * NULL, an empty text as "". What is needed may not be known yet; the promise is rejected where nothing is.
   *
   * @throws what has the code EPIPE when its reader has left
   */
  copyOut(needs: Promise<readonly TableNeed[]>, way: RowWay): Promise<void>;
}
