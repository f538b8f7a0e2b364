import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  accountForBlobs,
  createTestStore,
  IN_ORDER,
  putText,
  readObject,
} from '../../../../test/embedded-stores.ts';
import { ConditionFailed, NoSuchUpload, PartChanged } from './stored-object.ts';
import type { Upload } from './uploads.ts';

const { store, db, folder } = await createTestStore();
const { uploads } = store;
const OF_PARTS = { etag: 'of-parts', checksum: undefined };

const create = (key: string) => uploads.create({ key, headers: {}, metadata: {} });
const putPart = (upload: Upload, partNumber: number, content: Uint8Array | string) =>
  store.putPart(upload, partNumber, { body: [Buffer.from(content)] });
const listParts = (upload: Upload) => uploads.listParts(upload, { limit: 10_000 });

test('completing makes an object of the parts in the given order and drops the others', async () => {
  const upload = await uploads.create({
    key: 'parts',
    headers: { 'content-type': 'a/b' },
    metadata: { a: 'b' },
    checksumAlgorithm: 'CRC32',
    checksumType: 'COMPOSITE',
  });
  expect(await uploads.find(upload.id, 'parts')).toEqual(upload);
  const contents = [randomBytes(100_000), randomBytes(300_000), Buffer.alloc(0), randomBytes(5)];
  for (const [index, content] of contents.entries()) await putPart(upload, index * 2 + 1, content);
  await putPart(upload, 2, 'not named');
  await putPart(upload, 1, contents[0] ?? '');
  expect(await uploads.listParts(upload, { after: 2, limit: 2 })).toMatchObject([
    { partNumber: 3 },
    { partNumber: 5 },
  ]);
  const parts = (await listParts(upload)).filter(({ partNumber }) => partNumber % 2 === 1);
  const checksum = { algorithm: 'CRC32', type: 'COMPOSITE', value: 'AAAAAA==-4' } as const;
  const stored = await uploads.complete(upload, parts, { etag: 'abc-4', checksum });
  const whole = Buffer.concat(contents);
  expect(stored).toMatchObject({
    key: 'parts',
    sizeBytes: 400_005,
    etag: 'abc-4',
    metadata: { a: 'b' },
    checksum,
  });
  expect((await readObject(store, 'parts'))?.equals(whole)).toBe(true);
  expect(await uploads.find(upload.id, 'parts')).toBeUndefined();
  // The replaced part and the unnamed one are dropped; an empty one has no file.
  expect(await accountForBlobs({ db, folder })).toMatchObject({ ...IN_ORDER, dropped: 3 });
});

test('an upload that has ended, has another key or never existed is not found', async () => {
  const upload = await create('ended');
  await putPart(upload, 1, 'x');
  const parts = await listParts(upload);
  expect(await uploads.abort(upload.id, 'other')).toBe(false);
  expect(await uploads.abort(upload.id, 'ended')).toBe(true);
  expect(await uploads.abort(upload.id, 'ended')).toBe(false);
  expect(await uploads.abort('no uuid', 'ended')).toBe(false);
  expect(await uploads.find('no uuid', 'ended')).toBeUndefined();
  await expect(putPart(upload, 2, 'late')).rejects.toThrow(NoSuchUpload);
  await expect(putPart({ ...(await create('a')), key: 'b' }, 1, 'other key')).rejects.toThrow(NoSuchUpload);
  await expect(uploads.complete(upload, parts, OF_PARTS)).rejects.toThrow(NoSuchUpload);
  expect(await store.index.find('ended')).toBeUndefined();
});

test('a failed completion leaves the upload unchanged', async () => {
  await putText(store, 'kept', 'old');
  const upload = await create('kept');
  await putPart(upload, 1, 'first');
  const before = await listParts(upload);
  await putPart(upload, 1, 'again');
  await expect(uploads.complete(upload, before, OF_PARTS)).rejects.toThrow(PartChanged);
  const parts = await listParts(upload);
  await expect(uploads.complete(upload, parts, OF_PARTS, { ifNoneMatch: '*' })).rejects.toThrow(
    ConditionFailed,
  );
  expect(await listParts(upload)).toEqual(parts);
  expect(String(await readObject(store, 'kept'))).toBe('old');
  const { etag } = (await store.index.find('kept')) ?? { etag: '' };
  await uploads.complete(upload, parts, OF_PARTS, { ifMatch: etag });
  expect(String(await readObject(store, 'kept'))).toBe('again');
});

test('concurrent completions, aborts and writes of parts lose no blob and leave none with two owners', async () => {
  const ended = { completed: 0, aborted: 0, late: 0, changed: 0 };
  const completedKeys = new Set<string>();
  const race = async (round: number) => {
    const upload = await create(`race/${round % 3}`);
    for (const partNumber of [1, 2, 3]) await putPart(upload, partNumber, `${round} ${partNumber}`);
    const pause = () => sleep(Math.random() * 4);
    const complete = async () => {
      await pause();
      await uploads.complete(upload, await listParts(upload), OF_PARTS);
      ended.completed++;
      completedKeys.add(upload.key);
    };
    const abort = async () => {
      await pause();
      if (await uploads.abort(upload.id, upload.key)) ended.aborted++;
    };
    const putAgain = async (partNumber: number) => {
      await pause();
      await putPart(upload, partNumber, `${round} ${partNumber} again`);
    };
    const outcomes = await Promise.allSettled([complete(), complete(), abort(), putAgain(1), putAgain(4)]);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      if (outcome.reason instanceof PartChanged) ended.changed++;
      else {
        expect(outcome.reason).toBeInstanceOf(NoSuchUpload);
        ended.late++;
      }
    }
    await uploads.abort(upload.id, upload.key);
  };
  for (let round = 0; round < 60; round += 3)
    await Promise.all([race(round), race(round + 1), race(round + 2)]);
  expect(ended.completed + ended.aborted).toBeGreaterThanOrEqual(50);
  expect(Math.min(ended.completed, ended.aborted, ended.late)).toBeGreaterThan(0);
  expect(await accountForBlobs({ db, folder })).toMatchObject(IN_ORDER);
  for (const key of completedKeys)
    expect(String(await readObject(store, key))).toMatch(/^\d+ 1( again)?\d+ 2\d+ 3(\d+ 4 again)?$/);
});

test('uploads are listed by key and age, with common prefixes, in pages', async () => {
  const keys = ['l/a', 'l/a', 'l/a', 'l/b/1', 'l/b/2', 'l/c', 'l/\u{1f600}', 'l/\uffee', 'm'];
  const made: Upload[] = [];
  for (const key of keys) made.push(await create(key));
  const idsOf = (key: string) => made.filter((upload) => upload.key === key).map(({ id }) => id);
  const all = await uploads.list({ prefix: 'l/', limit: 100 });
  expect(all.uploads.map(({ key }) => key)).toEqual([...keys.slice(0, 6), 'l/\uffee', 'l/\u{1f600}']);
  expect(all.uploads.slice(0, 3).map(({ id }) => id)).toEqual(idsOf('l/a'));
  expect(all.next).toBeUndefined();

  for (const limit of [1, 2, 3, 100]) {
    const seen: string[] = [];
    let after: { key: string; uploadId: string | undefined } | undefined;
    do {
      const page = await uploads.list({
        prefix: 'l/',
        delimiter: '/',
        keyAfter: after?.key,
        uploadIdAfter: after?.uploadId,
        limit,
      });
      seen.push(...page.uploads.map(({ id }) => id), ...page.commonPrefixes);
      expect(page.uploads.length + page.commonPrefixes.length).toBeLessThanOrEqual(limit);
      after = page.next;
    } while (after);
    const expected = [
      ...idsOf('l/a'),
      'l/b/',
      ...idsOf('l/c'),
      ...idsOf('l/\uffee'),
      ...idsOf('l/\u{1f600}'),
    ];
    expect(seen.toSorted()).toEqual(expected.toSorted());
  }
  const withoutId = await uploads.list({ prefix: '', keyAfter: 'l/a', limit: 1 });
  expect(withoutId.uploads).toMatchObject([{ key: 'l/b/1' }]);
  expect(await uploads.list({ prefix: 'l/', limit: 0 })).toMatchObject({ uploads: [], next: undefined });
});

test('abortUnder aborts all uploads under a prefix in pages', async () => {
  for (const key of ['under/1', 'under/2', 'under/2', 'under0']) await putPart(await create(key), 1, 'x');
  expect(await uploads.abortUnder('under/', 2)).toBe(2);
  expect(await uploads.abortUnder('under/', 2)).toBe(1);
  expect((await uploads.list({ prefix: 'under', limit: 9 })).uploads).toMatchObject([{ key: 'under0' }]);
});
