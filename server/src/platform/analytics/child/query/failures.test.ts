/** Classification of errors: DuckDB's messages quote the user's query and stored data, which must not influence it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../../../../test/processes.ts';
import { PIPES, pipePath } from '../../../sql-tables/segments.ts';
import { execute, plan } from './execute-query.ts';
import { toFailure } from './failures.ts';
import type { QueryFailure, QueryRequest } from './request.ts';

/**
 * Runs a query like the query process.
 * @param rows plain files in place of the pipes
 */
async function failureOf(query: string, form: 'rows' | 'parquet', rows = '1\n'): Promise<QueryFailure> {
  const folder = makeFolder();
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const request: QueryRequest = {
    query,
    tables: [{ name: 'numbers', columns: [{ name: 'n', type: 'INTEGER' }] }],
    scratch,
    pipes: folder,
    memoryBytes: 128 * 1024 ** 2,
    threads: 1,
    maxRows: 10,
    target:
      form === 'rows'
        ? { form, maxResultBytes: 1e6 }
        : { form, path: join(folder, 'result.parquet'), maxTargetBytes: 1e9 },
  };
  for (let pipe = 0; pipe < PIPES; pipe++)
    writeFileSync(pipePath(folder, 0, pipe), `"n"\n${pipe === 0 ? rows : ''}`);
  let isPlanned = false;
  try {
    const planned = await plan(request);
    isPlanned = true;
    await execute(request, planned);
  } catch (error) {
    return toFailure(error, isPlanned ? null : query, request.tables);
  }
  throw new Error('The query succeeded.');
}

const told = (type: string) => JSON.stringify({ exception_type: type, exception_message: 'x' });

describe.each(['rows', 'parquet'] as const)('a failure is classified as %s', (form) => {
  test.each([
    `SELECT 'read_csv'::INTEGER AS x`,
    `SELECT error('read_csv') AS x`,
    `SELECT error('Out of Memory') AS x`,
    `SELECT error('Out of Memory Error: bad_alloc') AS x`,
    `SELECT error('CSV Error on Line: 1') AS x`,
    `SELECT 'could not allocate'::DATE AS x`,
    `SELECT x::INTEGER AS y FROM (VALUES ('CSV Error')) AS v(x)`,
    `SELECT error('${told('IO')}') AS x`,
    `SELECT error('${told('Out of Memory')}') AS x`,
    `SELECT error('IO Error: ${told('IO')}') AS x`,
    `SELECT '${told('IO')}'::INTEGER AS x`,
    `SELECT n, error('read_csv') AS x FROM numbers`,
    `SELECT "read_csv" FROM numbers`,
    `SELECT 'CSV Error on Line: 1' + n AS x FROM numbers`,
  ])("a user's mistake is reported: %s", async (query) => {
    expect(await failureOf(query, form)).toMatchObject({ kind: 'sql', message: expect.stringMatching(/\S/) });
  });

  test('a query that needs too much memory reports that', async () => {
    expect(await failureOf('SELECT list(range) AS x FROM range(100000000)', form)).toEqual({
      kind: 'memory',
    });
  });

  test('an unreadable row is an internal error, without its values', async () => {
    for (const row of ['secret\n', '1,secret\n']) {
      const failure = await failureOf('SELECT n FROM numbers', form, row);
      expect(failure).toMatchObject({
        kind: 'failure',
        message: expect.stringContaining('CSV Error on Line'),
      });
      expect(JSON.stringify(failure)).not.toContain('secret');
    }
  });
});

test.each([
  ['std::bad_alloc', { kind: 'memory' }],
  ['Out of Memory Error: failed to allocate', { kind: 'memory' }],
  [told('Out of Memory'), { kind: 'memory' }],
  ['a bad_alloc of somebody', { kind: 'failure', message: 'a bad_alloc of somebody' }],
  [told('IO'), { kind: 'failure', message: told('IO') }],
  ['IO Error: no room', { kind: 'failure', message: 'IO Error: no room' }],
  [`Binder Error: ${told('Binder')}`, { kind: 'sql', message: 'x', position: null }],
])('%s', (message, failure) => {
  expect(toFailure(new Error(message), null)).toEqual(failure);
});

test('planning errors never mention rows', () => {
  const message = 'CSV Error on Line: 1\nOriginal Line: x';
  const error = new Error(JSON.stringify({ exception_type: 'Conversion', exception_message: message }));
  expect(toFailure(error, 'SELECT 1')).toMatchObject({ kind: 'sql' });
  expect(toFailure(error, null)).toMatchObject({ kind: 'failure' });
});
