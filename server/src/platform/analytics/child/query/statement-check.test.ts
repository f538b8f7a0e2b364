/** Refusals before a row is read, tested in this process; sql-hostile.nightly.test.ts tests them from outside. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HARMLESS_QUERIES, hostileQueries } from '../../../../../test/hostile-queries.ts';
import { makeFolder } from '../../../../../test/processes.ts';
import { SHAPES } from '../../../../../test/sql-world.ts';
import { openLocked } from '../locked-duckdb.ts';
import { checkQuery } from './execute-query.ts';
import { toFailure } from './failures.ts';
import { Mistake } from './mistake.ts';
import { createEmptyTables } from './tables.ts';

const CANARY = 'canary-4711';
const folder = makeFolder();
const places = {
  file: join(folder, 'canary.csv'),
  link: join(folder, 'link'),
  folder,
  made: join(folder, 'made'),
};
writeFileSync(places.file, `${CANARY}\n`);
symlinkSync(places.file, places.link);
const scratch = join(folder, 'scratch');
mkdirSync(scratch);
const TABLES = SHAPES.map(({ name }) => name);

const open = () => openLocked({ paths: [], scratch, memoryBytes: 2 ** 28, threads: 1 });
const connection = await open();
const attempts = hostileQueries(places);

test('the attempts are many and distinct', () => {
  expect(new Set(attempts).size).toBe(attempts.length);
  expect(attempts.length).toBeGreaterThan(250);
});

describe('hostile queries are refused', () => {
  test.each(attempts)('%s', async (query) => {
    const error: unknown = await checkQuery(connection, query, TABLES).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Mistake);
    const failure = toFailure(error, query);
    expect(failure).toMatchObject({ kind: 'sql', message: expect.stringMatching(/^\S.{9,}$/s) });
    expect(JSON.stringify(failure)).not.toContain(CANARY);
  });
});

test('hostile queries that bypass the check find no file, and create none', async () => {
  await createEmptyTables(connection, SHAPES);
  const isDangerous = (query: string) => /sleep|enable_logging|CHECKPOINT/i.test(query);
  for (const query of attempts.filter((attempt) => !isDangerous(attempt))) {
    const other = await open();
    await createEmptyTables(other, SHAPES);
    const rows = await other.runAndReadAll(query).then(
      (result) => JSON.stringify(result.getRowsJson()),
      () => '',
    );
    expect(rows, query).not.toContain(CANARY);
    other.closeSync();
  }
  expect([existsSync(places.made), existsSync(join(folder, 'export'))]).toEqual([false, false]);
});

describe('harmless queries are accepted', () => {
  test.each(HARMLESS_QUERIES)('%s', async (query) => {
    const result = await connection.runAndReadAll(await checkQuery(connection, query, TABLES));
    expect(result.currentRowCount).toBeGreaterThan(0);
  });
});

test.each<[query: string, message: string, position: number]>([
  ['SELEC 1', 'Syntax error at or near "SELEC" (line 1, column 1)', 0],
  ['SELECT\n  (1,', 'Syntax error at end of input (line 2, column 6)', 12],
  ["SELECT '😀é',\n foo(1)", 'The function foo cannot be used here.', 14],
  ['SELECT * FROM sapns', 'There is no table "sapns". Did you mean spans? (line 1, column 15)', 14],
  [
    'SELECT * FROM nothing_like_it',
    'There is no table "nothing_like_it". The tables are spans, messages. (line 1, column 15)',
    14,
  ],
])('%s is reported with its position', async (query, message, position) => {
  const error: unknown = await checkQuery(connection, query, TABLES).catch((reason: unknown) => reason);
  expect(toFailure(error, query)).toEqual({
    kind: 'sql',
    message: expect.stringContaining(message),
    position,
  });
});
