/** Files of rows, as analytics sees them: their formats, their columns, and what can be wrong with them. */

export const DATA_FORMATS = ['jsonl', 'csv', 'parquet'] as const;

export type DataFormat = (typeof DATA_FORMATS)[number];

export interface DataColumn {
  readonly name: string;
  /** As DuckDB writes it, such as `STRUCT(a BIGINT, b VARCHAR[])`. */
  readonly type: string;
}

/** What an inspection has found out. */
export interface DataShape {
  readonly row_count: number;
  readonly columns: readonly DataColumn[];
}

export interface UnknownDataFile {
  readonly path: string;
  readonly format: DataFormat;
}

/** A file that was inspected: it is read as the columns that were found then. */
export interface DataFile extends UnknownDataFile, DataShape {}

/** The file is not what it claims to be. The message is for its author, and goes on after the file's name. */
export class DataError extends Error {
  /** From 1; undefined where the format has no lines. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

export type Bound = 'memory' | 'time' | 'target_size' | 'answer_size';

/** The work needs more than it may have. The message says what the bound is, and what to do; it goes on after the file's name. */
export class BoundError extends Error {
  readonly bound: Bound;

  constructor(bound: Bound, message: string) {
    super(message);
    this.bound = bound;
  }
}
