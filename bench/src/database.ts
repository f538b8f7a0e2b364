/** One bundled PostgreSQL as users run it, durable, with the rows of a first start. */
import { prepareFirstStart } from '@drydock/server/src/accounts/first-start.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { newApiKey } from '@drydock/server/src/platform/auth/random-token.ts';
import { findBundledBinaries } from '@drydock/server/src/platform/db/bundled-binaries.ts';
import { BundledPostgres } from '@drydock/server/src/platform/db/bundled-postgres.ts';
import { connect, type Db } from '@drydock/server/src/platform/db/connect.ts';
import { migrate } from '@drydock/server/src/platform/db/migrate.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { makeTempDir } from './temp-dir.ts';

export interface BenchDatabase {
  readonly apiKey: string;
  /** Environment for a server process on this database. */
  readonly env: Record<string, string>;
}

export async function startDatabase(undo: AsyncDisposableStack): Promise<BenchDatabase> {
  const log = createLog('warn');
  const dataDir = makeTempDir(undo);
  const postgres = await BundledPostgres.start({ dataDir, binaries: findBundledBinaries(), log });
  undo.defer(() => postgres.stop());
  await migrate({ url: postgres.url, log });
  const apiKey = newApiKey();
  const db = connect({ url: postgres.url, poolSize: 2, namedStatements: true, log });
  try {
    const secrets = { current: 'bench-secret-key-bench-secret-key', other: undefined };
    await prepareFirstStart(db, { ...loadConfig({}).init, apiKey }, secrets);
    const place = await findPlace(db);
    return {
      apiKey,
      env: {
        DATABASE_URL: postgres.url,
        DRYDOCK_DATA_DIR: dataDir,
        DRYDOCK_S3_PORT: '0',
        DRYDOCK_SECRET_KEY: 'bench-secret-key-bench-secret-key',
        // A benchmark sends more requests than a limit allows; the cost of limits is measured separately.
        DRYDOCK_RATE_LIMIT_READ: '0',
        DRYDOCK_RATE_LIMIT_WRITE: '0',
        DRYDOCK_RATE_LIMIT_INGEST: '0',
        DRYDOCK_LOG_LEVEL: process.env.DRYDOCK_LOG_LEVEL ?? '',
        BENCH_ORGANIZATION_ID: place.organization_id,
        BENCH_WORKSPACE_ID: place.workspace_id,
      },
    };
  } finally {
    await db.destroy();
  }
}

function findPlace(db: Db) {
  return db
    .selectFrom('projects')
    .select(['organization_id', 'workspace_id'])
    .where('key', '=', 'default')
    .executeTakeFirstOrThrow();
}
