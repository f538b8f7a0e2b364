import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { SqlTables } from '../asking.ts';
import { type QueryOptions, runQuery } from './run-query.ts';
import { QUERY_BYTES, QueryRequest, QueryResponse, QuerySchema, type QuerySchemaOf } from './schema.ts';

export function queryRoutes(options: QueryOptions) {
  return workspaceRoutes('SQL', (on) => {
    on.post(
      '/query',
      {
        id: 'queryWorkspace',
        summary: 'Ask a question in SQL',
        description:
          'Over the rows that you may see, within 30 s. What takes longer, or holds more rows, is for an export. ' +
          'At most two at once for an organization; others wait, and are answered 429 when that is long.',
        scope: 'exports:read',
        role: 'reader',
        body: QueryRequest,
        largeBody: { maxBytes: QUERY_BYTES },
        response: QueryResponse,
        returns: { text: 'application/json; charset=utf-8' },
        watched: true,
        idempotency: false,
      },
      ({ scope, body, signal }) => runQuery(options, scope, body, signal),
    );

    on.get(
      '/query/schema',
      {
        id: 'getQuerySchema',
        summary: 'Get the tables that queries can use',
        description: 'With their columns, what these mean, and what SQL is understood.',
        scope: 'exports:read',
        role: 'reader',
        response: QuerySchema,
      },
      () => describeTables(options.sql),
    );
  });
}

const RULES = [
  'Exactly one SELECT; WITH, subqueries, joins, window functions, PIVOT and set operations are part of it. Nothing else is taken.',
  'It is asked over the tables below and nothing besides: no files, no other schemas, no settings, no extensions.',
  'Each table holds the rows that you may see in this workspace, all of the moment at which the query began.',
  'Name what you need: only those columns, and only rows within plain conditions on them, are read.',
  'Every column of the result needs a name of its own; give one with AS.',
  'Moments are TIMESTAMP WITH TIME ZONE and the time zone is UTC; JSON columns are read with ->> and the json_ functions.',
  'A query is answered within 30 s and holds at most 100,000 rows; an export takes longer and holds up to 100,000,000.',
];

const describeTables = ({ tables }: SqlTables): QuerySchemaOf => ({
  dialect: 'DuckDB',
  rules: [...RULES],
  tables: tables.map(({ name, comment, columns }) => ({
    name,
    comment,
    columns: columns.map((column) => ({ name: column.name, type: column.type, comment: column.comment })),
  })),
});
