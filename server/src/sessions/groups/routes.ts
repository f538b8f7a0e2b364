import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { GroupParams, SessionGroupSummary } from '../schema.ts';
import { SessionGroupCreateRequest, SessionGroupUpdateRequest } from './schema.ts';
import { createGroup, getGroup, updateGroup } from './store.ts';

export function groupRoutes(db: Db) {
  return workspaceRoutes('Sessions', (on) => {
    on.post(
      '/sessions/groups',
      {
        id: 'createSessionGroup',
        summary: 'Create a group of sessions',
        scope: 'sessions:write',
        role: 'contributor',
        body: SessionGroupCreateRequest,
        response: SessionGroupSummary,
        status: 201,
      },
      ({ scope, body }) => createGroup(db, scope, body),
    );

    on.get(
      '/sessions/groups/:group_id',
      {
        id: 'getSessionGroup',
        summary: 'Get a group of sessions',
        description: 'Its counts are over those of its sessions that you can see.',
        scope: 'sessions:read',
        role: 'reader',
        params: GroupParams,
        response: SessionGroupSummary,
      },
      ({ scope, params }) => getGroup(db, scope, params.group_id),
    );

    on.patch(
      '/sessions/groups/:group_id',
      {
        id: 'updateSessionGroup',
        summary: 'Change a group of sessions',
        description:
          'Changes what is given: what is absent stays, null clears. A group that has ended stays so.',
        scope: 'sessions:write',
        role: 'contributor',
        params: GroupParams,
        body: SessionGroupUpdateRequest,
        response: SessionGroupSummary,
      },
      ({ scope, params, body }) => updateGroup(db, scope, params.group_id, body),
    );
  });
}
