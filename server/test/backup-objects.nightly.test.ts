/** Objects of the embedded store are backed up beside writers that replace and delete them, and clean-ups that remove them. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifyBackup } from '../src/platform/backup/restore.ts';
import { openClient } from '../src/platform/db/open-client.ts';
import { sweepOrphans } from '../src/platform/object-storage/embedded/blobs/orphans.ts';
import { BLOB_REMOVAL_LOCK } from '../src/platform/object-storage/embedded/blobs/removal-lock.ts';
import { removeDroppedBlobs } from '../src/platform/object-storage/embedded/clean-ups.ts';
import { VERSION } from '../src/version.ts';
import { type CommandResult, runCommand, spawnCommand } from './commands.ts';
import { accountForBlobs, IN_ORDER, putText, readObject } from './embedded-stores.ts';
import {
  describeObjects,
  type Filled,
  filesIn,
  fill,
  manifestOf,
  newPlace,
  type OpenPlace,
  openDb,
  openPlace,
} from './object-places.ts';
import { makeFolder, newDataDir, until } from './processes.ts';

const WRITERS = 4;
const parent = makeFolder();
const backup = join(parent, 'first');
let source: OpenPlace;
let filled: Filled;
let ended: CommandResult;
beforeAll(async () => {
  source = await openPlace(await newPlace());
  filled = await fill(source);
  ended = await runCommand('backup', [backup], source.given);
});

test('a backup contains and reports the content of every object and part', () => {
  const bytes = [...filled.contents.values()].reduce((sum, { length }) => sum + length, 0);
  // An empty object has no file.
  const files = filled.contents.size + 1 - 1;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain(`The content of its objects is in it: ${files} files with ${bytes} bytes.`);
  expect(manifestOf(backup).objects).toMatchObject({ store: 'embedded', files, bytes });
  expect(filesIn(join(backup, 'objects'))).toHaveLength(files);
});

test('a backup survives its source: no file is shared on disk', async () => {
  const blob = await source.store.index.find('large');
  const path = source.store.files.pathOf(blob?.blobs[0]?.id ?? '');
  appendFileSync(path, 'x');
  await expect(verifyBackup(backup, VERSION)).resolves.toBeDefined();
  truncateSync(path, blob?.sizeBytes);
});

interface Counts {
  written: number;
  removed: number;
}

/** Replaces and deletes objects, and removes dropped files at once, until the work has ended. */
async function whileChurning<T>({ store, db }: OpenPlace, work: (counts: Counts) => Promise<T>): Promise<T> {
  const done = new AbortController();
  const counts = { written: 0, removed: 0 };
  const write = async (writer: number) => {
    for (let n = 0; !done.signal.aborted; n++) {
      const key = `w${writer}/${n % 20}`;
      await putText(store, key, `${key} ${n} ${'x'.repeat(n % 5_000)}`);
      if (n % 3 === 0) await store.index.delete([`w${writer}/${(n + 7) % 20}`]);
      counts.written++;
    }
  };
  const cleanUp = async () => {
    for (; !done.signal.aborted; await nextTurn()) {
      counts.removed += await removeDroppedBlobs({ db, files: store.files }, 0);
      await sweepOrphans({ db, files: store.files });
    }
  };
  const ended = Promise.all([cleanUp(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
  try {
    await until('something is removed', () => counts.removed > 10 * WRITERS);
    return await work(counts);
  } finally {
    done.abort();
    await ended;
  }
}

describe('a backup beside writers and clean-ups', async () => {
  test('contains every object as of the snapshot', async () => {
    const folder = join(parent, 'beside-writers');
    const snapshot = await openClient(source.url, 'test');
    onTestFinished(() => snapshot.end());
    const expected = await whileChurning(source, async (counts) => {
      await snapshot.query('SELECT pg_advisory_lock_shared($1, $2)', [...BLOB_REMOVAL_LOCK]);
      await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await snapshot.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const { rows: ids } = await snapshot.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
      const { rows } = await snapshot.query('SELECT key, etag, blob_ids FROM stored_objects ORDER BY key');
      const { written } = counts;
      const result = await runCommand('backup', [folder, '--snapshot', ids[0]?.id ?? ''], source.given);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(counts.written).toBeGreaterThan(written + 10 * WRITERS);
      await snapshot.query('COMMIT');
      await snapshot.query('SELECT pg_advisory_unlock_shared($1, $2)', [...BLOB_REMOVAL_LOCK]);
      return rows;
    });

    const place = await newPlace('template0');
    expect(await runCommand('restore', [folder], place.given)).toMatchObject({ code: 0, stderr: '' });
    const restored = await openPlace(place);
    const found = await describeObjects(restored);
    expect(found.map(({ key, etag, blobs }) => ({ key, etag, blob_ids: blobs.map(({ id }) => id) }))).toEqual(
      expected,
    );
    for (const { key, etag } of found.filter((each) => each.key.startsWith('w'))) {
      const content = (await readObject(restored.store, key)) ?? '';
      expect([key, createHash('md5').update(content).digest('hex')]).toEqual([key, etag]);
    }
    expect(await accountForBlobs(restored)).toMatchObject(IN_ORDER);
  });

  test('keeps files from being removed until the command has ended', async () => {
    const folder = join(parent, 'keeps-files');
    await whileChurning(source, async (counts) => {
      const command = spawnCommand('backup', [folder], source.given);
      await until('it copies', () => globSync(`${folder}.incomplete-*/objects/*/*`).length > 0);
      const before = counts.removed;
      const exit = await command.exited;
      expect({ ...exit, ...command.output() }).toMatchObject({ code: 0, stderr: '' });
      // Removals that began before the lock may be counted a moment later.
      expect(counts.removed - before).toBeLessThan(50);
      await until('removing goes on', () => counts.removed > before + 50);
    });
    await expect(verifyBackup(folder, VERSION)).resolves.toBeDefined();
  });
});

describe('incomplete content fails the backup, which names the object', () => {
  test.each<[string, (path: string) => void, string]>([
    ['missing', (path) => rmSync(path), 'is missing'],
    ['short', (path) => truncateSync(path, 2), 'holds 2 bytes instead of 6'],
    ['long', (path) => appendFileSync(path, '!'), 'holds 7 bytes instead of 6'],
  ])('%s', async (name, damage, message) => {
    const key = `lost "${name}"`;
    const { blobs } = await putText(source.store, key, 'whole.');
    damage(source.store.files.pathOf(blobs[0]?.id ?? ''));
    const { code, stderr } = await runCommand('backup', [join(parent, name)], source.given);
    expect(code).toBe(1);
    expect(stderr).toContain(`The content of the object ${JSON.stringify(key)} is not whole`);
    expect(stderr).toContain(message);
    expect(readdirSync(parent).filter((entry) => entry.startsWith(name))).toEqual([]);
    await source.store.index.delete([key]);
  });

  test('a backup fails when the data directory is another one', async () => {
    const elsewhere = { ...source.given, DRYDOCK_DATA_DIR: newDataDir() };
    const { stderr } = await runCommand('backup', [join(parent, 'elsewhere')], elsewhere);
    expect(stderr).toContain('Run the backup where the server runs, with its settings');
  });
});

test('a backup leaves the objects of an external S3 in their bucket and names it', async () => {
  const place = await newPlace();
  await openDb(place).insertInto('object_store').values({ bucket: 'harbour' }).execute();
  const folder = join(parent, 'outside');
  const { code, stdout } = await runCommand('backup', [folder], place.given);
  expect(code).toBe(0);
  expect(stdout).toContain('is not in it: back up the bucket harbour by its own means');
  expect(manifestOf(folder).objects).toEqual({ store: 's3', bucket: 'harbour' });
  expect(existsSync(join(folder, 'objects'))).toBe(false);

  const restore = async (given: Record<string, string>) => {
    const target = await newPlace('template0');
    const result = await runCommand('restore', [folder], { ...target.given, ...given });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const row = await openDb(target).selectFrom('object_store').select('bucket').executeTakeFirst();
    return { ...row, stdout: result.stdout };
  };
  const same = await restore({});
  expect(same.bucket).toBe('harbour');
  expect(same.stdout).toContain('the bucket harbour must be there, and S3_BUCKET must name it');
  const other = await restore({ S3_BUCKET: 'quay', S3_ENDPOINT: 'http://127.0.0.1:9' });
  expect(other.bucket).toBe('quay');
  expect(other.stdout).toContain('the bucket quay must hold what was in the bucket harbour');
});
