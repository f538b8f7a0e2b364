/** The workspaces of an organization, and their members. */
import type {
  Workspace,
  WorkspaceCreateRequest,
  WorkspaceMember,
  WorkspaceMemberRequest,
  WorkspaceUpdateRequest,
} from '../models.gen.ts';
import type { List } from '../pages.ts';
import { type InOrganization, type InWorkspace, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

interface OneMember extends InWorkspace {
  readonly user_id: string;
}

/**
 * @example
 * ```ts
 * const workspace = await drydock.workspaces.create({ org: 'main' }, { name: 'Red Team' });
 * console.log(workspace.key); // → red-team
 * await drydock.workspaces.delete({ org: 'main', workspace: workspace.key });
 * ```
 */
export class Workspaces extends Resource {
  /** Lists the workspaces visible to the user. */
  list(where: InOrganization, options?: CallOptions): List<Workspace[]> {
    return this.client.list('listWorkspaces', { path: where }, options);
  }

  /** Creates a workspace; its key is derived from the name by default. */
  create(where: InOrganization, request: WorkspaceCreateRequest, options?: CallOptions): Promise<Workspace> {
    return this.client.call('createWorkspace', { path: where, body: request }, options);
  }

  /** Returns one workspace, by its slug. */
  get(where: InWorkspace, options?: CallOptions): Promise<Workspace> {
    return this.client.call('getWorkspace', { path: where }, options);
  }

  /** Changes the given fields. */
  update(where: InWorkspace, changes: WorkspaceUpdateRequest, options?: CallOptions): Promise<Workspace> {
    return this.client.call('updateWorkspace', { path: where, body: changes }, options);
  }

  /** Deletes a workspace with its contents. */
  delete(where: InWorkspace, options?: CallOptions): Promise<void> {
    return this.client.call('deleteWorkspace', { path: where }, options);
  }

  /** Lists the members of a workspace. An open workspace is visible to every member of the organization. */
  listMembers(where: InWorkspace, options?: CallOptions): List<WorkspaceMember[]> {
    return this.client.list('listWorkspaceMembers', { path: where }, options);
  }

  /** Adds a member of the organization with this role, or changes the role of an existing one. */
  setMember(
    where: OneMember,
    request: WorkspaceMemberRequest,
    options?: CallOptions,
  ): Promise<WorkspaceMember> {
    return this.client.call('setWorkspaceMember', { path: where, body: request }, options);
  }

  /** Removes a member from the workspace. */
  removeMember(where: OneMember, options?: CallOptions): Promise<void> {
    return this.client.call('removeWorkspaceMember', { path: where }, options);
  }
}
