/** The server that ingests spans, in a child process with a database of its own. */
import { loadConfig } from '@drydock/server/src/config.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { makeDaysAhead } from '@drydock/server/src/traces/retention/partitions.ts';
import pg from 'pg';
import { type BenchDatabase, startDatabase } from './database.ts';
import { commandOf, cpuSeconds, processTree, threadSeconds } from './process-usage.ts';
import { startServer } from './server-process.ts';

const DRYDOCK = new URL('./drydock-server.ts', import.meta.url);

export interface TraceServer {
  readonly origin: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly database: BenchDatabase;
  /** Connections of the benchmark itself. */
  readonly pool: pg.Pool;
}

export async function startTraceServer(
  profileDir: string | undefined,
  undo: AsyncDisposableStack,
): Promise<TraceServer> {
  const database = await startDatabase(undo);
  const { env, apiKey } = database;
  const pool = new pg.Pool({ connectionString: loadConfig(env).database.url, max: 4 });
  // Its connections may still be closing when PostgreSQL stops.
  pool.on('error', () => undefined);
  undo.defer(() => pool.end());
  await makeDays(env);
  const { addresses, pid } = await startServer({ entry: DRYDOCK, env, profileDir }, undo);
  return { origin: addresses.oneRow, pid, apiKey, database, pool };
}

/** Creates partitions as the server does at its start. */
async function makeDays({ DATABASE_URL: url = '' }: Record<string, string>): Promise<void> {
  const db = connect({ url, poolSize: 1, namedStatements: true, log: createLog('warn') });
  await makeDaysAhead(db);
  await db.destroy();
}

/** CPU seconds by thread. */
export interface Effort {
  readonly main: number;
  /** The busiest of the server's other threads: the decoder. */
  readonly decoder: number;
  /** All remaining threads, such as garbage collection. */
  readonly otherThreads: number;
  readonly postgres: number;
  readonly bench: number;
}

/** @returns a function that returns the usage since this call */
export function beginEffort({ pid }: TraceServer): () => Effort {
  const before = measure(pid);
  return () => {
    const after = measure(pid);
    const used = [...after.threads].map(([id, seconds]) => ({
      id,
      seconds: seconds - (before.threads.get(id) ?? 0),
    }));
    const others = used.filter(({ id }) => id !== pid).map(({ seconds }) => seconds);
    const decoder = Math.max(0, ...others);
    return {
      main: used.find(({ id }) => id === pid)?.seconds ?? 0,
      decoder,
      otherThreads: others.reduce((sum, seconds) => sum + seconds, 0) - decoder,
      postgres: after.postgres - before.postgres,
      bench: after.bench - before.bench,
    };
  };
}

function measure(pid: number) {
  const postgres = processTree(process.pid).filter((member) => isPostgres(member));
  const { user, system } = process.cpuUsage();
  return { threads: threadSeconds(pid), postgres: cpuSeconds(postgres), bench: (user + system) / 1e6 };
}

function isPostgres(pid: number): boolean {
  try {
    return commandOf(pid) === 'postgres';
  } catch {
    return false; // it has just ended
  }
}
