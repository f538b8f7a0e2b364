/** Backups of a server with concurrent writes, their restoration elsewhere, and everything that must be refused. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { BackupError } from '../src/platform/backup/manifest.ts';
import { verifyBackup } from '../src/platform/backup/restore.ts';
import { runningUrl } from '../src/platform/db/bundled-postgres.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { withDatabase } from '../src/platform/db/open-database.ts';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import { createLog } from '../src/platform/log.ts';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { VERSION } from '../src/version.ts';
import {
  expectNoProviderKey,
  expectProvider,
  expectProviderKey,
  writeProvider,
} from './backed-up-providers.ts';
import { endLeases, expectIdleRuntime, writeRuntime } from './backed-up-runtimes.ts';
import { expectLiveSessions, writeSessions } from './backed-up-sessions.ts';
import { runCommand, spawnCommand } from './commands.ts';
import { createDatabase, execute } from './databases.ts';
import {
  call,
  makeFolder,
  newDataDir,
  pgdataOf,
  type RunningServer,
  startServer,
  until,
} from './processes.ts';
import { digestTables, inTransaction } from './table-digests.ts';

const WRITERS = 8;
const KEY = `dd_${'b'.repeat(40)}`;
const FAILED = { code: 1, signal: null };
const log = createLog('fatal');
const dataDir = newDataDir();
const parent = makeFolder();
const backup = join(parent, 'backups', 'first');
const environment = {
  DRYDOCK_DATA_DIR: dataDir,
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_RATE_LIMIT_WRITE: '0',
};
let server: RunningServer;
let atSnapshot: Map<string, string>;

/** Digests of a data directory on which no server runs. */
function digestsIn(directory: string): Promise<Map<string, string>> {
  const database = { url: undefined, directUrl: undefined, namedStatements: true };
  const location = { dataDir: directory, database };
  return withDatabase(location, log, ({ url }) => inTransaction(url, digestTables));
}

/** Writes projects, keys, secrets, sessions and their audit entries until it is aborted. */
function writeWithoutPause(url: string, done: AbortSignal) {
  const counts = { written: 0 };
  const write = async (writer: number) => {
    for (let n = 0; !done.aborted; n++) {
      const name = `W${writer}_${n}`;
      const responses = await Promise.all([
        call(url, KEY, 'POST', '/org/main/ws/main/projects', { name, key: `w${writer}-${n}` }),
        call(url, KEY, 'POST', '/user/api-keys', { name }),
        call(url, KEY, 'POST', '/user/secrets', { name, value: `value of ${name}` }),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(await writeSessions(url, KEY, name)).toEqual([201, 201, 201, 201, 201, 204, 201, 204]);
      counts.written++;
    }
  };
  return { counts, ended: Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))) };
}

beforeAll(async () => {
  server = await startServer(environment);
  const postmaster = findPostmaster(pgdataOf(dataDir));
  if (!postmaster) throw new Error('no PostgreSQL runs');
  await writeRuntime(server.url, KEY, runningUrl(pgdataOf(dataDir), postmaster));
  await writeProvider(server.url, KEY);
  const done = new AbortController();
  const { counts, ended } = writeWithoutPause(server.url, done.signal);
  await until('there is something to back up', () => counts.written >= 5 * WRITERS);
  await inTransaction(runningUrl(pgdataOf(dataDir), postmaster), async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
    atSnapshot = await digestTables(client);
    const before = counts.written;
    const { code, stdout, stderr } = await runCommand(
      'backup',
      [backup, '--snapshot', rows[0]?.id ?? ''],
      environment,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('The secret key of the data directory is in it');
    expect(counts.written).toBeGreaterThan(before + WRITERS);
    console.info(`${counts.written - before} rounds of writes beside the backup`);
  });
  done.abort();
  await ended;
});
afterAll(() => server.stop());

test('the backup folder is closed to other users and contains only what its manifest names', () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const files = globSync('**', { cwd: backup, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(15);
  for (const { parentPath, name } of files)
    expect([name, mode(join(parentPath, name))]).toEqual([name, '600']);
  expect([mode(backup), mode(join(backup, 'tables'))]).toEqual(['700', '700']);
  expect(readdirSync(dirname(backup))).toEqual(['first']);
  const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
  const names = manifest.tables.map(({ name }: { name: string }) => `${name}.copy.zst`);
  expect(readdirSync(join(backup, 'tables')).toSorted()).toEqual(names.toSorted());
  const leftOut = new Set(['schema_migrations', 'storage_quotas', 'stored_bytes']);
  expect([...atSnapshot.keys()].filter((name) => !leftOut.has(name))).toEqual(
    manifest.tables.map(({ name }: { name: string }) => name),
  );
});

test('the backup contains the keys of model providers only sealed', () => {
  expectNoProviderKey(backup);
});

test('a restored server equals the snapshot row for row and works with its keys and secrets', async () => {
  const restored = newDataDir();
  const elsewhere = { DRYDOCK_DATA_DIR: restored };
  const { code, stdout, stderr } = await runCommand('restore', [backup], elsewhere);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('npm run up');
  expect(await digestsIn(restored)).toEqual(atSnapshot);

  const again = await startServer(elsewhere);
  expect(again.owner).toBeUndefined();
  const { body: projects } = await call<unknown[]>(
    again.url,
    KEY,
    'GET',
    '/org/main/ws/main/projects?limit=100',
  );
  expect(projects.length).toBeGreaterThan(5 * WRITERS);
  const postmaster = findPostmaster(pgdataOf(restored));
  const url = postmaster ? runningUrl(pgdataOf(restored), postmaster) : '';
  const secretKey = readFileSync(join(restored, 'secret-key'), 'utf8');
  const [secret] = await inTransaction(url, async (client) => {
    await expectProviderKey(client, secretKey);
    const columns = 'id, name, key_id, wrapped_key, ciphertext';
    return (await client.query(`SELECT ${columns} FROM user_secrets WHERE name = 'W0_0'`)).rows;
  });
  expect(createVault(secretKey).open(secret, secret.id)).toBe('value of W0_0');
  await expectProvider(again.url, KEY);
  await expectLiveSessions(again.url, KEY, url);
  await endLeases(url);
  await expectIdleRuntime(again.url, KEY);
  await again.stop();

  const second = await runCommand('restore', [backup], elsewhere);
  expect(second).toMatchObject(FAILED);
  expect(second.stderr).toMatch(/The database is in use: its table \w+ holds rows\. Nothing was changed\./);
});

test('restore refuses a directory on which a server runs', async () => {
  const { code, stderr } = await runCommand('restore', [backup], environment);
  expect(code).toBe(1);
  expect(stderr).toContain('The data directory is in use');
});

describe('restore refuses a modified backup before anything is changed', () => {
  const users = join('tables', 'users.copy.zst');
  const editManifest = (folder: string, edit: (manifest: Record<string, unknown>) => object) => {
    const path = join(folder, 'manifest.json');
    writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')))));
  };

  test.each<[string, (folder: string) => void, string | RegExp]>([
    ['a byte more', (folder) => appendFileSync(join(folder, users), 'x'), /damaged: \S+users\.copy\.zst/],
    [
      'a byte changed',
      (folder) => {
        const bytes = readFileSync(join(folder, users));
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        writeFileSync(join(folder, users), bytes);
      },
      /damaged: \S+users\.copy\.zst/,
    ],
    ['a file missing', (folder) => rmSync(join(folder, users)), /not whole: \S+users\.copy\.zst is missing/],
    [
      'another key',
      (folder) => writeFileSync(join(folder, 'secret-key'), 'k'.repeat(64)),
      /damaged: \S+secret-key/,
    ],
    ['no key', (folder) => rmSync(join(folder, 'secret-key')), /not whole: \S+secret-key is missing/],
    ['no manifest', (folder) => rmSync(join(folder, 'manifest.json')), 'holds no complete backup'],
    [
      'half a manifest',
      (folder) => writeFileSync(join(folder, 'manifest.json'), '{"format": 1'),
      'is damaged',
    ],
    [
      'a later format',
      (folder) => editManifest(folder, (m) => ({ ...m, format: 2 })),
      'with a newer release',
    ],
    [
      'a migration more',
      (folder) =>
        editManifest(folder, (manifest) => ({
          ...manifest,
          migrations: [...(manifest.migrations as object[]), { version: 9999, name: 'x', checksum: 'x' }],
        })),
      'made by a newer Drydock',
    ],
  ])('%s', async (name, damage, message) => {
    const folder = join(parent, name.replaceAll(' ', '-'));
    cpSync(backup, folder, { recursive: true });
    damage(folder);
    await expect(verifyBackup(folder, VERSION)).rejects.toThrow(BackupError);
    await expect(verifyBackup(folder, VERSION)).rejects.toThrow(message);
  });

  test('restore prints one sentence for a modified backup', async () => {
    const folder = join(parent, 'damaged');
    cpSync(backup, folder, { recursive: true });
    appendFileSync(join(folder, users), 'x');
    const target = newDataDir();
    const { code, stderr } = await runCommand('restore', [folder], { DRYDOCK_DATA_DIR: target });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The backup is damaged: \S+users\.copy\.zst is not what was written.*\n$/);
    expect(existsSync(target)).toBe(false);
  });

  test('restore refuses a key that does not open the sealed rows', async () => {
    const target = newDataDir();
    const given = { DRYDOCK_DATA_DIR: target, DRYDOCK_SECRET_KEY: 'another key of at least 32 characters' };
    const { code, stderr } = await runCommand('restore', [backup], given);
    expect(code).toBe(1);
    expect(stderr).toMatch(/was sealed with the secret key [0-9a-f]{16}; the one here is [0-9a-f]{16}/);
    expect(existsSync(target)).toBe(false);

    const kept = newDataDir();
    mkdirSync(kept);
    writeFileSync(join(kept, 'secret-key'), 'k'.repeat(64));
    const second = await runCommand('restore', [backup], { DRYDOCK_DATA_DIR: kept });
    expect(second.stderr).toContain('was sealed with the secret key');
    expect(readdirSync(kept)).toEqual(['secret-key']);
  });
});

test('backup refuses a folder that is not empty', async () => {
  const before = readdirSync(backup);
  const { code, stderr } = await runCommand('backup', [backup], environment);
  expect(code).toBe(1);
  expect(stderr).toContain('is not empty');
  expect(readdirSync(backup)).toEqual(before);
});

test('backup and restore without a folder print their usage', async () => {
  expect((await runCommand('backup', [], environment)).stderr).toBe(
    'Say where to: npm run backup -- <folder>\n',
  );
  expect((await runCommand('restore', [], environment)).stderr).toContain('npm run restore -- <folder>');
});

test('a killed backup leaves no valid backup, and the next one removes its remains', async () => {
  const postmaster = findPostmaster(pgdataOf(dataDir));
  const url = postmaster ? runningUrl(pgdataOf(dataDir), postmaster) : '';
  const folder = join(parent, 'killed', 'backup');
  const blocker = new pg.Client({ connectionString: url });
  const watcher = new pg.Client({ connectionString: url });
  await Promise.all([blocker.connect(), watcher.connect()]);
  await blocker.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
  const command = spawnCommand('backup', [folder], environment);
  const waiting = `SELECT FROM pg_stat_activity
    WHERE application_name = 'drydock backup' AND wait_event_type = 'Lock'`;
  await until('it waits', async () => (await watcher.query(waiting)).rowCount === 1);
  await command.stop('SIGKILL');
  await Promise.all([blocker.end(), watcher.end()]);

  const left = readdirSync(dirname(folder));
  expect(left).toEqual([expect.stringMatching(/^backup\.incomplete-\d+$/)]);
  const draft = join(dirname(folder), left[0] ?? '');
  expect((await runCommand('restore', [draft], { DRYDOCK_DATA_DIR: newDataDir() })).stderr).toContain(
    'holds no complete backup',
  );
  expect(await runCommand('backup', [folder], environment)).toMatchObject({ code: 0 });
  expect(readdirSync(dirname(folder))).toEqual([basename(folder)]);
});

describe('restore with DATABASE_URL', () => {
  const secretKey = () => readFileSync(join(dataDir, 'secret-key'), 'utf8');

  async function newDatabase(template?: string) {
    const database = await createDatabase(inject('databaseUrl'), template);
    const given = {
      DATABASE_URL: database.url,
      DRYDOCK_SECRET_KEY: secretKey(),
      DRYDOCK_DATA_DIR: newDataDir(),
    };
    return { ...database, given };
  }

  test('refuses a database with rows and leaves it unchanged', async () => {
    const { url, given, drop } = await newDatabase();
    const before = await inTransaction(url, digestTables);
    const { code, stderr } = await runCommand('restore', [backup], given);
    expect(code).toBe(1);
    expect(stderr).toContain('The database is in use');
    expect(await inTransaction(url, digestTables)).toEqual(before);
    await drop();
  });

  test('can be run again after a kill, which leaves empty tables', async () => {
    const { url, given, drop } = await newDatabase('template0');
    await migrate({ url, log });
    // This table is loaded late, and the trigger makes its load take 2 s.
    await execute(
      url,
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NEW; END';
       CREATE TRIGGER dawdle BEFORE INSERT ON user_secrets FOR EACH STATEMENT EXECUTE FUNCTION dawdle()`,
    );
    const command = spawnCommand('restore', [backup], given);
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    const ask = async (event: string) =>
      (
        await watcher.query(
          `SELECT FROM pg_stat_activity WHERE application_name = 'drydock restore' AND datname = current_database() ${event}`,
        )
      ).rowCount;
    await until('it loads', async () => (await ask("AND wait_event = 'PgSleep'")) === 1);
    await command.stop('SIGKILL');
    await until('PostgreSQL has noticed', async () => (await ask('')) === 0);
    await watcher.query('DROP TRIGGER dawdle ON user_secrets; DROP FUNCTION dawdle');
    const tables = await inTransaction(url, digestTables);
    for (const name of ['schema_migrations', 'object_store']) tables.delete(name);
    expect([...tables.values()].filter((digest) => !digest.startsWith('0 rows'))).toEqual([]);
    await watcher.end();

    expect(await runCommand('restore', [backup], given)).toMatchObject({ code: 0, stderr: '' });
    expect(await inTransaction(url, digestTables)).toEqual(atSnapshot);

    const without = join(parent, 'without-key');
    const { code, stdout } = await runCommand('backup', [without], given);
    expect(code).toBe(0);
    expect(stdout).toMatch(/The secret key is not in it, .* \(key id [0-9a-f]{16}\)/);
    expect(readdirSync(without).toSorted()).toEqual([
      'manifest.json',
      'objects',
      'objects.list.zst',
      'tables',
    ]);
    expect(readFileSync(join(without, 'manifest.json'), 'utf8')).not.toContain(secretKey());
    const keyless = await runCommand('restore', [without], { DRYDOCK_DATA_DIR: newDataDir() });
    expect(keyless.stderr).toContain('which is not in it. Set DRYDOCK_SECRET_KEY');

    const wrong = { ...given, DRYDOCK_SECRET_KEY: 'another key of at least 32 characters' };
    const refused = await runCommand('backup', [join(parent, 'wrong-key')], wrong);
    expect(refused.stderr).toContain("Run the backup with the server's own settings");
    expect(existsSync(join(parent, 'wrong-key'))).toBe(false);
    await drop();
  });
});
