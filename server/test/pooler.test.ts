/** The server behind a pooler in transaction mode, with and without an address of PostgreSQL itself. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from './databases.ts';
import { POOLED_CONNECTIONS, type Pooler, pgbouncer, startPooler } from './pooler.ts';
import { call, newDataDir, spawnServer, startServer } from './processes.ts';
import { SMOKE_STEPS, type SmokeContext } from './smoke.ts';

const SECRET_KEY = 'one key for all servers behind the pooler';
const where = pgbouncer ? 'behind PgBouncer' : 'behind PgBouncer, skipped: it is not installed here';

describe.skipIf(!pgbouncer)(where, () => {
  let pooler: Pooler;
  beforeAll(async () => {
    pooler = await startPooler(pgbouncer ?? '', inject('databaseUrl'));
  });
  afterAll(() => pooler?.stop());

  describe.each([
    ['with DATABASE_DIRECT_URL', true],
    ['without DATABASE_DIRECT_URL', false],
  ])('%s', (_name, hasDirectUrl) => {
    let database: TestDatabase;
    let context: SmokeContext;

    beforeAll(async () => {
      database = await createDatabase(inject('databaseUrl'), 'template0');
      context = await startBehind(pooler, database, hasDirectUrl);
    });
    afterAll(async () => {
      await Promise.all(context?.servers.map((server) => server.stop()) ?? []);
      await database?.drop();
    });

    test.each(SMOKE_STEPS)('%s', async (_step, run) => {
      await run(context);
    });

    test('all of that went over the few connections of the pooler', async () => {
      const connections = await countConnections(database.url);
      expect(connections).toBeGreaterThan(0);
      expect(connections).toBeLessThanOrEqual(POOLED_CONNECTIONS);
    });

    test('the servers stop in order, and their logs tell of no error', async () => {
      for (const server of context.servers) {
        expect(await server.stop()).toEqual({ code: 0, signal: null });
        expect(server.output().stderr).not.toMatch(/"level":[56]0/);
      }
    });
  });

  test('a server that names its statements says at the start what to set', async () => {
    const database = await createDatabase(inject('databaseUrl'));
    const environment = { DATABASE_URL: pooler.urlOf(database.url), DRYDOCK_SECRET_KEY: SECRET_KEY };
    const server = spawnServer({ ...environment, DRYDOCK_DATA_DIR: newDataDir() });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.output().stderr).toContain('DATABASE_NAMED_STATEMENTS=0');
    await database.drop();
  });
});

async function startBehind(
  pooler: Pooler,
  database: TestDatabase,
  hasDirectUrl: boolean,
): Promise<SmokeContext> {
  const environment = {
    DATABASE_URL: pooler.urlOf(database.url),
    ...(hasDirectUrl && { DATABASE_DIRECT_URL: database.url }),
    DATABASE_NAMED_STATEMENTS: '0',
    DRYDOCK_SECRET_KEY: SECRET_KEY,
  };
  const servers = await Promise.all([startServer(environment), startServer(environment)]);
  const owner = servers.find((server) => server.owner)?.owner;
  if (!owner) throw new Error('neither server made an owner');
  return {
    servers,
    owner,
    ask: (method, path, body) => call(servers[0].url, owner.key, method, path, body),
  };
}

/** Those that the servers' pools use; migrations and the like have names of their own. */
async function countConnections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'looking on' });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(`
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'drydock'`);
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}
