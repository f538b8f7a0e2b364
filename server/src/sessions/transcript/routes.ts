import { KeyedLock } from '../../platform/admission/keyed-lock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { SessionParams } from '../schema.ts';
import { appendTranscript } from './append.ts';
import { compactTranscript } from './compact.ts';
import { getFeed, SESSION_EVENTS } from './message-events.ts';
import { rewindSession } from './rewind.ts';
import {
  SessionRewindRequest,
  SessionRewindResponse,
  TranscriptAppendRequest,
  TranscriptAppendResponse,
  TranscriptCompactRequest,
  TranscriptCompactResponse,
  TranscriptQuery,
  TranscriptResponse,
} from './schema.ts';
import { getTranscript } from './transcript-page.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

const MAY_CHANGE = { scope: 'sessions:write', role: 'contributor', params: SessionParams } as const;
const MAY_READ = { scope: 'sessions:read', role: 'reader', params: SessionParams } as const;

export function transcriptRoutes(db: Db) {
  // Appends to one session wait for its row lock anyway. Waiting here instead of in the database keeps their connections free.
  const writers = new KeyedLock();
  return workspaceRoutes('Sessions', (on) => {
    on.post(
      '/sessions/:session_id/transcript',
      {
        id: 'appendTranscript',
        isBulk: true,
        summary: 'Append messages to a session',
        description:
          'Stores all of the messages or none, numbered in the order given. One whose id is known is not stored again.',
        ...MAY_CHANGE,
        body: TranscriptAppendRequest,
        response: TranscriptAppendResponse,
        status: '201 or 200',
        rateClass: 'ingest',
        largeBody: { maxBytes: MAX_BODY_BYTES },
      },
      async ({ scope, params, body }) => {
        // The user is part of the key, so that a user without the right to append delays nobody.
        const writer = `${scope.organizationId}/${params.session_id}/${scope.principal.userId}`;
        return toReply(await writers.run(writer, () => appendTranscript(db, scope, params.session_id, body)));
      },
    );

    on.get(
      '/sessions/:session_id/transcript',
      {
        id: 'getTranscript',
        summary: 'Read the messages of a session',
        ...MAY_READ,
        query: TranscriptQuery,
        response: TranscriptResponse,
      },
      ({ scope, params, query }) => getTranscript(db, scope, params.session_id, query),
    );

    on.post(
      '/sessions/:session_id/transcript/compact',
      {
        id: 'compactTranscript',
        summary: 'Compact the transcript: begin a new era with a summary',
        description: 'Nothing is deleted. What lies beyond up_to_seq is kept, and belongs to the new era.',
        ...MAY_CHANGE,
        body: TranscriptCompactRequest,
        response: TranscriptCompactResponse,
        status: '201 or 200',
        largeBody: { maxBytes: MAX_BODY_BYTES },
      },
      async ({ scope, params, body }) => toReply(await compactTranscript(db, scope, params.session_id, body)),
    );

    on.post(
      '/sessions/:session_id/rewind',
      {
        id: 'rewindSession',
        summary: 'Delete the messages of a session from one on',
        description:
          'They are deleted permanently, and the next message gets the number of the first of them.',
        ...MAY_CHANGE,
        body: SessionRewindRequest,
        response: SessionRewindResponse,
      },
      ({ scope, params, body }) => rewindSession(db, scope, params.session_id, body),
    );

    on.events(
      '/sessions/:session_id/events',
      {
        id: 'streamSessionEvents',
        summary: 'Watch a session: its new messages and its state',
        ...MAY_READ,
        events: SESSION_EVENTS,
      },
      ({ scope, params }) => getFeed(db, scope, params.session_id),
    );
  });
}

function toReply<Written extends { readonly isNew: boolean }>({ isNew, ...written }: Written) {
  return isNew ? written : Reply.existing(written);
}
