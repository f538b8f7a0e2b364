/** SQL queries whose result is a file. */
import type { ExportJobResponse, ExportListResponse, ExportRequest } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneExport, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const { id } = await drydock.exports.create(where, { query: 'SELECT id, key, created_at FROM projects' });
 * const mine = { ...where, export_id: id };
 *
 * let done = await drydock.exports.get(mine);
 * while (done.status === 'queued' || done.status === 'running') {
 *   await new Promise((resolve) => setTimeout(resolve, 500));
 *   done = await drydock.exports.get(mine);
 * }
 * console.log(done.status, done.row_count > 0); // → completed true
 *
 * const file = await fetch(done.presigned_url ?? ''); // anyone with the link, for a day
 * const bytes = new Uint8Array(await file.arrayBuffer());
 * console.log(new TextDecoder().decode(bytes.subarray(0, 4))); // → PAR1
 * ```
 */
export class Exports extends Resource {
  /** Starts to export the rows of a query as a Parquet file. */
  create(where: InWorkspace, request: ExportRequest, options?: CallOptions): Promise<ExportJobResponse> {
    return this.client.call('createExport', { path: where, body: request }, options);
  }

  /** Lists your exports, newest first. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listExports'>,
    options?: CallOptions,
  ): List<ExportListResponse> {
    return this.client.list('listExports', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the progress, and a link to the file when it is completed. */
  get(where: OneExport, options?: CallOptions): Promise<ExportJobResponse> {
    return this.client.call('getExport', { path: where }, options);
  }

  /** Cancels a queued or running export. */
  cancel(where: OneExport, options?: CallOptions): Promise<ExportJobResponse> {
    return this.client.call('cancelExport', { path: where }, options);
  }
}
