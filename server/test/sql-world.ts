/** Tables for SQL whose rows lie in a plain DuckDB: the source of an engine, and the reference for its results. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Random } from '../fuzz/random.ts';
import type { SqlTableShape, SqlType } from '../src/platform/sql-tables/sql-table.ts';
import type { Condition, RowSource, TableNeed } from '../src/platform/sql-tables/table-need.ts';
import { sourceOf } from './row-pipes.ts';

const column = (name: string, type: SqlType) => ({ name, type });

export const SHAPES: readonly SqlTableShape[] = [
  {
    name: 'spans',
    columns: [
      column('id', 'UUID'),
      column('model', 'VARCHAR'),
      column('started_at', 'TIMESTAMP WITH TIME ZONE'),
      column('tokens', 'BIGINT'),
      column('depth', 'INTEGER'),
      column('seconds', 'DOUBLE'),
      column('cost', 'DECIMAL(38,18)'),
      column('failed', 'BOOLEAN'),
      column('tags', 'VARCHAR[]'),
      column('attributes', 'JSON'),
    ],
  },
  {
    name: 'messages',
    columns: [
      column('id', 'UUID'),
      column('span_id', 'UUID'),
      column('role', 'VARCHAR'),
      column('content', 'VARCHAR'),
      column('tokens', 'BIGINT'),
      column('created_at', 'TIMESTAMP WITH TIME ZONE'),
    ],
  },
];

type Rows = readonly (readonly (string | null)[])[];

const TEXTS = [
  'gpt',
  'GPT',
  'gpt-4o',
  '',
  ' a ',
  'é',
  'e\u0301',
  '😀',
  'it\'s "q"',
  'x,y',
  'l1\nl2',
  'l1\r\nl2',
  '\r',
  '\\',
].concat(['\\.', '\ufeffmark', 'null', 'NULL', '\u2028', '𝔘', 'a\tb', '#comment', 'long '.repeat(300)]);
const MOMENTS = [
  '2026-01-01 00:00:00+00',
  '2026-01-01 00:00:00.000001+00',
  '2026-02-28 23:59:59.999999+00',
].concat(['2026-01-15 12:00:00.5+00', '1999-12-31 23:59:59.123+00', '2026-01-01 10:30:00+05:30']);
const JSONS = [
  '{}',
  '[]',
  'null',
  '{"a": 1.50, "b": ["x", null, true]}',
  '"text"',
  '12345678901234567890123',
  '{"n": {"m": "NaN, inf"}}',
];
const POOLS: Readonly<Record<SqlType, readonly string[]>> = {
  UUID: [1, 2, 3, 4, 255].map(
    (n) => `${n % 2 ? '0' : 'f'}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  ),
  VARCHAR: TEXTS,
  'VARCHAR[]': ['[]', '["a", "b"]', '["x\\n\\"y\\"", null, "😀"]', '[""]'],
  BOOLEAN: ['t', 'f'],
  INTEGER: ['0', '1', '2', '3', '-7', '2147483647', '-2147483648'],
  BIGINT: ['0', '1', '3', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
  DOUBLE: [
    '0',
    '0.1',
    '-2.5',
    '1e+300',
    '5e-324',
    'NaN',
    'Infinity',
    '-Infinity',
    '0.30000000000000004',
    '3',
  ],
  'DECIMAL(38,18)': [
    '0',
    '0.000000000000000001',
    '-12345678901234567890.123456789012345678',
    '3',
    '1.5',
    '0.1',
  ],
  'TIMESTAMP WITH TIME ZONE': MOMENTS,
  JSON: JSONS,
};

export function randomRows(random: Random, { columns }: SqlTableShape, count: number): Rows {
  return Array.from({ length: count }, () =>
    columns.map(({ type }) => (random.chance(0.2) ? null : random.pick(POOLS[type]))),
  );
}

/** CSV in the format of PostgreSQL's COPY: an empty text is quoted, NULL is empty. */
export function toCsv(rows: Rows): string {
  const field = (value: string | null) => {
    if (value === null) return '';
    return value === '' || /[",\r\n]|^\\\.$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  return rows.map((row) => `${row.map(field).join(',')}\n`).join('');
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Holds the rows of all tables with their declared types. */
export class SqlWorld {
  readonly connection: DuckDBConnection;

  private constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

  static async open(seed: string, counts: readonly number[] = [60, 40]): Promise<SqlWorld> {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
    await connection.run("SET TimeZone = 'UTC'");
    const random = new Random(seed, 'rows');
    for (const [index, shape] of SHAPES.entries()) {
      const types = shape.columns.map(({ name, type }) => `${name} ${type}`);
      await connection.run(`CREATE TABLE ${shape.name} (${types.join(', ')})`);
      for (const row of randomRows(random, shape, counts[index] ?? 0)) {
        const values = row.map((value, at) => toLiteral(value, shape.columns[at]?.type ?? 'VARCHAR'));
        await connection.run(`INSERT INTO ${shape.name} VALUES (${values.join(', ')})`);
      }
    }
    return new SqlWorld(connection);
  }

  /** Omits rows that the condition excludes, and columns that are not requested. */
  source(seen: TableNeed[] = []): RowSource {
    return sourceOf(async (need, pipe) => {
      seen.push(need);
      const text = toCsv(await this.rowsFor(need));
      if (text !== '') pipe.write(text);
    });
  }

  async rowsFor({ table, columns, condition }: TableNeed): Promise<Rows> {
    const shape = SHAPES.find(({ name }) => name === table);
    const texts = columns.map((name) => {
      const isList = shape?.columns.find((each) => each.name === name)?.type === 'VARCHAR[]';
      // The prefixed point preserves a byte order mark.
      return `'.' || CAST(${isList ? `to_json(${name})` : name} AS VARCHAR)`;
    });
    const where = condition === null ? '' : `WHERE ${toSql(condition, shape)}`;
    const result = await this.connection.runAndReadAll(
      `SELECT ${texts.join(', ')} FROM ${table} ${where} ORDER BY rowid`,
    );
    return result
      .getRows()
      .map((row) => row.map((value) => (value === null ? null : String(value).slice(1))));
  }
}

function toLiteral(value: string | null, type: SqlType): string {
  if (value === null) return 'NULL';
  return type === 'VARCHAR[]'
    ? `CAST(${quote(value)}::JSON AS VARCHAR[])`
    : `CAST(${quote(value)} AS ${type})`;
}

/** Converts the condition to the SQL that PostgreSQL would run, in DuckDB's dialect. */
export function toSql(condition: Condition, shape: SqlTableShape | undefined): string {
  if ('all' in condition) return `(${condition.all.map((each) => toSql(each, shape)).join(' AND ')})`;
  if ('any' in condition) return `(${condition.any.map((each) => toSql(each, shape)).join(' OR ')})`;
  if (!('value' in condition)) return `${condition.column} IS ${condition.is}`;
  const type = shape?.columns.find(({ name }) => name === condition.column)?.type ?? 'VARCHAR';
  return `${condition.column} ${condition.is} CAST(${quote(String(condition.value))} AS ${type})`;
}
