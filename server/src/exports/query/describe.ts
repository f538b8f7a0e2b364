import type { SqlTables } from '../asking.ts';
import type { QuerySchemaOf } from './schema.ts';

const RULES = [
  'Exactly one SELECT; WITH, subqueries, joins, window functions, PIVOT and set operations are part of it. Nothing else is taken.',
  'It is asked over the tables below and nothing besides: no files, no other schemas, no settings, no extensions.',
  'Each table holds the rows that you may see in this workspace, all of the moment at which the query began.',
  'Name what you need: only those columns, and only rows within plain conditions on them, are read.',
  'Every column of the result needs a name of its own; give one with AS.',
  'Moments are TIMESTAMP WITH TIME ZONE and the time zone is UTC; JSON columns are read with ->> and the json_ functions.',
  'A query is answered within 30 s and holds at most 100,000 rows; an export takes longer and holds up to 100,000,000.',
];

export const describeTables = ({ tables }: SqlTables): QuerySchemaOf => ({
  dialect: 'DuckDB',
  rules: [...RULES],
  tables: tables.map(({ name, comment, columns }) => ({
    name,
    comment,
    columns: columns.map((column) => ({ name: column.name, type: column.type, comment: column.comment })),
  })),
});
