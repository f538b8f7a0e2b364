/** Query results equal those of a plain DuckDB with all data, although the engine reads only what it needs, as CSV. */
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { makeFolder } from '../../../test/processes.ts';
import { randomQuery } from '../../../test/random-queries.ts';
import { SHAPES, SqlWorld } from '../../../test/sql-world.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { queryRows, SqlError, type SqlQuery, writeParquet } from './sql-query.ts';

const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();
const world = await SqlWorld.open('exactness');
let files = 0;

const question = (query: string, more: Partial<SqlQuery> = {}): SqlQuery => ({
  work,
  query,
  tables: SHAPES,
  source: world.source(),
  maxRows: 10_000,
  signal,
  ...more,
});

/** Builds JSON independently, from the values of DuckDB's client. */
function toJson(value: DuckDBValue, type: string): string {
  if (value === null) return 'null';
  if (type === 'JSON') return String(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
  if (value instanceof DuckDBDecimalValue) return String(value);
  if (value instanceof DuckDBListValue) return `[${value.items.map((item) => toJson(item, '')).join(',')}]`;
  if (value instanceof DuckDBTimestampTZValue) return JSON.stringify(toMoment(value.micros));
  return JSON.stringify(String(value));
}

function toMoment(micros: bigint): string {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const text = new Date(Number((micros - rest) / 1000n)).toISOString();
  return rest === 0n ? text : text.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/** Texts are read with a leading dot, since the client strips a leading byte order mark. */
async function expectedRows(connection: DuckDBConnection, query: string): Promise<string> {
  const described = await connection.runAndReadAll(`DESCRIBE ${query}`);
  const types = described.getRows().map(([, type]) => String(type));
  const names = described.getRows().map(([name]) => `"${String(name)}"`);
  const marked = names.map((name, index) =>
    types[index] === 'VARCHAR' || types[index] === 'JSON' ? `'.' || CAST(${name} AS VARCHAR)` : name,
  );
  const result = await connection.runAndReadAll(`SELECT ${marked.join(', ')} FROM (${query})`);
  const rows = result.getRows().map((row) =>
    row.map((value, index) => {
      const isMarked = typeof value === 'string' && marked[index] !== names[index];
      return toJson(isMarked ? value.slice(1) : value, types[index] ?? '');
    }),
  );
  return `[${rows.map((row) => `[${row.join(',')}]`).join(',')}]`;
}

/** Compares numbers by their digits, doubles by their value. */
const comparable = (json: string) =>
  JSON.parse(json, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (/[eE]|\.0$/.test(context?.source ?? '') ? value : context?.source) : value,
  ) as unknown;
const normal = (json: string) => JSON.stringify(comparable(json)).replaceAll(/"(-?\d+)"/g, '$1');

const QUERIES = Number(process.env.DRYDOCK_TEST_SQL_QUESTIONS ?? 24);

test(`${QUERIES} random queries have the results of a plain DuckDB`, async () => {
  const queries = Array.from({ length: QUERIES }, (_, index) => randomQuery(new Random('exactness', index)));
  const next = queries.values();
  const askAll = async () => {
    for (const query of next) {
      const { rows, row_count, truncated } = await queryRows(question(query));
      const expected = await expectedRows(world.connection, query);
      expect(normal(rows), query).toBe(normal(expected));
      expect({ row_count, truncated }).toEqual({
        row_count: (JSON.parse(rows) as unknown[]).length,
        truncated: false,
      });
    }
  };
  await Promise.all([askAll(), askAll()]);
}, 120_000);

test('whole tables are returned unchanged, in every type and order', async () => {
  for (const { name, columns } of SHAPES) {
    const result = await queryRows(question(`SELECT * FROM ${name}`));
    expect(result.columns).toEqual(columns);
    expect(normal(result.rows)).toBe(normal(await expectedRows(world.connection, `SELECT * FROM ${name}`)));
  }
});

test('Parquet holds the same rows', async () => {
  const reader = world.connection;
  for (const query of [
    'SELECT * FROM spans',
    'SELECT model, count(*) AS n, sum(cost) AS cost, list(tokens ORDER BY tokens) AS l FROM spans GROUP BY ALL ORDER BY ALL',
    'SELECT s.id, m.content FROM spans s JOIN messages m ON m.span_id = s.id ORDER BY ALL',
    'SELECT * FROM spans WHERE false',
  ]) {
    const path = join(folder, `${files++}.parquet`);
    const written = await writeParquet({ ...question(query), path });
    const there = await reader.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    const expected = await reader.runAndReadAll(query);
    expect(written.row_count).toBe(expected.currentRowCount);
    expect(written.columns.map(({ name }) => name)).toEqual(there.columnNames());
    expect(there.getRowsJson()).toEqual(expected.getRowsJson());
  }
}, 120_000);

test('sums of integers keep all their digits in Parquet, and rows beyond the limit are left out', async () => {
  const path = join(folder, `${files++}.parquet`);
  const query =
    'SELECT sum(tokens::HUGEINT * 1000000007) AS s, [sum(tokens)] AS l, i FROM spans, range(5) t(i) GROUP BY i ORDER BY i';
  expect(await writeParquet({ ...question(query), path, maxRows: 3 })).toMatchObject({ row_count: 3 });
  const kept = await world.connection.runAndReadAll(
    `SELECT s::VARCHAR, l::VARCHAR FROM read_parquet('${path}')`,
  );
  const plain = await world.connection.runAndReadAll(`SELECT s::VARCHAR, l::VARCHAR FROM (${query}) LIMIT 3`);
  expect(kept.getRows()).toEqual(plain.getRows());
});

test.each<[select: string, rows: string, types: string[]]>([
  [
    "SELECT 1 AS a, -0.5 AS b, 'x' AS c, NULL AS d, true AS e",
    '[[1,-0.5,"x",null,true]]',
    ['INTEGER', 'DECIMAL(2,1)', 'VARCHAR', 'INTEGER', 'BOOLEAN'],
  ],
  [
    'SELECT 170141183460469231731687303715884105727 AS a, 18446744073709551615::UBIGINT AS b',
    '[[170141183460469231731687303715884105727,18446744073709551615]]',
    ['HUGEINT', 'UBIGINT'],
  ],
  [
    'SELECT 12345678901234567890.123456789012345678::DECIMAL(38,18) AS a',
    '[[12345678901234567890.123456789012345678]]',
    ['DECIMAL(38,18)'],
  ],
  [
    "SELECT 'nan'::DOUBLE AS a, 'inf'::FLOAT AS b, '-inf'::DOUBLE AS c, 0.1::FLOAT AS d, 1e300 AS e",
    '[["NaN","Infinity","-Infinity",0.1,1e+300]]',
    ['DOUBLE', 'FLOAT', 'DOUBLE', 'FLOAT', 'DOUBLE'],
  ],
  [
    "SELECT TIMESTAMPTZ '2026-01-01 12:00:00+02' AS a, TIMESTAMPTZ '2026-01-01 00:00:00.123456+00' AS b",
    '[["2026-01-01T10:00:00.000Z","2026-01-01T00:00:00.123456Z"]]',
    ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMP WITH TIME ZONE'],
  ],
  [
    "SELECT TIMESTAMP '2026-01-01 12:00:00.5' AS a, DATE '2026-01-01' AS b, TIME '12:00' AS c, INTERVAL 1 DAY AS d",
    '[["2026-01-01T12:00:00.500","2026-01-01","12:00:00","1 day"]]',
    ['TIMESTAMP', 'DATE', 'TIME', 'INTERVAL'],
  ],
  [
    "SELECT 'infinity'::TIMESTAMPTZ AS a, '0099-01-01 00:00:00+00'::TIMESTAMPTZ AS b",
    '[["infinity","0099-01-01T00:00:00.000Z"]]',
    ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMP WITH TIME ZONE'],
  ],
  [
    "SELECT [1.10, NULL] AS a, {'k\"': [TIMESTAMPTZ '2026-01-01 00:00:00+00'], 'l': 'q\"'} AS b, MAP {'x': 2.50} AS c, row(1, 'a') AS d",
    '[[[1.10,null],{"k\\"":["2026-01-01T00:00:00.000Z"],"l":"q\\""},{"x":2.50},[1,"a"]]]',
    [
      'DECIMAL(3,2)[]',
      'STRUCT("k""" TIMESTAMP WITH TIME ZONE[], l VARCHAR)',
      'MAP(VARCHAR, DECIMAL(3,2))',
      'STRUCT(INTEGER, VARCHAR)',
    ],
  ],
  [
    "SELECT '{\"a\": 1.50}'::JSON AS a, ['[1, 2]'::JSON] AS b, '[NaN, 1,]'::JSON AS c, '\"inf\"'::JSON AS d",
    '[[{"a": 1.50},[[1, 2]],"[NaN, 1,]","inf"]]',
    ['JSON', 'JSON[]', 'JSON', 'JSON'],
  ],
  [
    "SELECT '\\xAA\\x00'::BLOB AS a, '101'::BIT AS b, 'x'::ENUM('x', 'y') AS c, gen_random_uuid() IS NULL AS d",
    '[["\\\\xAA\\\\x00","101","x",false]]',
    ['BLOB', 'BIT', "ENUM('x', 'y')", 'BOOLEAN'],
  ],
  [
    "SELECT union_value(n := 5) AS a, [1, 2]::INTEGER[2] AS b, NULL::INTEGER[] AS c, {'a': NULL} AS d, []::INTEGER[] AS e",
    '[["5",[1,2],null,{"a":null},[]]]',
    ['UNION(n INTEGER)', 'INTEGER[2]', 'INTEGER[]', 'STRUCT(a INTEGER)', 'INTEGER[]'],
  ],
  [
    "SELECT '\ufeffx' AS a, chr(1) || chr(10) AS b, '😀' AS c",
    '[["\ufeffx","\\u0001\\n","😀"]]',
    ['VARCHAR', 'VARCHAR', 'VARCHAR'],
  ],
])('%s', async (select, rows, types) => {
  const result = await queryRows(question(select));
  expect(result.rows).toBe(rows);
  expect(result.columns.map(({ type }) => type)).toEqual(types);
});

test('rows beyond the limit are left out, which the result reports', async () => {
  expect(await queryRows(question('FROM range(5) ORDER BY 1 DESC', { maxRows: 2 }))).toEqual({
    columns: [{ name: 'range', type: 'BIGINT' }],
    rows: '[[4],[3]]',
    row_count: 2,
    truncated: true,
  });
  expect(await queryRows(question('FROM range(2)', { maxRows: 2 }))).toMatchObject({
    row_count: 2,
    truncated: false,
  });
  expect(await queryRows(question('SELECT id FROM spans WHERE false'))).toMatchObject({
    rows: '[]',
    row_count: 0,
  });
});

test.each<[query: string, message: RegExp, position: number | undefined]>([
  ['SELECT modle FROM spans', /"modle" not found.*"model".*\(line 1, column 8\)$/, 7],
  ['SELECT s.id\nFROM spans s\nWHERE s.tokenz > 1', /"tokenz".*"tokens".*\(line 3, column 7\)$/, 31],
  ['SELECT id, model AS ID FROM spans', /named "ID".*AS\.$/, undefined],
  ['SELECT sum(model) FROM spans', /No function matches/, 7],
  ['SELECT model, count(*) FROM spans', /GROUP BY/, 7],
  [
    "SELECT CAST(model AS INTEGER) AS n FROM spans WHERE model = 'gpt'",
    /Could not convert string 'gpt' to INT32[^(]*$/,
    undefined,
  ],
  ['SELECT tokens * tokens AS n FROM spans WHERE tokens = 9223372036854775807', /Overflow/, undefined],
  ["SELECT error('own words') AS a", /own words/, undefined],
  ['SELECT rowid FROM spans', /"rowid" not found/, 7],
  ['SELECT 1\0', /not text/, 8],
  [`SELECT '${'x'.repeat(1_000_001)}'`, /1000000 characters/, undefined],
])('mistake %# is reported', async (query, message, position) => {
  const error = await queryRows(question(query)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SqlError);
  expect((error as SqlError).message).toMatch(message);
  expect((error as SqlError).position).toBe(position);
});
