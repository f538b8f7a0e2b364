/** What datasets, models, tasks and capabilities have in common: immutable versions of files below a name. */
import type {
  ArtifactFileListResponse,
  ArtifactUpload,
  ArtifactUploadRequest,
  ArtifactVersionListResponse,
  CompleteUploadRequest,
  UpdateVisibilityRequest,
  UpdateVisibilityResponse,
} from '../models.gen.ts';
import type { Input, OperationId, QueryOf, ResponseBody } from '../operation-types.ts';
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

const LISTS = {
  Capability: 'listCapabilities',
  Dataset: 'listDatasets',
  Model: 'listModels',
  Task: 'listTasks',
} as const;

type Kind = keyof typeof LISTS;
type ListId<K extends Kind> = (typeof LISTS)[K];

/** Each kind has operations of its own; their names contain the kind. */
export abstract class Artifacts<K extends Kind> extends Resource {
  protected abstract readonly kind: K;

  /** Lists one entry per name: its newest release. */
  list(
    where: InOrganization,
    filters?: QueryOf<ListId<K>>,
    options?: CallOptions,
  ): List<ResponseBody<ListId<K>>> {
    return this.client.list(LISTS[this.kind], toInput<ListId<K>>(where, { query: filters }), options);
  }

  /** Returns the newest version. */
  get(where: NamedArtifact, options?: CallOptions): Promise<ResponseBody<`get${K}`>> {
    return this.client.call(`get${this.kind}`, toInput<`get${K}`>(where), options);
  }

  /** Lists all versions, newest first. */
  listVersions(
    where: NamedArtifact,
    filters?: QueryOf<`list${K}Versions`>,
    options?: CallOptions,
  ): List<ArtifactVersionListResponse> {
    const input = toInput<`list${Kind}Versions`>(where, { query: filters });
    return this.client.list<`list${Kind}Versions`>(`list${this.kind}Versions`, input, options);
  }

  /** Returns one version. */
  getVersion(where: OneVersion, options?: CallOptions): Promise<ResponseBody<`get${K}Version`>> {
    return this.client.call(`get${this.kind}Version`, toInput<`get${K}Version`>(where), options);
  }

  /** Deletes a version; its number cannot be used again. */
  deleteVersion(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call<`delete${Kind}Version`>(`delete${this.kind}Version`, { path: where }, options);
  }

  /**
   * Publishes a bundle: a tar.gz with the manifest, such as `dataset.yaml`, at its root. Publishing the same content again returns the
   * existing version.
   */
  publish(where: OneVersion, bundle: Bytes, options?: CallOptions): Promise<ResponseBody<`publish${K}`>> {
    const input = toInput<`publish${K}`>(where, { body: bundle });
    return this.client.call(`publish${this.kind}`, input, options);
  }

  /** Starts an upload of single files: the response has a link for each file that is not stored yet. */
  createUpload(
    where: OneVersion,
    request: ArtifactUploadRequest,
    options?: CallOptions,
  ): Promise<ArtifactUpload> {
    const input = { path: where, body: request };
    return this.client.call<`create${Kind}Upload`>(`create${this.kind}Upload`, input, options);
  }

  /** Verifies and publishes the uploaded files. */
  completeUpload(
    where: OneVersion,
    request?: CompleteUploadRequest,
    options?: CallOptions,
  ): Promise<ResponseBody<`complete${K}Upload`>> {
    const input = toInput<`complete${K}Upload`>(where, { body: request });
    return this.client.call(`complete${this.kind}Upload`, input, options);
  }

  /** Lists the files of a version. */
  listFiles(
    where: OneVersion,
    filters?: QueryOf<`list${K}Files`>,
    options?: CallOptions,
  ): List<ArtifactFileListResponse> {
    const input = toInput<`list${Kind}Files`>(where, { query: filters });
    return this.client.list<`list${Kind}Files`>(`list${this.kind}Files`, input, options);
  }

  /** Returns the content of a file. */
  getFile(where: OneFile, options?: CallOptions): Promise<Response> {
    return this.client.file<`get${Kind}File`>(`get${this.kind}File`, { path: where }, options);
  }

  /** Sets whether every signed-in user may read all versions, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<UpdateVisibilityResponse> {
    const input = { path: where, body: request };
    return this.client.call<`update${Kind}Visibility`>(`update${this.kind}Visibility`, input, options);
  }
}

/** The compiler cannot compare the input of an operation while its kind is open; each use inside `Artifacts` names its own. */
function toInput<Id extends OperationId>(
  path: object,
  rest: { readonly query?: unknown; readonly body?: unknown } = {},
): Input<Id> {
  return { path, ...rest } as Input<Id>;
}
