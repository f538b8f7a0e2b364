/** Conversions preserve the content of a file, in both directions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { parseExactly } from '../../../test/exact-json.ts';
import { makeFolder } from '../../../test/processes.ts';
import { RandomRows } from '../../../test/random-rows.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { convertDataFile, inspectDataFile, readRows as readPage } from './analytics.ts';
import { convert } from './child/convert.ts';
import { inspect } from './child/inspect.ts';
import { readRows } from './child/rows.ts';
import type { DataFile, DataFormat, UnknownDataFile } from './data-file.ts';

const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();
let files = 0;

/** Runs without separate processes, which allows many times as many cases in the same time. */
const locked = (...paths: string[]) => ({ paths, scratch: folder, memoryBytes: 2 ** 30, threads: 2 });

async function describeFile(path: string, format: DataFormat): Promise<DataFile> {
  return { path, format, ...(await inspect({ path, format }, locked(path))) };
}

function write(text: string | Uint8Array, format: DataFormat): Promise<DataFile> {
  const path = join(folder, `${files++}.${format}`);
  writeFileSync(path, text);
  return describeFile(path, format);
}

async function convertTo(source: DataFile, format: DataFormat): Promise<DataFile> {
  const target = { path: join(folder, `${files++}.${format}`), format };
  const lockdown = locked(source.path, target.path);
  await convert({ task: 'convert', source, target, maxTargetBytes: 2 ** 30, ...lockdown }, lockdown);
  return describeFile(target.path, format);
}

async function rowsOf(source: DataFile, offset = 0, limit = 100): Promise<readonly string[]> {
  const lockdown = locked(source.path);
  const page = { offset, limit, search: null, maxResultBytes: 2 ** 30 };
  return (await readRows({ task: 'rows', source, ...page, ...lockdown }, lockdown)).rows;
}

const linesOf = ({ path }: UnknownDataFile) => readFileSync(path, 'utf8').split('\n').filter(Boolean);

/** Parquet does not distinguish an absent key from null; and -0 equals 0. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null || 'rawJSON' in value) return value === 0 ? 0 : value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

const toComparable = (line: string) => withoutNulls(parseExactly(line));

const SEEDS = Number(process.env.DRYDOCK_TEST_FIDELITY_SEEDS ?? 8);

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'rows survive jsonl → parquet → jsonl (seed %i)',
  async (seed) => {
    const lines = new RandomRows(seed).make(60);
    if (lines.every((line) => line === '{}')) return;
    const raw = await write(`${lines.join('\n')}\n`, 'jsonl');
    const parquet = await convertTo(raw, 'parquet');
    const back = await convertTo(parquet, 'jsonl');
    const expected = lines.map(toComparable);
    expect(linesOf(back).map(toComparable)).toEqual(expected);
    expect(parquet.columns).toEqual(raw.columns);
    expect((await rowsOf(raw, 3, 20)).map(toComparable)).toEqual(expected.slice(3, 23));
  },
);

test('the separate processes give the same result', async () => {
  const path = join(folder, 'whole.jsonl');
  writeFileSync(path, '{"a":9007199254740993,"b":{"c":[1.5,null]}}\n');
  const source = {
    path,
    format: 'jsonl' as const,
    ...(await inspectDataFile({ work, path, format: 'jsonl', signal })),
  };
  const target = { path: join(folder, 'whole.csv'), format: 'csv' as const };
  await convertDataFile({ work, source, target, signal });
  expect(linesOf(target)).toEqual(['a,b', '9007199254740993,"{""c"":[1.5,null]}"']);
  expect(await readPage({ work, source, offset: 0, limit: 5, signal })).toEqual({
    rows: `[${linesOf(source).join(',')}]`,
    total: 1,
  });
});

test('inferred types hold every value exactly', async () => {
  const row = (fields: string) => `{${fields}}\n`;
  const { columns, row_count } = await write(
    row(
      '"i":1,"u":18446744073709551615,"d":-18446744073709551616,"e":1e400,"f":1.0,"m":1,"t":"2020-01-01","n":null',
    ) +
      '\r\n  \n' +
      row(
        '"l":[[1],null,[]],"s":{"a":{"b":true}},"o":{},"x":{"k":1,"K":2},"y":{"k":1,"k":2},"m":"x","late":1.5',
      ) +
      row('"s":{"c":"t"},"late":9007199254740993,"z":1e-400,"i":-0'),
    'jsonl',
  );
  expect(row_count).toBe(3);
  expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual({
    i: 'BIGINT',
    u: 'UBIGINT',
    d: 'DECIMAL(38,0)',
    e: 'JSON',
    f: 'DOUBLE',
    m: 'JSON',
    t: 'VARCHAR',
    n: 'JSON',
    l: 'BIGINT[][]',
    s: 'STRUCT(a STRUCT(b BOOLEAN), c VARCHAR)',
    o: 'JSON',
    x: 'JSON',
    y: 'JSON',
    late: 'JSON',
    z: 'JSON',
  });
});

test('numbers that no type holds are written unchanged', async () => {
  const line = '{"a":1e400,"b":123456789012345678901234567890123456789012345,"c":[18446744073709551616,-1]}';
  const raw = await write(`${line}\n{"a":"x","b":1,"c":null}\n`, 'jsonl');
  const back = await convertTo(await convertTo(raw, 'parquet'), 'jsonl');
  expect(linesOf(back)[0]).toBe(line);
  expect((await rowsOf(raw))[0]).toBe(line);
});

test('an object with a thousand keys, and a deeply nested one, become JSON', async () => {
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
  const deep = `${'['.repeat(400)}1${']'.repeat(400)}`;
  const text = `{"wide":${JSON.stringify(wide)},"deep":${deep},"in":{"a":{"a":${deep}}}}\n`;
  const raw = await write(text, 'jsonl');
  expect(raw.columns[0]).toEqual({ name: 'wide', type: 'JSON' });
  const back = await convertTo(await convertTo(raw, 'parquet'), 'jsonl');
  expect(linesOf(back)).toEqual([text.trim()]);
});

test('csv preserves its text', async () => {
  const text = [
    'id,zip,price,mixed,flag,empty,note,big',
    '1,00501,0.50,1,true,,"a, ""b""",99999999999999999999',
    '-2,10001,1e3,x,false,"","l1',
    'l2",18446744073709551616',
    '3,,2,2020-01-01,true,,😀,-1',
    '',
  ];
  const raw = await write(text.join('\n'), 'csv');
  expect(raw.row_count).toBe(3);
  const types = ['BIGINT', 'VARCHAR', 'DOUBLE', 'VARCHAR', 'BOOLEAN', 'VARCHAR', 'VARCHAR', 'DECIMAL(38,0)'];
  expect(raw.columns.map(({ type }) => type)).toEqual(types);
  const back = await convertTo(await convertTo(raw, 'parquet'), 'csv');
  const numbers = text
    .join('\n')
    .replace('0.50', '0.5')
    .replace('1e3', '1000.0')
    .replace(',2,2020', ',2.0,2020');
  expect(readFileSync(back.path, 'utf8')).toBe(numbers);
  expect(linesOf(await convertTo(raw, 'jsonl'))[1]).toBe(
    '{"id":-2,"zip":"10001","price":1000.0,"mixed":"x","flag":false,"empty":"","note":"l1\\nl2","big":18446744073709551616}',
  );
});

test('csv shows nested values as JSON', async () => {
  const raw = await write(
    '{"a":{"b":[1,null]},"c":["x\\"y"],"d":"t","e":18446744073709551615,"f":null}\n',
    'jsonl',
  );
  const csv = await convertTo(await convertTo(raw, 'parquet'), 'csv');
  expect(linesOf(csv)).toEqual(['a,c,d,e,f', '"{""b"":[1,null]}","[""x\\""y""]",t,18446744073709551615,']);
});

test('escaped quotes and backslashes end neither strings nor keys', async () => {
  const line = String.raw`{"a\\":"\\\"","b\"c":{"\u0064":"{\\"},"e":["\"","\\\\"],"f":"\ud83d\ude00:,"}`;
  const raw = await write(`${line}\n`, 'jsonl');
  expect(raw.columns).toEqual([
    { name: 'a\\', type: 'VARCHAR' },
    { name: 'b"c', type: 'STRUCT(d VARCHAR)' },
    { name: 'e', type: 'VARCHAR[]' },
    { name: 'f', type: 'VARCHAR' },
  ]);
  expect((await rowsOf(raw)).map(toComparable)).toEqual([toComparable(line)]);
});

test('csv may start with a byte order mark, use Windows line endings, and have a single column', async () => {
  expect(await write('\ufeffa,b\r\n1,"x\r\ny"\r\n', 'csv')).toMatchObject({
    row_count: 1,
    columns: [
      { name: 'a', type: 'BIGINT' },
      { name: 'b', type: 'VARCHAR' },
    ],
  });
  expect(await write('a\n1\n\n2\n', 'csv')).toMatchObject({ row_count: 3 });
  expect(await write('a,b\n1,2\n\n3,4\n\n', 'csv')).toMatchObject({ row_count: 2 });
  expect(await write('a,b\n1,2\n,3', 'csv')).toMatchObject({ row_count: 2 });
  expect(await write('a,b\n', 'csv')).toMatchObject({
    row_count: 0,
    columns: [{ name: 'a' }, { name: 'b' }],
  });
});

test('Parquet-only values are converted for JSON and CSV', async () => {
  const path = join(folder, 'types.parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`COPY (SELECT
      'nan'::DOUBLE AS nan, [1.5, 'inf'::DOUBLE, NULL] AS list, {a: '-inf'::FLOAT, b: 1} AS struct, NULL::STRUCT(a FLOAT) AS none,
      MAP {'k': 'nan'::DOUBLE, 'l': 2.5} AS map, 12345678901234567890.1234567890::DECIMAL(38,10) AS money,
      [{m: 0.10::DECIMAL(20,2)}] AS nested, 0.25::DECIMAL(9,2) AS price, '\\xFF\\x00'::BLOB AS bytes, DATE '2020-02-29' AS date,
      TIMESTAMP '2020-02-29 12:00:00.123456' AS at, '6f1e6a0e-1111-4222-8333-444455556666'::UUID AS uuid,
      255::UTINYINT AS tiny, 18446744073709551615::UBIGINT AS large) TO '${path}' (FORMAT parquet)`);
  const source = await describeFile(path, 'parquet');
  const json = {
    nan: 'null',
    list: '[1.5,null,null]',
    struct: '{"a":null,"b":1}',
    none: 'null',
    map: '{"k":null,"l":2.5}',
    money: '"12345678901234567890.1234567890"',
    nested: '[{"m":"0.10"}]',
    price: '0.25',
    bytes: '"/wA="',
    date: '"2020-02-29"',
    at: '"2020-02-29 12:00:00.123456"',
    uuid: '"6f1e6a0e-1111-4222-8333-444455556666"',
    tiny: '255',
    large: '18446744073709551615',
  };
  const expected = Object.entries(json).map(([name, text]) => `"${name}":${text}`);
  expect(linesOf(await convertTo(source, 'jsonl'))).toEqual([`{${expected.join(',')}}`]);
  expect(linesOf(await convertTo(source, 'csv'))[1]).toBe(
    'nan,"[1.5,null,null]","{""a"":null,""b"":1}",,"{""k"":null,""l"":2.5}",12345678901234567890.1234567890,' +
      '"[{""m"":""0.10""}]",0.25,/wA=,2020-02-29,2020-02-29 12:00:00.123456,6f1e6a0e-1111-4222-8333-444455556666,255,18446744073709551615',
  );
  expect((await rowsOf(source))[0]).toContain('"large":18446744073709551615');
});
