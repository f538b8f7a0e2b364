/** Tasks: instructions for an agent with their verification, published in immutable versions. */
import type {
  ArtifactFileListResponse,
  ArtifactUpload,
  ArtifactUploadRequest,
  ArtifactVersionListResponse,
  CompleteUploadRequest,
  TaskDetail,
  TaskListResponse,
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

/**
 * @example
 * ```ts
 * const task = { org: 'main', name: 'say-hello', version: '1.0.0' };
 * const upload = await drydock.tasks.createUpload(task, {
 *   manifest: {
 *     name: 'say-hello',
 *     version: '1.0.0',
 *     instruction: 'Say hello.',
 *     environment: { network: 'none' },
 *     verification: { method: 'contains', expected: 'hello' },
 *   },
 *   files: [],
 * });
 * console.log(upload.files.length); // → 0
 * await drydock.tasks.completeUpload(task);
 * const manifest = await drydock.tasks.getFile({ ...task, path: 'task.yaml' });
 * console.log((await manifest.text()).includes('Say hello.')); // → true
 * ```
 */
export class Tasks extends Resource {
  /** Lists one entry per name: its newest release. */
  list(where: InOrganization, filters?: QueryOf<'listTasks'>, options?: CallOptions): List<TaskListResponse> {
    return this.client.list('listTasks', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the newest version. */
  get(where: NamedArtifact, options?: CallOptions): Promise<TaskDetail> {
    return this.client.call('getTask', { path: where }, options);
  }

  /** Lists all versions, newest first. */
  listVersions(
    where: NamedArtifact,
    filters?: QueryOf<'listTaskVersions'>,
    options?: CallOptions,
  ): List<ArtifactVersionListResponse> {
    return this.client.list('listTaskVersions', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns one version. */
  getVersion(where: OneVersion, options?: CallOptions): Promise<TaskDetail> {
    return this.client.call('getTaskVersion', { path: where }, options);
  }

  /** Deletes a version; its number cannot be used again. */
  deleteVersion(where: OneVersion, options?: CallOptions): Promise<void> {
    return this.client.call('deleteTaskVersion', { path: where }, options);
  }

  /** Publishes a bundle: a tar.gz with `task.yaml` at its root. Publishing the same content again returns the existing version. */
  publish(where: OneVersion, bundle: Bytes, options?: CallOptions): Promise<TaskDetail> {
    return this.client.call('publishTask', { path: where, body: bundle }, options);
  }

  /** Starts an upload of single files: the response has a link for each file that is not stored yet. */
  createUpload(
    where: OneVersion,
    request: ArtifactUploadRequest,
    options?: CallOptions,
  ): Promise<ArtifactUpload> {
    return this.client.call('createTaskUpload', { path: where, body: request }, options);
  }

  /** Verifies and publishes the uploaded files. */
  completeUpload(
    where: OneVersion,
    request?: CompleteUploadRequest,
    options?: CallOptions,
  ): Promise<TaskDetail> {
    return this.client.call(
      'completeTaskUpload',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }

  /** Lists the files of a version. */
  listFiles(
    where: OneVersion,
    filters?: QueryOf<'listTaskFiles'>,
    options?: CallOptions,
  ): List<ArtifactFileListResponse> {
    return this.client.list('listTaskFiles', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the content of a file. */
  getFile(where: OneFile, options?: CallOptions): Promise<Response> {
    return this.client.file('getTaskFile', { path: where }, options);
  }

  /** Sets whether every signed-in user may read all versions, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<UpdateVisibilityResponse> {
    return this.client.call('updateTaskVisibility', { path: where, body: request }, options);
  }
}
