/** Operations on data files, each in a separate process that DuckDB cannot leave. */
import { type Bounds, runAnalytics } from './analytics-process.ts';
import type { RowCount } from './child/request.ts';
import type { DataFile, DataFormat, DataShape, UnknownDataFile } from './data-file.ts';
import type { WorkFolder } from './work-folder.ts';

const INSPECTION: Bounds = { memoryBytes: 1024 ** 3, timeoutMs: 5 * 60_000 };
const CONVERSION: Bounds = { memoryBytes: 1024 ** 3, timeoutMs: 15 * 60_000 };
const PREVIEW: Bounds = { memoryBytes: 512 * 1024 ** 2, timeoutMs: 30_000 };

const MAX_TARGET_BYTES = 8 * 1024 ** 3;
/** Maximum response that describes columns, or confirms the end. */
const MAX_DESCRIPTION_BYTES = 16 * 1024 ** 2;
const MAX_ROWS_BYTES = 8 * 1024 ** 2;

interface Work {
  readonly work: WorkFolder;
  readonly signal: AbortSignal;
  readonly bounds?: Partial<Bounds>;
}

/**
 * Reads the whole file.
 * @throws DataError, BoundError
 */
export async function inspectDataFile(request: Work & UnknownDataFile): Promise<DataShape> {
  const { work, signal, bounds, path, format } = request;
  const { result } = await runAnalytics({
    work,
    signal,
    bounds: { ...INSPECTION, ...bounds },
    task: { task: 'inspect', source: { path, format } },
    maxResultBytes: MAX_DESCRIPTION_BYTES,
  });
  return result as DataShape;
}

export interface Conversion extends Work {
  readonly source: DataFile;
  /** Must not exist yet; a failure may leave a partial file. */
  readonly target: { readonly path: string; readonly format: DataFormat };
  readonly maxTargetBytes?: number | undefined;
}

/**
 * Retries with a single thread, after removing the target, when memory is short.
 * @throws BoundError
 */
export async function convertDataFile(conversion: Conversion): Promise<void> {
  const { work, signal, bounds, source, target, maxTargetBytes = MAX_TARGET_BYTES } = conversion;
  await runAnalytics({
    work,
    signal,
    bounds: { ...CONVERSION, ...bounds },
    task: { task: 'convert', source, target, maxTargetBytes },
    maxResultBytes: MAX_DESCRIPTION_BYTES,
  });
}

export interface RowsRequest extends Work {
  readonly source: DataFile;
  readonly offset: number;
  readonly limit: number;
  /** Substring of any column's text, case-insensitive. */
  readonly search?: string | undefined;
}

export interface RowsPage {
  /** JSON array of objects, as written by DuckDB: numbers have all their digits. */
  readonly rows: string;
  readonly total: number;
}

/**
 * Returns rows in the order of the file.
 * @throws BoundError
 */
export async function readRows(request: RowsRequest): Promise<RowsPage> {
  const { work, signal, bounds, source, offset, limit, search = null } = request;
  const { result, text } = await runAnalytics({
    work,
    signal,
    bounds: { ...PREVIEW, ...bounds },
    task: { task: 'rows', source, offset, limit, search, maxResultBytes: MAX_ROWS_BYTES },
    maxResultBytes: MAX_ROWS_BYTES + MAX_DESCRIPTION_BYTES,
  });
  return { rows: text, total: (result as RowCount).total };
}
