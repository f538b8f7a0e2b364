import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createTestStore } from '../../../../test/embedded-stores.ts';
import { BlobFiles } from './blob-files.ts';
import { claimStoreFolder } from './store-folder.ts';

const parent = mkdtempSync(join(tmpdir(), 'drydock-claims-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const dataDir = join(parent, 'data');
const { db } = await createTestStore();

test('of processes that start at once on a new database, all get the same folder and no other is left', async () => {
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

test('another database has another folder in the same data directory', async () => {
  const other = await createTestStore();
  const folder = await claimStoreFolder({ db: other.db, dataDir });
  expect(folder).not.toBe(await claimStoreFolder({ db, dataDir }));
  expect(readdirSync(join(dataDir, 'objects'))).toHaveLength(2);
});

test('where the folder is not, it is said where it is and what to do, and nothing is made', async () => {
  const elsewhere = join(parent, 'elsewhere');
  const refusal = await claimStoreFolder({ db, dataDir: elsewhere }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ type: 'configuration_error' });
  const { message } = refusal as Error;
  const folder = await claimStoreFolder({ db, dataDir });
  for (const said of [
    folder,
    elsewhere,
    `host ${hostname()}`,
    'S3_BUCKET',
    'S3_ENDPOINT',
    'DRYDOCK_DATA_DIR',
  ])
    expect(message).toContain(said);
  expect(existsSync(elsewhere)).toBe(false);

  // What it says to do when the objects are lost is what helps.
  const statement = /TRUNCATE [^;]+;/.exec(message)?.[0] ?? '';
  await sql.raw(statement).execute(db);
  expect(await claimStoreFolder({ db, dataDir: elsewhere })).toContain(elsewhere);
  for (const table of ['stored_objects', 'object_uploads', 'dropped_blobs'] as const)
    expect(await db.selectFrom(table).select(sql<number>`count(*)`.as('rows')).execute()).toEqual([
      { rows: 0 },
    ]);
});
