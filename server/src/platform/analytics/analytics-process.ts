/** Starts the process that runs DuckDB, with limits, and interprets its end. */
import { rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ProgramResult, runProgram } from '../process/run-program.ts';
import type { Failure, FileRequest, FileResponse } from './child/request.ts';
import { BoundError, DataError } from './data-file.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Bounds {
  /** Memory for the data; the program itself needs more on top. */
  readonly memoryBytes: number;
  readonly timeoutMs: number;
}

type Omitted = 'scratch' | 'memoryBytes' | 'threads';
/** The part of a request that callers provide; the rest is the same for all. */
export type Task = FileRequest extends infer Each
  ? Each extends FileRequest
    ? Omit<Each, Omitted>
    : never
  : never;

export interface Job {
  readonly work: WorkFolder;
  readonly task: Task;
  readonly bounds: Bounds;
  readonly maxResultBytes: number;
  readonly signal: AbortSignal;
}

const ENTRY = fileURLToPath(new URL('./child/main.ts', import.meta.url));
/** Node and V8, of which 512 MiB are reserved address space for code, DuckDB's own code, and the stacks of its threads. */
export const PROGRAM_BYTES = 768 * 1024 ** 2;
/** Heap limit of V8: the file scanners keep the values of one line at most. */
export const HEAP_MIB = 256;
export const MAX_THREADS = 4;

/** Memory of one thread: its read-ahead, and a vector of rows, each of which is held more than once. */
const READ_AHEAD_BYTES = 64 * 1024 ** 2;
const ROWS_AT_ONCE = 4 * 2048;

export interface ProcessResult {
  readonly result: unknown;
  /** Rows as JSON. */
  readonly text: string;
}

/** @throws DataError, BoundError */
export async function runAnalytics(job: Job): Promise<ProcessResult> {
  const { task, bounds } = job;
  const started = performance.now();
  const threads = await threadsFor(job);
  try {
    return await attempt(job, threads);
  } catch (error) {
    const isMemory = error instanceof BoundError && error.bound === 'memory';
    if (!isMemory || threads === 1) throw error;
  }
  // Retries with a single thread: each thread holds rows of its own, so one alone may suffice.
  if (task.task === 'convert') await rm(task.target.path, { force: true });
  const timeoutMs = Math.max(1, started + bounds.timeoutMs - performance.now());
  return attempt({ ...job, bounds: { ...bounds, timeoutMs } }, 1);
}

/** Returns as many threads as have memory for wide rows. */
async function threadsFor({ task, bounds }: Job): Promise<number> {
  const most = Math.min(availableParallelism(), MAX_THREADS);
  if (task.task === 'inspect') return most;
  const { size } = await stat(task.source.path);
  const threadBytes = READ_AHEAD_BYTES + (ROWS_AT_ONCE * size) / Math.max(task.source.row_count, 1);
  return Math.min(most, Math.max(1, Math.floor(bounds.memoryBytes / threadBytes)));
}

const attempt = (job: Job, threads: number) =>
  job.work.within(async (scratch) => toResult(job, await start(job, threads, scratch)));

function start(
  { task, bounds, maxResultBytes, signal }: Job,
  threads: number,
  scratch: string,
): Promise<ProgramResult> {
  const request: FileRequest = { ...task, scratch, memoryBytes: bounds.memoryBytes, threads };
  return runProgram({
    command: process.execPath,
    args: [`--max-old-space-size=${HEAP_MIB}`, ENTRY],
    cwd: scratch,
    stdin: JSON.stringify(request),
    timeoutMs: bounds.timeoutMs,
    maxOutputBytes: maxResultBytes,
    // Only Linux enforces this; elsewhere DuckDB's own limit has to suffice.
    ...(process.platform === 'linux' && { memoryBytes: PROGRAM_BYTES + bounds.memoryBytes }),
    signal,
  });
}

function toResult(job: Job, program: ProgramResult): ProcessResult {
  if (program.timedOut) throw tooSlow(job);
  if (program.exitCode !== 0) throw toEnd(job, program);
  if (program.truncated) throw new Error('The response of the analytics process is longer than expected.');
  // Rows may be megabytes, and this process has a single thread: they are passed on unparsed.
  const [head = ''] = program.stdout.split('\n', 1);
  const response = JSON.parse(head) as FileResponse;
  if ('result' in response) return { result: response.result, text: program.stdout.slice(head.length + 1) };
  throw toError(job, response.failure);
}

function toError(job: Job, failure: Failure): Error {
  const { task } = job;
  switch (failure.kind) {
    case 'data':
      return new DataError(failure.message, failure.line ?? undefined);
    case 'memory':
      return tooMuchMemory(job);
    case 'target_size':
      return new BoundError(
        'target_size',
        `becomes larger than ${inUnits('maxTargetBytes' in task ? task.maxTargetBytes : 0)}`,
      );
    case 'result_size':
      return new BoundError(
        'result_size',
        `has rows of more than ${inUnits('maxResultBytes' in task ? task.maxResultBytes : 0)} there; ${WAYS_OUT[task.task]}`,
      );
    default:
      return new Error(`Analytics failed: ${failure.message}`);
  }
}

/** Interprets an end without a response. */
function toEnd(job: Job, { exitCode, signal, stderr }: ProgramResult): Error {
  // Only the kernel sends SIGKILL, when memory is short.
  if (signal === 'SIGKILL' || /out of memory|bad_alloc|allocation fail/i.test(stderr))
    return tooMuchMemory(job);
  const { task } = job;
  const isCrash = signal === 'SIGSEGV' || signal === 'SIGABRT' || signal === 'SIGBUS' || signal === 'SIGFPE';
  if (isCrash && task.task === 'inspect') {
    return new DataError(
      `cannot be read as ${task.source.format}: its reader broke down; write the file again`,
    );
  }
  return new Error(`The analytics process ended with ${signal ?? exitCode}: ${stderr.slice(-2000)}`);
}

const WAYS_OUT = {
  inspect: 'split it into smaller files or rows',
  convert: 'download it as it was published',
  rows: 'ask for fewer rows at once, or download it',
};

const tooMuchMemory = ({ bounds, task }: Job) =>
  new BoundError(
    'memory',
    `needs more than ${inUnits(bounds.memoryBytes)} of memory to read; ${WAYS_OUT[task.task]}`,
  );

const tooSlow = ({ bounds, task }: Job) =>
  new BoundError(
    'time',
    `takes longer than ${Number((bounds.timeoutMs / 1000).toFixed(1))} s to read; ${task.task === 'rows' ? 'download it' : WAYS_OUT[task.task]}`,
  );

export const inUnits = (bytes: number) =>
  bytes < 1024 ** 3
    ? `${Math.round(bytes / 1024 ** 2)} MiB`
    : `${Number((bytes / 1024 ** 3).toFixed(1))} GiB`;
