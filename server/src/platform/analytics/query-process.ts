/** Communicates with the query process: sends the query, delivers the rows that it needs, and reads its response. */
import { closeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { keepOutput } from '../process/kept-output.ts';
import { readLine } from '../process/read-line.ts';
import { type ProgramEnd, type StartedProgram, startProgram } from '../process/start-program.ts';
import { segmentsFor } from '../sql-tables/segments.ts';
import type { SqlTableShape } from '../sql-tables/sql-table.ts';
import type { RowSource } from '../sql-tables/table-need.ts';
import { type Bounds, HEAP_MIB, MAX_THREADS, PROGRAM_BYTES } from './analytics-process.ts';
import type { QueryRequest, QueryResponse, Target } from './child/query/request.ts';
import { compileCache, confine, findConfinement, QUERY_ENTRY } from './confinement.ts';
import { readNeeds, readResult } from './query-results.ts';
import { RowTransfer } from './row-transfer.ts';

export interface QueryRun {
  readonly query: string;
  readonly tables: readonly SqlTableShape[];
  readonly source: RowSource;
  readonly maxRows: number;
  readonly bounds: Bounds;
  readonly signal: AbortSignal;
  readonly isNiced: boolean;
  readonly isConfined: boolean;
  /** Ends after its needs are known. */
  readonly isOnlyPlanned?: boolean;
  readonly target: Target;
  readonly maxOutputBytes: number;
  readonly onProgress: ((rowsRead: number) => void) | undefined;
  /** A folder for this query only. */
  readonly folder: string;
}

export interface QueryOutcome {
  /** Undefined when the process ended without a response. */
  readonly result: QueryResponse | undefined;
  readonly text: string;
  readonly end: ProgramEnd;
  readonly stderr: string;
}

/** Memory that DuckDB uses beyond what it counts, mostly for long texts, as a fraction of its limit. */
const UNCOUNTED = 0.5;
const MAX_NEEDS_BYTES = 16 * 1024 ** 2;
const MAX_STDERR_BYTES = 64 * 1024;

/**
 * Nothing of it runs when this settles.
 * @throws the signal's reason, or the error of the row source
 */
export async function runQueryProcess(run: QueryRun): Promise<QueryOutcome> {
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const program = await start(run, signal);
  const stderr = keepOutput(program.stderr, MAX_STDERR_BYTES);
  const transfer = new RowTransfer({
    source: run.source,
    pipes: pipesIn(run.folder),
    segments: segmentsFor(run.target),
    isNiced: run.isNiced,
    onRows: run.onProgress,
    onFailure: (error) => stop.abort(error),
  });
  let output: Omit<QueryOutcome, 'end' | 'stderr'>;
  let end: ProgramEnd;
  try {
    output = await exchange(program, run, transfer);
  } finally {
    stop.abort();
    end = await program.ended;
    await transfer.stop();
  }
  run.signal.throwIfAborted();
  transfer.throwIfFailed();
  return { ...output, end, stderr: stderr.text() };
}

const pipesIn = (folder: string) => join(folder, 'pipes');

async function start(run: QueryRun, signal: AbortSignal): Promise<StartedProgram> {
  const { folder, bounds, isNiced, isConfined } = run;
  for (const name of [join(folder, 'scratch'), pipesIn(folder)]) await mkdir(name, { mode: 0o700 });
  const command = process.execPath;
  const args = [`--max-old-space-size=${HEAP_MIB}`, QUERY_ENTRY];
  const isInside = isConfined && (await findConfinement()).kind === 'namespaces';
  const program = isInside
    ? confine(command, args, { folder, readable: [pipesIn(folder)] })
    : { command, args, env: unconfinedEnvironment(), files: [] };
  try {
    const started = await startProgram({
      ...program,
      cwd: folder,
      timeoutMs: bounds.timeoutMs,
      // Only Linux enforces this; elsewhere DuckDB's own limit has to suffice.
      ...(process.platform === 'linux' && {
        memoryBytes: PROGRAM_BYTES + (1 + UNCOUNTED) * bounds.memoryBytes,
      }),
      isNiced,
      signal,
    });
    started.stdin.write(`${JSON.stringify(toRequest(run))}\n`);
    return started;
  } finally {
    for (const file of program.files) closeSync(file);
  }
}

function unconfinedEnvironment(): Record<string, string> {
  const cache = compileCache();
  return cache ? { NODE_COMPILE_CACHE: cache } : {};
}

function toRequest({ query, tables, folder, bounds, maxRows, target }: QueryRun): QueryRequest {
  return {
    query,
    // Sends only the column properties that the engine needs.
    tables: tables.map(({ name, columns }) => ({
      name,
      columns: columns.map((column) => ({ name: column.name, type: column.type })),
    })),
    scratch: join(folder, 'scratch'),
    pipes: pipesIn(folder),
    memoryBytes: bounds.memoryBytes,
    threads: Math.min(availableParallelism(), MAX_THREADS),
    maxRows,
    target,
  };
}

type QueryOutput = Omit<QueryOutcome, 'end' | 'stderr'>;
const NOTHING: QueryOutput = { result: undefined, text: '' };
const PLANNED: QueryOutput = {
  result: { result: { columns: [], row_count: 0, truncated: false } },
  text: '',
};

async function exchange(program: StartedProgram, run: QueryRun, transfer: RowTransfer): Promise<QueryOutput> {
  const { stdin, stdout } = program;
  const first = await readLine(stdout, MAX_NEEDS_BYTES);
  if (first === undefined) return NOTHING;
  const planned = readNeeds(first, run.tables);
  if ('failure' in planned) return { result: planned, text: '' };
  if (run.isOnlyPlanned) return PLANNED;
  if (planned.needs.length > 0) {
    // Stops waiting for pipes when the process has ended.
    await Promise.race([transfer.start(planned.needs), program.ended]);
    stdin.write('go\n');
  }
  const line = await readLine(stdout, MAX_NEEDS_BYTES);
  const output = keepOutput(stdout, run.maxOutputBytes);
  stdin.end();
  await program.ended;
  if (output.isTruncated()) throw new Error('The response of the analytics process is longer than expected.');
  return { result: line === undefined ? undefined : readResult(line), text: output.text() };
}
