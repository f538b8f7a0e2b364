import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../../../test/databases.ts';
import { createTestStore } from '../../../../../test/embedded-stores.ts';
import { connect } from '../../../db/connect.ts';
import { createLog } from '../../../log.ts';
import { BlobFiles } from '../blobs/blob-files.ts';
import { identifyDatabase } from './database-identity.ts';
import { claimStoreFolder } from './store-folder.ts';

const parent = mkdtempSync(join(tmpdir(), 'drydock-claims-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const dataDir = join(parent, 'data');
const { db } = await createTestStore();

test('processes that start concurrently on a new database all use the same folder and leave no other', async () => {
  const claims = await Promise.all(Array.from({ length: 6 }, () => claimStoreFolder({ db, dataDir })));
  expect(new Set(claims).size).toBe(1);
  const folder = claims[0] ?? '';
  expect(readdirSync(join(dataDir, 'objects')).map((id) => join(dataDir, 'objects', id))).toEqual([folder]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await claimStoreFolder({ db, dataDir })).toBe(folder);
  const files = new BlobFiles(folder);
  await files.check();
  const blob = await files.write([Buffer.from('x')]);
  expect(existsSync(files.pathOf(blob.id))).toBe(true);
});

test('another database uses another folder in the same data directory', async () => {
  const other = await createTestStore();
  const folder = await claimStoreFolder({ db: other.db, dataDir });
  expect(folder).not.toBe(await claimStoreFolder({ db, dataDir }));
  expect(readdirSync(join(dataDir, 'objects'))).toHaveLength(2);
});

test('a copy of the database is refused with advice; a moved database may take the folder over', async () => {
  const original = await createDatabase(inject('databaseUrl'));
  const open = (url: string) => connect({ url, poolSize: 1, namedStatements: true, log: createLog('fatal') });
  const first = open(original.url);
  const folder = await claimStoreFolder({ db: first, dataDir });
  const owner = readFileSync(join(folder, 'owner'), 'utf8');
  expect(owner).toMatch(/^cluster \d+, database \d+\n$/);
  await first.destroy();
  const copy = await createDatabase(inject('databaseUrl'), new URL(original.url).pathname.slice(1));
  const second = open(copy.url);
  onTestFinished(async () => {
    await second.destroy();
    await copy.drop();
    await original.drop();
  });
  const refusal = await claimStoreFolder({ db: second, dataDir }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ type: 'configuration_error' });
  for (const text of [folder, owner.trim(), `delete the file ${join(folder, 'owner')}`, 'npm run backup'])
    expect((refusal as Error).message).toContain(text);
  expect(readFileSync(join(folder, 'owner'), 'utf8')).toBe(owner);
  rmSync(join(folder, 'owner'));
  expect(await claimStoreFolder({ db: second, dataDir })).toBe(folder);
  expect(readFileSync(join(folder, 'owner'), 'utf8')).not.toBe(owner);
  expect(readdirSync(folder).filter((name) => name.startsWith('owner'))).toEqual(['owner']);
});

test('a database whose role may not read the cluster identifier is identified by its address', async () => {
  const asked: string[] = [];
  const identity = await identifyDatabase(async (statement) => {
    asked.push(statement);
    if (statement.includes('has_function_privilege')) return { rows: [{ answer: false }] };
    return sql.raw(statement).execute(db);
  });
  expect(identity).toMatch(/^server \S+, name test_\w+, database \d+$/);
  expect(asked.at(-1)).not.toContain('pg_control_system');
});

test('a missing folder is reported with its location and advice, and not created', async () => {
  const elsewhere = join(parent, 'elsewhere');
  const refusal = await claimStoreFolder({ db, dataDir: elsewhere }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ type: 'configuration_error' });
  const { message } = refusal as Error;
  const folder = await claimStoreFolder({ db, dataDir });
  for (const text of [
    folder,
    elsewhere,
    `host ${hostname()}`,
    'S3_BUCKET',
    'S3_ENDPOINT',
    'DRYDOCK_DATA_DIR',
  ])
    expect(message).toContain(text);
  expect(existsSync(elsewhere)).toBe(false);

  // The suggested statement for lost objects works.
  const statement = /TRUNCATE [^;]+;/.exec(message)?.[0] ?? '';
  await sql.raw(statement).execute(db);
  expect(await claimStoreFolder({ db, dataDir: elsewhere })).toContain(elsewhere);
  for (const table of ['stored_objects', 'object_uploads', 'dropped_blobs'] as const)
    expect(await db.selectFrom(table).select(sql<number>`count(*)`.as('rows')).execute()).toEqual([
      { rows: 0 },
    ]);
});
