/** Starts exports, waits for them, and reads their files with a plain DuckDB. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'vitest';
import type { Client } from './harness.ts';
import { until } from './processes.ts';

export const EXPORTS = '/org/main/ws/main/exports';

export interface ExportResponse {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly error_message: string | null;
  readonly presigned_url: string | null;
  readonly url_expires_at: string | null;
  readonly file_size_bytes: number;
  readonly row_count: number;
  readonly rows_read: number;
}

export async function beginExport(client: Client, request: object, path = EXPORTS): Promise<ExportResponse> {
  const { status, body } = await client.post(path, request);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

export const untilEnded = (client: Client, { id }: { readonly id: string }, path = EXPORTS) =>
  until('the export has ended', async () => {
    const { body } = await client.get(`${path}/${id}`);
    return !['queued', 'running'].includes(body.status) && (body as ExportResponse);
  });

/** Downloads the file behind a link without any credential. */
export async function download(url: string | null): Promise<Buffer> {
  const response = await fetch(url ?? '');
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** @param sql queries the table `file` */
export async function queryParquet(bytes: Buffer, sql = 'FROM file'): Promise<unknown[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-parquet-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const path = join(folder, 'file.parquet');
    writeFileSync(path, bytes);
    await connection.run(`CREATE VIEW file AS FROM read_parquet('${path}')`);
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}
