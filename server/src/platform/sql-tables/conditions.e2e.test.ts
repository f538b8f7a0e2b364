/** PostgreSQL filters out only rows that DuckDB would filter out too: random rows, random conditions. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { askRows, copyRows, readCsv } from '../../../test/asked-rows.ts';
import { createDatabase, type TestDatabase } from '../../../test/databases.ts';
import { somebody } from '../../../test/plain-rows.ts';
import { toSelect } from './copy-statement.ts';
import { column, type SqlTable, type SqlType } from './sql-table.ts';
import type { Comparison, Condition } from './table-need.ts';

const ROWS = 300;
const CONDITIONS = 80;

let database: TestDatabase;
const random = new Random('conditions', 'rows');

const TEXTS = [
  '',
  ' ',
  'a',
  'A',
  'b',
  'ab',
  'a b',
  'ä',
  'z',
  'Z',
  '_',
  '-',
  '\u{1F680}',
  '\uFF5E',
  "it's",
  '\\',
  '0',
  '10',
  '9',
];
const MOMENTS = [
  '1969-12-31 23:59:59.999999+00',
  '2026-01-01 00:00:00+00',
  '2026-01-01 00:00:00.000001+00',
  '2026-01-01 00:00:00.1+00',
  '2026-06-30 12:00:00+00',
  '9999-12-31 23:59:59.999999+00',
];
const NUMBERS = ['-3', '-1', '0', '1', '2', '9', '10', '2147483647'];
const LARGE = [...NUMBERS, '9007199254740993', '-9007199254740993', '999999999999999999'];
const DECIMALS = ['0', '0.1', '-0.1', '0.100000000000000001', '12345678901234567890.123456789012345678', '3'];
const DOUBLES = ['0', '0.1', '0.30000000000000004', '-1.5', '1e300', '1e-300', '3', '123456789.125'];
const UUIDS = [
  '00000000-0000-0000-0000-000000000000',
  '7fffffff-ffff-ffff-ffff-ffffffffffff',
  '80000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

/** PostgreSQL type, stored values, and additional values for comparisons. */
const COLUMNS: Readonly<Record<string, readonly [SqlType, string, readonly string[], readonly string[]]>> = {
  id: ['UUID', 'uuid', UUIDS, ['12345678-1234-1234-1234-123456789abc']],
  text: ['VARCHAR', 'text', TEXTS, ['nothing', 'zz', '\0', '\uD800']],
  small: ['INTEGER', 'integer', NUMBERS, ['5', '9999999999', '1.5']],
  large: ['BIGINT', 'bigint', LARGE, ['7']],
  ratio: ['DOUBLE', 'double precision', DOUBLES, ['0.2', 'nan', 'inf']],
  money: [
    'DECIMAL(38,18)',
    'numeric',
    [...DECIMALS, '0.1000000000000000004', '0.9999999999999999999'],
    ['0.1', '1', '1e3'],
  ],
  at: [
    'TIMESTAMP WITH TIME ZONE',
    'timestamptz',
    MOMENTS,
    ['2026-01-01 00:00:00.5+00', 'infinity', '2026-01-01 02:00:00+02'],
  ],
};

const table: SqlTable = {
  name: 'things',
  comment: 'Things.',
  columns: [
    ...Object.entries(COLUMNS).map(([name, [type]]) => column(name, type, sql.ref(`t.${name}`), 'A value.')),
    column('flag', 'BOOLEAN', sql`t.flag`, 'Yes or no.'),
    column('list', 'VARCHAR[]', sql`t.list`, 'Texts.'),
    column('data', 'JSON', sql`t.data`, 'Whatever.'),
    { ...column('code', 'VARCHAR', sql`encode(t.code, 'hex')`, 'Digits.'), bytes: sql`t.code` },
  ],
  rows: () => sql`FROM things AS t WHERE true`,
};

const maybe = <T>(value: T) => (random.chance(0.15) ? null : value);

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const typed = Object.entries(COLUMNS).map(([name, [, type]]) => `${name} ${type}`);
  await client.query(
    `CREATE TABLE things (${typed.join(', ')}, flag boolean, list text[], data json, code bytea)`,
  );
  for (let n = 0; n < ROWS; n++) {
    const values = Object.values(COLUMNS).map(([, , stored]) => maybe(random.pick(stored)));
    const list = Array.from({ length: random.integer(0, 3) }, () => maybe(random.pick(TEXTS)));
    const data = JSON.stringify(random.pick([null, 1.5, 'a "b", c\n', { ä: [1, { b: '\\' }] }, [], '']));
    const rest = [
      maybe(random.chance(0.5)),
      maybe(list),
      maybe(data),
      maybe(Buffer.from([random.integer(0, 3)])),
    ];
    await client.query(
      `INSERT INTO things VALUES (${[...values, ...rest].map((_, i) => `$${i + 1}`).join(', ')})`,
      [...values, ...rest],
    );
  }
  await client.end();
});

afterAll(() => database.drop());

const COMPARISONS: readonly Comparison[] = ['=', '<>', '<', '<=', '>', '>='];

function randomCondition(depth = 0): Condition {
  if (depth < 3 && random.chance(0.5)) {
    const parts = Array.from({ length: random.integer(1, 3) }, () => randomCondition(depth + 1));
    return random.chance(0.5) ? { all: parts } : { any: parts };
  }
  const name = random.pick(table.columns).name;
  if (random.chance(0.15)) return { column: name, is: random.pick(['null', 'not null'] as const) };
  const is = random.pick(COMPARISONS);
  if (name === 'flag') return { column: name, is, value: random.chance(0.5) };
  if (name === 'code') return { column: name, is, value: random.pick(['00', '01', '02', '0', 'FF', "x'"]) };
  const [, , stored = ['[]', 'null', '"a"'], more = []] = COLUMNS[name] ?? [];
  return { column: name, is, value: random.pick([...stored, ...more]) };
}

/** Writes the condition for DuckDB; what cannot be written counts as true. */
function inDuckDb(condition: Condition): string {
  if ('all' in condition) return `(${condition.all.map(inDuckDb).join(' AND ')})`;
  if ('any' in condition) return `(${condition.any.map(inDuckDb).join(' OR ')})`;
  const name = `t."${condition.column}"`;
  if (!('value' in condition)) return `${name} IS ${condition.is.toUpperCase()}`;
  const { type } = table.columns.find((one) => one.name === condition.column) as SqlTable['columns'][number];
  const value =
    typeof condition.value === 'boolean'
      ? String(condition.value)
      : `'${condition.value.replaceAll("'", "''")}'`;
  if (condition.value === '\0' || condition.value === '\uD800')
    return condition.is === '=' ? 'false' : 'true';
  if (type === 'JSON' || type === 'VARCHAR[]') return 'true';
  const cast = type === 'INTEGER' ? 'DECIMAL(20,2)' : type;
  return `${name} ${condition.is} ${value}::${cast}`;
}

const keyOf = (row: unknown) => JSON.stringify(row);

test('random conditions never filter out a needed row', async () => {
  const asked = { url: database.url, viewer: somebody(), table };
  const all = await copyRows(asked);
  expect(await readCsv(table, all)).toHaveLength(ROWS);
  let left = 0;
  for (let n = 0; n < CONDITIONS; n++) {
    const condition = randomCondition();
    const where = inDuckDb(condition);
    const expected = (await readCsv(table, all, where)).map(keyOf).toSorted();
    const found = (await askRows({ ...asked, condition, where })).map(keyOf).toSorted();
    expect(found, JSON.stringify(condition)).toEqual(expected);
    left += ROWS - found.length;
  }
  expect(left).toBeGreaterThan(ROWS);
});

test('a condition is converted where possible', () => {
  const textOf = (condition: Condition) =>
    toSelect(table, { table: 'things', columns: ['id'], condition }, somebody()).replace(
      /^.*WHERE true\s*/s,
      '',
    );
  expect(textOf({ column: 'text', is: '>=', value: "it's" })).toBe(
    `AND ("t"."text") COLLATE "C" >= 'it''s'::text`,
  );
  expect(textOf({ column: 'at', is: '<', value: '2026-01-01 00:00:00+00' })).toBe(
    `AND ("t"."at") < '2026-01-01 00:00:00+00'::timestamptz`,
  );
  expect(
    textOf({
      any: [
        { column: 'small', is: '=', value: '1' },
        { column: 'small', is: '=', value: '2' },
      ],
    }),
  ).toBe(`AND ("t"."small") IN ('1'::bigint, '2'::bigint)`);
  expect(textOf({ column: 'code', is: '=', value: '0aff' })).toBe(
    String.raw`AND t.code =  E'\\x0aff'::bytea`,
  );
  expect(textOf({ column: 'code', is: '=', value: 'zz' })).toBe('AND false');
  expect(textOf({ column: 'text', is: '=', value: '\0' })).toBe('');
  expect(textOf({ column: 'at', is: '<', value: 'infinity' })).toBe('');
  expect(
    textOf({
      any: [
        { column: 'flag', is: '=', value: true },
        { column: 'data', is: '=', value: '1' },
      ],
    }),
  ).toBe('');
});

test('an extremely long or deep condition is left to DuckDB', () => {
  const one: Condition = { column: 'small', is: '=', value: '1' };
  const textOf = (condition: Condition) =>
    toSelect(table, { table: 'things', columns: ['id'], condition }, somebody());
  const none = toSelect(table, { table: 'things', columns: ['id'], condition: null }, somebody());
  expect(textOf({ any: Array.from({ length: 5_000 }, () => one) })).toBe(none);
  const deep = Array.from({ length: 200 }).reduce<Condition>((inner) => ({ all: [inner, one] }), one);
  expect(textOf(deep)).toBe(none);
});

test.each(["= '' OR true) TO STDOUT; --", 'LIKE', '', 'constructor', 'null'])(
  'the unknown comparison %j is refused, for every type of column',
  (is) => {
    for (const { name } of table.columns) {
      const condition = { column: name, is: is as Comparison, value: '1' };
      for (const asked of [condition, { all: [condition] }, { any: [condition, condition] }])
        expect(() =>
          toSelect(table, { table: 'things', columns: ['id'], condition: asked }, somebody()),
        ).toThrow('unknown comparison');
    }
  },
);
