/**
 * Confinement of the process that runs DuckDB: its own namespaces, which contain only its program and its folder, or, where namespaces are
 * unavailable, only the usual limits of child processes.
 */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readlinkSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../log.ts';
import { runProgram } from '../process/run-program.ts';
import { compileFilter } from '../sandbox/seccomp/filter.ts';
import { HEAP_MIB } from './analytics-process.ts';
import type { QueryRequest } from './child/query/request.ts';
import { WorkFolder } from './work-folder.ts';

export interface Confinement {
  readonly kind: 'namespaces' | 'process';
  /** Reason why namespaces are unavailable. */
  readonly reason: string | undefined;
}

export interface Confined {
  readonly command: string;
  readonly args: readonly string[];
  /** Files to pass on; close them when the program has started. */
  readonly files: readonly number[];
}

const BWRAP = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'].find((path) => existsSync(path));
const HERE = import.meta.dirname;
const PACKAGE = join(HERE, '../../../package.json');
/** What the query process imports from outside of this folder. */
const IMPORTS = ['../near-names.ts', '../sql-tables/segments.ts'].map((path) => join(HERE, path));
const LIBRARIES = ['/usr/lib', '/usr/lib32', '/usr/lib64', '/lib', '/lib32', '/lib64', '/etc/ld.so.cache'];
/** File number at which bwrap finds the filter: the first after stdin, stdout and stderr. */
const FILTER_FD = 3;
const NOBODY = '65534';
const WAIT_TIMEOUT_MS = 20_000;

let found: Promise<Confinement> | undefined;

/** Caches the result of the first probe that does not throw, also that there are no namespaces. */
export function findConfinement(): Promise<Confinement> {
  found ??= probe().catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
}

/** Probes after the start of the server, so that an operator learns of missing namespaces before the first query. Never rejects. */
export async function warnIfUnconfined(log: Log): Promise<void> {
  try {
    const { kind, reason } = await findConfinement();
    if (kind === 'process') log.warn(`SQL queries run in a process without namespaces of its own: ${reason}`);
  } catch (error) {
    log.error(
      { err: error },
      'the confinement of SQL queries could not be probed; the first query tries again',
    );
  }
}

let seccompProgram: Buffer | undefined;

function getSeccompProgram(): Buffer {
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    throw new Error(`No system call filter exists for ${process.arch}.`);
  seccompProgram ??= compileFilter(process.arch);
  return seccompProgram;
}

export interface Place {
  /** The only writable folder. */
  readonly folder: string;
  /** Subfolders that are read-only inside. */
  readonly readable?: readonly string[];
  /** Lets the program add to the cache of compiled modules; otherwise it only reads them. */
  readonly fillsCache?: boolean;
}

/**
 * Returns the folder in which Node keeps compiled modules, if this process uses one. With it the query process starts in 0.13 s of CPU
 * instead of 0.23 s.
 */
export function compileCache(): string | undefined {
  const folder = getCompileCacheDir();
  return folder && dirname(folder);
}

/** A folder of its own, which only a confined process can fill, since the server runs the code that it finds in its cache. */
function cacheMount(fillsCache: boolean): string[] {
  const folder = compileCache();
  if (folder === undefined) return [];
  const own = join(folder, 'confined');
  // A process in a user namespace of its own writes as the user that runs the server.
  if (fillsCache) mkdirSync(own, { recursive: true });
  return [fillsCache ? '--bind' : '--ro-bind-try', own, own, '--setenv', 'NODE_COMPILE_CACHE', own];
}

/** Wraps a command in bwrap. */
export function confine(
  command: string,
  args: readonly string[],
  { folder, readable = [], fillsCache = false }: Place,
): Confined {
  const filterPath = join(folder, 'filter');
  writeFileSync(filterPath, getSeccompProgram());
  return {
    command: BWRAP ?? 'bwrap',
    args: [
      ['--unshare-user', '--uid', NOBODY, '--gid', NOBODY, '--unshare-pid', '--unshare-net', '--unshare-ipc'],
      [
        '--unshare-uts',
        '--hostname',
        'analytics',
        '--unshare-cgroup-try',
        '--die-with-parent',
        '--cap-drop',
        'ALL',
      ],
      LIBRARIES.flatMap(toLibraryMount),
      [command, duckdbPackages(), HERE, PACKAGE, ...IMPORTS].flatMap((path) => ['--ro-bind', path, path]),
      ['--proc', '/proc', '--dev', '/dev', '--bind', folder, folder, '--chdir', folder],
      readable.flatMap((path) => ['--ro-bind', path, path]),
      cacheMount(fillsCache),
      ['--remount-ro', '/dev', '--remount-ro', '/', '--seccomp', String(FILTER_FD), '--', command, ...args],
    ].flat(),
    files: [openSync(filterPath, 'r')],
  };
}

/** Folder `@duckdb` with the bindings, one package per platform. */
const duckdbPackages = () =>
  dirname(dirname(dirname(fileURLToPath(import.meta.resolve('@duckdb/node-api')))));

function toLibraryMount(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

export const QUERY_ENTRY = fileURLToPath(new URL('./child/query/main.ts', import.meta.url));

/** Runs a trial query instead of inferring from versions or settings. It also fills the cache of compiled modules. */
async function probe(): Promise<Confinement> {
  const without = (reason: string): Confinement => ({ kind: 'process', reason });
  if (process.platform !== 'linux') return without('there are namespaces on Linux only');
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    return without(`there is no filter for ${process.arch}`);
  if (BWRAP === undefined) return without('bwrap is not installed; its package is bubblewrap');
  const work = await WorkFolder.open();
  try {
    return await work.within(async (folder) => {
      const { isRun, error } = await tryQuery(folder);
      return isRun ? { kind: 'namespaces', reason: undefined } : without(`bwrap: ${error}`);
    });
  } finally {
    await work.close();
  }
}

/** Runs a query in namespaces. */
async function tryQuery(
  folder: string,
): Promise<{ readonly isRun: boolean; readonly error?: string | undefined }> {
  const { files, ...program } = confine(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, QUERY_ENTRY], {
    folder,
    fillsCache: true,
  });
  try {
    const request: QueryRequest = {
      query: 'SELECT 1',
      tables: [],
      scratch: folder,
      pipes: folder,
      memoryBytes: 64 * 1024 ** 2,
      threads: 1,
      maxRows: 1,
      target: { form: 'rows', maxResultBytes: 1024 },
    };
    const { stdout, stderr, timedOut } = await runProgram({
      ...program,
      files,
      cwd: folder,
      stdin: `${JSON.stringify(request)}\n`,
      timeoutMs: WAIT_TIMEOUT_MS,
    });
    if (stdout.endsWith('[[1]]')) return { isRun: true };
    // A timeout does not tell whether namespaces work, and a returned result would be cached until the next start.
    if (timedOut) throw new Error(`The trial query took longer than ${WAIT_TIMEOUT_MS / 1_000} s.`);
    const lines = stderr.trim().split('\n');
    return { isRun: false, error: lines.find((line) => line.includes('Error')) ?? lines.at(-1) };
  } finally {
    for (const file of files) closeSync(file);
  }
}
