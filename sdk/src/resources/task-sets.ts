/** Sets of tasks: references, resolved when they are read. */
import type {
  TaskSetCreateRequest,
  TaskSetDetail,
  TaskSetListResponse,
  TaskSetReplaceRequest,
  TaskSetVisibilityResponse,
  UpdateVisibilityRequest,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InOrganization, type NamedArtifact, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const set = await drydock.taskSets.create({ org: 'main' }, { name: 'nightly', members: ['parse-logs@1.0.0'] });
 * console.log(set.members[0]?.unresolvable_reason); // → not_found
 * await drydock.taskSets.replace({ org: 'main', name: 'nightly' }, { members: [], tags: ['empty'] });
 * for await (const { name } of drydock.taskSets.list({ org: 'main' }, { tags: ['empty'] })) {
 *   console.log(name); // → nightly
 * }
 * await drydock.taskSets.delete({ org: 'main', name: 'nightly' });
 * ```
 */
export class TaskSets extends Resource {
  /** Lists the sets of the organization, and with `include_public` the public sets of others. */
  list(
    where: InOrganization,
    filters?: QueryOf<'listTaskSets'>,
    options?: CallOptions,
  ): List<TaskSetListResponse> {
    return this.client.list('listTaskSets', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Creates a set. Its members need not exist yet. */
  create(
    where: InOrganization,
    request: TaskSetCreateRequest,
    options?: CallOptions,
  ): Promise<TaskSetDetail> {
    return this.client.call('createTaskSet', { path: where, body: request }, options);
  }

  /** Returns a set with its members, each resolved to what you may see now. */
  get(where: NamedArtifact, options?: CallOptions): Promise<TaskSetDetail> {
    return this.client.call('getTaskSet', { path: where }, options);
  }

  /** Replaces everything except the name and the visibility. */
  replace(
    where: NamedArtifact,
    request: TaskSetReplaceRequest,
    options?: CallOptions,
  ): Promise<TaskSetDetail> {
    return this.client.call('replaceTaskSet', { path: where, body: request }, options);
  }

  /** Sets whether every signed-in user may read the set, or members only. */
  updateVisibility(
    where: NamedArtifact,
    request: UpdateVisibilityRequest,
    options?: CallOptions,
  ): Promise<TaskSetVisibilityResponse> {
    return this.client.call('updateTaskSetVisibility', { path: where, body: request }, options);
  }

  /** Deletes a set; the tasks stay. */
  delete(where: NamedArtifact, options?: CallOptions): Promise<void> {
    return this.client.call('deleteTaskSet', { path: where }, options);
  }
}
