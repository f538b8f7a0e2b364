/** Request and response schemas of SQL queries, and the tables that can be queried. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';

/** Longer than any meaningful query. */
export const MAX_QUERY_LENGTH = 1_000_000;
/** Limit of the body, so that a query up to this size gets a specific error instead of being cut off. */
export const QUERY_BYTES = 16 * 1024 ** 2;
const MAX_ROWS = 100_000;

export const Sql = z
  .string()
  .min(1)
  .max(MAX_QUERY_LENGTH)
  .describe('One SELECT, in the dialect of DuckDB; `GET …/query/schema` tells the tables');

export const QueryRequest = z
  .object({
    query: Sql,
    max_rows: z.int().min(1).max(MAX_ROWS).default(10_000).describe('More are left out: `truncated`'),
    project_id: Uuid.nullish().describe('Only rows of this project, where rows belong to one'),
  })
  .meta({ id: 'QueryRequest' });

const SqlColumn = z.object({
  name: z.string(),
  type: z.string().describe('As DuckDB names it, such as `BIGINT` or `VARCHAR[]`'),
});

const AnyRow = z.array(z.unknown());

/** Sent as the JSON text that it is, which preserves every digit. */
export const QueryResponse = z
  .object({
    columns: z.array(SqlColumn.meta({ id: 'QueryColumn' })),
    rows: z
      .array(AnyRow)
      .describe(
        'Values in the order of the columns. Moments are UTC; what JSON has no value for (`NaN`, `Infinity`) is text',
      ),
    row_count: z.int(),
    truncated: z.boolean().describe('There are more rows than `max_rows`'),
    elapsed_ms: z.int(),
  })
  .meta({ id: 'QueryResponse' }) as unknown as z.ZodType<string>;

const QueryTable = z
  .object({
    name: z.string(),
    comment: z.string(),
    columns: z.array(SqlColumn.extend({ comment: z.string() }).meta({ id: 'QueryTableColumn' })),
  })
  .meta({ id: 'QueryTable' });

export const QuerySchema = z
  .object({
    dialect: z.string(),
    rules: z.array(z.string()).describe('What a query may be, and what becomes of it'),
    tables: z.array(QueryTable),
  })
  .meta({ id: 'QuerySchema' });

export type QueryRequestOf = z.output<typeof QueryRequest>;
export type QuerySchemaOf = z.output<typeof QuerySchema>;
