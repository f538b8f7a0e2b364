/** One disposable PostgreSQL per run, with a migrated template database that each test file clones. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../scripts/build-console.ts';
import { prepareFirstStart } from '../src/accounts/first-start.ts';
import { findBundledBinaries } from '../src/platform/db/bundled-binaries.ts';
import { BundledPostgres } from '../src/platform/db/bundled-postgres.ts';
import { connect } from '../src/platform/db/connect.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { createLog } from '../src/platform/log.ts';
import { execute, MIGRATED, TEMPLATE, withDatabase } from './databases.ts';
import { FIRST_START } from './first-start.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildConsole();
  const log = createLog('warn');
  const folder = makeRunFolder();
  const dataDir = mkdtempSync(join(folder, 'drydock-test-'));
  const postgres = await BundledPostgres.start({
    dataDir,
    binaries: findBundledBinaries(),
    log,
    // Durability is off; and a superuser's autovacuum in a database would keep its owner from dropping it.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      max_connections: '300',
    },
  });
  await execute(postgres.adminUrl, 'ALTER ROLE drydock CREATEDB');
  await execute(postgres.url, `CREATE DATABASE ${TEMPLATE}`);
  const url = withDatabase(postgres.url, TEMPLATE);
  await migrate({ url, log });
  await execute(postgres.url, `CREATE DATABASE ${MIGRATED} TEMPLATE ${TEMPLATE}`);
  const db = connect({ url, poolSize: 2, namedStatements: true, log });
  await prepareFirstStart(db, FIRST_START, { current: 'derives nothing here', other: undefined });
  const queue = new JobQueue({ url, db, log, isWorker: false });
  await queue.start([]);
  await queue.stop();
  await db.destroy();
  project.provide('databaseUrl', postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
    const left = readdirSync(folder).filter((name) => name.startsWith('drydock-'));
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`tests have left folders behind: ${left.join(', ')}`);
  };
}

/** All temporary files of a run are in this folder, which reveals what tests leave behind. */
function makeRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-run-'));
  // Some tests run a server as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // Hundreds of processes load the same modules. The cache is outside the folder: the last processes write to it after the folder is gone.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled');
  return folder;
}
