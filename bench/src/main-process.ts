/** The server in a child process, as users start it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT, NODE_OPTIONS } from './start-command.ts';

const MAIN = join(import.meta.dirname, '../../server/src/main.ts');
const POLL_MS = 10;
const GIVE_UP_MS = 120_000;
const STOP_MS = 60_000;

export interface RunningServer {
  readonly pid: number;
  readonly origin: string;
  /** Seconds from the spawn to the first successful health response. */
  readonly healthySeconds: number;
  stop(): Promise<void>;
}

export async function startMain(
  dataDir: string,
  undo: AsyncDisposableStack,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const port = await findFreePort();
  const spawned = performance.now();
  const own = {
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_LOG_LEVEL: 'warn',
    PORT: String(port),
    // The port that the data directory keeps may still be in TIME_WAIT, as the source port of a poll of an earlier start.
    DRYDOCK_S3_PORT: '0',
  };
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN], {
    env: { PATH: process.env.PATH, ...ENVIRONMENT, ...own, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = () => end(child);
  undo.defer(stop);
  const origin = `http://127.0.0.1:${port}`;
  await untilHealthy(child, `${origin}/api/v1/health`);
  if (child.pid === undefined) throw new Error('The server did not start');
  return { pid: child.pid, origin, healthySeconds: (performance.now() - spawned) / 1000, stop };
}

async function untilHealthy(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (!(await isHealthy(url))) {
    if (hasEnded(child)) throw new Error(`The server ended with ${child.exitCode ?? child.signalCode}`);
    if (performance.now() > deadline)
      throw new Error(`The server was not healthy after ${GIVE_UP_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    // A keep-alive connection would be one that an idle server does not have.
    const response = await fetch(url, { headers: { connection: 'close' } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false; // not yet listening
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(late);
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('No port is free');
  return address.port;
}
