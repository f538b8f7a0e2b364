/** The file left by a query process: accepted only if it is a plain file without other names. */
import { existsSync, linkSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, until } from '../../../test/processes.ts';
import { sourceOf } from '../../../test/row-pipes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { writeParquet } from './sql-query.ts';

const work = await openTestWork();
const folder = makeFolder();

const write = (path: string, meanwhile: (made: string) => void) =>
  writeParquet({
    work,
    query: 'SELECT n FROM numbers',
    tables: [{ name: 'numbers', columns: [{ name: 'n', type: 'BIGINT' }] }],
    source: sourceOf(async (_, pipe, { pipes }) => {
      pipe.write('1\n');
      const made = join(dirname(pipes), 'result.parquet');
      await until('the file is begun', () => existsSync(made) || undefined);
      meanwhile(made);
    }),
    maxRows: 10,
    signal: new AbortController().signal,
    path,
  });

test('a file with a single name is moved to its target', async () => {
  const path = join(folder, 'good.parquet');
  expect(await write(path, () => undefined)).toMatchObject({ row_count: 1 });
  expect(existsSync(path)).toBe(true);
});

test('a file with another name is refused, and removed', async () => {
  const path = join(folder, 'bad.parquet');
  const other = join(folder, 'other');
  await expect(write(path, (made) => linkSync(made, other))).rejects.toThrow('not a plain file');
  expect(readdirSync(folder).filter((name) => name.startsWith('bad'))).toEqual([]);
});
