import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { getSession } from '../lookup.ts';
import { SessionParams, SessionResponse } from '../schema.ts';
import { SessionUpdateRequest } from './schema.ts';
import { archiveSession, deleteSession, freezeSession, unarchiveSession, updateSession } from './store.ts';

export function metadataRoutes(db: Db) {
  return workspaceRoutes('Sessions', (on) => {
    const read = { scope: 'sessions:read', role: 'reader', params: SessionParams } as const;
    const write = { scope: 'sessions:write', role: 'contributor', params: SessionParams } as const;

    on.get(
      '/sessions/:session_id',
      { ...read, id: 'getSession', summary: 'Get a session', response: SessionResponse },
      ({ scope, params }) => getSession(db, scope, params.session_id),
    );

    on.patch(
      '/sessions/:session_id',
      {
        ...write,
        id: 'updateSession',
        summary: 'Change a session',
        description: 'Changes what is given: what is absent stays, null clears. Only its owner can.',
        body: SessionUpdateRequest,
        response: SessionResponse,
      },
      ({ scope, params, body }) => updateSession(db, scope, params.session_id, body),
    );

    on.delete(
      '/sessions/:session_id',
      {
        ...write,
        id: 'deleteSession',
        summary: 'Delete a session with its transcript',
        description: 'Its owner can, and admins of the workspace where it is visible there.',
      },
      ({ scope, params }) => deleteSession(db, scope, params.session_id),
    );

    on.post(
      '/sessions/:session_id/archive',
      {
        ...write,
        id: 'archiveSession',
        summary: 'Archive a session',
        description: 'Its owner can, and admins of the workspace where it is visible there.',
        response: SessionResponse,
      },
      ({ scope, params }) => archiveSession(db, scope, params.session_id),
    );

    on.post(
      '/sessions/:session_id/unarchive',
      {
        ...write,
        id: 'unarchiveSession',
        summary: 'Restore a session from the archive',
        description: 'Its owner can, and admins of the workspace where it is visible there.',
        response: SessionResponse,
      },
      ({ scope, params }) => unarchiveSession(db, scope, params.session_id),
    );

    on.post(
      '/sessions/:session_id/freeze',
      {
        ...write,
        id: 'freezeSession',
        summary: 'Freeze the transcript of a session',
        description: 'From then on it takes no messages, for good. Only its owner can.',
        response: SessionResponse,
      },
      ({ scope, params }) => freezeSession(db, scope, params.session_id),
    );
  });
}
