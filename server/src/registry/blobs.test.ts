import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { transaction } from '../platform/db/transaction.ts';
import { createLog } from '../platform/log.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import { sweep } from '../platform/sweeper/sweeper.ts';
import { uuidv7 } from '../platform/uuid.ts';
import {
  adoptBlobs,
  beginUpload,
  endUpload,
  findBlobs,
  keepBlobs,
  openBlob,
  registryCleanUps,
  stageBlob,
  type Upload,
  uploadPrefix,
} from './blobs.ts';

const { db, storage, owner } = await startTestServer();
const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const begin = () => beginUpload(db, organizationId, owner.id);
const stage = (upload: Upload, text: string) =>
  stageBlob(storage, upload, Readable.from([Buffer.from(text)]));
const adopt = (upload: Upload, ...staged: Parameters<typeof adoptBlobs>[2][number][]) =>
  transaction(db, (trx) => adoptBlobs(trx, upload, staged));
const keep = (...digests: string[]) => transaction(db, (trx) => keepBlobs(trx, organizationId, digests));
const keysOf = async (upload: Upload) =>
  (await Array.fromAsync(storage.list(uploadPrefix(upload)))).map(({ key }) => key);
const isOpen = async (upload: Upload) =>
  (await db
    .selectFrom('registry_uploads')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', upload.id)
    .executeTakeFirst()) !== undefined;

/** Simulates that a day and an hour have passed for everything that waits. */
async function passTime() {
  await sql`UPDATE registry_uploads SET sweep_at = sweep_at - interval '25 hours' WHERE organization_id = ${organizationId}`.execute(
    db,
  );
  await ageBlobs();
}

const ageBlobs = () =>
  sql`UPDATE artifact_blobs SET unused_since = unused_since - interval '25 hours'
     WHERE organization_id = ${organizationId}`.execute(db);

const runCleanUps = (on: ObjectStorage = storage) =>
  sweep({ db, log: createLog('silent'), cleanUps: registryCleanUps(on) });

async function read(digest: string): Promise<string> {
  const body = await openBlob(db, storage, organizationId, digest);
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

/** Inserts a version with one file directly into the tables. */
async function refer(digest: string): Promise<string> {
  const id = uuidv7();
  await transaction(db, async (trx) => {
    await trx
      .insertInto('artifacts')
      .values({ organization_id: organizationId, id, kind: 'model', name: id, created_by: owner.id })
      .execute();
    await trx
      .insertInto('artifact_versions')
      .values({
        organization_id: organizationId,
        id,
        artifact_id: id,
        version: '1.0.0',
        precedence: 'x',
        is_prerelease: false,
        digest: Buffer.alloc(32),
        manifest: '{}',
        details: '{}',
        file_count: 1,
        file_size_bytes: 1,
        created_by: owner.id,
      })
      .execute();
    await trx
      .insertInto('artifact_files')
      .values({
        organization_id: organizationId,
        version_id: id,
        path: 'a',
        sha256: Buffer.from(digest, 'hex'),
        size_bytes: 1,
      })
      .execute();
  });
  return id;
}

test('an adopted blob is found by its digest, and stays when its upload ends', async () => {
  const upload = await begin();
  const staged = [await stage(upload, 'one'), await stageBlob(storage, upload, Buffer.from('two'))];
  expect(staged).toMatchObject([
    { sha256: sha256('one'), size_bytes: 3 },
    { sha256: sha256('two'), size_bytes: 3 },
  ]);
  const stray = await stage(upload, 'stray');
  await adopt(upload, ...staged);
  await endUpload(db, storage, upload);
  expect(await keysOf(upload)).toEqual(staged.map((blob) => blob.object_key).toSorted());
  expect(await isOpen(upload)).toBe(false);
  expect(await read(sha256('one'))).toBe('one');
  const found = await findBlobs(db, organizationId, [sha256('two'), stray.sha256]);
  expect([...found]).toEqual([[sha256('two'), { object_key: staged[1]?.object_key, size_bytes: 3 }]]);
  await expect(openBlob(db, storage, organizationId, stray.sha256)).rejects.toThrow('is not there');
});

test('concurrent uploads of the same content both succeed and keep one object', async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `same ${index}`);
  const bring = async (order: string[]) => {
    const upload = await begin();
    await adopt(upload, ...(await Promise.all(order.map((text) => stage(upload, text)))));
    await endUpload(db, storage, upload);
    return upload;
  };
  const uploads = await Promise.all([bring(texts), bring(texts.toReversed()), bring([...texts, ...texts])]);
  const keys = (await Promise.all(uploads.map(keysOf))).flat();
  const stored = await findBlobs(db, organizationId, texts.map(sha256));
  expect(stored.size).toBe(50);
  expect(keys.toSorted()).toEqual([...stored.values()].map((blob) => blob.object_key).toSorted());
});

test('leftovers of a killed writer are swept when they expire, and not earlier', async () => {
  const upload = await begin();
  const kept = await stage(upload, 'kept by the sweep');
  await stage(upload, 'left by the killed');
  await adopt(upload, kept);
  await keep(kept.sha256);
  await refer(kept.sha256);
  await runCleanUps();
  expect(await keysOf(upload)).toHaveLength(2);
  await passTime();
  await runCleanUps();
  expect(await keysOf(upload)).toEqual([kept.object_key]);
  expect(await isOpen(upload)).toBe(false);
});

test('a failed sweep is retried after its lease, and other uploads are swept in between', async () => {
  const [broken, fine] = [await begin(), await begin()];
  for (const upload of [broken, fine]) await stage(upload, 'left over');
  await passTime();
  const failing: ObjectStorage = Object.create(storage, {
    list: {
      value: (prefix: string) => {
        if (prefix === uploadPrefix(broken)) throw new Error('the store is away');
        return storage.list(prefix);
      },
    },
  });
  await runCleanUps(failing);
  expect(await Promise.all([isOpen(broken), isOpen(fine)])).toEqual([true, false]);
  await runCleanUps();
  expect(await keysOf(broken)).toHaveLength(1);
  await passTime();
  await runCleanUps();
  expect(await keysOf(broken)).toEqual([]);
});

test('adopting a blob of an upload that is being swept fails', async () => {
  const upload = await begin();
  const staged = await stage(upload, 'too late');
  await endUpload(db, storage, upload);
  await expect(adopt(upload, staged)).rejects.toThrow('took too long');

  const other = await begin();
  const late = await stage(other, 'later');
  await passTime();
  const slow: ObjectStorage = Object.create(storage, {
    list: {
      value: async function* (prefix: string) {
        await expect(adopt(other, late)).rejects.toThrow('took too long');
        yield* storage.list(prefix);
      },
    },
  });
  await runCleanUps(slow);
  expect(await keysOf(other)).toEqual([]);
  expect.assertions(3);
});

test('the sweep of an upload waits for a transaction that adopts its blobs', async () => {
  const upload = await begin();
  const staged = await stage(upload, 'just in time');
  const ended = Promise.withResolvers<void>();
  await transaction(db, async (trx) => {
    await adoptBlobs(trx, upload, [staged]);
    endUpload(db, storage, upload).then(ended.resolve, ended.reject);
    await sql`SELECT pg_sleep(0.2)`.execute(trx);
  });
  await ended.promise;
  expect(await read(staged.sha256)).toBe('just in time');
});

test('an unused blob is deleted after an hour, row and object; a used one stays', async () => {
  const upload = await begin();
  const [unused, used] = [await stage(upload, 'unused'), await stage(upload, 'used')];
  await adopt(upload, unused, used);
  await endUpload(db, storage, upload);
  await refer(used.sha256);
  await runCleanUps();
  expect((await findBlobs(db, organizationId, [unused.sha256, used.sha256])).size).toBe(2);
  await passTime();
  await runCleanUps();
  expect([...(await findBlobs(db, organizationId, [unused.sha256, used.sha256])).keys()]).toEqual([
    used.sha256,
  ]);
  expect(await keysOf(upload)).toEqual([used.object_key]);
  expect(await isOpen(upload)).toBe(false);
  const { unused_since } = await db
    .selectFrom('artifact_blobs')
    .select('unused_since')
    .where('organization_id', '=', organizationId)
    .where('sha256', '=', Buffer.from(used.sha256, 'hex'))
    .executeTakeFirstOrThrow();
  expect(unused_since).toBeNull();
});

test('a blob that is deleted while its upload is being swept still loses its object', async () => {
  const upload = await begin();
  const staged = await stage(upload, 'goes meanwhile');
  await adopt(upload, staged);
  const [blobs] = registryCleanUps(storage);
  const meanwhile: ObjectStorage = Object.create(storage, {
    delete: {
      value: async (keys: readonly string[]) => {
        expect(keys).toEqual([]);
        await ageBlobs();
        await blobs?.run(db);
        await storage.delete(keys);
      },
    },
  });
  await endUpload(db, meanwhile, upload);
  expect(await isOpen(upload)).toBe(true);
  await passTime();
  await runCleanUps();
  expect(await keysOf(upload)).toEqual([]);
  expect(await isOpen(upload)).toBe(false);
});

test('uploading a blob again while unused blobs are deleted loses nothing', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `again ${index}`);
  for (let round = 0; round < 10; round++) {
    const upload = await begin();
    const staged = await Promise.all(texts.map((text) => stage(upload, text)));
    await passTime();
    await db
      .updateTable('registry_uploads')
      .set({ sweep_at: sql`now() + interval '1 hour'` })
      .where('organization_id', '=', organizationId)
      .where('id', '=', upload.id)
      .execute();
    const publish = transaction(db, async (trx) => {
      await adoptBlobs(trx, upload, staged);
      expect(await keepBlobs(trx, organizationId, texts.map(sha256))).toBe(20);
    });
    await Promise.all([publish, runCleanUps(), runCleanUps()]);
    await endUpload(db, storage, upload);
    for (const text of texts) expect(await read(sha256(text))).toBe(text);
    await sql`UPDATE artifact_blobs SET unused_since = now() WHERE organization_id = ${organizationId}`.execute(
      db,
    );
  }
});

test('blobs of one organization are not visible to another', async () => {
  const upload = await begin();
  const staged = await stage(upload, 'mine');
  await adopt(upload, staged);
  expect((await findBlobs(db, uuidv7(), [staged.sha256])).size).toBe(0);
  await endUpload(db, storage, { organizationId: uuidv7(), id: upload.id });
  expect(await isOpen(upload)).toBe(true);
});
