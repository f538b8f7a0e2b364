import { workspaceRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { SessionResponse } from '../schema.ts';
import { SessionCreateRequest } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';

export function saveRoutes(writer: SessionWriter) {
  return workspaceRoutes('Sessions', (on) => {
    on.post(
      '/sessions',
      {
        id: 'saveSession',
        isBulk: true,
        summary: 'Save a session',
        description:
          'Creates the session, or changes what is given of it when it is yours: what is absent stays, null clears.',
        scope: 'sessions:write',
        role: 'contributor',
        body: SessionCreateRequest,
        response: SessionResponse,
        status: '201 or 200',
      },
      async ({ scope, body }) => {
        const { session, isNew } = await writer.save(scope, body);
        return isNew ? session : Reply.existing(session);
      },
    );
  });
}
