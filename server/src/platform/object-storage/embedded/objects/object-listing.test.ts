import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestStore } from '../../../../../test/embedded-stores.ts';
import { type Trx, transaction } from '../../../db/transaction.ts';
import { ObjectIndex } from './object-index.ts';
import type { ListQuery } from './object-listing.ts';

const { store, db } = await createTestStore();
const { index } = store;

async function putKeys(keys: readonly string[]): Promise<void> {
  for (const key of keys)
    await index.put({ key, blobs: [], etag: 'e', headers: {}, metadata: {}, checksum: undefined });
}

/** The same result from a scan of all keys. */
function expected(keys: readonly string[], { prefix, delimiter }: Pick<ListQuery, 'prefix' | 'delimiter'>) {
  const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const items = sorted
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
      return end < 0 ? key : `${key.slice(0, end)}${delimiter}…`;
    });
  return [...new Set(items)];
}

/** Lists page by page, with common prefixes marked. */
async function walkThrough(query: Omit<ListQuery, 'after'>): Promise<string[]> {
  const items: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await index.list({ ...query, after });
    const marked = page.commonPrefixes.map((prefix) => `${prefix}…`);
    const both = [...page.objects.map(({ key }) => key), ...marked];
    expect(both.length).toBeLessThanOrEqual(query.limit);
    if (page.next !== undefined) expect(both).toHaveLength(query.limit);
    // Each page has two separate lists.
    items.push(...both.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    if (page.next === undefined) return items;
    after = page.next;
  }
}

const LETTERS = [
  'a',
  'b',
  '/',
  '/',
  '//',
  '\u0001',
  '+',
  '%2F',
  'é',
  '\uffee',
  '\u{1f600}',
  '\u{10ffff}',
  "'",
  '\\',
];

test('lists with any prefix, delimiter and page size match a scan of all keys', async () => {
  const random = createRandom(42);
  const pick = (most: number) =>
    Array.from(
      { length: Math.floor(random() * (most + 1)) },
      () => LETTERS[Math.floor(random() * LETTERS.length)],
    ).join('');
  const keys = [...new Set(Array.from({ length: 300 }, () => pick(6)))].filter((key) => key !== '');
  await putKeys(keys);
  for (let round = 0; round < 80; round++) {
    const query = {
      prefix: random() < 0.3 ? '' : pick(2),
      delimiter: random() < 0.2 ? undefined : LETTERS[Math.floor(random() * LETTERS.length)],
      limit: 1 + Math.floor(random() * (random() < 0.3 ? 4 : 100)),
    };
    expect(await walkThrough(query), JSON.stringify(query)).toEqual(
      expected(keys, query).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  }
});

test('a list may continue after a missing key or one within a common prefix', async () => {
  await putKeys(['x/a', 'x/b/1', 'x/b/2', 'x/c']);
  const names = async (after: string) => {
    const { objects, commonPrefixes } = await index.list({ prefix: 'x/', delimiter: '/', after, limit: 10 });
    return [...objects.map(({ key }) => key), ...commonPrefixes];
  };
  expect(await names('x/a0')).toEqual(['x/c', 'x/b/']);
  expect(await names('x/b/1')).toEqual(['x/c', 'x/b/']);
  expect(await names('x/b/2')).toEqual(['x/c']);
  expect(await names('x/b/')).toEqual(['x/c']);
  expect(await names('z')).toEqual([]);
  expect(await index.list({ prefix: 'x/', limit: 0 })).toEqual({
    objects: [],
    commonPrefixes: [],
    next: undefined,
  });
});

test('keys under a common prefix are not read', async () => {
  await sql`INSERT INTO stored_objects (key, blob_ids, blob_sizes, size_bytes, etag, headers, metadata)
    SELECT 'deep/' || i % 3 || '/' || i, '{}', '{}', 0, 'e', '{}', '{}' FROM generate_series(1, 30000) AS i`.execute(
    db,
  );
  await sql`ANALYZE stored_objects`.execute(db);
  const { page, before, after } = await transaction(db, async (trx) => ({
    before: await readCounters(trx),
    page: await new ObjectIndex(trx).list({ prefix: 'deep/', delimiter: '/', limit: 1_000 }),
    after: await readCounters(trx),
  }));
  expect(page).toEqual({ objects: [], commonPrefixes: ['deep/0/', 'deep/1/', 'deep/2/'], next: undefined });
  expect(after).toEqual({ seq_scan: before.seq_scan, idx_tup_fetch: before.idx_tup_fetch + 3 });
});

/** Reads the number of sequential scans of this connection, and of rows found by an index. */
async function readCounters(trx: Trx) {
  const { rows } = await sql<{ seq_scan: number; idx_tup_fetch: number }>`
    SELECT seq_scan, idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'stored_objects'`.execute(
    trx,
  );
  const [row] = rows;
  if (!row) throw new Error('there is no such table');
  return row;
}

/** Returns the same sequence in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
