/** CSV as read by our scanner and by DuckDB: equal, or refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { scanCsv } from './child/csv-scanner.ts';
import { inspect } from './child/inspect.ts';
import { tableOf } from './child/sql.ts';
import { DataError } from './data-file.ts';

const folder = makeFolder();
const path = join(folder, 'file.csv');
const format = 'csv' as const;
const lockdown = { paths: [path], scratch: folder, memoryBytes: 2 ** 30, threads: 2 };
const ROUNDS = Number(process.env.DRYDOCK_TEST_CSV_ROUNDS ?? 400);

test('the CSV scanner handles values that look like records, across all piece boundaries of a large file', async () => {
  const record = `1,"${'1,2,3\n'.repeat(40)}",z\n`;
  writeFileSync(path, `a,b,c\n${record.repeat(200_000)}`);
  expect(await inspect({ path, format }, lockdown)).toMatchObject({ row_count: 200_000 });
});

test('blanks before a quote are refused', async () => {
  for (const text of ['a,b\n1, "x"\n', 'a,b\n1,\t"x"\n', 'a,b\n   "x",1\n']) {
    writeFileSync(path, text);
    await expect(inspect({ path, format }, lockdown)).rejects.toThrow(
      new DataError('has blanks before a quote; remove them', 2),
    );
  }
});

test(`accepted CSV is read according to RFC 4180 (${ROUNDS} files)`, async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const random = randomFrom(1);
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = makeCsv(random);
    // Each file has its own name, since DuckDB caches what it has read.
    const each = join(folder, `${round}.csv`);
    writeFileSync(each, text);
    const shape = findShape(each);
    if (!shape) continue;
    accepted++;
    const columns = shape.columns.map(({ name }) => ({ name, type: 'VARCHAR' }));
    const table = tableOf({ path: each, format, columns });
    const result = await connection.runAndReadAll(`SELECT json_array(*COLUMNS(*)) FROM ${table}`);
    const rows = result.getRows().map(([row]) => JSON.parse(String(row)) as unknown);
    expect(rows, JSON.stringify(text)).toEqual(parse(text).slice(1));
    expect(shape.row_count).toBe(rows.length);
  }
  expect(accepted / ROUNDS).toBeGreaterThan(0.3);
});

/** @returns undefined for a refused file */
function findShape(file: string) {
  try {
    return scanCsv(file);
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return undefined;
  }
}

const PIECES = ['x', '12', ' ', '\t', '"', '""', "'", '\\', '#', 'é', '\0', '-', '\ufeff', '.5'];

/** Mostly valid, so that both outcomes are tested. */
function makeCsv(random: (below: number) => number): string {
  const width = 1 + random(3);
  const ending = random(4) === 0 ? '\r\n' : '\n';
  const some = (pieces: readonly string[]) =>
    Array.from({ length: random(5) }, () => pieces[random(pieces.length)]).join('');
  const value = () => {
    if (random(3) > 0) return some(random(4) === 0 ? PIECES : ['x', '12', ' ', 'é', "'", '#', '\\']);
    return `"${some([...PIECES, ',', '\n', '\r\n']).replaceAll('"', random(12) === 0 ? '"' : '""')}"`;
  };
  const records = Array.from({ length: random(6) }, () =>
    Array.from({ length: random(20) === 0 ? 1 + random(3) : width }, value).join(','),
  );
  const header = ['a', 'b', 'c'].slice(0, width).join(',');
  return [header, ...records].join(ending) + (random(2) === 0 ? ending : '');
}

/** An empty value is null, a quoted one the empty text; empty lines are skipped in files with several columns. */
function parse(text: string): (string | null)[][] {
  const values = /(?:^|(,)|(\r?\n))(?:"((?:[^"]|"")*)"|([^,\r\n]*))/gy;
  const records: (string | null)[][] = [[]];
  for (const [, , ending, quoted, plain] of text.matchAll(values)) {
    if (ending) records.push([]);
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? (plain || null));
  }
  const isEnd = text.endsWith('\n');
  const isKept = (record: unknown[], index: number) =>
    (record.length > 1 || record[0] !== null || records[0]?.length === 1) &&
    !(isEnd && index === records.length - 1);
  return records.filter(isKept);
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
