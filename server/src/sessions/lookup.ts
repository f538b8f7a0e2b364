/** Resolves the session id of a path, among the sessions that the caller can see. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError, forbidden, notFound } from '../platform/errors.ts';
import { isUuid } from '../platform/fields.ts';
import { SESSION_COLUMNS, SESSION_JOINS, type SessionRow, toSessions } from './responses.ts';
import type { SessionOf } from './schema.ts';
import { isVisibleByKey, type Viewer } from './visibility.ts';

const SMALLEST = '00000000-0000-0000-0000-000000000000';
const LARGEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const MIN_PREFIX = 8;

const sessionNotFound = (given: string) => notFound(`Session "${given}"`);

/** @param given an id, or a prefix that matches exactly one session that the caller can see */
export async function getSessionId(db: Db, viewer: Viewer, given: string): Promise<string> {
  const wanted = given.toLowerCase();
  if (isUuid(wanted)) return wanted;
  const from = wanted + SMALLEST.slice(wanted.length);
  const to = wanted + LARGEST.slice(wanted.length);
  if (wanted.length < MIN_PREFIX || !isUuid(from)) throw sessionNotFound(given);
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM sessions AS s
     WHERE ${isVisibleByKey(viewer, 's')} AND s.id BETWEEN ${from}::uuid AND ${to}::uuid
     LIMIT 2`.execute(db);
  const [found, another] = rows;
  if (!found) throw sessionNotFound(given);
  if (another) {
    throw new ApiError('conflict_error', `Several sessions begin with "${given}"; give more of the id.`);
  }
  return found.id;
}

export async function getSession(db: Db, viewer: Viewer, given: string): Promise<SessionOf> {
  const row = await getSessionRow(db, viewer, given);
  const [session] = await toSessions(db, viewer, [row]);
  return session as SessionOf;
}

export async function getSessionRow(db: Db, viewer: Viewer, given: string): Promise<SessionRow> {
  const id = await getSessionId(db, viewer, given);
  const { rows } = await sql<SessionRow>`
    SELECT ${SESSION_COLUMNS} FROM sessions AS s ${SESSION_JOINS}
     WHERE s.id = ${id} AND ${isVisibleByKey(viewer, 's')}`.execute(db);
  const [row] = rows;
  if (!row) throw sessionNotFound(given);
  return row;
}

export interface LockedSession {
  readonly id: string;
  readonly user_id: string;
  readonly visibility: 'private' | 'workspace';
  readonly model: string;
  readonly frozen_at: string | null;
  readonly last_seq: number;
  readonly compacted_up_to: number;
  readonly compaction_count: number;
}

/**
 * Locks a session until the transaction ends; responds with 404 to callers that cannot see it.
 * @param more further columns of the row `s` to select, starting with a comma
 */
export async function lockSession<More = object>(
  trx: Trx,
  viewer: Viewer,
  given: string,
  more: RawBuilder<unknown> = sql``,
): Promise<LockedSession & More> {
  const id = await getSessionId(trx, viewer, given);
  const { rows } = await sql<LockedSession & More>`
    SELECT s.id, s.user_id, s.visibility, s.model, s.frozen_at, s.last_seq, s.compacted_up_to, s.compaction_count${more}
      FROM sessions AS s WHERE s.id = ${id} AND ${isVisibleByKey(viewer, 's')} FOR NO KEY UPDATE`.execute(
    trx,
  );
  const [session] = rows;
  if (!session) throw sessionNotFound(given);
  return session;
}

/** Locks a session for a change that only its owner may make. */
export async function lockOwnSession<More = object>(
  trx: Trx,
  viewer: Viewer,
  given: string,
  more?: RawBuilder<unknown>,
): Promise<LockedSession & More> {
  const session = await lockSession<More>(trx, viewer, given, more);
  if (session.user_id !== viewer.principal.userId) {
    throw forbidden('Only its owner can change this session.');
  }
  return session;
}

export function refuseFrozen({ frozen_at }: LockedSession): void {
  if (frozen_at === null) return;
  throw new ApiError('conflict_error', 'This session is frozen: its transcript changes no more.');
}
