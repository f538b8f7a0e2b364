/** Groups of sessions: the run of a worker, the attempts at an item, a workflow. */
import type {
  SessionGroupCreateRequest,
  SessionGroupSummary,
  SessionGroupUpdateRequest,
} from '../models.gen.ts';
import { type InWorkspace, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

interface OneGroup extends InWorkspace {
  readonly group_id: string;
}

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const group = await drydock.sessionGroups.create(where, { kind: 'workflow', title: 'Nightly' });
 * await drydock.sessions.save(where, { id: crypto.randomUUID(), model: 'acme/large', group_id: group.id });
 * const ended = await drydock.sessionGroups.update({ ...where, group_id: group.id }, { status: 'completed' });
 * console.log(ended.status, ended.session_count); // → completed 1
 * ```
 */
export class SessionGroups extends Resource {
  create(
    where: InWorkspace,
    request: SessionGroupCreateRequest,
    options?: CallOptions,
  ): Promise<SessionGroupSummary> {
    return this.client.call('createSessionGroup', { path: where, body: request }, options);
  }

  /** Returns a group, with counts over its visible sessions. */
  get(where: OneGroup, options?: CallOptions): Promise<SessionGroupSummary> {
    return this.client.call('getSessionGroup', { path: where }, options);
  }

  /** Changes the given fields. An ended group stays ended. */
  update(
    where: OneGroup,
    request: SessionGroupUpdateRequest,
    options?: CallOptions,
  ): Promise<SessionGroupSummary> {
    return this.client.call('updateSessionGroup', { path: where, body: request }, options);
  }
}
