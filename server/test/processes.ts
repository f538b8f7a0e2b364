/** The server as a separate process: started, called over HTTP, stopped and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningUrl } from '../src/platform/db/bundled-postgres.ts';
import { findPostmaster, isAlive } from '../src/platform/db/postmaster-file.ts';
import { createLog } from '../src/platform/log.ts';
import { createNamespacesProvider } from '../src/platform/sandbox/namespaces/namespaces-provider.ts';
import { atEndOfFile } from './end-of-file.ts';
import { NO_LIMITS } from './no-limits.ts';
import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  /** User to run as, which only root can change. */
  readonly uid?: number;
  /** Makes it the leader of a process group, so that a signal can be sent to the whole group as a terminal does. */
  readonly detached?: boolean;
  /** A file and its arguments to run instead of the server. */
  readonly run?: readonly string[];
}

export interface ServerProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  output(): { readonly stdout: string; readonly stderr: string };
  /** Sends a signal and waits until the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface RunningServer extends ServerProcess {
  readonly url: string;
  /** The owner that the first start created; undefined at later starts. */
  readonly owner: Owner | undefined;
}

export interface Owner {
  readonly email: string;
  readonly password: string;
  readonly key: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ProcessResponse<Body> {
  readonly status: number;
  readonly body: Body;
}

export interface ErrorBody {
  readonly code: number;
  readonly type: string;
  readonly detail: string;
}

const children = new Set<ChildProcess>();
const folders = new Set<string>();

let isInUse = false;

/** Ends processes that a failed test left running, before their files are removed. */
function endAllAtEndOfFile(): void {
  if (isInUse) return;
  isInUse = true;
  atEndOfFile(async () => {
    isInUse = false;
    shared = undefined;
    for (const child of children) child.kill('SIGKILL');
    await until('every server has ended', () => children.size === 0);
    for (const folder of folders) {
      folders.delete(folder);
      for (const pgdata of findPgdata(folder)) await endPostgres(pgdata);
      await endSandboxes(folder);
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Sandboxes outlive their server, as intended. */
async function endSandboxes(folder: string): Promise<void> {
  for (const place of [folder, join(folder, 'data')].map((dataDir) => join(dataDir, 'sandboxes'))) {
    if (!existsSync(place)) continue;
    const events = { ended: () => undefined, egress: () => undefined };
    const provider = createNamespacesProvider({ folder: place, log: createLog('fatal'), events });
    for (const id of await provider.list()) await provider.kill(id);
    await provider.close();
  }
}

function findPgdata(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === 'postmaster.pid')
    .map(({ parentPath }) => parentPath);
}

async function endPostgres(pgdata: string): Promise<void> {
  const pid = findPostmaster(pgdata)?.pid;
  if (pid === undefined) return;
  process.kill(pid, 'SIGQUIT');
  await until('PostgreSQL has ended', () => !isAlive(pid));
}

/** Creates a folder that is open to other users, as most folders are, and removes it when the test file ends. */
export function makeFolder(uid?: number): string {
  endAllAtEndOfFile();
  const folder = mkdtempSync(join(tmpdir(), 'drydock-process-'));
  chmodSync(folder, 0o755);
  if (uid !== undefined) chownSync(folder, uid, uid);
  folders.add(folder);
  return folder;
}

let shared: string | undefined;

/** Shared by all processes of this file without a data directory of their own: those on one database need the same one. */
const sharedDataDir = () => (shared ??= newDataDir());

/** A data directory that does not exist yet. */
export const newDataDir = () => join(makeFolder(), 'data');

/** Starts the server without waiting for it. */
export function spawnServer(
  environment: Record<string, string>,
  { uid, detached = false, run = [MAIN] }: ProcessOptions = {},
): ServerProcess {
  endAllAtEndOfFile();
  const child = spawn(process.execPath, run, {
    // Passes nothing of this environment except paths to programs, temporary folders and the compile cache.
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      DRYDOCK_DATA_DIR: sharedDataDir(),
      ...NO_LIMITS,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: tmpdir(),
    detached,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the server could not be started');
  children.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve({ code, signal });
    });
  });
  return {
    pid,
    exited,
    output: () => ({ stdout, stderr }),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts the server and waits until it reports that it is healthy. */
export async function startServer(
  environment: Record<string, string>,
  options: ProcessOptions = {},
): Promise<RunningServer> {
  const server = spawnServer(environment, options);
  let exit: Exit | undefined;
  void server.exited.then((value) => (exit = value));
  const failure = () => new Error(`the server ended (${JSON.stringify(exit)}): ${server.output().stderr}`);
  const url = await until('the banner is printed', () => {
    if (exit) throw failure();
    return /runs on +(\S+)\n/.exec(server.output().stdout)?.[1];
  });
  await until('the server is healthy', async () => {
    if (exit) throw failure();
    return (await call(url, undefined, 'GET', '/health')).status === 200;
  });
  return { ...server, url, owner: readOwner(server.output().stdout) };
}

export function readOwner(banner: string): Owner | undefined {
  const field = (name: string) => new RegExp(`^ +${name} +(.+)$`, 'm').exec(banner)?.[1];
  const [email, password, key] = [field('e-mail'), field('password'), field('API key')];
  return email && password && key ? { email, password, key } : undefined;
}

export async function call<Body = unknown>(
  url: string,
  key: string | undefined,
  method: Method,
  path: string,
  body?: unknown,
): Promise<ProcessResponse<Body>> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(WAIT_TIMEOUT_MS),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
}

const POLL_INTERVAL_MS = { least: 10, most: 100 };

/** Polls until there is something to return. */
export async function until<T>(
  what: string,
  poll: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = WAIT_TIMEOUT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const began = performance.now();
    const found = await poll();
    const now = performance.now();
    if (found !== undefined && found !== false) return found;
    if (now > deadline) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
    // Polls at most a tenth of the time: the awaited work needs the processor too.
    await sleep(Math.min(Math.max(10 * (now - began), POLL_INTERVAL_MS.least), POLL_INTERVAL_MS.most));
  }
}

export const pgdataOf = (dataDir: string) => join(dataDir, 'postgres');

/** Returns the process id of the PostgreSQL that runs in this data directory. */
export function postmasterOf(dataDir: string): number {
  const found = findPostmaster(pgdataOf(dataDir));
  if (!found) throw new Error('no PostgreSQL runs there');
  return found.pid;
}

/** Returns the database address of the PostgreSQL that runs in this data directory. */
export function urlOfRunning(dataDir: string): string {
  const postmaster = findPostmaster(pgdataOf(dataDir));
  if (!postmaster) throw new Error('no PostgreSQL runs there');
  return runningUrl(pgdataOf(dataDir), postmaster);
}

/** Whether only PostgreSQL's files are left. */
export function isPostgresStopped(dataDir: string): boolean {
  return !existsSync(join(pgdataOf(dataDir), 'postmaster.pid'));
}
