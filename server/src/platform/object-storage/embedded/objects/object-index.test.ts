import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestStore } from '../../../../../test/embedded-stores.ts';
import { uuidv7 } from '../../../uuid.ts';
import { ConditionFailed, type NewObject } from '../stored-object.ts';

const { store, db } = await createTestStore();
const { index } = store;

const object = (key: string, etag = 'e'): NewObject => ({
  key,
  blobs: [{ id: uuidv7(), sizeBytes: 3 }],
  etag,
  headers: {},
  metadata: {},
  checksum: undefined,
});

async function droppedIds(): Promise<string[]> {
  return (await db.selectFrom('dropped_blobs').select('id').execute()).map(({ id }) => id);
}

const outcomes = async (writes: readonly Promise<unknown>[]) => {
  const settled = await Promise.allSettled(writes);
  const failures = settled.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of failures) expect(reason).toBeInstanceOf(ConditionFailed);
  return { done: settled.length - failures.length, refused: failures.length };
};

test('unusual keys are stored and found byte for byte', async () => {
  const keys = [
    "a'b",
    'a"b',
    'a\\b',
    '{a,b}',
    'NULL',
    ' a ',
    'a//b',
    'a%2Fb',
    'a+b',
    '&<>',
    '\u0001\u001f',
    'é',
    'e\u0301',
  ];
  for (const key of keys) await index.put(object(key, `of ${key}`));
  for (const key of keys) expect(await index.find(key)).toMatchObject({ key, etag: `of ${key}` });
  await index.delete(keys.slice(1));
  for (const key of keys.slice(1)) expect(await index.find(key)).toBeUndefined();
  expect(await index.find(keys[0] ?? '')).toBeDefined();
});

test('replaced and deleted blobs are recorded as dropped, refused ones are not', async () => {
  const [first, second, third] = [object('dropped'), object('dropped'), object('dropped')];
  const ids = [first, second, third].map(({ blobs }) => blobs[0]?.id ?? '');
  const noted = async () => (await droppedIds()).filter((id) => ids.includes(id));
  await index.put(first);
  await index.put(second);
  expect(await noted()).toEqual([ids[0]]);
  await expect(index.put(third, { ifMatch: 'x' })).rejects.toThrow(ConditionFailed);
  await expect(index.put(third, { ifNoneMatch: '*' })).rejects.toThrow(ConditionFailed);
  expect(await noted()).toEqual([ids[0]]);
  await index.delete(['dropped', 'not there']);
  expect(new Set(await noted())).toEqual(new Set(ids.slice(0, 2)));
});

test('exactly one of many concurrent writers creates an object', async () => {
  const writes = Array.from({ length: 20 }, () => index.put(object('first'), { ifNoneMatch: '*' }));
  expect(await outcomes(writes)).toEqual({ done: 1, refused: 19 });
});

test('exactly one of many concurrent writers replaces the same version', async () => {
  await index.put(object('counter', 'begin'));
  const writes = Array.from({ length: 20 }, (_, writer) =>
    index.put(object('counter', `${writer}`), { ifMatch: 'begin' }),
  );
  expect(await outcomes(writes)).toEqual({ done: 1, refused: 19 });
  await expect(index.put(object('not there'), { ifMatch: 'begin' })).rejects.toThrow(ConditionFailed);
});

test('the last of concurrent writers has the latest time', async () => {
  const writes = Array.from({ length: 30 }, (_, writer) => index.put(object('times', `${writer}`)));
  const times = (await Promise.all(writes)).map(({ updatedAt }) => updatedAt.getTime());
  const kept = await index.find('times');
  expect(kept?.updatedAt.getTime()).toBe(Math.max(...times));
});

test('concurrent deletions of the same keys in different orders do not deadlock', async () => {
  const keys = Array.from({ length: 50 }, (_, number) => `many/${number}`);
  for (let round = 0; round < 5; round++) {
    await Promise.all(keys.map((key) => index.put(object(key))));
    await Promise.all([
      index.delete(keys),
      index.delete(keys.toReversed()),
      index.delete(keys),
      index.delete(keys),
    ]);
  }
  expect((await index.list({ prefix: 'many/', limit: 1 })).objects).toEqual([]);
});

test('deleteUnder deletes all objects under a prefix in pages, and nothing else', async () => {
  for (const key of ['under', 'under/', 'under/1', 'under/2', 'under/\u{10ffff}', 'under0'])
    await index.put(object(key));
  expect(await index.deleteUnder('under/', 3)).toBe(3);
  expect(await index.deleteUnder('under/', 3)).toBe(1);
  expect(await index.deleteUnder('under/', 3)).toBe(0);
  expect((await index.list({ prefix: 'under', limit: 9 })).objects.map(({ key }) => key)).toEqual([
    'under',
    'under0',
  ]);
});

/** Returns the number of blobs dropped per transaction, which gives all of them the same time. */
async function droppedTogether(): Promise<number[]> {
  const { rows } = await sql<{ blobs: number }>`
    SELECT count(*) AS blobs FROM dropped_blobs GROUP BY dropped_at ORDER BY dropped_at`.execute(db);
  return rows.map(({ blobs }) => blobs);
}

test('objects with very many parts are deleted in several statements', async () => {
  const putMany = () =>
    sql`INSERT INTO stored_objects (key, blob_ids, blob_sizes, size_bytes, etag, headers, metadata)
      SELECT 'vast/' || i, array_agg(gen_random_uuid()), array_agg(1), 9000, 'e', '{}', '{}'
        FROM generate_series(1, 3) AS i, generate_series(1, 9000) GROUP BY i`.execute(db);
  const forget = () => sql`DELETE FROM dropped_blobs`.execute(db);
  await forget();
  await putMany();
  expect(await index.deleteUnder('vast/', 1_000)).toBe(3);
  expect(await droppedTogether()).toEqual([18_000, 9_000]);
  await forget();
  await putMany();
  await index.delete(['vast/1', 'vast/2', 'vast/3', 'nothing']);
  expect(await droppedTogether()).toEqual([18_000, 9_000]);
  await forget();
  for (let count = 0; count < 3; count++) {
    const upload = await store.uploads.create({ key: 'vast/upload', headers: {}, metadata: {} });
    await sql`INSERT INTO object_upload_parts (upload_id, part_number, blob_id, size_bytes, md5)
      SELECT ${upload.id}, i, gen_random_uuid(), 1, '' FROM generate_series(1, 9000) AS i`.execute(db);
  }
  expect(await store.uploads.abortUnder('vast/', 20)).toBe(3);
  expect(await droppedTogether()).toEqual([18_000, 9_000]);
  await forget();
});
