/** Checks the declared type of every column of every table against PostgreSQL's. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../test/databases.ts';
import { somebody } from '../test/plain-rows.ts';
import { unfilteredTables } from '../test/tenant-filter-check.ts';
import { boundsOf } from './platform/sql-tables/bounds.ts';
import { narrowestColumn, toCopyStatement, toSelect } from './platform/sql-tables/copy-statement.ts';
import { writeOut } from './platform/sql-tables/literals.ts';
import type { SqlColumn, SqlType, SqlViewer } from './platform/sql-tables/sql-table.ts';
import type { Condition, TableNeed } from './platform/sql-tables/table-need.ts';
import { uuidv7 } from './platform/uuid.ts';
import { SQL_TABLES } from './sql-tables.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

const viewers: readonly SqlViewer[] = [
  somebody(),
  { ...somebody(), seesAllUsage: true },
  { ...somebody(), projectId: uuidv7() },
];

const {
  BOOL,
  INT2,
  INT4,
  INT8,
  FLOAT8,
  NUMERIC,
  TEXT,
  TIMESTAMPTZ,
  UUID,
  JSON: JSON_OID,
  JSONB,
} = pg.types.builtins;
const TEXT_ARRAY = 1009;
const UUID_ARRAY = 2951;

const EXPECTED: Readonly<Record<SqlType, readonly number[]>> = {
  UUID: [UUID],
  VARCHAR: [TEXT],
  'VARCHAR[]': [TEXT_ARRAY, UUID_ARRAY],
  BOOLEAN: [BOOL],
  INTEGER: [INT4, INT2],
  BIGINT: [INT8],
  DOUBLE: [FLOAT8],
  'DECIMAL(38,18)': [NUMERIC],
  'TIMESTAMP WITH TIME ZONE': [TIMESTAMPTZ],
  // JSON of spans is stored as text, which the reader parses.
  JSON: [JSON_OID, JSONB, TEXT],
};

const VALUES: Readonly<Record<SqlType, string | boolean>> = {
  UUID: uuidv7(),
  VARCHAR: "it's",
  'VARCHAR[]': 'none',
  BOOLEAN: true,
  INTEGER: '1',
  BIGINT: '1',
  DOUBLE: '1.5',
  'DECIMAL(38,18)': '0.25',
  'TIMESTAMP WITH TIME ZONE': '2026-01-01 00:00:00+00',
  JSON: 'none',
};

const conditionsOn = ({ name, type }: SqlColumn): Extract<Condition, { column: string }>[] => [
  { column: name, is: 'null' },
  { column: name, is: 'not null' },
  ...(['=', '<>', '<', '<=', '>', '>='] as const).map((is) => ({ column: name, is, value: VALUES[type] })),
];

test('tables and columns have unique names and descriptions', () => {
  const names = SQL_TABLES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, comment, columns } of SQL_TABLES) {
    expect([name, comment]).toEqual([
      expect.stringMatching(/^[a-z][a-z_]*$/),
      expect.stringMatching(/^[A-Z].{15,}\.$/),
    ]);
    expect(new Set(columns.map((column) => column.name)).size).toBe(columns.length);
    for (const column of columns) {
      expect(column.name).toMatch(/^[a-z][a-z_]*$/);
      expect(column.comment, `${name}.${column.name}`).toMatch(/^[A-Za-z0-9].{7,}\.$/);
    }
  }
});

test('all tables of the contract exist', () => {
  expect(SQL_TABLES.map(({ name }) => name).toSorted()).toEqual([
    'assessments',
    'datasets',
    'evaluation_items',
    'evaluation_scores',
    'evaluations',
    'finding_reviews',
    'findings',
    'inference_usage',
    'messages',
    'models',
    'optimization_candidates',
    'optimization_jobs',
    'optimization_proposals',
    'projects',
    'runtimes',
    'sessions',
    'spans',
    'task_sets',
    'traces',
    'training_checkpoints',
    'training_jobs',
    'training_metrics',
    'trials',
  ]);
});

describe.each(SQL_TABLES)('$name', (table) => {
  const need = (columns: readonly SqlColumn[], condition: Condition | null = null): TableNeed => ({
    table: table.name,
    columns: columns.map(({ name }) => name),
    condition,
  });

  test("restricts the rows of every table that it reads to the viewer's", () => {
    const conditions = [null, ...table.columns.map((column) => ({ all: conditionsOn(column) }))];
    for (const viewer of viewers)
      for (const condition of conditions)
        expect(unfilteredTables(toSelect(table, need(table.columns, condition), viewer))).toEqual([]);
  });

  test('returns the declared types', async () => {
    for (const viewer of viewers.slice(0, 2)) {
      const rows = table.rows(viewer, boundsOf(null));
      for (const column of table.columns) {
        const { fields } = await client.query(writeOut(sql`SELECT ${column.value} AS value ${rows}`));
        expect(EXPECTED[column.type], `${column.name}: ${fields[0]?.dataTypeID}`).toContain(
          fields[0]?.dataTypeID,
        );
      }
    }
  });

  test('can be read completely, by each column, and without columns', async () => {
    for (const viewer of viewers) {
      await client.query(toSelect(table, need(table.columns), viewer));
      for (const column of table.columns) await client.query(toSelect(table, need([column]), viewer));
      const none = toCopyStatement(table, need([]), viewer);
      expect(none).toBe(toCopyStatement(table, need([narrowestColumn(table)]), viewer));
    }
  });

  test('can be read with every condition on every column', async () => {
    for (const column of table.columns) {
      const conditions = conditionsOn(column);
      const isOneOf: Condition = {
        any: conditions.filter(({ is }) => is === '=').flatMap((one) => [one, one]),
      };
      for (const condition of [{ all: conditions }, { any: conditions }, isOneOf])
        await client.query(toSelect(table, need([column], condition), viewers[0] as SqlViewer));
    }
  });
});
