/** Runs an SQL query on tables whose rows are read for it: returns rows as JSON, or writes a Parquet file. */
import { createWriteStream } from 'node:fs';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LongRowError } from '../sql-tables/long-row-error.ts';
import type { SqlTableShape } from '../sql-tables/sql-table.ts';
import type { RowSource } from '../sql-tables/table-need.ts';
import { type Bounds, inUnits } from './analytics-process.ts';
import type { QueryFailure, QueryResult, ResultColumn, Target } from './child/query/request.ts';
import { BoundError } from './data-file.ts';
import { openPlainFile } from './plain-file.ts';
import { type QueryOutcome, runQueryProcess } from './query-process.ts';
import type { WorkFolder } from './work-folder.ts';

export interface SqlQuery {
  readonly work: WorkFolder;
  readonly query: string;
  readonly tables: readonly SqlTableShape[];
  readonly source: RowSource;
  readonly maxRows: number;
  readonly bounds?: Partial<Bounds>;
  readonly signal: AbortSignal;
  /** Runs with lower priority. */
  readonly isNiced?: boolean;
  /** Default true: confines the process in its own namespaces if available. */
  readonly isConfined?: boolean;
}

export interface SqlRows extends QueryResult {
  /** JSON array of arrays: numbers have all their digits. */
  readonly rows: string;
}

export interface ParquetQuery extends SqlQuery {
  /** Path of the complete file. */
  readonly path: string;
  readonly maxTargetBytes?: number;
  readonly onProgress?: (rowsRead: number) => void;
}

export interface WrittenParquet {
  readonly row_count: number;
  readonly columns: readonly ResultColumn[];
}

/** A user's mistake. The message is meant for them, and says what to do. */
export class SqlError extends Error {
  /** Offset in characters from 0; undefined without a specific position. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

/** The process was killed, mostly by the kernel because memory is short: a retry may succeed. */
export class KilledError extends BoundError {
  constructor(message: string) {
    super('memory', message);
  }
}

const ROWS: Bounds = { memoryBytes: 512 * 1024 ** 2, timeoutMs: 30_000 };
const PARQUET: Bounds = { memoryBytes: 1024 ** 3, timeoutMs: 30 * 60_000 };
const MAX_RESULT_BYTES = 32 * 1024 ** 2;
const MAX_TARGET_BYTES = 8 * 1024 ** 3;
const LONG_ROW =
  'A row that the query needs is longer than 32 MiB. Leave out its longest column, or the row.';
const MAX_QUERY_CHARACTERS = 1_000_000;

/** @throws SqlError, BoundError */
export async function queryRows(request: SqlQuery): Promise<SqlRows> {
  const target: Target = { form: 'rows', maxResultBytes: MAX_RESULT_BYTES };
  const { result, text } = await run(request, { ...ROWS, ...request.bounds }, () => target);
  return { ...result, rows: text };
}

/**
 * Leaves no file after a failure. Readers open it as a plain file: see openPlainFile.
 * @throws SqlError, BoundError
 */
export async function writeParquet(request: ParquetQuery): Promise<WrittenParquet> {
  const { maxTargetBytes = MAX_TARGET_BYTES, path } = request;
  const bounds = { ...PARQUET, ...request.bounds };
  const toTarget = (folder: string): Target => ({
    form: 'parquet',
    path: join(folder, 'result.parquet'),
    maxTargetBytes,
  });
  const { result } = await run(request, bounds, toTarget, path);
  return { row_count: result.row_count, columns: result.columns };
}

/**
 * Checks whether the query is valid: it is planned, without reading or creating anything.
 * @throws SqlError, BoundError
 */
export async function checkQuery(request: Omit<SqlQuery, 'source' | 'maxRows'>): Promise<void> {
  const target: Target = { form: 'rows', maxResultBytes: MAX_RESULT_BYTES };
  const nothing = { source: NO_ROWS, maxRows: 1, isOnlyPlanned: true };
  await run({ ...request, ...nothing }, { ...ROWS, ...request.bounds }, () => target);
}

const NO_ROWS: RowSource = {
  copyOut: async (needs) => {
    await needs;
    throw new Error('Nothing is read.');
  },
};

type AnyQuery = SqlQuery & Pick<Partial<ParquetQuery>, 'onProgress'> & { readonly isOnlyPlanned?: boolean };

async function run(
  request: AnyQuery,
  bounds: Bounds,
  toTarget: (folder: string) => Target,
  path?: string,
): Promise<{ readonly result: QueryResult; readonly text: string }> {
  const { work, isNiced = false, isConfined = true, onProgress } = request;
  checkText(request.query);
  return work.within(async (folder) => {
    const target = toTarget(folder);
    const maxOutputBytes = MAX_RESULT_BYTES + 1024;
    const options = { ...request, bounds, target, maxOutputBytes, isNiced, isConfined, onProgress, folder };
    const outcome = await runQueryProcess(options).catch((error: unknown) => {
      throw error instanceof LongRowError ? new SqlError(LONG_ROW) : error;
    });
    const result = toResult(outcome, bounds, target);
    if (target.form === 'parquet' && path !== undefined) await move(target.path, path);
    return { result, text: outcome.text };
  });
}

function checkText(query: string): void {
  if (query.length > MAX_QUERY_CHARACTERS)
    throw new SqlError(`The query has more than ${MAX_QUERY_CHARACTERS} characters. Shorten it.`);
  const odd = query.search(/\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/);
  if (odd >= 0)
    throw new SqlError(
      'The query holds a character that is not text (NUL, half a surrogate pair). Remove it.',
      odd,
    );
}

/** Moves the file atomically, even between two disks. */
async function move(from: string, to: string): Promise<void> {
  const file = await openPlainFile(from);
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copy(file, to);
  } finally {
    await file.close();
  }
}

async function copy(file: FileHandle, to: string): Promise<void> {
  const draft = `${to}.draft`;
  try {
    await pipeline(file.createReadStream({ autoClose: false }), createWriteStream(draft, { flags: 'wx' }));
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function toResult(outcome: QueryOutcome, bounds: Bounds, target: Target): QueryResult {
  const { result, end } = outcome;
  if (result && 'result' in result) return result.result;
  if (end.timedOut) throw tooSlow(bounds, target);
  throw result ? toError(result.failure, bounds, target) : toCrash(outcome, bounds);
}

function toError(failure: QueryFailure, bounds: Bounds, target: Target): Error {
  switch (failure.kind) {
    case 'sql':
      return new SqlError(failure.message, failure.position ?? undefined);
    case 'memory':
      return tooMuchMemory(bounds);
    case 'result_size':
      return new BoundError(
        'result_size',
        `has rows of more than ${inUnits(MAX_RESULT_BYTES)}; ask for fewer rows or columns, or export them`,
      );
    case 'target_size':
      return new BoundError(
        'target_size',
        `gives a file of more than ${inUnits(target.form === 'parquet' ? target.maxTargetBytes : 0)}; ask for fewer rows or columns`,
      );
    default:
      return new Error(`Analytics failed: ${failure.message}`);
  }
}

/** Signals as encoded in exit codes of a shell and bwrap. */
const SIGNALS: Readonly<Record<number, NodeJS.Signals>> = {
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
};

/** Interprets an end without a response. */
function toCrash({ end, stderr }: QueryOutcome, bounds: Bounds): Error {
  const signal = end.signal ?? SIGNALS[end.exitCode ?? 0];
  if (/out of memory|bad_alloc|allocation fail/i.test(stderr)) return tooMuchMemory(bounds);
  if (signal === 'SIGKILL') return new KilledError(tooMuchMemory(bounds).message);
  if (signal !== undefined) return new SqlError('The query failed: DuckDB broke down. Simplify the query.');
  return new Error(`The analytics process ended with ${end.exitCode}: ${stderr.slice(-2000)}`);
}

const tooMuchMemory = ({ memoryBytes }: Bounds) =>
  new BoundError(
    'memory',
    `needs more than ${inUnits(memoryBytes)} of memory; name only the columns that it uses, and narrow it by conditions`,
  );

const tooSlow = ({ timeoutMs }: Bounds, { form }: Target) =>
  new BoundError(
    'time',
    `takes longer than ${Number((timeoutMs / 1000).toFixed(1))} s; narrow it by conditions${form === 'rows' ? ', or export it' : ''}`,
  );
