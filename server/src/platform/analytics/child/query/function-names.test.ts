import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import {
  isAllowedFunction,
  isRefusedFunction,
  REFUSED_TABLE_FUNCTIONS,
  TABLE_FUNCTIONS,
} from './function-names.ts';

const connection = await (await DuckDBInstance.create(':memory:')).connect();
const functions = await connection.runAndReadAll(
  'SELECT DISTINCT function_type, lower(function_name), macro_definition FROM duckdb_functions()',
);
const all = functions.getRows() as [kind: string, name: string, definition: string | null][];
const isTable = (kind: string) => kind === 'table' || kind === 'table_macro';

test('every function of this DuckDB version is either allowed or refused', () => {
  // Pragma functions can only be called by a statement of their own.
  const callable = all.filter(([kind]) => kind !== 'pragma');
  expect(callable.length).toBeGreaterThan(800);
  const wrong = callable.filter(([kind, name]) => {
    const isAllowed = isTable(kind) ? TABLE_FUNCTIONS.has(name) : isAllowedFunction(name);
    const isRefused = isTable(kind) ? REFUSED_TABLE_FUNCTIONS.has(name) : isRefusedFunction(name);
    return isAllowed === isRefused;
  });
  expect(wrong.map(([kind, name]) => `${kind} ${name}`)).toEqual([]);
});

test('the functions used by allowed macros are allowed', () => {
  const macros = all.filter(([kind, name]) => kind === 'macro' && isAllowedFunction(name));
  expect(macros.length).toBeGreaterThan(40);
  const called = macros.flatMap(([, name, definition]) =>
    [...(definition ?? '').matchAll(/\b([a-z_]\w*)\(/gi)].map(([, inner = '']) => [
      name,
      inner.toLowerCase(),
    ]),
  );
  const names = new Set(all.map(([, name]) => name));
  const reaching = called.filter(([, inner = '']) => names.has(inner) && !isAllowedFunction(inner));
  expect(reaching).toEqual([]);
});
