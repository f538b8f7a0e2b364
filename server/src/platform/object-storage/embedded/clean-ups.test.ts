import { linkSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import {
  accountForBlobs,
  createTestStore,
  IN_ORDER,
  listFiles,
  putText,
  readObject,
} from '../../../../test/embedded-stores.ts';
import { openClient } from '../../db/open-client.ts';
import { firstUuidAt, uuidv7 } from '../../uuid.ts';
import { SHARDS } from './blobs/blob-files.ts';
import { sweepOrphans } from './blobs/orphans.ts';
import { BLOB_REMOVAL_LOCK } from './blobs/removal-lock.ts';
import { embeddedCleanUps, removeDroppedBlobs } from './clean-ups.ts';

const { store, db, folder, url } = await createTestStore();
const NOW = { minAgeMs: 0 };
const cleanUp = (name: string) => {
  const found = embeddedCleanUps(store).find((one) => one.name === name);
  if (!found) throw new Error(`no clean-up is called ${name}`);
  return found.run(db);
};

/** Shifts the times of dropped blobs as if this many seconds had passed. */
const age = (seconds: number) =>
  sql`UPDATE dropped_blobs SET dropped_at = dropped_at - make_interval(secs => ${seconds})`.execute(db);

test('dropped blobs are deleted after a while, both file and row', async () => {
  await putText(store, 'a', 'one');
  await putText(store, 'a', 'two');
  await putText(store, 'b');
  await store.index.delete(['b']);
  expect(await cleanUp('dropped blobs')).toBe(0);
  expect(listFiles(folder)).toHaveLength(3);
  await age(301);
  expect(await cleanUp('dropped blobs')).toBe(2);
  expect(listFiles(folder)).toHaveLength(1);
  expect(String(await readObject(store, 'a'))).toBe('two');
  expect(await accountForBlobs({ db, folder })).toMatchObject({ ...IN_ORDER, dropped: 0 });
});

test('more than a batch of dropped blobs are deleted in one run', async () => {
  await sql`INSERT INTO dropped_blobs (id) SELECT gen_random_uuid() FROM generate_series(1, 2500)`.execute(
    db,
  );
  expect(await removeDroppedBlobs(store, 0)).toBe(2_500);
});

test('a deletion that was killed between file and row is repeated', async () => {
  const { blobs } = await putText(store, 'half');
  await store.index.delete(['half']);
  await store.files.remove(blobs.map(({ id }) => id));
  expect(await removeDroppedBlobs(store, 0)).toBe(1);
  expect(await accountForBlobs({ db, folder })).toMatchObject({ ...IN_ORDER, dropped: 0 });
});

test('nothing is removed while the removal lock is held', async () => {
  const { blobs } = await putText(store, 'backed up');
  const orphan = await store.files.write([Buffer.from('restored, and not yet owned')]);
  const backup = await openClient(url, 'test');
  onTestFinished(() => backup.end());
  await backup.query('SELECT pg_advisory_lock_shared($1, $2)', [...BLOB_REMOVAL_LOCK]);
  await store.index.delete(['backed up']);
  expect(await removeDroppedBlobs(store, 0)).toBe(0);
  expect(await sweepOrphans(store, NOW)).toBe(0);
  expect(await store.files.read(blobs)).toEqual(Buffer.from('backed up'));
  expect(await store.files.read([orphan])).toEqual(Buffer.from('restored, and not yet owned'));
  await backup.query('SELECT pg_advisory_unlock_shared($1, $2)', [...BLOB_REMOVAL_LOCK]);
  // A dropped blob does not count as an orphan.
  expect(await sweepOrphans(store, NOW)).toBe(1);
  expect(await removeDroppedBlobs(store, 0)).toBe(1);
});

test('files without an owner and drafts are deleted; blobs of objects, parts and dropped blobs are kept', async () => {
  await putText(store, 'owned');
  const upload = await store.uploads.create({ key: 'parts', headers: {}, metadata: {} });
  for (const partNumber of [1, 2, 3])
    await store.putPart(upload, partNumber, { body: [Buffer.from('part')] });
  const many = await store.uploads.create({ key: 'many', headers: {}, metadata: {} });
  for (const partNumber of [1, 2, 3]) await store.putPart(many, partNumber, { body: [Buffer.from('part')] });
  await store.uploads.complete(many, await store.uploads.listParts(many, { limit: 9 }), {
    etag: 'e-3',
    checksum: undefined,
  });
  await putText(store, 'replaced');
  await putText(store, 'replaced', 'again');
  const kept = listFiles(folder).toSorted();
  const orphan = await store.files.write([Buffer.from('nobody has it')]);
  const link = await store.files.link(orphan);
  writeFileSync(join(folder, 'incoming', 'left over'), 'half of a bo');
  expect(await sweepOrphans(store, NOW)).toBe(3);
  expect(listFiles(folder).toSorted()).toEqual(kept);
  expect(listFiles(folder)).not.toContain(link.id);
  expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
  expect(await accountForBlobs({ db, folder })).toMatchObject(IN_ORDER);
});

test('young files are kept, including new links to old content', async () => {
  const orphan = await store.files.write([Buffer.from('on its way to the index')]);
  const long = new Date(Date.now() - 10 * 3_600_000);
  utimesSync(store.files.pathOf(orphan.id), long, long);
  writeFileSync(join(folder, 'incoming', 'being written'), 'half of a bo');
  expect(await sweepOrphans(store, { minAgeMs: 60_000 })).toBe(0);
  expect(await cleanUp('orphaned blobs')).toBe(0);
  expect(await sweepOrphans(store, NOW)).toBe(2);
});

/** Creates what a process that was killed hours ago leaves behind. */
function leaveOrphan(shard: string): string {
  const long = Date.now() - 3 * 3_600_000;
  const id = firstUuidAt(long).slice(0, -2) + shard;
  writeFileSync(store.files.pathOf(id), 'nobody has it');
  utimesSync(store.files.pathOf(id), new Date(long), new Date(long));
  return id;
}

test('each run checks another folder until all had their turn', async () => {
  for (const shard of SHARDS) leaveOrphan(shard);
  const orphaned = embeddedCleanUps(store).find(({ name }) => name === 'orphaned blobs');
  for (let turn = 0; turn < SHARDS.length; turn++) expect(await orphaned?.run(db)).toBe(1);
  expect((await accountForBlobs({ db, folder })).orphans).toEqual([]);
});

test('an orphaned link is deleted although its content is copied again and again', async () => {
  const { blobs } = await putText(store, 'copied');
  const [owned] = blobs;
  if (!owned) throw new Error('it has no blob');
  const long = Date.now() - 3 * 3_600_000;
  const orphan = `${firstUuidAt(long).slice(0, -2)}7f`;
  linkSync(store.files.pathOf(owned.id), store.files.pathOf(orphan));
  // The content is new, so the link is kept, like a restored file.
  expect(await sweepOrphans(store)).toBe(0);
  utimesSync(store.files.pathOf(owned.id), new Date(long), new Date(long));
  await store.copyObject('copied', (source) => ({ ...source, key: 'copy' }));
  expect(await sweepOrphans(store)).toBe(1);
  expect(listFiles(folder)).not.toContain(orphan);
  expect(String(await readObject(store, 'copy'))).toBe('copied');
});

test('a file that cannot be removed keeps its row and does not block others', async () => {
  await removeDroppedBlobs(store, 0);
  // More than a batch, sorted before all others: folders cannot be removed like files.
  const stuck = Array.from({ length: 1_001 }, () => uuidv7());
  for (const id of stuck) mkdirSync(store.files.pathOf(id));
  await sql`INSERT INTO dropped_blobs (id, dropped_at)
    SELECT unnest(${stuck}::uuid[]), now() - interval '1 hour'`.execute(db);
  await putText(store, 'behind');
  await store.index.delete(['behind']);
  await expect(removeDroppedBlobs(store, 0)).rejects.toThrow('EISDIR');
  expect(await accountForBlobs({ db, folder })).toMatchObject({ ...IN_ORDER, dropped: stuck.length });
  await sql`DELETE FROM dropped_blobs`.execute(db);
  const orphan = await store.files.write([Buffer.from('behind')]);
  await expect(sweepOrphans(store, NOW)).rejects.toThrow('EISDIR');
  expect(listFiles(folder)).not.toContain(orphan.id);
  for (const id of stuck) rmSync(store.files.pathOf(id), { recursive: true });
});

test('missing folders count as empty', async () => {
  // Picks an empty folder, because removing one with blobs of an earlier test would break it.
  const empty = readdirSync(folder).find(
    (name) => /^[0-9a-f]{2}$/.test(name) && name !== 'ff' && readdirSync(join(folder, name)).length === 0,
  );
  if (!empty) throw new Error('every folder holds a file');
  for (const name of ['incoming', empty]) rmSync(join(folder, name), { recursive: true });
  const orphan = leaveOrphan('ff');
  expect(await sweepOrphans(store)).toBe(1);
  expect(listFiles(folder)).not.toContain(orphan);
  await store.files.prepare();
});

test('uploads that were not completed for a week are aborted', async () => {
  const make = async (key: string, days: number) => {
    const upload = await store.uploads.create({ key, headers: {}, metadata: {} });
    await store.putPart(upload, 1, { body: [Buffer.from(key)] });
    await sql`UPDATE object_uploads SET created_at = now() - make_interval(days => ${days}) WHERE id = ${upload.id}`.execute(
      db,
    );
    return upload;
  };
  const young = await make('young', 6);
  for (let count = 0; count < 25; count++) await make(`old ${count}`, 8);
  expect(await cleanUp('old uploads')).toBe(25);
  expect(await store.uploads.find(young.id, 'young')).toBeDefined();
  expect((await store.uploads.list({ prefix: 'old', limit: 1 })).uploads).toEqual([]);
  await removeDroppedBlobs(store, 0);
  expect(await accountForBlobs({ db, folder })).toMatchObject({ ...IN_ORDER, dropped: 0 });
});

test('the owner of a blob is looked up by indexes', async () => {
  await sql`INSERT INTO stored_objects (key, blob_ids, blob_sizes, size_bytes, etag, headers, metadata)
    SELECT 'fill/' || i, CASE WHEN i % 50 = 0 THEN ARRAY[gen_random_uuid(), gen_random_uuid()] ELSE ARRAY[gen_random_uuid()] END,
           CASE WHEN i % 50 = 0 THEN '{1,1}' ELSE '{1}' END::bigint[], 1, 'e', '{}', '{}'
      FROM generate_series(1, 20000) AS i`.execute(db);
  await sql`ANALYZE stored_objects`.execute(db);
  const blobs = await Promise.all(
    Array.from({ length: 30 }, (_, number) => store.files.write([Buffer.from(`${number}`)])),
  );
  const before = await countScans();
  expect(await sweepOrphans(store, NOW)).toBe(blobs.length);
  expect(await countScans()).toBe(before);
});

test('the owner is looked up by indexes even right after many multipart uploads, before a vacuum', async () => {
  await sql`INSERT INTO stored_objects (key, blob_ids, blob_sizes, size_bytes, etag, headers, metadata)
    SELECT 'parts/' || i, array_agg(gen_random_uuid()), array_agg(1), 500, 'e', '{}', '{}'
      FROM generate_series(1, 10) AS i, generate_series(1, 500) GROUP BY i`.execute(db);
  await store.files.write([Buffer.from('x')]);
  const before = await countScans();
  expect(await sweepOrphans(store, NOW)).toBe(1);
  expect(await countScans()).toBe(before);
});

/** Counts sequential scans. */
async function countScans(): Promise<number | undefined> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ seq_scan: number }>`
    SELECT sum(seq_scan) AS seq_scan FROM pg_stat_user_tables
     WHERE relname IN ('stored_objects', 'object_upload_parts', 'dropped_blobs')`.execute(db);
  return rows[0]?.seq_scan;
}
