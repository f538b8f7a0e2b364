/** Data files: their formats, their columns, and their errors. */

export const DATA_FORMATS = ['jsonl', 'csv', 'parquet'] as const;

export type DataFormat = (typeof DATA_FORMATS)[number];

export interface DataColumn {
  readonly name: string;
  /** Type as written by DuckDB, such as `STRUCT(a BIGINT, b VARCHAR[])`. */
  readonly type: string;
}

/** Result of an inspection. */
export interface DataShape {
  readonly row_count: number;
  readonly columns: readonly DataColumn[];
}

export interface UnknownDataFile {
  readonly path: string;
  readonly format: DataFormat;
}

/** An inspected file: it is read with the columns that the inspection found. */
export interface DataFile extends UnknownDataFile, DataShape {}

/** The file is not what it claims to be. The message is meant for its author, and is appended to the file's name. */
export class DataError extends Error {
  /** Line from 1; undefined for formats without lines. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

export type Bound = 'memory' | 'time' | 'target_size' | 'result_size';

/** The work exceeds a limit. The message names the limit and a remedy, and is appended to the file's name. */
export class BoundError extends Error {
  readonly bound: Bound;

  constructor(bound: Bound, message: string) {
    super(message);
    this.bound = bound;
  }
}
