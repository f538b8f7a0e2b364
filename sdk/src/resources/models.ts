/** Models: weights and related files, published in immutable versions. */
import type {
  DatasetDownloadResponse,
  ModelAliasRequest,
  ModelDetail,
  ServedModel,
  ServeModelResponse,
} from '../models.gen.ts';
import type { List } from '../pages.ts';
import type { InOrganization, NamedArtifact, OneVersion } from '../resource.ts';
import type { CallOptions } from '../transport.ts';
import { Artifacts } from './artifacts.ts';

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
export class Models extends Artifacts<'Model'> {
  protected override readonly kind = 'Model';

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
