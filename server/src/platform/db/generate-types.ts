/** Writes `schema.gen.ts`: the tables as Kysely sees them, read from a migrated database. */
import { openClient } from './open-client.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly has_default: boolean;
  readonly allowed: string[] | null;
}

const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  _bytea: 'Buffer[]',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  _int4: 'number[]',
  int8: 'number',
  _int8: 'number[]',
  json: 'unknown',
  jsonb: 'unknown',
  numeric: 'number',
  text: 'string',
  _text: 'string[]',
  timestamptz: 'string',
  date: 'string',
  uuid: 'string',
  _uuid: 'string[]',
  _float8: 'number[]',
  xid8: 'string',
  tsvector: 'string',
};

/** A check such as `role IN ('owner', 'admin')` becomes the union of its values. */
const COLUMNS = `
  SELECT c.relname AS table, a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable,
         a.atthasdef AS has_default,
         (SELECT array_agg(m[1] ORDER BY m[1])
            FROM pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') AS m
           WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
             AND pg_get_constraintdef(k.oid) ~ '= (ANY|'')' AND t.typname = 'text') AS allowed
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   ORDER BY c.relname, a.attnum`;

export async function generateTypes(url: string): Promise<string> {
  const client = await openClient(url, 'generate');
  const { rows } = await client.query<Column>(COLUMNS);
  await client.end();

  const byTable = Map.groupBy(rows, (column) => column.table);
  const tables = [...byTable].map(([table, columns]) => {
    const fields = columns.map((column) => `  ${column.name}: ${columnType(column)};`);
    return `interface ${interfaceName(table)} {\n${fields.join('\n')}\n}\n`;
  });
  const entries = [...byTable.keys()].map((table) => `  ${table}: ${interfaceName(table)};`);
  return [
    '// Generated from the migrations by `npm run generate`. Do not edit.',
    "import type { Generated } from 'kysely';",
    '',
    ...tables,
    `export interface Database {\n${entries.join('\n')}\n}\n`,
  ].join('\n');
}

function columnType({ type, nullable, has_default, allowed }: Column): string {
  const known = allowed?.map((value) => `'${value}'`).join(' | ') ?? TYPES[type];
  if (!known)
    throw new Error(`No TypeScript type is known for PostgreSQL's ${type}; add it to generate-types.ts`);
  const whole = nullable ? `${known} | null` : known;
  return has_default ? `Generated<${whole}>` : whole;
}

const interfaceName = (table: string) =>
  table.replace(/(^|_)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
