/** Capabilities: agents, tools, skills and servers for a runtime, published in immutable versions. */
import type {
  ArtifactFileListResponse,
  ArtifactUpload,
  ArtifactUploadRequest,
  ArtifactVersionListResponse,
  CapabilityDetail,
  CapabilityJourneyResponse,
  CapabilityListResponse,
  CompleteUploadRequest,
  UpdateVisibilityRequest,
  UpdateVisibilityResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import type { Bytes } from '../request-body.ts';
import {
  type InOrganization,
  type NamedArtifact,
  type OneCapability,
  type OneFile,
  type OneVersion,
  Resource,
} from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * import { execFileSync } from 'node:child_process';
 * import { mkdtempSync, writeFileSync } from 'node:fs';
 *
 * const folder = mkdtempSync('/tmp/capability-');
 * writeFileSync(
 *   `${folder}/capability.yaml`,
 *   'schema: 1\nname: notes\nversion: 1.0.0\ndescription: Takes notes\nmcp: {servers: {notes: {command: notes}}}\n',
 * );
 * const bundle = execFileSync('tar', ['czf', '-', '-C', folder, '.']);
 * const where = { org: 'main', name: 'notes', version: '1.0.0' };
 * const published = await drydock.capabilities.publish(where, new Uint8Array(bundle));
 * console.log(published.component_counts['mcp_servers']); // → 1
 * await drydock.capabilities.updateVisibility({ org: 'main', name: 'notes' }, { is_public: true });
 * ```
 */
export class Capabilities extends Resource {
  /** Lists one entry per name: its newest release. */
  list(
    where: InOrganization,
    filters?: QueryOf<'listCapabilities'>,
    options?: CallOptions,
  ): List<CapabilityListResponse> {
    return this.client.list('listCapabilities', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the newest version. */
  get(where: NamedArtifact, options?: CallOptions): Promise<CapabilityDetail> {
    return this.client.call('getCapability', { path: where }, options);
  }

  /** Lists all versions, newest first. */
  listVersions(
    where: NamedArtifact,
    filters?: QueryOf<'listCapabilityVersions'>,
    options?: CallOptions,
  ): List<ArtifactVersionListResponse> {
    return this.client.list(
      'listCapabilityVersions',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Returns one version. */
  getVersion(where: OneVersion, options?: CallOptions): Promise<CapabilityDetail> {
    return this.client.call('getCapabilityVersion', { path: where }, options);
  }

  /** Deletes a version; its number cannot be used again. */
  deleteVersion(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('deleteCapabilityVersion', { path: where }, options);
  }

  /** Publishes a bundle: a tar.gz with `capability.yaml` at its root. Publishing the same content again returns the existing version. */
  publish(where: OneVersion, bundle: Bytes, options?: CallOptions): Promise<CapabilityDetail> {
    return this.client.call('publishCapability', { path: where, body: bundle }, options);
  }

  /** Starts an upload of single files: the response has a link for each file that is not stored yet. */
  createUpload(
    where: OneVersion,
    request: ArtifactUploadRequest,
    options?: CallOptions,
  ): Promise<ArtifactUpload> {
    return this.client.call('createCapabilityUpload', { path: where, body: request }, options);
  }

  /** Verifies and publishes the uploaded files. */
  completeUpload(
    where: OneVersion,
    request?: CompleteUploadRequest,
    options?: CallOptions,
  ): Promise<CapabilityDetail> {
    return this.client.call(
      'completeCapabilityUpload',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }

  /** Lists the files of a version. */
  listFiles(
    where: OneVersion,
    filters?: QueryOf<'listCapabilityFiles'>,
    options?: CallOptions,
  ): List<ArtifactFileListResponse> {
    return this.client.list(
      'listCapabilityFiles',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Returns the content of a file. */
  getFile(where: OneFile, options?: CallOptions): Promise<Response> {
    return this.client.file('getCapabilityFile', { path: where }, options);
  }

  /** Sets whether every signed-in user may read all versions, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<UpdateVisibilityResponse> {
    return this.client.call('updateCapabilityVisibility', { path: where, body: request }, options);
  }

  /** Lists versions by publication, newest first, each with its changes, its origin and its results in the workspace. */
  journey(
    where: OneCapability,
    filters?: QueryOf<'getCapabilityJourney'>,
    options?: CallOptions,
  ): List<CapabilityJourneyResponse> {
    return this.client.list(
      'getCapabilityJourney',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }
}
