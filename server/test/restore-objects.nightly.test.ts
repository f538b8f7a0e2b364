/** Objects of a backup, restored byte for byte or not at all: into the embedded store, or into an external S3. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BackupError } from '../src/platform/backup/manifest.ts';
import { verifyBackup } from '../src/platform/backup/restore.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { openClient } from '../src/platform/db/open-client.ts';
import { createLog } from '../src/platform/log.ts';
import { VERSION } from '../src/version.ts';
import { runCommand, spawnCommand } from './commands.ts';
import { execute } from './databases.ts';
import { accountForBlobs, IN_ORDER, readObject } from './embedded-stores.ts';
import { BUCKET, REGION, startTestGateway } from './gateways.ts';
import {
  DESCRIBED,
  describeObjects,
  digest,
  type Filled,
  filesIn,
  fill,
  manifestOf,
  newPlace,
  type OpenPlace,
  openDb,
  openPlace,
  type Place,
  placeOf,
} from './object-places.ts';
import { makeFolder, newDataDir, until } from './processes.ts';

const DONE = { code: 0, stderr: '' };
const MARK = 'drydock-restore-under-way';
const log = createLog('fatal');
const parent = makeFolder();
const backup = join(parent, 'backup');
let source: OpenPlace;
let filled: Filled;
beforeAll(async () => {
  source = await openPlace(await newPlace());
  filled = await fill(source);
  expect(await runCommand('backup', [backup], source.given)).toMatchObject(DONE);
});

/** Digests by key of what was put; the upload is left out, since it is not an object. */
const putDigests = () => {
  const digests = new Map([...filled.contents].map(([key, content]) => [key, digest(content)]));
  digests.delete(filled.unfinished.key);
  return digests;
};
const toDigests = (found: Awaited<ReturnType<typeof describeObjects>>) =>
  new Map(found.map(({ key, sha256 }) => [key, sha256]));

describe('restore into the embedded store', () => {
  let restored: OpenPlace;
  beforeAll(async () => {
    const place = await newPlace('template0');
    const result = await runCommand('restore', [backup], place.given);
    expect(result).toMatchObject(DONE);
    const { files, bytes } = manifestOf(backup).objects;
    expect(result.stdout).toContain(
      `The content of its objects is in the data directory: ${files} files with ${bytes} bytes.`,
    );
    restored = await openPlace(place);
  });

  test('brings back every object with all its attributes', async () => {
    const found = await describeObjects(restored);
    expect(toDigests(found)).toEqual(putDigests());
    expect(found).toEqual(await describeObjects(source));
    expect(await restored.store.index.find('in parts')).toMatchObject(DESCRIBED);
    expect(await accountForBlobs(restored)).toMatchObject(IN_ORDER);
  });

  test('records the local folder, which differs from the original one', async () => {
    const place = ({ db }: OpenPlace) =>
      db.selectFrom('object_store').select(['id', 'data_dir']).executeTakeFirstOrThrow();
    const here = await place(restored);
    expect(here.id).not.toBe((await place(source)).id);
    expect(here.data_dir).toBe(restored.dataDir);
    expect(readdirSync(join(restored.dataDir, 'objects'))).toEqual([here.id]);
  });

  test('keeps an unfinished upload usable', async () => {
    const { uploads } = restored.store;
    const { unfinished, contents } = filled;
    const found = await uploads.find(unfinished.id, unfinished.key);
    if (!found) throw new Error('the upload is not there');
    expect(found).toEqual(unfinished);
    const last = Buffer.from('and the end');
    await restored.store.putPart(found, 2, { body: [last] });
    const parts = await uploads.listParts(found, { limit: 9 });
    await uploads.complete(found, parts, { etag: 'of-2', checksum: undefined });
    const expected = Buffer.concat([contents.get(unfinished.key) ?? last, last]);
    expect(digest((await readObject(restored.store, unfinished.key)) ?? '')).toBe(digest(expected));
    expect(await accountForBlobs(restored)).toMatchObject(IN_ORDER);
  });
});

describe('refuses a backup with modified objects before anything is changed', () => {
  const blob = (folder: string) => filesIn(join(folder, 'objects'))[0] ?? '';
  const list = (folder: string) => join(folder, 'objects.list.zst');

  test.each<[string, (folder: string) => void, RegExp]>([
    ['a byte more', (folder) => appendFileSync(blob(folder), 'x'), /damaged: \S+objects\/\S+ is not what/],
    [
      'a byte changed',
      (folder) => {
        const bytes = readFileSync(blob(folder));
        writeFileSync(blob(folder), bytes.fill((bytes[0] ?? 0) ^ 1, 0, 1));
      },
      /damaged: \S+objects\/\S+ is not what/,
    ],
    ['a file missing', (folder) => rmSync(blob(folder)), /not whole: \S+objects\/\S+ is missing/],
    ['another list', (folder) => appendFileSync(list(folder), 'x'), /damaged: \S+objects\.list\.zst is not/],
    ['no list', (folder) => rmSync(list(folder)), /not whole: \S+objects\.list\.zst is missing/],
    [
      'another count',
      (folder) => {
        const manifest = manifestOf(folder);
        manifest.objects.files++;
        writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
      },
      /damaged: \S+objects\.list\.zst is not what/,
    ],
  ])('%s', async (name, damage, message) => {
    const folder = join(parent, name.replaceAll(' ', '-'));
    cpSync(backup, folder, { recursive: true });
    damage(folder);
    await expect(verifyBackup(folder, VERSION)).rejects.toThrow(BackupError);
    await expect(verifyBackup(folder, VERSION)).rejects.toThrow(message);
    rmSync(folder, { recursive: true });
  });

  test('prints one sentence for a modified backup', async () => {
    const folder = join(parent, 'damaged');
    cpSync(backup, folder, { recursive: true });
    rmSync(blob(folder));
    const place = await newPlace('template0');
    const { code, stderr } = await runCommand('restore', [folder], place.given);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The backup is not whole: \S+ is missing\. Nothing was restored\.\n$/);
    expect(existsSync(place.dataDir)).toBe(false);
  });
});

async function killRestore(
  given: Record<string, string>,
  what: string,
  isTime: () => unknown,
): Promise<void> {
  const command = spawnCommand('restore', [backup], given);
  await until(what, async () => Boolean(await isTime()));
  expect(await command.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
}

describe('that was killed leaves nothing behind after it is run again', () => {
  const storesOf = ({ dataDir }: Place) => readdirSync(join(dataDir, 'objects'));

  async function expectWhole(place: Place): Promise<void> {
    expect(await runCommand('restore', [backup], place.given)).toMatchObject(DONE);
    const restored = await openPlace(place);
    expect(storesOf(place)).toEqual([basename(restored.folder)]);
    const found = await describeObjects(restored);
    expect(toDigests(found)).toEqual(putDigests());
    expect(await accountForBlobs(restored)).toMatchObject(IN_ORDER);
  }

  test('when it was killed while files were copied', async () => {
    const place = await newPlace('template0');
    const isCopying = () => globSync(join(place.dataDir, 'objects/*/??/*')).length > 0;
    await killRestore(place.given, 'it copies', isCopying);
    await expectWhole(place);
  });

  test('when it was killed after the files and before the rows, then into another data directory', async () => {
    const place = await newPlace('template0');
    await migrate({ url: place.url, log });
    await execute(
      place.url,
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
       CREATE TRIGGER dawdle BEFORE INSERT ON stored_objects FOR EACH STATEMENT EXECUTE FUNCTION dawdle()`,
    );
    const watcher = await openClient(place.url, 'test');
    onTestFinished(() => watcher.end());
    const found = `FROM pg_stat_activity WHERE application_name = 'drydock restore' AND datname = current_database()`;
    const isLoading = async () =>
      (await watcher.query(`SELECT ${found} AND wait_event = 'PgSleep'`)).rowCount;
    await killRestore(place.given, 'it loads', isLoading);
    // Left alone, the backend would notice only at the end of its sleep.
    await watcher.query(`SELECT pg_terminate_backend(pid) ${found}`);
    await until(
      'its connections have ended',
      async () => (await watcher.query(`SELECT ${found}`)).rowCount === 0,
    );
    await watcher.query('DROP TRIGGER dawdle ON stored_objects; DROP FUNCTION dawdle');
    const copied = filesIn(join(place.dataDir, 'objects')).filter((path) => basename(path) !== 'owner');
    expect(copied).toHaveLength(manifestOf(backup).objects.files);

    await expectWhole(placeOf(place.url, newDataDir()));
    expect(storesOf(place)).toEqual([]);
  });
});

describe('the folder of a database without objects', () => {
  const leaveFile = ({ folder }: OpenPlace) => writeFileSync(join(folder, '00', 'left over'), 'x');

  test('is removed before a restore, from the local data directory if it is there', async () => {
    const empty = await newPlace('template0');
    await migrate({ url: empty.url, log });
    const before = await openPlace(empty);
    leaveFile(before);
    // The directory that it was copied from has a folder of that name, which now belongs to another database.
    const elsewhere = newDataDir();
    cpSync(empty.dataDir, elsewhere, { recursive: true });
    await before.db.updateTable('object_store').set({ data_dir: elsewhere }).execute();
    expect(await runCommand('restore', [backup], empty.given)).toMatchObject(DONE);
    const restored = await openPlace(empty);
    expect(readdirSync(join(empty.dataDir, 'objects'))).toEqual([basename(restored.folder)]);
    expect(restored.folder).not.toBe(before.folder);
    expect(readdirSync(join(elsewhere, 'objects'))).toEqual([basename(before.folder)]);
  });

  test('stays if it belongs to another database of which this one is a copy', async () => {
    const original = await newPlace('template0');
    await migrate({ url: original.url, log });
    const opened = await openPlace(original);
    leaveFile(opened);
    const row = await opened.db.selectFrom('object_store').selectAll().executeTakeFirstOrThrow();
    const copy = await newPlace('template0');
    await migrate({ url: copy.url, log });
    await openDb(copy).insertInto('object_store').values(row).execute();
    expect(await runCommand('restore', [backup], copy.given)).toMatchObject(DONE);
    expect(existsSync(join(opened.folder, '00', 'left over'))).toBe(true);
  });
});

test('a restore beside a server that was started in between is refused and removes its files', async () => {
  const place = await newPlace('template0');
  await migrate({ url: place.url, log });
  // Another server's rows, between the first check of the tables and the load.
  await execute(
    place.url,
    `CREATE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN INSERT INTO dropped_blobs (id) VALUES (gen_random_uuid()); RETURN NEW; END';
     CREATE TRIGGER interfere BEFORE INSERT ON object_store FOR EACH ROW EXECUTE FUNCTION interfere()`,
  );
  const { code, stderr } = await runCommand('restore', [backup], place.given);
  expect(code).toBe(1);
  expect(stderr).toContain('The database is in use: its table dropped_blobs holds rows.');
  expect(readdirSync(join(place.dataDir, 'objects'))).toEqual([]);
});

test('restore accepts a backup from before there were objects', async () => {
  const old = await newPlace('template0');
  await migrate({ url: old.url, log, upTo: 6 });
  const folder = join(parent, 'before-objects');
  expect(await runCommand('backup', [folder], old.given)).toMatchObject(DONE);
  const { objects, ...manifest } = manifestOf(folder);
  expect(objects).toBeNull();
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const place = await newPlace('template0');
  expect(await runCommand('restore', [folder], place.given)).toMatchObject(DONE);
  expect(await describeObjects(await openPlace(place))).toEqual([]);
});

describe('restore into an external S3', () => {
  async function newBucket() {
    const foreign = await startTestGateway();
    const s3 = {
      S3_ENDPOINT: foreign.endpoint,
      S3_REGION: REGION,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: foreign.root.accessKeyId,
      S3_SECRET_ACCESS_KEY: foreign.root.secretAccessKey,
    };
    return { foreign, s3 };
  }

  test('puts every object under its key, even when it continues a killed restore', async () => {
    const { foreign, s3 } = await newBucket();
    const place = await newPlace('template0');
    const given = { ...place.given, ...s3 };
    const isPutting = () => foreign.store.index.find('small/7');
    await killRestore(given, 'it puts', isPutting);

    const result = await runCommand('restore', [backup], given);
    expect(result).toMatchObject(DONE);
    expect(result.stdout).toContain(`The content of its objects is in the bucket ${BUCKET}.`);
    expect(result.stdout).toContain('Uploads in parts that were under way (1) have to be begun anew.');
    const found = await describeObjects(foreign);
    expect(toDigests(found)).toEqual(putDigests());
    const metadata = { ...DESCRIBED.metadata, captain: '=?UTF-8?B?w4FzdGE=?=' };
    for (const object of found) expect(object).toMatchObject({ ...DESCRIBED, metadata });

    const db = openDb(place);
    const [row] = await db.selectFrom('object_store').select(['bucket', 'id']).execute();
    expect(row).toEqual({ bucket: BUCKET, id: null });
    for (const table of ['stored_objects', 'object_uploads', 'object_upload_parts', 'dropped_blobs'] as const)
      expect([table, await db.selectFrom(table).select(db.fn.countAll().as('rows')).execute()]).toEqual([
        table,
        [{ rows: 0 }],
      ]);
    expect(existsSync(join(place.dataDir, 'objects'))).toBe(false);
  });

  test('can be run again after a failure at its very end; a kill there leaves only a mark', async () => {
    const { foreign, s3 } = await newBucket();
    const place = await newPlace('template0');
    const given = { ...place.given, ...s3 };
    await migrate({ url: place.url, log });
    await execute(
      place.url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not yet'; END $$;
       CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON object_store DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    expect((await runCommand('restore', [backup], given)).stderr).toContain('not yet');
    const mark = String(await readObject(foreign.store, MARK));
    expect(mark).toMatch(/^cluster \d+, database \d+$/);
    // Another database is refused, since the bucket may be half filled.
    const other = await newPlace('template0');
    const refused = await runCommand('restore', [backup], { ...other.given, ...s3 });
    expect(refused.stderr).toContain(`A restore of another database (${mark}) into the bucket ${BUCKET}`);

    await execute(place.url, 'DROP TRIGGER refuse ON object_store; DROP FUNCTION refuse');
    expect(await runCommand('restore', [backup], given)).toMatchObject(DONE);
    expect(toDigests(await describeObjects(foreign))).toEqual(putDigests());

    await foreign.store.putObject({ key: MARK, body: [Buffer.from(mark)], headers: {}, metadata: {} });
    expect((await runCommand('restore', [backup], given)).stderr).toContain('The database is in use');
    expect(await foreign.store.index.find(MARK)).toBeUndefined();
  });

  test('leaves out and counts metadata whose names are not valid in a header', async () => {
    const { foreign, s3 } = await newBucket();
    const odd = await openPlace(await newPlace());
    const metadata = { fine: 'kept', 'not fine': 'a', é: 'b' };
    for (const key of ['one', 'two'])
      await odd.store.putObject({ key, body: [Buffer.from(key)], headers: {}, metadata });
    const folder = join(parent, 'odd');
    expect(await runCommand('backup', [folder], odd.given)).toMatchObject(DONE);
    const place = await newPlace('template0');
    const result = await runCommand('restore', [folder], { ...place.given, ...s3 });
    expect(result.code).toBe(0);
    expect(result.stdout + result.stderr).toMatch(/"objects":2,"names":4.*metadata was left out/);
    expect(await foreign.store.index.find('one')).toMatchObject({ metadata: { fine: 'kept' } });
    expect(Object.keys((await foreign.store.index.find('two'))?.metadata ?? {})).toEqual(['fine']);
  });

  test('refuses a bucket that holds objects and leaves it unchanged', async () => {
    const { foreign, s3 } = await newBucket();
    await foreign.store.putObject({ key: 'large', body: [Buffer.from('newer')], headers: {}, metadata: {} });
    const place = await newPlace('template0');
    const { code, stderr } = await runCommand('restore', [backup], { ...place.given, ...s3 });
    expect(code).toBe(1);
    expect(stderr).toContain(`The bucket ${BUCKET} is in use: it holds "large". Nothing was restored.`);
    expect((await describeObjects(foreign)).map(({ key }) => key)).toEqual(['large']);
    expect(await openDb(place).selectFrom('users').select('id').execute()).toEqual([]);
  });
});
