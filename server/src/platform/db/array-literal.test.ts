/** What is written as an array comes out of PostgreSQL as it went in. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { type ArrayItem, plainArray, textArray } from './array-literal.ts';

const { db } = await startTestServer();

async function readBack(literal: string, type: string): Promise<unknown[]> {
  const { rows } = await sql<{ item: unknown }>`
    SELECT item FROM unnest(${literal}::${sql.raw(type)}[]) WITH ORDINALITY AS list (item, place) ORDER BY place`.execute(
    db,
  );
  return rows.map(({ item }) => item);
}

const same = (item: ArrayItem) => item;

test.each([
  ['quotes and backslashes', ['"', '\\', '\\"', '"\\', '\\\\', '"quoted"', "it's", '\\x00']],
  ['what arrays are written with', ['{', '}', ',', '{}', '{a,b}', 'a,b', '","', '[1:2]={3}', '(,)']],
  ['what means something without quotes', ['NULL', 'null', 'Null', '', ' ', '  a  ', '\t', '\n', '\r\n']],
  ['letters of all kinds', ['ü', 'e\u0301', '漢字', '😀', '\u202e', '\ufeff', '\u0001', '$1', '%s', '--']],
  ['things long and many', ['x'.repeat(100_000), ...Array.from({ length: 5_000 }, (_, n) => `"${n}\\`)]],
  ['nothing', []],
  ['nothing said', [null]],
  ['some said and some not', ['a', null, 'NULL', null, '']],
])('texts of %s', async (_, items: (string | null)[]) => {
  expect(await readBack(textArray(items, same), 'text')).toEqual(items);
});

test('what is not there is NULL', async () => {
  expect(await readBack(textArray([undefined, 'a'], same), 'text')).toEqual([null, 'a']);
  expect(await readBack(plainArray([undefined, 1], same), 'integer')).toEqual([null, 1]);
});

test.each<[string, ArrayItem[], string[]]>([
  ['uuid', ['00000000-0000-7000-8000-000000000001', null], ['00000000-0000-7000-8000-000000000001']],
  ['boolean', [true, false, null], ['true', 'false']],
  ['bigint', [0, -1, Number.MAX_SAFE_INTEGER, null], ['0', '-1', '9007199254740991']],
  ['numeric', ['0.000000000000000001', '123456789012345678901234567890', 1e-7], []],
  ['bigint', [], []],
])('of %s what needs no quotes', async (type, items, written) => {
  const read = (await readBack(plainArray(items, same), type)) as ArrayItem[];
  const found = read.map((item) => (item === null ? null : String(item)));
  if (written.length > 0) expect(found.filter((item) => item !== null)).toEqual(written);
  expect(found.map((item) => item === null)).toEqual(items.map((item) => item === null));
});

test('of numeric to the last digit', async () => {
  const { rows } = await sql<{ text: string }>`
    SELECT item::text AS text FROM unnest(${plainArray(['0.000000000000000001', 1e-7, '1e3'], same)}::numeric[]) AS list (item)`.execute(
    db,
  );
  expect(rows.map(({ text }) => text)).toEqual(['0.000000000000000001', '0.0000001', '1000']);
});

test('bytes, and times with their fractions', async () => {
  expect(await readBack(textArray(['\\x00ff22', '\\x', null], same), 'bytea')).toEqual([
    Buffer.from('00ff22', 'hex'),
    Buffer.alloc(0),
    null,
  ]);
  const times = ['2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00Z'];
  const { rows } = await sql<{ isSame: boolean }>`
    SELECT item = ${times[0]}::timestamptz AS "isSame"
      FROM unnest(${plainArray(times, same)}::timestamptz[]) AS list (item)`.execute(db);
  expect(rows).toEqual([{ isSame: true }, { isSame: false }]);
});

test('a NUL, which no text of PostgreSQL holds, is refused', async () => {
  await expect(readBack(textArray(['a\0b'], same), 'text')).rejects.toMatchObject({ code: '22021' });
});
