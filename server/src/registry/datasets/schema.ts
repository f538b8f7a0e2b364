/** Request and response schemas of dataset rows. */
import { z } from 'zod';

const DatasetColumn = z
  .object({
    name: z.string(),
    type: z.string().describe('As DuckDB writes it, such as `BIGINT` or `STRUCT(a VARCHAR, b DOUBLE[])`'),
  })
  .meta({ id: 'DatasetColumn' });

const DatasetRow = z.unknown().meta({
  id: 'DatasetRow',
  type: 'object',
  additionalProperties: true,
  description: 'A value for each column. Integers have all their digits, also beyond 2^53',
});

/** Schema of the JSON text in the response. */
export const DatasetRowsResponse = z
  .object({
    columns: z.array(DatasetColumn),
    rows: z.array(DatasetRow),
    total: z.int().describe('Rows of the split, or those that the search finds'),
  })
  .meta({ id: 'DatasetRowsResponse' }) as unknown as z.ZodType<string>;

export const rowsQuery = z.object({
  split: z.string().optional().describe('May be left out where there is one data file'),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(100).default(50),
  search: z.string().max(500).optional().describe('Part of the text of any column, whatever its case'),
});

export type RowsQuery = z.output<typeof rowsQuery>;
