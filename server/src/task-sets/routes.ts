import type { Db } from '../platform/db/connect.ts';
import { artifactRoutes, orgRoutes, type RouteGroup } from '../platform/http/operations.ts';
import { UpdateVisibilityRequest } from '../registry/service.ts';
import { getTaskSet } from './detail.ts';
import { listTaskSets } from './list.ts';
import {
  MANIFEST_BYTES,
  TaskSetCreateRequest,
  TaskSetDetail,
  TaskSetListResponse,
  TaskSetReplaceRequest,
  TaskSetVisibilityResponse,
  taskSetParam,
  taskSetQuery,
} from './schema.ts';
import { createTaskSet, deleteTaskSet, replaceTaskSet, updateTaskSetVisibility } from './store.ts';

const TAG = 'Task sets';

export function taskSetRoutes(db: Db): RouteGroup[] {
  return [membersRoutes(db), readersRoutes(db)];
}

function membersRoutes(db: Db) {
  return orgRoutes(TAG, (on) => {
    on.get(
      '/task-sets',
      {
        id: 'listTaskSets',
        summary: 'List task sets',
        scope: 'task_sets:read',
        role: 'member',
        query: taskSetQuery,
        response: TaskSetListResponse,
      },
      ({ scope, query }) => listTaskSets(db, scope, query),
    );

    on.post(
      '/task-sets',
      {
        id: 'createTaskSet',
        summary: 'Create a task set',
        scope: 'task_sets:write',
        role: 'member',
        body: TaskSetCreateRequest,
        largeBody: { maxBytes: MANIFEST_BYTES },
        response: TaskSetDetail,
        status: 201,
      },
      ({ scope, body }) => createTaskSet(db, scope, body),
    );

    on.put(
      '/task-sets/:name',
      {
        id: 'replaceTaskSet',
        summary: 'Replace a task set',
        description: 'All of it but its visibility; what is not given is reset.',
        scope: 'task_sets:write',
        role: 'member',
        params: taskSetParam,
        body: TaskSetReplaceRequest,
        largeBody: { maxBytes: MANIFEST_BYTES },
        response: TaskSetDetail,
      },
      ({ scope, params, body }) => replaceTaskSet(db, scope, params.name, body),
    );

    on.delete(
      '/task-sets/:name',
      {
        id: 'deleteTaskSet',
        summary: 'Delete a task set',
        description: 'For its creator and the admins of the organization.',
        scope: 'task_sets:write',
        role: 'member',
        params: taskSetParam,
      },
      ({ scope, params }) => deleteTaskSet(db, scope, params.name),
    );

    on.patch(
      '/task-sets/:name/visibility',
      {
        id: 'updateTaskSetVisibility',
        organizationWide: true,
        summary: 'Publish or hide a task set',
        description: 'For its creator and the admins of the organization.',
        scope: 'task_sets:write',
        role: 'member',
        params: taskSetParam,
        body: UpdateVisibilityRequest,
        response: TaskSetVisibilityResponse,
      },
      ({ scope, params, body }) => updateTaskSetVisibility(db, scope, params.name, body.is_public),
    );
  });
}

function readersRoutes(db: Db) {
  return artifactRoutes(TAG, (on) => {
    on.get(
      '/task-sets/:name',
      {
        id: 'getTaskSet',
        summary: 'Get a task set',
        description: 'Each member as it resolves for the caller at this moment.',
        scope: 'task_sets:read',
        params: taskSetParam,
        response: TaskSetDetail,
      },
      ({ scope, params }) => getTaskSet(db, scope, params.name),
    );
  });
}
