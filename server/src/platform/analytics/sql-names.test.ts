/** Data that looks like SQL stays names and values. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { convertDataFile, inspectDataFile, readRows } from './analytics.ts';
import type { DataFile } from './data-file.ts';

const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();

async function write(path: string, text: string): Promise<DataFile> {
  writeFileSync(path, text);
  return { path, format: 'jsonl', ...(await inspectDataFile({ work, path, format: 'jsonl', signal })) };
}

test('names that look like SQL are names', async () => {
  const outside = join(folder, 'outside.csv');
  const names = [
    `a'}); COPY (SELECT 1) TO '${outside}'; --`,
    `b" FROM range(1)) TO '${outside}'; --`,
    `c'': 'x'`,
    'd"; DROP TABLE t; --',
    'e) -- ',
    '$1',
    '?',
    '{x}',
    "'",
    '"',
  ];
  const odd = join(folder, `it's a "folder"; --`);
  mkdirSync(odd);
  const row = Object.fromEntries(names.map((name, index) => [name, { [name]: `v${index}` }]));
  const source = await write(join(odd, `x'y".jsonl`), `${JSON.stringify(row)}\n`);
  expect(source.columns.map(({ name }) => name)).toEqual(names);
  for (const format of ['parquet', 'csv', 'jsonl'] as const) {
    const target = { path: join(odd, `to'".${format}`), format };
    await convertDataFile({ work, source, target, signal });
    if (format === 'jsonl') expect(JSON.parse(readFileSync(target.path, 'utf8'))).toEqual(row);
  }
  const search = `V3' OR 1=1 --`;
  expect(await readRows({ work, source, offset: 0, limit: 5, search, signal })).toEqual({
    rows: '[]',
    total: 0,
  });
  const found = await readRows({ work, source, offset: 0, limit: 5, search: 'V3', signal });
  expect({ ...found, rows: JSON.parse(found.rows) as unknown }).toEqual({ rows: [row], total: 1 });
  expect(existsSync(outside)).toBe(false);
});

test('types that look like SQL are refused', async () => {
  const outside = join(folder, 'outside.csv');
  const known = await write(join(folder, 'known.jsonl'), '{"a":1}\n');
  const type = `BIGINT'}); COPY (SELECT 1) TO '${outside}'; --`;
  const source = { ...known, columns: [{ name: 'a', type }] };
  await expect(readRows({ work, source, offset: 0, limit: 1, signal })).rejects.toThrow('Analytics failed');
  expect(existsSync(outside)).toBe(false);
});
