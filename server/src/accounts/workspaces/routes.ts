import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes, workspaceRoutes } from '../../platform/http/operations.ts';
import { userIdParam } from '../fields.ts';
import { listWorkspaceMembers, removeWorkspaceMember, setWorkspaceMember } from './members.ts';
import {
  Workspace,
  WorkspaceCreateRequest,
  WorkspaceMember,
  WorkspaceMemberRequest,
  WorkspaceUpdateRequest,
} from './schema.ts';
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
  type WorkspaceContent,
} from './store.ts';

export function workspaceListRoutes(db: Db) {
  return orgRoutes('Workspaces', (on) => {
    on.get(
      '/ws',
      {
        id: 'listWorkspaces',
        summary: 'List the workspaces you can see',
        scope: 'workspaces:read',
        role: 'member',
        response: z.array(Workspace),
      },
      ({ scope }) => listWorkspaces(db, scope),
    );

    on.post(
      '/ws',
      {
        id: 'createWorkspace',
        summary: 'Create a workspace',
        scope: 'workspaces:write',
        role: 'admin',
        body: WorkspaceCreateRequest,
        response: Workspace,
        status: 201,
      },
      ({ scope, body }) => createWorkspace(db, scope, body),
    );
  });
}

export function oneWorkspaceRoutes(db: Db, content: WorkspaceContent) {
  return workspaceRoutes('Workspaces', (on) => {
    on.get(
      '',
      {
        id: 'getWorkspace',
        summary: 'Get a workspace',
        scope: 'workspaces:read',
        role: 'reader',
        response: Workspace,
      },
      ({ scope }) => getWorkspace(db, scope),
    );

    on.patch(
      '',
      {
        id: 'updateWorkspace',
        summary: 'Change a workspace',
        scope: 'workspaces:write',
        role: 'admin',
        body: WorkspaceUpdateRequest,
        response: Workspace,
      },
      ({ scope, body }) => updateWorkspace(db, scope, body),
    );

    on.delete(
      '',
      {
        id: 'deleteWorkspace',
        summary: 'Delete a workspace with everything in it',
        scope: 'workspaces:write',
        role: 'admin',
        orgRole: 'admin',
      },
      ({ scope }) => deleteWorkspace(db, scope, content),
    );

    on.get(
      '/members',
      {
        id: 'listWorkspaceMembers',
        summary: 'List the members of a workspace',
        description: 'In an open workspace every other member of the organization is a contributor.',
        scope: 'members:read',
        role: 'reader',
        response: z.array(WorkspaceMember),
      },
      ({ scope }) => listWorkspaceMembers(db, scope),
    );

    on.put(
      '/members/:user_id',
      {
        id: 'setWorkspaceMember',
        summary: 'Add a member of the organization to a workspace, with a role',
        scope: 'members:write',
        role: 'admin',
        params: userIdParam,
        body: WorkspaceMemberRequest,
        response: WorkspaceMember,
      },
      ({ scope, params, body }) => setWorkspaceMember(db, scope, params.user_id, body.role),
    );

    on.delete(
      '/members/:user_id',
      {
        id: 'removeWorkspaceMember',
        summary: 'Remove a member from a workspace',
        scope: 'members:write',
        role: 'admin',
        params: userIdParam,
      },
      ({ scope, params }) => removeWorkspaceMember(db, scope, params.user_id),
    );
  });
}
