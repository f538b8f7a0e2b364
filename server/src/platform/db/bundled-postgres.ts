/**
 * Runs the bundled PostgreSQL as a child process: initialises its directory, starts it, restarts it when it dies, stops it. Two servers
 * never share a directory: PostgreSQL's own lock file decides who starts it, and a lock inside the database distinguishes a live server
 * from one that was killed and left its database behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openDataDirectory } from '../data-directory.ts';
import { DataDirectoryError } from '../data-directory-error.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PostgresBinaries } from './bundled-binaries.ts';
import {
  initialise,
  readPassword,
  refuseOtherMajorVersion,
  removeAbandoned,
  SUPERUSER,
} from './initialise-postgres.ts';
import { openClient } from './open-client.ts';
import { findPostmaster, isAlive, type Postmaster } from './postmaster-file.ts';
import { type Account, launchAs, postgresAccount } from './run-as.ts';

export interface BundledPostgresOptions {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  readonly log: Log;
  /** Settings applied after the tuning below. */
  readonly settings?: Record<string, string>;
  /** Called when another process has taken over the directory. */
  readonly onLost?: () => void;
}

/** The database, and the user who owns it. */
const DATABASE = 'drydock';
const OWNER_LOCK = 0x6472_7964; // "dryd"
const WAIT_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;
const WATCH_MS = 2_000;
/** A server that has just started its database needs a moment to lock it. */
const ORPHAN_MS = 500;
const MAX_SOCKET_PATH = 100; // the kernel takes 107 bytes
const MAX_LOG_BYTES = 10 * 1024 * 1024;

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  random_page_cost: '1.1',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Looking for tables to vacuum takes 0.1 s of CPU even if there are none, which is a quarter of what an idle server uses at one minute.
  autovacuum_naptime: '3min',
  log_checkpoints: 'off',
  // Errors reach the client that caused them; their text and statement may hold content and stay out of the log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export class BundledPostgres {
  /** Address for the server: a user who owns the database and has no other rights. */
  readonly url: string;
  /** Address for work that needs a superuser. */
  readonly adminUrl: string;
  private readonly pgdata: string;
  private readonly account: Account | undefined;
  private readonly ownSocketDir: string | undefined;
  private readonly socketDir: string;
  private child: ChildProcess | undefined;
  private isStopping = false;
  private readonly options: BundledPostgresOptions;

  private constructor(options: BundledPostgresOptions, account: Account | undefined, pgdata: string) {
    this.options = options;
    this.account = account;
    this.pgdata = pgdata;
    const password = readPassword(pgdata);
    const isShort = Buffer.byteLength(join(pgdata, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH;
    this.ownSocketDir = isShort ? undefined : makeSocketDir(account);
    this.socketDir = this.ownSocketDir ?? pgdata;
    this.url = databaseUrl(DATABASE, password, this.socketDir);
    this.adminUrl = databaseUrl(SUPERUSER, password, this.socketDir);
  }

  static async start(options: BundledPostgresOptions): Promise<BundledPostgres> {
    const pgdata = join(options.dataDir, 'postgres');
    openDataDirectory(options.dataDir);
    const account = postgresAccount(pgdata);
    removeAbandoned(options.dataDir);
    if (existsSync(pgdata)) refuseOtherMajorVersion(pgdata, options.binaries);
    else await initialise(options.dataDir, pgdata, account, options.binaries);
    await endOrphan(pgdata, options.log);
    const postgres = new BundledPostgres(options, account, pgdata);
    try {
      const child = await postgres.launch();
      await createDatabase(postgres.adminUrl, readPassword(pgdata));
      await postgres.supervise(child);
    } catch (error) {
      const reason = postgres.child && isRunning(postgres.child) ? error : postgres.startError();
      await postgres.stop();
      throw reason;
    }
    return postgres;
  }

  /** Starts the shutdown that `stop` performs without waiting for it; the next start waits. */
  stopSoon(): void {
    this.isStopping = true;
    if (this.child && isRunning(this.child)) this.child.kill('SIGINT');
  }

  /** Ends the database: connections are cut, everything is written to disk. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const child = this.child;
    if (child && isRunning(child)) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      const isDone = await Promise.race([
        exited.then(() => true),
        sleep(STOP_TIMEOUT_MS, false, { ref: false }),
      ]);
      if (!isDone) child.kill('SIGQUIT');
      await exited;
    }
    if (this.ownSocketDir) rmSync(this.ownSocketDir, { recursive: true, force: true });
  }

  /** Waits as long as the child lives: after a crash it may have much to recover and must not be interrupted. */
  private async launch(): Promise<ChildProcess> {
    const child = this.spawn();
    this.child = child;
    let isGone = false;
    child.once('exit', () => {
      isGone = true;
    });
    child.once('error', () => {
      isGone = true;
    });
    let patience = Date.now() + WAIT_TIMEOUT_MS;
    while (!this.isReady(child)) {
      if (isGone) throw this.startError();
      if (Date.now() > patience) {
        this.options.log.warn('PostgreSQL is still starting; after a crash it recovers first');
        patience = Date.now() + WAIT_TIMEOUT_MS;
      }
      await sleep(10);
    }
    return child;
  }

  private isReady(child: ChildProcess): boolean {
    const found = findPostmaster(this.pgdata);
    return found?.pid === child.pid && found?.isReady === true;
  }

  private spawn(): ChildProcess {
    const { binaries, dataDir, settings } = this.options;
    // The setting is a list, whose entries may contain commas when they are quoted.
    const socketDir = `"${this.socketDir.replaceAll('"', '""')}"`;
    const all = { ...SETTINGS, unix_socket_directories: socketDir, ...settings };
    const args = [
      '-D',
      this.pgdata,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const launch = launchAs(this.account, binaries.postgres, args, [binaries.postgres, this.pgdata]);
    const log = openLog(dataDir);
    // The child has a session of its own: Ctrl-C in a terminal must not end the database before the server has drained.
    const child = spawn(launch.command, launch.args, {
      ...launch,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    return child;
  }

  private async supervise(child: ChildProcess): Promise<void> {
    const owner = await lockPatiently(this.adminUrl);
    if (!owner) throw inUse(this.pgdata, child.pid);
    owner.once('end', () => void this.lockAgain(child));
    if (!isRunning(child)) throw this.startError();
    const watch = setInterval(() => this.hurryShutdown(child), WATCH_MS).unref();
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      void this.restart(code, signal);
    });
  }

  /** A smart shutdown requested by another process would wait for our connections forever. */
  private hurryShutdown(child: ChildProcess): void {
    if (!this.isStopping && findPostmaster(this.pgdata)?.isStopping) child.kill('SIGINT');
  }

  /** The crash of one connection cuts all of them, including the one that holds this lock, and leaves PostgreSQL running. */
  private async lockAgain(child: ChildProcess): Promise<void> {
    while (!this.isStopping && isRunning(child)) {
      const owner = await lockPatiently(this.adminUrl).catch(() => 'away' as const);
      if (owner === 'away') await sleep(50);
      else if (owner) {
        owner.once('end', () => void this.lockAgain(child));
        return;
      } else return this.lose();
    }
  }

  private async restart(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    for (let wait = 100; !this.isStopping; wait = Math.min(wait * 2, 5_000)) {
      this.options.log.error({ code, signal }, 'PostgreSQL ended unexpectedly; starting it again');
      try {
        const child = this.child && isRunning(this.child) ? this.child : await this.launch();
        await this.supervise(child);
        this.options.log.info('PostgreSQL is running again');
        return;
      } catch (error) {
        if (error instanceof DataDirectoryError) return this.lose();
        this.options.log.error({ err: error }, 'PostgreSQL could not be started');
        await sleep(wait, undefined, { ref: false });
      }
    }
  }

  private lose(): void {
    this.options.log.fatal('another process has taken over the data directory');
    this.options.onLost?.();
  }

  private startError(): Error {
    const other = findPostmaster(this.pgdata);
    if (other && other.pid !== this.child?.pid) return inUse(this.pgdata, other.pid);
    const path = logPath(this.options.dataDir);
    const tail = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n  ');
    return new ApiError('database_error', `PostgreSQL did not start. The end of ${path}:\n  ${tail}`);
  }
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/**
 * Ends a database whose server was killed, so that this process can supervise its own or remove it.
 * @throws {DataDirectoryError} if its server is running
 */
export async function endOrphan(pgdata: string, log: Log): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  let isEnding = false;
  for (let found = findPostmaster(pgdata); found; found = findPostmaster(pgdata)) {
    const isOrphan = !isEnding && found.isReady && (await isUnowned(pgdata, found));
    if (isOrphan) {
      log.warn({ pid: found.pid }, 'ending a PostgreSQL that a killed server left behind');
      if (isAlive(found.pid)) process.kill(found.pid, 'SIGINT');
      isEnding = true;
    }
    if (Date.now() > deadline) throw inUse(pgdata, found.pid);
    await sleep(20);
    if (!isAlive(found.pid)) break;
  }
}

/** Checks twice, with a pause: only a postmaster that no server has claimed in between is an orphan. */
async function isUnowned(pgdata: string, { socketDir, pid }: Postmaster): Promise<boolean> {
  const url = databaseUrl(SUPERUSER, readPassword(pgdata), socketDir);
  for (const pause of [ORPHAN_MS, 0]) {
    const owner = await lockAsOwner(url).catch(() => 'away' as const);
    if (owner === 'away') return false; // shutting down, or not yet up: check again
    if (!owner) throw inUse(pgdata, pid);
    if (pause > 0) await owner.end();
    await sleep(pause);
  }
  return true;
}

/** Another process that checks for an orphan holds the lock for a moment. */
async function lockPatiently(url: string): Promise<pg.Client | undefined> {
  for (let tries = 10; tries > 0; tries--) {
    const owner = await lockAsOwner(url);
    if (owner) return owner;
    await sleep(ORPHAN_MS / 5);
  }
  return undefined;
}

/** The lock is held as long as this connection lives, so it distinguishes a live server from a killed one. */
async function lockAsOwner(url: string): Promise<pg.Client | undefined> {
  const client = await openClient(url, 'owner');
  const lock = 'SELECT pg_try_advisory_lock($1) AS is_mine';
  const { rows } = await client.query<{ is_mine: boolean }>(lock, [OWNER_LOCK]);
  if (rows[0]?.is_mine) return client;
  await client.end();
  return undefined;
}

/** Creates the database and the user who owns it; completes a start that was killed in between. */
async function createDatabase(adminUrl: string, password: string): Promise<void> {
  const client = await openClient(adminUrl, 'create');
  try {
    const users = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [DATABASE]);
    // The password was generated by us and has only url-safe characters.
    if (users.rowCount === 0) await client.query(`CREATE ROLE ${DATABASE} LOGIN PASSWORD '${password}'`);
    const databases = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function inUse(pgdata: string, pid: number | undefined): DataDirectoryError {
  return new DataDirectoryError(
    `The data directory is in use: another Drydock runs its database in ${pgdata} (process ${pid}). ` +
      'Stop that one, or give this one a directory of its own with DRYDOCK_DATA_DIR.',
  );
}

/** Returns the server user's address of a postmaster that is already running. */
export function runningUrl(pgdata: string, { socketDir }: Postmaster): string {
  return databaseUrl(DATABASE, readPassword(pgdata), socketDir);
}

/** Address of a user and the database of the same name. */
function databaseUrl(name: string, password: string, socketDir: string): string {
  return `postgresql://${name}:${password}@localhost/${name}?host=${encodeURIComponent(socketDir)}`;
}

function makeSocketDir(account: Account | undefined): string {
  const dir = mkdtempSync(join(tmpdir(), 'drydock-'));
  if (account) chownSync(dir, account.uid, account.gid);
  return dir;
}

function logPath(dataDir: string): string {
  return join(dataDir, 'postgres.log');
}

function openLog(dataDir: string): number {
  const path = logPath(dataDir);
  if (existsSync(path) && statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
