import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { Project, ProjectCreateRequest, ProjectUpdateRequest, projectParam } from './schema.ts';
import { createProject, deleteProject, getProject, listProjects, updateProject } from './store.ts';

export function projectRoutes(db: Db) {
  return workspaceRoutes('Projects', (on) => {
    on.get(
      '/projects',
      {
        id: 'listProjects',
        summary: 'List projects',
        scope: 'projects:read',
        role: 'reader',
        response: z.array(Project),
      },
      ({ scope }) => listProjects(db, scope),
    );

    on.post(
      '/projects',
      {
        id: 'createProject',
        summary: 'Create a project',
        scope: 'projects:write',
        role: 'contributor',
        body: ProjectCreateRequest,
        response: Project,
        status: 201,
      },
      ({ scope, body }) => createProject(db, scope, body),
    );

    on.get(
      '/projects/:project',
      {
        id: 'getProject',
        summary: 'Get a project',
        scope: 'projects:read',
        role: 'reader',
        params: projectParam,
        response: Project,
      },
      ({ scope, params }) => getProject(db, scope, params.project),
    );

    on.patch(
      '/projects/:project',
      {
        id: 'updateProject',
        summary: 'Change a project',
        scope: 'projects:write',
        role: 'contributor',
        params: projectParam,
        body: ProjectUpdateRequest,
        response: Project,
      },
      ({ scope, params, body }) => updateProject(db, scope, params.project, body),
    );

    on.delete(
      '/projects/:project',
      {
        id: 'deleteProject',
        summary: 'Delete a project',
        scope: 'projects:write',
        role: 'contributor',
        params: projectParam,
      },
      ({ scope, params }) => deleteProject(db, scope, params.project),
    );
  });
}
