import { z } from 'zod';
import { Timestamp } from '../../platform/fields.ts';

export const DatasetDownloadRequest = z
  .object({
    format: z
      .enum(['raw', 'parquet', 'csv', 'jsonl'])
      .default('raw')
      .describe('`raw`: as it was published, several files as one tar.gz'),
    split: z.string().nullish().describe('Needed by all formats but `raw` when there are several'),
  })
  .meta({ id: 'DatasetDownloadRequest' });

export const DatasetDownloadResponse = z
  .object({
    download_id: z.string(),
    status: z
      .enum(['ready', 'preparing', 'failed'])
      .describe('`preparing`: ask again in a moment. `failed`: asking again retries'),
    url: z.string().nullable().describe('Anyone with this URL can download until it expires'),
    filename: z.string().nullable(),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'DatasetDownloadResponse' });

export type DownloadRequest = z.output<typeof DatasetDownloadRequest>;
export type DownloadState = z.output<typeof DatasetDownloadResponse>;
