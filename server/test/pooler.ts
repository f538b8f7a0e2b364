/** PgBouncer in transaction mode in front of the tests' PostgreSQL: each transaction gets any of a few connections. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../scripts/system-packages.ts';
import { launchAs, postgresAccount } from '../src/platform/db/run-as.ts';
import { execute, withDatabase } from './databases.ts';
import { makeFolder, until } from './processes.ts';

/** Undefined if it is not installed: `npm run setup -- --tests` installs it. */
export const pgbouncer = findProgram('pgbouncer');

/** Number of PostgreSQL connections for all clients of a database together. */
export const POOLED_CONNECTIONS = 4;

const PORT = 6432;

export interface Pooler {
  /** Returns the address of a database through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** @param serverUrl PostgreSQL's own address, through its socket */
export async function startPooler(program: string, serverUrl: string): Promise<Pooler> {
  const folder = makeFolder();
  const settings = join(folder, 'pgbouncer.ini');
  const socket = new URL(serverUrl).searchParams.get('host') ?? '';
  writeFileSync(settings, toIni(serverUrl, socket, folder), { mode: 0o600 });
  // It refuses to run as root, and connects to PostgreSQL's socket as the socket's owner.
  const account = postgresAccount(socket);
  if (account) for (const path of [folder, settings]) chownSync(path, account.uid, account.gid);
  const { command, args, ...user } = launchAs(
    account,
    program,
    ['-q', settings],
    [settings, join(socket, 's')],
  );
  const child = spawn(command, args, { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const urlOf = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    const pooled = new URL(`postgresql://${url.username}@localhost:${PORT}`);
    pooled.searchParams.set('host', folder);
    return withDatabase(pooled.href, url.pathname.slice(1));
  };
  await until('the pooler answers', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}: ${log}`);
    return isReachable(urlOf(serverUrl));
  });
  return { urlOf, stop: () => end(child) };
}

function toIni(serverUrl: string, socket: string, folder: string): string {
  const { username, password, port } = new URL(serverUrl);
  const [user, secret] = [username, password].map(decodeURIComponent);
  return `[databases]
* = host=${socket} port=${port || 5432} user=${user} password=${secret}

[pgbouncer]
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${folder}
unix_socket_mode = 0777
auth_type = any
pool_mode = transaction
default_pool_size = ${POOLED_CONNECTIONS}
max_client_conn = 500
`;
}

async function isReachable(url: string): Promise<boolean> {
  try {
    await execute(url, 'SELECT 1');
    return true;
  } catch {
    return false; // not yet listening
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
