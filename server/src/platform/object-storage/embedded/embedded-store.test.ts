import { createHash, randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  accountForBlobs,
  createTestStore,
  IN_ORDER,
  listFiles,
  putText,
  readObject,
} from '../../../../test/embedded-stores.ts';
import { firstUuidAt } from '../../uuid.ts';
import { BlobFiles, isMissing } from './blobs/blob-files.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { ConditionFailed, NoSuchUpload, type StoredObject, TooLate } from './stored-object.ts';

const { store, db, folder } = await createTestStore();
const NOTHING = { headers: {}, metadata: {} };
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

test.each([0, 1, 4_096, 65_536, 65_537, 3_000_000])(
  '%i bytes are returned as they were stored',
  async (size) => {
    const content = randomBytes(size);
    const key = `sizes/${size}`;
    const stored = await store.putObject({ key, body: [content], ...NOTHING });
    expect(stored).toMatchObject({ key, sizeBytes: size, etag: md5(content) });
    expect(stored).toMatchObject({ ...(await store.index.find(key)) });
    expect((await readObject(store, key))?.equals(content)).toBe(true);
  },
);

test('the metadata of an object is stored with it', async () => {
  const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' } as const;
  const description = {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
    metadata: { 'a-b': 'c"d\\e', é: 'ü' },
  };
  const body = [Buffer.from('described')];
  await store.putObject({ key: 'described', body, ...description, checksum: () => checksum });
  expect(await store.index.find('described')).toMatchObject({ ...description, checksum });
});

test('a copy gets new metadata and content of its own', async () => {
  await putText(store, 'copied', 'content');
  const copy = await store.copyObject('copied', ({ etag }) => ({
    key: 'copy',
    etag,
    headers: { 'content-type': 'a/b' },
    metadata: { by: 'copy' },
    checksum: undefined,
  }));
  expect(copy).toMatchObject({ key: 'copy', sizeBytes: 7, metadata: { by: 'copy' } });
  await putText(store, 'copied', 'changed');
  expect(String(await readObject(store, 'copy'))).toBe('content');
  expect(await store.copyObject('nothing', (source) => ({ ...source, key: 'copy' }))).toBeUndefined();
});

test('a refused write leaves no blob behind', async () => {
  await putText(store, 'refused');
  const before = listFiles(folder).length;
  const content = { key: 'refused', body: [Buffer.from('other')], ...NOTHING };
  await expect(store.putObject(content, { ifNoneMatch: '*' })).rejects.toThrow(ConditionFailed);
  await expect(store.putObject(content, { ifMatch: 'other' })).rejects.toThrow(ConditionFailed);
  const describe = (source: StoredObject) => ({ ...source, key: 'copy of it' });
  await expect(store.copyObject('refused', describe, { ifMatch: 'other' })).rejects.toThrow(ConditionFailed);
  const upload = await store.uploads.create({ key: 'refused', ...NOTHING });
  await store.uploads.abort(upload.id, upload.key);
  await expect(store.putPart(upload, 1, { body: content.body })).rejects.toThrow(NoSuchUpload);
  expect(listFiles(folder)).toHaveLength(before);
  expect(String(await readObject(store, 'refused'))).toBe('refused');
});

/** Simulates a process that slept for half an hour after writing. */
class SleepyFiles extends BlobFiles {
  override async write(body: Iterable<Uint8Array>) {
    const blob = await super.write(body);
    const id = firstUuidAt(Date.now() - 31 * 60_000).slice(0, -12) + blob.id.slice(-12);
    renameSync(this.pathOf(blob.id), this.pathOf(id));
    return { ...blob, id };
  }
}

test('content that was written too long ago gets no owner and is deleted', async () => {
  await putText(store, 'late');
  const upload = await store.uploads.create({ key: 'late', ...NOTHING });
  const before = listFiles(folder).length;
  const sleepy = Object.assign(new EmbeddedStore({ db, folder }), { files: new SleepyFiles(folder) });
  const content = { key: 'late', body: [Buffer.from('other')], ...NOTHING };
  const ifMatch = md5(Buffer.from('late'));
  await expect(sleepy.putObject(content)).rejects.toThrow(TooLate);
  await expect(sleepy.putObject(content, { ifMatch })).rejects.toThrow(TooLate);
  await expect(sleepy.putObject({ ...content, key: 'new' }, { ifNoneMatch: '*' })).rejects.toThrow(TooLate);
  await expect(sleepy.putPart(upload, 1, content)).rejects.toThrow(TooLate);
  expect(listFiles(folder)).toHaveLength(before);
  expect(String(await readObject(store, 'late'))).toBe('late');
  expect(await store.uploads.listParts(upload, { limit: 9 })).toEqual([]);
});

test('an object that is constantly replaced is always readable and complete', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(70_000));
  await putText(store, 'hot', texts[0]);
  const done = new AbortController();
  const replace = async () => {
    for (let round = 0; round < 60; round++) {
      const before = await store.index.find('hot');
      await putText(store, 'hot', texts[round % texts.length]);
      // Far sooner than any sweep, but less often than a reader retries.
      await sleep(5);
      await store.files.remove(before?.blobs.map(({ id }) => id) ?? []);
    }
    done.abort();
  };
  let reads = 0;
  const read = async () => {
    for (; !done.signal.aborted; reads++) {
      expect(texts).toContain(String(await readObject(store, 'hot')));
      await store.copyObject('hot', (source) => ({ ...source, key: 'copy of hot' }));
      expect(texts).toContain(String(await readObject(store, 'copy of hot')));
    }
  };
  await Promise.all([replace(), read()]);
  expect(reads).toBeGreaterThan(5);
});

test('missing content is reported instead of retried forever', async () => {
  const { blobs } = await putText(store, 'lost');
  for (const { id } of blobs) rmSync(store.files.pathOf(id));
  await expect(store.openObject('lost')).rejects.toSatisfy(isMissing);
  await store.index.delete(['lost']);
});

test('concurrent writers leave each blob with one owner or recorded as dropped', async () => {
  const work = async (worker: number) => {
    for (let round = 0; round < 8; round++) {
      await putText(store, `race/${round % 2}`, `${worker} ${round}`);
      await store.copyObject(`race/${round % 2}`, (source) => ({ ...source, key: 'race/copy' }));
      if (round % 3 === 0) await store.index.delete(['race/copy', 'race/1', 'race/0']);
      await sleep(Math.random() * 3);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
  expect(await accountForBlobs({ db, folder })).toMatchObject(IN_ORDER);
});
