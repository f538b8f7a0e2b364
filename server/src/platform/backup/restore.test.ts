import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, execute } from '../../../test/databases.ts';
import { makeFolder } from '../../../test/processes.ts';
import { migrate } from '../db/migrate.ts';
import { createLog } from '../log.ts';
import { createVault } from '../secrets/envelope.ts';
import { backUp } from './backup.ts';
import { restore, verifyBackup } from './restore.ts';

const log = createLog('fatal');
const parent = makeFolder();
const dataDir = join(parent, 'data');
const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

async function newDatabase(): Promise<string> {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  drops.push(database.drop);
  return database.url;
}

function writeMigrations(name: string, migrations: Record<string, string>): string {
  const directory = join(parent, name);
  mkdirSync(directory);
  for (const [file, sql] of Object.entries(migrations))
    writeFileSync(join(directory, file), `-- oldest program: 0001\n${sql}`);
  return directory;
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const NODES = `
  CREATE TABLE nodes (
    id integer PRIMARY KEY, parent_id integer REFERENCES nodes, label text, dropped text,
    shout text GENERATED ALWAYS AS (upper(label)) STORED,
    bytes bytea, number numeric, real double precision, moment timestamptz, list text[], document jsonb);
  ALTER TABLE nodes DROP COLUMN dropped;
  CREATE TABLE leaves (id integer PRIMARY KEY, node_id integer NOT NULL REFERENCES nodes);
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'append-only'; END $$;
  CREATE TRIGGER leaves_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON leaves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse();
  CREATE UNLOGGED TABLE counters (id integer PRIMARY KEY);`;
const DEPTH = 'ALTER TABLE nodes ADD COLUMN depth integer NOT NULL DEFAULT 7';

// The child comes first, and its parent after it.
const ROWS = `
  INSERT INTO nodes (id, parent_id, label, bytes, number, real, moment, list, document) VALUES
    (1, 2, E'tab\\t newline\\n return\\r backslash \\\\ \\\\. \\\\N', '\\x00ff0a5c', 1.10, 0.1, 'infinity', '{a,NULL,"b,\\"c"}', '{"a": "\\\\u00e9\\\\n"}'),
    (2, NULL, 'ünï 🚢', '', 'NaN', '-Infinity', '2026-01-02 03:04:05.678901+09', '{}', 'null'),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4, NULL, '', NULL, 12345678901234567890.5, 1e-300, NULL, NULL, '[]');
  INSERT INTO leaves VALUES (1, 1), (2, 4);
  INSERT INTO counters VALUES (1);`;

const first = writeMigrations('first', { '0001_nodes.sql': NODES });
const both = writeMigrations('both', { '0001_nodes.sql': NODES, '0002_depth.sql': DEPTH });

test('restore keeps values of every kind, generated columns and self-references, and migrates an older level', async () => {
  const source = await newDatabase();
  await migrate({ url: source, log, directory: first });
  await execute(source, ROWS);
  const folder = join(parent, 'old');
  await backUp({ url: source, folder, version: '1.0.0', secretKey: undefined, dataDir });

  const target = await newDatabase();
  const backup = await verifyBackup(folder, '2.0.0', both);
  await restore(backup, { url: target, log, objects: { dataDir }, migrationsDirectory: both });
  const columns =
    'id, parent_id, label, shout, bytes::text, number, real, moment::text, list, document::text';
  const nodes = await ask(target, `SELECT ${columns} FROM nodes ORDER BY id`);
  expect(nodes).toHaveLength(4);
  expect(nodes).toEqual(await ask(source, `SELECT ${columns} FROM nodes ORDER BY id`));
  expect(await ask(target, 'SELECT id, node_id FROM leaves ORDER BY id')).toEqual([
    { id: 1, node_id: 1 },
    { id: 2, node_id: 4 },
  ]);
  expect(await ask(target, 'SELECT DISTINCT depth FROM nodes')).toEqual([{ depth: 7 }]);
  expect(await ask(target, 'SELECT id FROM counters')).toEqual([]);
  expect(await ask(target, 'SELECT version FROM schema_migrations ORDER BY 1')).toEqual([
    { version: 1 },
    { version: 2 },
  ]);
});

test('restore refuses a backup of a newer or a different release', async () => {
  const source = await newDatabase();
  await migrate({ url: source, log, directory: both });
  const folder = join(parent, 'newer');
  await backUp({ url: source, folder, version: '2.0.0', secretKey: undefined, dataDir });
  await expect(verifyBackup(folder, '1.0.0', first)).rejects.toThrow(
    'made by a newer Drydock (2.0.0, with 2 migrations); this is 1.0.0, which knows 1',
  );
  const other = writeMigrations('other', { '0001_nodes.sql': `${NODES} --`, '0002_depth.sql': DEPTH });
  await expect(verifyBackup(folder, '2.0.0', other)).rejects.toThrow(
    '0001_nodes.sql is not the one of this release',
  );
});

test('restore refuses an empty database that a newer release prepared', async () => {
  const source = await newDatabase();
  await migrate({ url: source, log, directory: first });
  const folder = join(parent, 'level');
  await backUp({ url: source, folder, version: '1.0.0', secretKey: undefined, dataDir });
  const target = await newDatabase();
  await migrate({ url: target, log, directory: both });
  const backup = await verifyBackup(folder, '2.0.0', both);
  await expect(
    restore(backup, { url: target, log, objects: { dataDir }, migrationsDirectory: both }),
  ).rejects.toThrow('prepared by a newer Drydock');
});

test('backup refuses a folder that is not empty and a database without tables', async () => {
  const source = await newDatabase();
  const options = { url: source, version: '1.0.0', secretKey: undefined, dataDir };
  await expect(backUp({ ...options, folder: parent })).rejects.toThrow('is not empty');
  await expect(backUp({ ...options, folder: join(parent, 'none') })).rejects.toThrow('nothing to back up');
});

test('backup requires a key that stored rows are sealed with and names the other keys they need', async () => {
  const { url, drop } = await createDatabase(inject('databaseUrl'));
  drops.push(drop);
  const keys = ['the key of the server, long enough', 'the key that was there before, long'] as const;
  const [current, before] = keys.map((key) => createVault(key).keyId);
  for (const id of [current, before]) {
    await execute(
      url,
      `INSERT INTO user_secrets (id, user_id, name, masked_value, key_id, wrapped_key, ciphertext)
       SELECT gen_random_uuid(), id, 'S_${id}', '…', '${id}', '', '' FROM users`,
    );
  }
  const options = { url, folder: join(parent, 'sealed'), version: '1.0.0', dataDir };
  const stranger = { value: 'a key that nobody has ever seen before', isIncluded: false };
  await expect(backUp({ ...options, secretKey: stranger })).rejects.toThrow("with the server's own settings");
  await expect(backUp({ ...options, secretKey: undefined })).rejects.toThrow('the one here is none');
  expect(existsSync(options.folder)).toBe(false);
  // State during a key rotation: all rows are sealed with the previous key, and the current one is not used yet.
  const changing = { ...stranger, previous: keys[1] };
  const early = await backUp({ ...options, folder: `${options.folder}-early`, secretKey: changing });
  expect(new Set(early.other_key_ids)).toEqual(new Set([before, current]));
  const manifest = await backUp({ ...options, secretKey: { value: keys[0], isIncluded: false } });
  expect(manifest).toMatchObject({ secret_key: { key_id: current, sha256: null }, other_key_ids: [before] });
});
