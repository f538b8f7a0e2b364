/** The file that a question leaves: it is taken where it is one, and nobody else has it. */
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

test('one that nobody else has is put in its place', async () => {
  const path = join(folder, 'good.parquet');
  expect(await write(path, () => undefined)).toMatchObject({ row_count: 1 });
  expect(existsSync(path)).toBe(true);
});

test('one that has another name is refused, and there is none', async () => {
  const path = join(folder, 'bad.parquet');
  const other = join(folder, 'other');
  await expect(write(path, (made) => linkSync(made, other))).rejects.toThrow('no plain file');
  expect(readdirSync(folder).filter((name) => name.startsWith('bad'))).toEqual([]);
});
