/** Datasets: rows in splits, published in immutable versions. */
import type {
  DatasetDownloadRequest,
  DatasetDownloadResponse,
  DatasetFromSessionsRequest,
  DatasetFromSessionsResponse,
  DatasetRowsResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { InWorkspace, OneVersion } from '../resource.ts';
import type { CallOptions } from '../transport.ts';
import { Artifacts } from './artifacts.ts';

/**
 * @example
 * ```ts
 * const dataset = { org: 'main', name: 'greetings', version: '1.0.0' };
 * const rows = new TextEncoder().encode('{"text": "hello"}\n{"text": "good evening"}\n');
 * const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', rows)).toString('hex');
 *
 * // Each file that is not stored yet gets a link to put it to.
 * const upload = await drydock.datasets.createUpload(dataset, {
 *   manifest: { summary: 'Ways to greet' },
 *   files: [{ path: 'train.jsonl', size_bytes: rows.length, sha256 }],
 * });
 * for (const { url } of upload.files) if (url) await fetch(url, { method: 'PUT', body: rows });
 * const published = await drydock.datasets.completeUpload(dataset);
 * console.log(published.name, published.row_count); // → main/greetings 2
 *
 * const found = await drydock.datasets.listRows(dataset, { search: 'EVENING' });
 * console.log(found.rows); // → [ { text: 'good evening' } ]
 * const { status } = await drydock.datasets.download(dataset);
 * console.log(status); // → ready
 * ```
 */
export class Datasets extends Artifacts<'Dataset'> {
  protected override readonly kind = 'Dataset';

  /** Returns a link to the files in their original or another format; `preparing` while the format is being created: call again. */
  download(
    where: OneVersion,
    request?: DatasetDownloadRequest,
    options?: CallOptions,
  ): Promise<DatasetDownloadResponse> {
    return this.client.call('downloadDataset', { path: where, ...(request && { body: request }) }, options);
  }

  /**
   * Returns some rows of a split. The server sends integers with all their digits, and `JSON.parse` rounds those beyond 2^53: when they
   * matter, read the split as `csv` or `jsonl` from the link of `download`, with a parser that keeps them.
   */
  listRows(
    where: OneVersion,
    filters?: QueryOf<'listDatasetRows'>,
    options?: CallOptions,
  ): Promise<DatasetRowsResponse> {
    return this.client.call('listDatasetRows', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Creates a dataset of trajectories from sessions that you can see, for training. */
  createFromSessions(
    where: InWorkspace,
    request: DatasetFromSessionsRequest,
    options?: CallOptions,
  ): Promise<DatasetFromSessionsResponse> {
    return this.client.call('createDatasetFromSessions', { path: where, body: request }, options);
  }
}
