/** Request and response schemas of exports. */
import { z } from 'zod';
import { Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { pageOf, pageQuery } from '../../platform/http/responses/pages.ts';
import { Sql } from '../query/schema.ts';

const EXPORT_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

const DEFAULT_ROWS = 10_000_000;
const MAX_ROWS = 100_000_000;

export const ExportRequest = z
  .object({
    query: Sql,
    max_rows: z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS).describe('More are left out'),
    project_id: Uuid.nullish().describe('Only rows of this project, where rows belong to one'),
  })
  .meta({ id: 'ExportRequest' });

export const ExportJobResponse = z
  .object({
    id: Id,
    status: z.enum(EXPORT_STATUSES),
    created_at: Timestamp,
    completed_at: Timestamp.nullable().describe('When it ended, however it did'),
    error_message: z.string().nullable(),
    presigned_url: z
      .string()
      .nullable()
      .describe('The file, in Parquet: for whoever has the link, until it expires'),
    url_expires_at: Timestamp.nullable().describe('A day after its end; then the file is deleted'),
    file_size_bytes: z.int(),
    row_count: z.int(),
    rows_read: z.int().describe('Rows that were read for it so far: its progress'),
  })
  .meta({ id: 'ExportJobResponse' });

export const ExportListResponse = pageOf('exports', ExportJobResponse).meta({ id: 'ExportListResponse' });

export const exportQuery = z.object(pageQuery({ defaultLimit: 50, maxLimit: 100 }));

export const ExportParams = z.object({ export_id: Uuid });

export type ExportRequestOf = z.output<typeof ExportRequest>;
export type ExportJobOf = z.output<typeof ExportJobResponse>;
export type ExportQuery = z.output<typeof exportQuery>;
