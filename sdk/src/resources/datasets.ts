/** Datasets: rows in splits, published in immutable versions. */
import type {
  ArtifactFileListResponse,
  ArtifactUpload,
  ArtifactUploadRequest,
  ArtifactVersionListResponse,
  CompleteUploadRequest,
  DatasetDetail,
  DatasetDownloadRequest,
  DatasetDownloadResponse,
  DatasetFromSessionsRequest,
  DatasetFromSessionsResponse,
  DatasetListResponse,
  DatasetRowsResponse,
  UpdateVisibilityRequest,
  UpdateVisibilityResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import type { Bytes } from '../request-body.ts';
import {
  type InOrganization,
  type InWorkspace,
  type NamedArtifact,
  type OneFile,
  type OneVersion,
  Resource,
} from '../resource.ts';
import type { CallOptions } from '../transport.ts';

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
export class Datasets extends Resource {
  /** Lists one entry per name: its newest release. */
  list(
    where: InOrganization,
    filters?: QueryOf<'listDatasets'>,
    options?: CallOptions,
  ): List<DatasetListResponse> {
    return this.client.list('listDatasets', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the newest version. */
  get(where: NamedArtifact, options?: CallOptions): Promise<DatasetDetail> {
    return this.client.call('getDataset', { path: where }, options);
  }

  /** Lists all versions, newest first. */
  listVersions(
    where: NamedArtifact,
    filters?: QueryOf<'listDatasetVersions'>,
    options?: CallOptions,
  ): List<ArtifactVersionListResponse> {
    return this.client.list(
      'listDatasetVersions',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Returns one version. */
  getVersion(where: OneVersion, options?: CallOptions): Promise<DatasetDetail> {
    return this.client.call('getDatasetVersion', { path: where }, options);
  }

  /** Deletes a version; its number cannot be used again. */
  deleteVersion(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('deleteDatasetVersion', { path: where }, options);
  }

  /** Publishes a bundle: a tar.gz with `dataset.yaml` at its root. Publishing the same content again returns the existing version. */
  publish(where: OneVersion, bundle: Bytes, options?: CallOptions): Promise<DatasetDetail> {
    return this.client.call('publishDataset', { path: where, body: bundle }, options);
  }

  /** Starts an upload of single files: the response has a link for each file that is not stored yet. */
  createUpload(
    where: OneVersion,
    request: ArtifactUploadRequest,
    options?: CallOptions,
  ): Promise<ArtifactUpload> {
    return this.client.call('createDatasetUpload', { path: where, body: request }, options);
  }

  /** Verifies and publishes the uploaded files. */
  completeUpload(
    where: OneVersion,
    request?: CompleteUploadRequest,
    options?: CallOptions,
  ): Promise<DatasetDetail> {
    return this.client.call(
      'completeDatasetUpload',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }

  /** Lists the files of a version. */
  listFiles(
    where: OneVersion,
    filters?: QueryOf<'listDatasetFiles'>,
    options?: CallOptions,
  ): List<ArtifactFileListResponse> {
    return this.client.list('listDatasetFiles', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the content of a file. */
  getFile(where: OneFile, options?: CallOptions): Promise<Response> {
    return this.client.file('getDatasetFile', { path: where }, options);
  }

  /** Sets whether every signed-in user may read all versions, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<UpdateVisibilityResponse> {
    return this.client.call('updateDatasetVisibility', { path: where, body: request }, options);
  }

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
