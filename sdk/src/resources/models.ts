/** Models: weights and related files, published in immutable versions. */
import type {
  ArtifactFileListResponse,
  ArtifactUpload,
  ArtifactUploadRequest,
  ArtifactVersionListResponse,
  CompleteUploadRequest,
  DatasetDownloadResponse,
  ModelAliasRequest,
  ModelArtifactListResponse,
  ModelDetail,
  ServedModel,
  ServeModelResponse,
  UpdateVisibilityRequest,
  UpdateVisibilityResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import type { Bytes } from '../request-body.ts';
import {
  type InOrganization,
  type NamedArtifact,
  type OneFile,
  type OneVersion,
  Resource,
} from '../resource.ts';
import type { CallOptions } from '../transport.ts';

interface OneAlias extends NamedArtifact {
  readonly alias: string;
}

/**
 * @example
 * ```ts
 * const model = { org: 'main', name: 'tiny', version: '1.0.0' };
 * const weights = new Uint8Array(8);
 * const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', weights)).toString('hex');
 * const upload = await drydock.models.createUpload(model, {
 *   manifest: { summary: 'Eight bytes', tags: ['demo'] },
 *   files: [{ path: 'model.safetensors', size_bytes: weights.length, sha256 }],
 * });
 * for (const { url } of upload.files) if (url) await fetch(url, { method: 'PUT', body: weights });
 * await drydock.models.completeUpload(model);
 *
 * await drydock.models.setAlias({ org: 'main', name: 'tiny', alias: 'production' }, { version: '1.0.0' });
 * for await (const { name, aliases } of drydock.models.list({ org: 'main' }, { tags: ['demo'] })) {
 *   console.log(name, aliases); // → main/tiny [ 'production' ]
 * }
 * ```
 */
export class Models extends Resource {
  /** Lists one entry per name: its newest release. */
  list(
    where: InOrganization,
    filters?: QueryOf<'listModels'>,
    options?: CallOptions,
  ): List<ModelArtifactListResponse> {
    return this.client.list('listModels', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the newest version. */
  get(where: NamedArtifact, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('getModel', { path: where }, options);
  }

  /** Lists all versions, newest first. */
  listVersions(
    where: NamedArtifact,
    filters?: QueryOf<'listModelVersions'>,
    options?: CallOptions,
  ): List<ArtifactVersionListResponse> {
    return this.client.list(
      'listModelVersions',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Returns one version. */
  getVersion(where: OneVersion, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('getModelVersion', { path: where }, options);
  }

  /** Deletes a version; its number cannot be used again. */
  deleteVersion(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('deleteModelVersion', { path: where }, options);
  }

  /** Publishes a bundle: a tar.gz with `model.yaml` at its root. Publishing the same content again returns the existing version. */
  publish(where: OneVersion, bundle: Bytes, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('publishModel', { path: where, body: bundle }, options);
  }

  /** Starts an upload of single files: the response has a link for each file that is not stored yet. */
  createUpload(
    where: OneVersion,
    request: ArtifactUploadRequest,
    options?: CallOptions,
  ): Promise<ArtifactUpload> {
    return this.client.call('createModelUpload', { path: where, body: request }, options);
  }

  /** Verifies and publishes the uploaded files. */
  completeUpload(
    where: OneVersion,
    request?: CompleteUploadRequest,
    options?: CallOptions,
  ): Promise<ModelDetail> {
    return this.client.call(
      'completeModelUpload',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }

  /** Lists the files of a version. */
  listFiles(
    where: OneVersion,
    filters?: QueryOf<'listModelFiles'>,
    options?: CallOptions,
  ): List<ArtifactFileListResponse> {
    return this.client.list('listModelFiles', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the content of a file. */
  getFile(where: OneFile, options?: CallOptions): Promise<Response> {
    return this.client.file('getModelFile', { path: where }, options);
  }

  /** Sets whether every signed-in user may read all versions, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<UpdateVisibilityResponse> {
    return this.client.call('updateModelVisibility', { path: where, body: request }, options);
  }

  /** Returns a link to the file, or to an archive of the files; `preparing` while the archive is being created: call again. */
  download(where: OneVersion, options?: CallOptions): Promise<DatasetDownloadResponse> {
    return this.client.call('downloadModel', { path: where }, options);
  }

  /** Points an alias to a version; it can be used wherever a version is expected. */
  setAlias(where: OneAlias, request: ModelAliasRequest, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('setModelAlias', { path: where, body: request }, options);
  }

  /** Deletes an alias. */
  deleteAlias(where: OneAlias, options?: CallOptions): Promise<void> {
    return this.client.call('deleteModelAlias', { path: where }, options);
  }

  /** Starts a version next to the server, and resolves when it responds to calls as `local/<name>@<version>`. */
  serve(where: OneVersion, options?: CallOptions): Promise<ServeModelResponse> {
    return this.client.call('serveModel', { path: where }, options);
  }

  /** Stops serving a version and refuses its calls from now on. */
  stopServing(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('stopServingModel', { path: where }, options);
  }

  /** Lists all versions served next to the server. */
  listServed(where: InOrganization, options?: CallOptions): List<ServedModel[]> {
    return this.client.list('listServedModels', { path: where }, options);
  }
}
