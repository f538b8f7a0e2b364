/** Files that are not what they claim to be, and the reported location. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { inspectDataFile } from './analytics.ts';
import { scanCsv } from './child/csv-scanner.ts';
import { inspect } from './child/inspect.ts';
import { scanJsonl } from './child/jsonl-scanner.ts';
import { DataError, type DataFormat, type DataShape } from './data-file.ts';

const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();
let files = 0;

function write(content: string | Uint8Array): string {
  const path = join(folder, `file${files++}`);
  writeFileSync(path, content);
  return path;
}

/** Returns the error message, prefixed with its line. */
async function complaint(inspect: () => DataShape | Promise<DataShape>): Promise<string> {
  try {
    return `fine: ${JSON.stringify(await inspect())}`;
  } catch (error) {
    if (error instanceof DataError) return `${error.line ?? '-'}: ${error.message}`;
    throw error;
  }
}

const inspected = (content: string | Uint8Array, format: DataFormat) =>
  complaint(() => inspectDataFile({ work, path: write(content), format, signal }));

/** Runs in this process, for mistakes that are found before DuckDB is used. */
const looked = (content: string | Uint8Array, format: DataFormat) => {
  const path = write(content);
  const lockdown = { paths: [path], scratch: folder, memoryBytes: 2 ** 30, threads: 2 };
  return complaint(() => inspect({ path, format }, lockdown));
};

const notJson = (line: number, reason: string) =>
  `${line}: is not a JSON object: ${reason}; each line has to hold one`;

test.each([
  ['[1,2]', '1: is not a JSON object'],
  ['{"a":1}\n5\n', '2: is not a JSON object'],
  ['{"a":1}\nnull', '2: is not a JSON object'],
  ['{"a":1}\n\n"x"', '3: is not a JSON object'],
  ['{"a":1}{"a":2}\n', notJson(1, 'Unexpected non-whitespace character after JSON at character 8')],
  ['{"a":\n1}\n', notJson(1, 'Unexpected end of JSON input')],
  ['{"a":1}\r\n{"a":}\r\n', notJson(2, `Unexpected token '}', "{"a":}\r" is not valid JSON`)],
  ['{"a":1,}\n', notJson(1, 'Expected double-quoted property name at character 8')],
  ["{'a':1}\n", notJson(1, "Expected property name or '}' at character 2")],
  ['{"a":NaN}\n', notJson(1, `Unexpected token 'N', "{"a":NaN}" is not valid JSON`)],
  ['{"a":01}\n', notJson(1, 'Unexpected number at character 7')],
  ['{"a":1.}\n', notJson(1, 'Unterminated fractional number at character 8')],
  ['{"a":+1}\n', notJson(1, `Unexpected token '+', "{"a":+1}" is not valid JSON`)],
  ['{"a":-}\n', notJson(1, 'No number after minus sign at character 7')],
  ['{"a":1e}\n', notJson(1, 'Exponent part is missing a number at character 8')],
  ['{"a":tru}\n', notJson(1, `Unexpected token '}', "{"a":tru}" is not valid JSON`)],
  ['{"a":"x\ty"}\n', notJson(1, 'Bad control character in string literal at character 8')],
  ['{"a":"\\x"}\n', notJson(1, 'Bad escaped character at character 8')],
  ['{"a":"\\u12g4"}\n', notJson(1, 'Bad Unicode escape at character 11')],
  ['{"a":"\\u12', notJson(1, 'Bad Unicode escape at character 11')],
  ['{"a":"x', notJson(1, 'Unterminated string at character 8')],
  ['{"a":[1,2}\n', notJson(1, "Expected ',' or ']' after array element at character 10")],
  ['{"a" 1}\n', notJson(1, "Expected ':' after property name at character 6")],
  ['// x\n{"a":1}\n', notJson(1, `Unexpected token '/', "// x" is not valid JSON`)],
  ['{"a":"\\ud800"}\n', '1: holds a lone surrogate, which is not a character'],
  ['{"a":"\\ud800\\u0041"}\n', '1: holds a lone surrogate, which is not a character'],
  ['{"a":"\\udc00"}\n', '1: holds a lone surrogate, which is not a character'],
  ['\ufeff{"a":1}\n', '1: starts with a byte order mark; save the file as UTF-8 without one'],
  ['{"a":1}\n{"a":1,"a":2}\n', '2: has the key "a" twice'],
  ['{"a":1}\n{"A":1}\n', '2: has the key "A", and another differs from it in case only; rename one of them'],
  ['{"":1}\n', '1: has a key without a name; every column needs one'],
  ['{"a\\u0000":1}\n', '1: has the key "a\\u0000": columns cannot hold NUL in their names'],
  ['', '-: holds no rows with at least one key'],
  ['{}\n\n{}\n', '-: holds no rows with at least one key'],
  [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, '1: is nested deeper than 500 levels'],
  [`{"a":1}\n${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, '2: is nested deeper than 500 levels'],
])('jsonl %j is reported', async (text, expected) => {
  expect(await complaint(() => scanJsonl(write(text)))).toBe(expected);
});

test('jsonl is limited to a thousand columns', async () => {
  const wide = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, index])));
  expect(scanJsonl(write(wide(1000))).columns).toHaveLength(1000);
  expect(await complaint(() => scanJsonl(write(`${wide(2)}\n${wide(1001)}`)))).toBe(
    '2: has the key "c1000", which would be one more than 1000 columns',
  );
});

test('jsonl reports the line far into a file, and of invalid UTF-8', async () => {
  const line = `{"text":"${'é'.repeat(500)}"}\n`;
  const many = line.repeat(20_000);
  expect(await complaint(() => scanJsonl(write(`${many}{"text":}\n${many}`)))).toBe(
    notJson(20_001, `Unexpected token '}', "{"text":}" is not valid JSON`),
  );
  const bad = Buffer.concat([Buffer.from(many), Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), Buffer.from(many)]);
  expect(await complaint(() => scanJsonl(write(bad)))).toBe('20001: is not UTF-8');
  expect(await complaint(() => scanCsv(write(`a,b\n${'1,"x\ny"\n'.repeat(600_000)}1\n`)))).toBe(
    '1200002: has 1 value, but the header names 2 columns',
  );
});

test.each([
  ['', '1: is empty; a CSV file starts with a line of column names'],
  ['a,b\n1\n', '2: has 1 value, but the header names 2 columns'],
  ['a,b\n1,2\n1,2,3\n', '3: has 3 values, but the header names 2 columns'],
  ['a,b\n1,2,\n', '2: has 3 values, but the header names 2 columns'],
  ['a\n1\n2,3\n', '3: has 2 values, but the header names 1 column'],
  ['a,b\n"x\ny",1\n"z\n', '4: opens a quote that nothing closes'],
  ['a,b\n"x"y,1\n', '2: has text after a closing quote; double the quotes inside of values'],
  ['a,b\r\n1,2\n', '2: ends with LF, the lines before it with CRLF; end all alike'],
  ['a,b\n1,2\r\n', '2: ends with CRLF, the lines before it with LF; end all alike'],
  ['a,b\n1\r5,2\n', '2: holds a carriage return without a line feed; put the value in quotes'],
  ['a,,b\n1,2,3\n', '1: has a column without a name'],
  ['a,b,A\n1,2,3\n', '1: names the column "A" twice'],
])('csv %j is reported', async (text, expected) => {
  expect(await complaint(() => scanCsv(write(text)))).toBe(expected);
});

test('csv with invalid UTF-8 is refused', async () => {
  expect(await looked(Buffer.from('a,b\n1,caf\xe9\n', 'latin1'), 'csv')).toBe('2: is not UTF-8');
});

test('inspection refuses a line of 100 MB', async () => {
  const path = write(`{"a":1}\n{"a":"${'x'.repeat(100_000_000)}"}\n`);
  const expected = '2: is longer than 16 MiB, the most that a line may hold';
  expect(await complaint(() => inspectDataFile({ work, path, format: 'jsonl', signal }))).toBe(expected);
  expect(await complaint(() => scanCsv(path))).toContain('2: is longer');
});

test('inspection reads a line of almost 16 MiB', async () => {
  const text = 'x'.repeat(16 * 1024 ** 2 - 20);
  expect(await inspected(`{"a":"${text}"}\n{"a":"y"}\n`, 'jsonl')).toContain('"row_count":2');
  expect(await inspected(`a\n"${text}"\ny\n`, 'csv')).toContain('"row_count":2');
});

test('the scanners read millions of escapes in one value', async () => {
  const value = (quote: string) => `"${`${quote}x`.repeat(5_000_000)}"`;
  expect(scanJsonl(write(`{"a":${value('\\"')},"b":1}`)).columns[1]).toEqual({ name: 'b', type: 'BIGINT' });
  expect(scanCsv(write(`a,b\n${value('""')},1\n`)).columns[1]).toEqual({ name: 'b', type: 'BIGINT' });
});

describe('inspection of parquet', () => {
  async function makeParquet(
    select = `SELECT range AS a, 'text ' || range AS b FROM range(20000)`,
  ): Promise<Buffer> {
    const path = join(folder, `made${files++}.parquet`);
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
    return readFileSync(path);
  }

  const rename = (file: Buffer, from: string, to: string) =>
    Buffer.from(file.toString('latin1').replaceAll(from, to), 'latin1');

  test('refuses another kind of file', async () => {
    for (const text of ['', '{"a":1}\n', `PAR1${'\0'.repeat(100)}PAR1`]) {
      expect(await inspected(text, 'parquet')).toMatch(/^-: cannot be read as parquet: .+/);
    }
  });

  test('refuses a file that is truncated, or damaged in the middle', async () => {
    const whole = await makeParquet();
    expect(await inspected(whole, 'parquet')).toContain('"row_count":20000');
    const middle = Math.floor(whole.length / 2);
    expect(await inspected(whole.subarray(0, middle), 'parquet')).toMatch(/^-: cannot be read as parquet/);
    const damaged = Buffer.from(whole).fill(0xff, middle, middle + 400);
    expect(await inspected(damaged, 'parquet')).toMatch(/^-: cannot be read as parquet/);
  });

  test('refuses names that DuckDB would change', async () => {
    const whole = await makeParquet(
      'SELECT 1 AS col_one, 2 AS col_two, {f_one: 1, f_two: [{g: 2}]} AS s, {g: 3} AS t',
    );
    expect(await looked(whole, 'parquet')).toContain('"row_count":1');
    const nul = '-: has a column with NUL in its name';
    const alike = (name: string) =>
      `-: has two columns named "${name}", or alike but for their case; rename one of them`;
    expect(await looked(rename(whole, 'col_one', 'col\0one'), 'parquet')).toBe(nul);
    expect(await looked(rename(whole, 'f_one', 'f\0one'), 'parquet')).toBe(nul);
    expect(await looked(rename(whole, 'col_one', 'Col_Two'), 'parquet')).toBe(alike('col_two'));
    expect(await looked(rename(whole, 'f_one', 'F_TWO'), 'parquet')).toBe(alike('f_two'));
    const marked = await looked(rename(whole, 'col_one', '\xef\xbb\xbfcol1'), 'parquet');
    expect(marked).toContain('"name":"\ufeffcol1"');
  });

  test('refuses invalid JSON', async () => {
    const json = (text: string) =>
      makeParquet(`SELECT '${text}'::JSON AS j, [{k: '${text}'::JSON, d: 'nan'::DOUBLE}] AS n`);
    expect(await looked(await json('{"NaN":"\\"inf\\\\","a":[null]}'), 'parquet')).toContain('"row_count":1');
    for (const text of ['[NaN]', '{"a":-Infinity}', '["\\"",inf]']) {
      expect(await looked(await json(text), 'parquet')).toMatch(
        /^-: has NaN or an infinity in the column "j"/,
      );
    }
    const nested = await makeParquet(`SELECT [{k: '[nan]'::JSON}] AS n`);
    expect(await looked(nested, 'parquet')).toMatch(/^-: has NaN or an infinity in the column "n"/);
  });

  test('accepts a thousand columns, and refuses more', async () => {
    const wide = (count: number) =>
      makeParquet(`SELECT ${Array.from({ length: count }, (_, index) => `1 AS c${index}`).join(', ')}`);
    expect(await looked(await wide(1000), 'parquet')).toContain('"c999"');
    expect(await looked(await wide(1001), 'parquet')).toBe('-: has more than 1000 columns');
  });

  test('refuses a file that claims to be JSON lines', async () => {
    expect(await looked(await makeParquet(), 'jsonl')).toMatch(/^1: /);
  });
});
