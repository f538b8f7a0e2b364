import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { TEMPLATE, withDatabase } from '../../../test/databases.ts';
import { loadOrder, readReferences, readTables } from './tables.ts';

const arrows = (...pairs: [string, string][]) => pairs.map(([from, to]) => ({ from, to }));

test.each([
  ['nothing', [], [], []],
  ['no references', ['b', 'a'], [], ['b', 'a']],
  ['a chain', ['a', 'b', 'c'], arrows(['a', 'b'], ['b', 'c']), ['c', 'b', 'a']],
  [
    'two ways to one',
    ['a', 'b', 'c', 'd'],
    arrows(['a', 'b'], ['a', 'c'], ['b', 'd'], ['c', 'd']),
    ['d', 'b', 'c', 'a'],
  ],
  ['a target that is not loaded', ['a'], arrows(['a', 'elsewhere']), ['a']],
])('loadOrder puts tables after those that they refer to: %s', (_name, tables, references, order) => {
  expect(loadOrder(tables, references)).toEqual(order);
});

test('loadOrder names foreign keys that form a circle', () => {
  const references = arrows(['a', 'b'], ['b', 'c'], ['c', 'b']);
  expect(() => loadOrder(['a', 'b', 'c'], references)).toThrow('The foreign keys b → c → b form a circle');
});

test('the foreign keys of the migrated tables form no circle, so that they can be restored', async () => {
  const client = new pg.Client({ connectionString: withDatabase(inject('databaseUrl'), TEMPLATE) });
  await client.connect();
  const tables = (await readTables(client)).map(({ name }) => name);
  const references = await readReferences(client);
  await client.end();
  expect(tables).toContain('users');
  expect(tables).not.toContain('rate_limits');
  expect(tables).not.toContain('schema_migrations');
  const order = loadOrder(tables, references);
  expect(order.toSorted()).toEqual(tables.toSorted());
  const late = references.filter(({ from, to }) => order.indexOf(from) < order.indexOf(to));
  expect(late).toEqual([]);
});
