import { expect, test } from 'vitest';
import { createTestStore } from '../../../../test/embedded-stores.ts';
import { uuidv7 } from '../../uuid.ts';
import { ConditionFailed, type NewObject } from './stored-object.ts';

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

test('odd keys are kept and found byte for byte', async () => {
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

test('what is replaced and deleted is noted as dropped; what is refused is not', async () => {
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

test('of many who put where nothing is, one does', async () => {
  const writes = Array.from({ length: 20 }, () => index.put(object('first'), { ifNoneMatch: '*' }));
  expect(await outcomes(writes)).toEqual({ done: 1, refused: 19 });
});

test('of many who replace the same thing, one does', async () => {
  await index.put(object('counter', 'begin'));
  const writes = Array.from({ length: 20 }, (_, writer) =>
    index.put(object('counter', `${writer}`), { ifMatch: 'begin' }),
  );
  expect(await outcomes(writes)).toEqual({ done: 1, refused: 19 });
  await expect(index.put(object('not there'), { ifMatch: 'begin' })).rejects.toThrow(ConditionFailed);
});

test('of writers at once, the last one has the latest time', async () => {
  const writes = Array.from({ length: 30 }, (_, writer) => index.put(object('times', `${writer}`)));
  const times = (await Promise.all(writes)).map(({ updatedAt }) => updatedAt.getTime());
  const kept = await index.find('times');
  expect(kept?.updatedAt.getTime()).toBe(Math.max(...times));
});

test('who delete the same keys in different orders do not block one another for ever', async () => {
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

test('all under a prefix goes in pages, and nothing else', async () => {
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
