/** Messages between the two processes: a request on stdin, a response line on stdout, both JSON; rows follow. */
import type { DataFile, DataFormat, DataShape, UnknownDataFile } from '../data-file.ts';

interface Common {
  /** Folder for data that does not fit into memory; otherwise empty. */
  readonly scratch: string;
  readonly memoryBytes: number;
  readonly threads: number;
}

export interface InspectRequest extends Common {
  readonly task: 'inspect';
  readonly source: UnknownDataFile;
}

export interface ConvertRequest extends Common {
  readonly task: 'convert';
  readonly source: DataFile;
  readonly target: { readonly path: string; readonly format: DataFormat };
  readonly maxTargetBytes: number;
}

export interface RowsRequest extends Common {
  readonly task: 'rows';
  readonly source: DataFile;
  readonly offset: number;
  readonly limit: number;
  readonly search: string | null;
  readonly maxResultBytes: number;
}

export type FileRequest = InspectRequest | ConvertRequest | RowsRequest;

export interface RowCount {
  readonly total: number;
}

export type Failure =
  /** `line` counts from 1. */
  | { readonly kind: 'data'; readonly message: string; readonly line: number | null }
  | { readonly kind: 'memory' | 'target_size' | 'result_size' }
  /** An internal error. */
  | { readonly kind: 'failure'; readonly message: string };

export type FileResponse = { readonly result: DataShape | RowCount | null } | { readonly failure: Failure };
