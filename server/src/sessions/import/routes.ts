import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { SessionResponse } from '../schema.ts';
import { readDocument, SessionImportRequest } from './read-document.ts';
import { importSession } from './store.ts';

/** Maximum size of a document. JSON parsing blocks the event loop, so it must stay short. */
const DOCUMENT_BYTES = 32 * 1024 * 1024;

export function importRoutes(db: Db) {
  return workspaceRoutes('Sessions', (on) => {
    on.post(
      '/sessions/import',
      {
        id: 'importSession',
        isBulk: true,
        summary: 'Import a session',
        description:
          'A private session of your own, from a document in ATIF 1.0 to 1.7 or in the form of Chat Completions, of at most 32 MiB and 200,000 messages. It gets the id of the document where that is a uuid that no session of the organization has.',
        scope: 'sessions:write',
        role: 'contributor',
        body: SessionImportRequest,
        largeBody: { maxBytes: DOCUMENT_BYTES },
        response: SessionResponse,
        status: 201,
        long: true,
      },
      async ({ scope, body }) => importSession(db, scope, await readDocument(body)),
    );
  });
}
