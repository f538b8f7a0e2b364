/** Exports of long texts: more than the memory holds, and in their order. */
import { once } from 'node:events';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { sourceOf } from '../../../test/row-pipes.ts';
import { SHAPES } from '../../../test/sql-world.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { SqlError, writeParquet } from './sql-query.ts';

const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();
const connection = await (await DuckDBInstance.create(':memory:')).connect();

const numbers = (count: number, digits: number) => lines(padded(count, digits));

/** Yields the numbers from 0 on, padded to this many digits. */
function* padded(count: number, digits: number) {
  for (let n = 0; n < count; n++) yield String(n).padStart(digits, '0');
}

const lines = (rows: Iterable<string>) =>
  sourceOf(async (_need, pipe) => {
    const closed = once(pipe, 'close');
    for (const row of rows) if (!pipe.write(`${row}\n`)) await Promise.race([once(pipe, 'drain'), closed]);
  });

test('an export handles texts that exceed the memory', async () => {
  const path = join(folder, 'wide.parquet');
  const query = 'SELECT content FROM messages';
  const bounds = { memoryBytes: 384 * 1024 ** 2 };
  const question = { work, query, tables: SHAPES, maxRows: 1e6, bounds, signal, path };
  const written = await writeParquet({ ...question, source: numbers(60_000, 10_000) });
  expect(written.row_count).toBe(60_000);
  const found = await connection.runAndReadAll(`
    SELECT count(*), count(*) FILTER (content::BIGINT <> file_row_number)
      FROM read_parquet('${path}', file_row_number = true)`);
  expect(found.getRows()).toEqual([[60_000n, 0n]]);
});

test('an export reports a row that is too long, and logs no values', async () => {
  const path = join(folder, 'none.parquet');
  const question = {
    work,
    query: 'SELECT tokens, content FROM messages',
    tables: SHAPES,
    maxRows: 10,
    signal,
    path,
  };
  const failed = (row: string) =>
    writeParquet({ ...question, source: lines([row]) }).catch((error: unknown) => error);
  const long = await failed(`"${'x\n'.repeat(20 * 1024 ** 2)}",1`);
  expect(long).toBeInstanceOf(SqlError);
  expect(String(long)).toMatch(/longer than 32 MiB/);
  const broken = String(await failed('"canary","canary"'));
  expect(broken).toMatch(/column "tokens"/);
  expect(broken).not.toContain('canary');
});

test('an export keeps the order of sorted rows with a limit', async () => {
  const path = join(folder, 'ordered.parquet');
  const query = 'SELECT hash(range) AS h FROM range(1000000) ORDER BY h';
  const question = { work, query, tables: SHAPES, source: numbers(0, 1), signal, path };
  expect((await writeParquet({ ...question, maxRows: 300_000 })).row_count).toBe(300_000);
  const found = await connection.runAndReadAll(`
    SELECT count(*) FROM (
      FROM read_parquet('${path}', file_row_number = true)
      POSITIONAL JOIN (SELECT hash(range) AS expected FROM range(1000000) ORDER BY expected LIMIT 300000))
     WHERE h <> expected`);
  expect(found.getRows()).toEqual([[0n]]);
});
