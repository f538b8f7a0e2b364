/** Sessions for other domains: visibility, deletions, and reading and writing transcripts in jobs on behalf of a user. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import { getTrajectorySource } from './trajectory/source.ts';
import { readTurns as readTurnsOf, type Turn, type TurnOptions } from './trajectory/turns.ts';
import { isVisibleByKey, type Viewer } from './visibility.ts';

export { insertGroup as createGroup, updateGroup } from './groups/store.ts';
export { getSession } from './lookup.ts';
export { listDeletions, type SessionDeletion } from './metadata/deletions.ts';
export {
  closeAttempts,
  findMainConversation,
  getGroupTotals,
  getTotals,
  releaseEvaluation,
  type SessionTotals,
} from './metadata/evaluated.ts';
export { freezeSession } from './metadata/store.ts';
export { findRecordedResponse, recordExchange } from './recording/record-exchange.ts';
export { createSession } from './save/store.ts';
export { SessionParams } from './schema.ts';
export { listSessions } from './search/list.ts';
export { SessionQuery } from './search/query.ts';
export { exportTrajectory } from './trajectory/export.ts';
export { SessionTrajectory, TrajectoryQuery } from './trajectory/schema.ts';
export { appendMessages } from './transcript/append.ts';
export { compactTranscript } from './transcript/compact.ts';
export { readMessages } from './transcript/read-messages.ts';
export { TranscriptQuery, TranscriptResponse } from './transcript/schema.ts';
export { getTranscript } from './transcript/transcript-page.ts';
export { isShown, type Viewer } from './visibility.ts';

/** Yields the current turns of a session, each with the results of its tool calls. Messages that are appended later are left out. */
export async function* readTurns(
  db: Db,
  viewer: Viewer,
  sessionId: string,
  options: TurnOptions = { includeCompacted: false },
): AsyncGenerator<Turn, void, undefined> {
  yield* readTurnsOf(db, await getTrajectorySource(db, viewer, sessionId), options);
}

/** @returns whether such a session exists in the workspace and the viewer can see it */
export async function isVisibleSession(db: Db, viewer: Viewer, sessionId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM sessions AS s WHERE ${isVisibleByKey(viewer, 's')} AND s.id = ${sessionId}`.execute(db);
  return rows.length > 0;
}
