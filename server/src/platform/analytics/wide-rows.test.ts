/** Rows of megabytes: returned while they are few, and read with the available memory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { convertDataFile, readRows } from './analytics.ts';
import { BoundError, type DataFile } from './data-file.ts';

const MEBIBYTE = 1024 ** 2;
const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();

function write(name: string, lines: readonly string[]): DataFile {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  const columns = [
    { name: 'id', type: 'BIGINT' },
    { name: 'text', type: 'VARCHAR' },
  ];
  return { path, format: 'jsonl', row_count: lines.length, columns };
}

test('rows that are too large together are refused', async () => {
  const text = 'x'.repeat(3 * MEBIBYTE);
  const source = write(
    'large.jsonl',
    Array.from({ length: 6 }, (_, id) => `{"id":${id},"text":"${text}"}`),
  );
  await expect(readRows({ work, source, offset: 0, limit: 6, signal })).rejects.toThrow(
    new BoundError(
      'result_size',
      'has rows of more than 8 MiB there; ask for fewer rows at once, or download it',
    ),
  );
  const { rows } = await readRows({ work, source, offset: 3, limit: 2, signal });
  expect((JSON.parse(rows) as { id: number }[]).map(({ id }) => id)).toEqual([3, 4]);
});

test('wide rows are read with fewer threads, in their order', async () => {
  const words = Array.from({ length: MEBIBYTE / 4 }, (_, index) => String(index * 7919).padStart(8, 'x'));
  const text = words.join('');
  const source = write(
    'wide.jsonl',
    Array.from({ length: 60 }, (_, id) => `{"id":${id},"text":"${text}"}`),
  );
  const bounds = { memoryBytes: 448 * MEBIBYTE };
  const target = { path: join(folder, 'wide.parquet'), format: 'parquet' as const };
  await convertDataFile({ work, source, target, signal, bounds });
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const ids = await connection.runAndReadAll(`SELECT id::INTEGER FROM '${target.path}'`);
  expect(ids.getRows().map(([id]) => id)).toEqual(Array.from({ length: 60 }, (_, id) => id));
  // Claims narrow rows: when several threads run out of memory, one is tried.
  const narrow = { ...source, row_count: 1e9 };
  const search = { work, source: narrow, offset: 0, limit: 2, search: 'nowhere', signal, bounds };
  expect(await readRows(search)).toEqual({ rows: '[]', total: 0 });
});
