/** Models: weights and what goes with them, published in immutable versions. */
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
  /** One entry for each name: its newest release. */
  list(
    where: InOrganization,
    filters?: QueryOf<'listModels'>,
    options?: CallOptions,
  ): List<ModelArtifactListResponse> {
    return this.client.list('listModels', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** The newest version. */
  get(where: NamedArtifact, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('getModel', { path: where }, options);
  }

  /** All versions, newest first. */
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

  /** One version. */
  getVersion(where: OneVersion, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('getModelVersion', { path: where }, options);
  }

  /** Deletes a version; its number stays taken. */
  deleteVersion(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('deleteModelVersion', { path: where }, options);
  }

  /** Publishes a bundle: a tar.gz with `model.yaml` at its root. The same content again is answered with what is there. */
  publish(where: OneVersion, bundle: Bytes, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('publishModel', { path: where, body: bundle }, options);
  }

  /** Begins an upload of single files: the answer has a link for each that is not stored yet. */
  createUpload(
    where: OneVersion,
    request: ArtifactUploadRequest,
    options?: CallOptions,
  ): Promise<ArtifactUpload> {
    return this.client.call('createModelUpload', { path: where, body: request }, options);
  }

  /** Verifies what was uploaded, and publishes it. */
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

  /** The files of a version. */
  listFiles(
    where: OneVersion,
    filters?: QueryOf<'listModelFiles'>,
    options?: CallOptions,
  ): List<ArtifactFileListResponse> {
    return this.client.list('listModelFiles', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** The content of a file. */
  getFile(where: OneFile, options?: CallOptions): Promise<Response> {
    return this.client.file('getModelFile', { path: where }, options);
  }

  /** Lets everyone who is signed in read all versions, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<UpdateVisibilityResponse> {
    return this.client.call('updateModelVisibility', { path: where, body: request }, options);
  }

  /** A link to the file, or to an archive of the files; `preparing` while that is being made: ask again. */
  download(where: OneVersion, options?: CallOptions): Promise<DatasetDownloadResponse> {
    return this.client.call('downloadModel', { path: where }, options);
  }

  /** Lets an alias name a version; where a version is asked for, it will do as well. */
  setAlias(where: OneAlias, request: ModelAliasRequest, options?: CallOptions): Promise<ModelDetail> {
    return this.client.call('setModelAlias', { path: where, body: request }, options);
  }

  /** Deletes an alias. */
  deleteAlias(where: OneAlias, options?: CallOptions): Promise<void> {
    return this.client.call('deleteModelAlias', { path: where }, options);
  }

  /** Starts a version beside the server, and resolves when it answers to calls as `local/<name>@<version>`. */
  serve(where: OneVersion, options?: CallOptions): Promise<ServeModelResponse> {
    return this.client.call('serveModel', { path: where }, options);
  }

  /** Ends it, and its calls from now on. */
  stopServing(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('stopServingModel', { path: where }, options);
  }

  /** All versions that are served beside the server. */
  listServed(where: InOrganization, options?: CallOptions): List<ServedModel[]> {
    return this.client.list('listServedModels', { path: where }, options);
  }
}
