/** PostgreSQL decodes every array that ElementWriter and toArray encode. */
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { atEndOfFile } from '../../../test/end-of-file.ts';
import { connect } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import { type ElementType, ElementWriter, toArray } from './binary-arrays.ts';

const database = await createDatabase(inject('databaseUrl'), 'template0');
const db = connect({ url: database.url, poolSize: 1, namedStatements: true, log: createLog('fatal') });
atEndOfFile(async () => {
  await db.destroy();
  await database.drop();
});

type Write = (to: ElementWriter) => void;
const nothing: Write = (to) => to.null();

const text =
  (value: string | null): Write =>
  (to) =>
    to.text(value);
const binary =
  (value: Uint8Array | null): Write =>
  (to) =>
    to.binary(value);

const LONG = 'ß'.repeat(100_000);
const CASES: [ElementType, [Write, string | null][]][] = [
  [
    'text',
    [
      [text('é"\\,{}'), 'é"\\,{}'],
      [text(''), ''],
      [text('a\0b\uD800c'), 'a\uFFFDb\uFFFDc'],
      [text(null), null],
      [text(LONG), LONG],
    ],
  ],
  [
    'json',
    [
      [text('{"a": 1.0}'), '{"a": 1.0}'],
      [nothing, null],
    ],
  ],
  [
    'bytea',
    [
      [binary(Uint8Array.of(0, 255)), '\\x00ff'],
      [binary(new Uint8Array()), '\\x'],
      [binary(null), null],
    ],
  ],
  ['uuid', [[binary(new Uint8Array(16).fill(10)), '0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a']]],
  [
    'smallint',
    [
      [(to) => to.smallint(-32_768), '-32768'],
      [(to) => to.smallint(999), '999'],
    ],
  ],
  [
    'integer',
    [
      [(to) => to.integer(-(2 ** 31)), '-2147483648'],
      [(to) => to.integer(null), null],
    ],
  ],
  [
    'bigint',
    [
      [(to) => to.count(0), '0'],
      [(to) => to.count(2 ** 32 + 5), '4294967301'],
      [(to) => to.count(Number.MAX_SAFE_INTEGER), '9007199254740991'],
      [(to) => to.count(null), null],
    ],
  ],
  [
    'double precision',
    [
      [(to) => to.double(0.1), '0.1'],
      [(to) => to.double(-1e300), '-1e+300'],
      [(to) => to.double(null), null],
    ],
  ],
  [
    'timestamptz',
    [
      [(to) => to.time(0n), '1970-01-01 00:00:00+00'],
      [(to) => to.time(1_790_000_000_123_456_789n), '2026-09-21 14:13:20.123456+00'],
      [(to) => to.time(2n ** 64n - 1n), '2554-07-21 23:34:33.709551+00'],
    ],
  ],
];

test.each(CASES)('toArray encodes arrays of %s', async (type, cases) => {
  const [first, second] = [new ElementWriter(), new ElementWriter()];
  for (const [write] of cases) write(first);
  for (const [write] of cases.toReversed()) write(second);
  const array = toArray(type, 2 * cases.length, [first.take(), second.take()]);
  const { rows } = await sql`SELECT x::text FROM unnest(${array}::${sql.raw(type)}[]) AS x`.execute(db);
  const expected = cases.map(([, value]) => value);
  expect(rows).toEqual([...expected, ...expected.toReversed()].map((x) => ({ x })));
});

test('toArray encodes an empty array', async () => {
  const { rows } = await sql`SELECT ${toArray('text', 0, [])}::text[] AS none`.execute(db);
  expect(rows).toEqual([{ none: [] }]);
});

test('take returns memory that later writes do not change', () => {
  const writer = new ElementWriter();
  writer.integer(1);
  const taken = writer.take();
  writer.integer(2);
  expect([...taken]).toEqual([0, 0, 0, 4, 0, 0, 0, 1]);
  expect(writer.bytes).toBe(8);
});
