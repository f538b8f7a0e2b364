/** The server behind a pooler in transaction mode, with and without an address of PostgreSQL itself. */
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect } from '../src/platform/db/connect.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { JobWorker } from '../src/platform/jobs/worker.ts';
import { createLog } from '../src/platform/log.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { runCommand } from './commands.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { openEvents } from './event-harness.ts';
import { createJobTables, errands, sendErrand } from './job-rows.ts';
import { POOLED_CONNECTIONS, type Pooler, pgbouncer, startPooler } from './pooler.ts';
import { call, makeFolder, newDataDir, spawnServer, startServer, until } from './processes.ts';
import { SMOKE_LIMITS, SMOKE_STEPS, type SmokeContext } from './smoke.ts';

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

    test('a job is completed, found by polling if notifications do not work', async () => {
      const url = pooler.urlOf(database.url);
      const log = createLog('fatal');
      const db = connect({ url, poolSize: 4, namedStatements: false, log });
      await createJobTables(db);
      const kinds = [errands(db)];
      const queue = new JobQueue({ url: hasDirectUrl ? database.url : url, db, log, isWorker: true });
      const worker = new JobWorker({ queue, db, log, kinds });
      await queue.start(kinds);
      await worker.start();
      const { id } = await sendErrand(db, queue, uuidv7());
      await until('it is done', async () => {
        const { rows } = await sql`SELECT 1 FROM effects WHERE errand_id = ${id}`.execute(db);
        return rows.length === 1;
      });
      worker.stop();
      await queue.stop();
      await db.destroy();
    });

    test('an event reaches its reader', async () => {
      const environment = environmentOf(pooler, database, hasDirectUrl);
      const server = await startServer(environment, {
        run: [join(import.meta.dirname, 'event-server.ts')],
      });
      const path = `/org/main/ws/main/things/${uuidv7()}`;
      const reader = await openEvents(`${server.url}/api/v1${path}/events`, context.owner.key);
      await call(server.url, context.owner.key, 'POST', path, { events: [{ name: 'first' }] });
      await until('it has arrived', () => reader.seqs().length === 1);
      reader.leave();
      expect(await server.stop()).toEqual({ code: 0, signal: null });
    });

    test.each([
      ['reset-owner', () => []],
      ['rotate-secret-key', () => []],
      ['backup', () => [makeFolder()]],
    ] as const)('the command %s works, twice in a row', async (command, args) => {
      const environment = {
        ...environmentOf(pooler, database, hasDirectUrl),
        DRYDOCK_SECRET_KEY_PREVIOUS: 'the key before, under which nothing is sealed',
        DRYDOCK_DATA_DIR: newDataDir(),
      };
      for (let time = 1; time <= 2; time++) {
        expect(await runCommand(command, args(), environment)).toMatchObject({ code: 0, stderr: '' });
      }
    });

    test('all of that used the few connections of the pooler', async () => {
      // Connections that bypass the pooler have names of their own; without a direct address there are none.
      const connections = await countConnections(database.url, hasDirectUrl ? 'drydock' : 'drydock%');
      expect(connections).toBeGreaterThan(0);
      expect(connections).toBeLessThanOrEqual(POOLED_CONNECTIONS);
    });

    test('the servers shut down in order without errors in their logs', async () => {
      for (const server of context.servers) {
        expect(await server.stop()).toEqual({ code: 0, signal: null });
        expect(server.output().stderr).not.toMatch(/"level":[56]0/);
      }
    });
  });

  test('a server that uses named statements says at the start which setting to change', async () => {
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
  const environment = environmentOf(pooler, database, hasDirectUrl);
  const servers = await Promise.all([startServer(environment), startServer(environment)]);
  const owner = servers.find((server) => server.owner)?.owner;
  if (!owner) throw new Error('neither server made an owner');
  return {
    servers,
    owner,
    ask: (method, path, body) => call(servers[0].url, owner.key, method, path, body),
  };
}

function environmentOf(pooler: Pooler, database: TestDatabase, hasDirectUrl: boolean) {
  return {
    DATABASE_URL: pooler.urlOf(database.url),
    ...(hasDirectUrl && { DATABASE_DIRECT_URL: database.url }),
    DATABASE_NAMED_STATEMENTS: '0',
    DRYDOCK_SECRET_KEY: SECRET_KEY,
    ...SMOKE_LIMITS,
  };
}

async function countConnections(url: string, name: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'looking on' });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(
      `
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1`,
      [name],
    );
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}
