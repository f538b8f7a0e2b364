/** The server under test: a separate process on a disposable data directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../src/main.ts');
/** Makes memory show what is retained: V8 lets a heap of this size double before it collects garbage. */
const COLLECTS_ON_REQUEST = [
  '--expose-gc',
  '--import',
  join(import.meta.dirname, 'collect-garbage.ts'),
  // In MiB; memory that was used once counts even if it is free now.
  '--max-semi-space-size=2',
];
const START_MS = 60_000;
const ERROR_LEVEL = 50;

export interface Target {
  readonly origin: URL;
  readonly key: string;
}

export interface ServerProcess extends Target {
  /** Resident memory after a garbage collection. */
  residentBytes(): Promise<number>;
  /** Lines of its log at level error and above. */
  complaints(): readonly string[];
  /** @returns the exit code; undefined when a signal ended it */
  stop(): Promise<number | undefined>;
}

/** Disables limits and trusts every client address, so that requests are not refused before they are read. */
const SETTINGS = {
  PORT: '0',
  DRYDOCK_LOG_LEVEL: 'warn',
  DRYDOCK_SIGNUP: 'open',
  DRYDOCK_TRUSTED_PROXIES: '127.0.0.1',
  DRYDOCK_RATE_LIMIT_READ: '0',
  DRYDOCK_RATE_LIMIT_WRITE: '0',
  DRYDOCK_RATE_LIMIT_INGEST: '0',
};

export async function startServer(undo: AsyncDisposableStack): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-fuzz-'));
  chmodSync(folder, 0o755);
  undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [...COLLECTS_ON_REQUEST, '--no-memory-protection-keys', MAIN], {
    // The same setting as in `npm start`: memory that each arena keeps would be taken for growth.
    env: {
      PATH: process.env.PATH,
      MALLOC_ARENA_MAX: '2',
      ...SETTINGS,
      DRYDOCK_DATA_DIR: join(folder, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    cwd: folder,
  });
  const exited = new Promise<number | undefined>((resolve) =>
    child.once('close', (code) => resolve(code ?? undefined)),
  );
  const stop = () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    return exited;
  };
  undo.defer(async () => void (await stop()));
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('what the server says cannot be heard');
  const complaints: string[] = [];
  createInterface(stderr).on('line', (line) => {
    if (isComplaint(line)) complaints.push(line);
  });
  const { origin, key } = await readBanner(stdout, exited, complaints);
  const residentBytes = async () => {
    const collected = once(child, 'message');
    child.send('collect');
    await Promise.race([collected, exited.then(() => Promise.reject(new Error('the server has ended')))]);
    return readResidentBytes(child.pid ?? 0);
  };
  return { origin, key, residentBytes, complaints: () => complaints, stop };
}

/** Every line that is not a log record is a problem of the process itself. */
function isComplaint(line: string): boolean {
  try {
    return (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL;
  } catch {
    // The progress of the shutdown is printed to the same stream.
    return line.trim() !== '' && !line.startsWith('Stopping: ');
  }
}

function readBanner(
  stdout: NodeJS.ReadableStream,
  exited: Promise<unknown>,
  complaints: readonly string[],
): Promise<Target> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`The server did not start.\n${complaints.join('\n')}`));
    const late = setTimeout(fail, START_MS);
    void exited.then(fail);
    let banner = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      banner += text;
      const url = /runs on +(\S+)\n/.exec(banner)?.[1];
      const key = /API key +(\S+)\n/.exec(banner)?.[1];
      if (!url || !key) return;
      clearTimeout(late);
      resolve({ origin: new URL(url), key });
    });
  });
}

function readResidentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}
