/** The tables, columns and conditions that a query needs: enough for its result, and no more than is simple to derive. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { Random } from '../../../../../fuzz/random.ts';
import { randomQuery } from '../../../../../test/random-queries.ts';
import { SHAPES, SqlWorld, toSql } from '../../../../../test/sql-world.ts';
import type { Condition, TableNeed } from '../../../sql-tables/table-need.ts';
import { findNeeds } from './table-needs.ts';
import { createEmptyTables } from './tables.ts';

const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
await connection.run("SET TimeZone = 'UTC'");
await createEmptyTables(connection, SHAPES);

const needsOf = (query: string) => findNeeds(connection, `SELECT * FROM (${query})`, SHAPES);
const spans = (columns: readonly string[], condition: Condition | null = null): TableNeed => ({
  table: 'spans',
  columns,
  condition,
});
const messages = (columns: readonly string[], condition: Condition | null = null): TableNeed => ({
  table: 'messages',
  columns,
  condition,
});
const is = (
  column: string,
  comparison: '=' | '<>' | '<' | '<=' | '>' | '>=',
  value: string | boolean,
): Condition => ({
  column,
  is: comparison,
  value,
});
const ALL = SHAPES[0]?.columns.map(({ name }) => name) ?? [];

test.each<[query: string, needs: TableNeed[]]>([
  ['SELECT 1 AS a', []],
  ['SELECT * FROM spans', [spans(ALL)]],
  ['SELECT count(*) FROM spans', [spans(['depth'])]],
  ['SELECT model FROM spans WHERE false', []],
  ['SELECT tokens FROM spans', [spans(['tokens'])]],
  // A plan prints this value as several filters, some of which look like conditions.
  ["SELECT id FROM spans WHERE model <> 'a\nfailed IS NULL\nc7 IS NULL\nb'", [spans(ALL)]],
  ["SELECT tokens FROM spans WHERE model = 'it''s'", [spans(['model', 'tokens'], is('model', '=', "it's"))]],
  [
    "SELECT sum(tokens) FROM spans WHERE started_at >= '2026-01-01' AND started_at < '2026-02-01 00:00:00.5+02'",
    [
      spans(['started_at', 'tokens'], {
        all: [
          is('started_at', '>=', '2026-01-01T00:00:00Z'),
          is('started_at', '<', '2026-01-31T22:00:00.5Z'),
        ],
      }),
    ],
  ],
  [
    'SELECT id FROM spans WHERE tokens > 9007199254740993',
    [spans(['id', 'tokens'], is('tokens', '>', '9007199254740993'))],
  ],
  ['SELECT id FROM spans WHERE depth >= -3', [spans(['id', 'depth'], is('depth', '>=', '-3'))]],
  [
    'SELECT id FROM spans WHERE cost <= 0.000000000000000001',
    [spans(['id', 'cost'], is('cost', '<=', '0.000000000000000001'))],
  ],
  ['SELECT id FROM spans WHERE seconds > 0.1', [spans(['id', 'seconds'], is('seconds', '>', '0.1'))]],
  ['SELECT id FROM spans WHERE failed', [spans(['id', 'failed'], is('failed', '=', true))]],
  ['SELECT id FROM spans WHERE NOT failed', [spans(['id', 'failed'], is('failed', '=', false))]],
  ['SELECT id FROM spans WHERE model IS NULL', [spans(['id', 'model'], { column: 'model', is: 'null' })]],
  [
    'SELECT id FROM spans WHERE model IS NOT NULL',
    [spans(['id', 'model'], { column: 'model', is: 'not null' })],
  ],
  [
    "SELECT tokens FROM spans WHERE id = '00000000-0000-4000-8000-000000000001'",
    [spans(['id', 'tokens'], is('id', '=', '00000000-0000-4000-8000-000000000001'))],
  ],
  [
    "SELECT model FROM spans WHERE model IN ('a', 'b')",
    [spans(['model'], { any: [is('model', '=', 'a'), is('model', '=', 'b')] })],
  ],
  // A table scanned twice is read with the needs of both scans.
  [
    "SELECT model FROM spans WHERE model = 'a' UNION ALL SELECT model FROM spans WHERE tokens = 2",
    [spans(['model', 'tokens'], { any: [is('model', '=', 'a'), is('tokens', '=', '2')] })],
  ],
  ["SELECT model FROM spans WHERE model = 'a' UNION ALL SELECT model FROM spans", [spans(['model'])]],
  [
    "SELECT s.tokens FROM spans s JOIN messages m ON m.span_id = s.id WHERE m.role = 'user'",
    [spans(['id', 'tokens']), messages(['span_id', 'role'], is('role', '=', 'user'))],
  ],
  ['SELECT model FROM spans ORDER BY started_at LIMIT 3', [spans(['model', 'started_at'])]],
  // Conditions that the databases might evaluate differently are left to DuckDB.
  ["SELECT id FROM spans WHERE attributes->>'a' = 'x'", [spans(['id', 'attributes'])]],
  ["SELECT id FROM spans WHERE list_contains(tags, 'x')", [spans(['id', 'tags'])]],
  ["SELECT id FROM spans WHERE lower(model) = 'x'", [spans(['id', 'model'])]],
  ["SELECT id FROM spans WHERE model = 'a' COLLATE NOCASE", [spans(['id', 'model'])]],
  ["SELECT id FROM spans WHERE model = 'a' || chr(0)", [spans(ALL)]],
  ['SELECT id FROM spans WHERE tokens > seconds', [spans(['id', 'tokens', 'seconds'])]],
  ['SELECT id FROM spans WHERE random() < 0.5', [spans(['id'])]],
  ["SELECT id FROM spans WHERE started_at = 'infinity'", [spans(['id', 'started_at'])]],
  [
    "SELECT id FROM spans WHERE started_at > '0044-03-15 (BC) 00:00:00+00'::TIMESTAMPTZ",
    [spans(['id', 'started_at'])],
  ],
  ["SELECT id FROM spans WHERE model = 'a' OR attributes IS NULL", [spans(['id', 'model', 'attributes'])]],
])('%s', async (query, needs) => {
  expect(await needsOf(query)).toEqual(needs);
});

test('a long condition is not truncated', async () => {
  const long = 'x'.repeat(20_000);
  expect(await needsOf(`SELECT id FROM spans WHERE model = '${long}'`)).toEqual([
    spans(['id', 'model'], is('model', '=', long)),
  ]);
});

test('names that are SQL keywords are names', async () => {
  const other = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const names = ['end', 'order', 'Mixed', 'with "quotes"', 'c0', 't0'];
  const shapes = ['others', 'table', 'select'].map((name) => ({
    name,
    columns: names.map((column) => ({ name: column, type: 'INTEGER' as const })),
  }));
  await createEmptyTables(other, shapes);
  const columns = 'o."order", t."with ""quotes""", t.c0';
  const query = `SELECT ${columns} FROM others o JOIN "table" t ON t."end" = o.mixed WHERE o.t0 > 1`;
  expect(await findNeeds(other, query, shapes)).toEqual([
    { table: 'others', columns: ['order', 'Mixed', 't0'], condition: is('t0', '>', '1') },
    { table: 'table', columns: ['end', 'with "quotes"', 'c0'], condition: null },
  ]);
});

/** Reduces the tables to what is needed. */
async function narrow(world: SqlWorld, needs: readonly TableNeed[]): Promise<void> {
  for (const shape of SHAPES) {
    const need = needs.find(({ table }) => table === shape.name);
    const values = shape.columns.map(({ name, type }) =>
      need?.columns.includes(name) ? name : `NULL::${type} AS ${name}`,
    );
    const where = need?.condition ? toSql(need.condition, shape) : String(need !== undefined);
    await world.connection.run(
      `CREATE OR REPLACE VIEW narrow.${shape.name} AS SELECT ${values.join(', ')} FROM main.${shape.name} WHERE ${where}`,
    );
  }
}

async function resultOf(world: DuckDBConnection, schema: string, query: string): Promise<unknown> {
  await world.run(`SET schema = '${schema}'`);
  return (await world.runAndReadAll(query)).getRowsJson();
}

const QUERIES = Number(process.env.DRYDOCK_TEST_SQL_QUERIES ?? 300);

test(`${QUERIES} random queries have the same result with only the data that they need`, async () => {
  const world = await SqlWorld.open('needs');
  await world.connection.run('CREATE SCHEMA narrow');
  let narrowed = 0;
  for (let index = 0; index < QUERIES; index++) {
    const query = randomQuery(new Random('needs', index));
    const needs = await needsOf(query);
    narrowed += needs.filter(({ condition }) => condition !== null).length;
    await narrow(world, needs);
    const expected = await resultOf(world.connection, 'main', query);
    expect(await resultOf(world.connection, 'narrow', query), query).toEqual(expected);
  }
  // The test is only meaningful when some queries have conditions.
  expect(narrowed).toBeGreaterThan(QUERIES / 4);
});
