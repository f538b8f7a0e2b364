/** Brings columns up to date with one statement, if little has changed. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import { isChangedSince, isOfPlace, MOMENT, type Moment, type Place } from './moment.ts';
import { NO_TIME, type SessionColumns, SessionValues } from './session-columns.ts';
import { FLAGS_OF_ROW, MESSAGE_COUNT_OF_ROW } from './session-rows.ts';
import { newWords, readUuid } from './uuid-words.ts';

/** Maximum number of changes per table; more are faster to read with COPY. */
const MAX_CHANGES = 2_000;

interface ChangedSession {
  readonly id: string;
  readonly user_id: string;
  readonly group_id: string | null;
  readonly project_id: string | null;
  readonly flags: number;
  readonly model: string;
  readonly agent: string | null;
  readonly created_ms: number;
  readonly updated_ms: number;
  readonly last_message_ms: number | null;
  readonly message_count: number;
  readonly labels: string;
  readonly search_text: string;
}

interface ChangedGroup {
  readonly id: string;
  readonly kind: string;
  readonly status: string | null;
}

export interface Changes extends Moment {
  readonly gone: readonly string[];
  readonly groups: readonly ChangedGroup[];
  readonly sessions: readonly ChangedSession[];
}

/** Returns all changes since a moment, in one snapshot; undefined when there are too many for one statement. */
export async function findChanges(db: Db, place: Place, since: Moment): Promise<Changes | undefined> {
  const isChanged = (alias: string) =>
    sql`${isOfPlace(alias, place)} AND ${isChangedSince(alias, since.snapshot)}`;
  // Ordered like the index: without statistics, a limit alone would not keep the planner from a full scan.
  const inOrder = (alias: string) => sql`ORDER BY ${sql.ref(`${alias}.changed_in`)} LIMIT ${MAX_CHANGES + 1}`;
  const { rows } = await sql<Changes>`
    SELECT ${MOMENT},
           ARRAY(SELECT d.session_id::text FROM session_deletions AS d WHERE ${isChanged('d')} ${inOrder('d')}) AS gone,
           (SELECT coalesce(json_agg(c), '[]') FROM (
              SELECT g.id, g.kind, g.status FROM session_groups AS g WHERE ${isChanged('g')} ${inOrder('g')}) AS c) AS groups,
           (SELECT coalesce(json_agg(c), '[]') FROM (
              SELECT s.id, s.user_id, s.group_id, s.project_id, ${FLAGS_OF_ROW} AS flags, s.model, s.agent,
                     extract(epoch FROM s.created_at) * 1000 AS created_ms,
                     extract(epoch FROM s.updated_at) * 1000 AS updated_ms,
                     extract(epoch FROM s.last_message_at) * 1000 AS last_message_ms,
                     ${MESSAGE_COUNT_OF_ROW} AS message_count, s.labels::text AS labels, s.search_text
                FROM sessions AS s WHERE ${isChanged('s')} ${inOrder('s')}) AS c) AS sessions`.execute(db);
  const [changes] = rows as [Changes];
  const isAll = [changes.gone, changes.groups, changes.sessions].every(({ length }) => length <= MAX_CHANGES);
  return isAll ? changes : undefined;
}

/** Deletions are applied first: a deleted id may have been saved again. */
export function applyChanges(columns: SessionColumns, { gone, groups, sessions }: Changes): void {
  const id = newWords();
  for (const session of gone) columns.remove(readUuid(session, id));
  for (const group of groups) columns.putGroup(readUuid(group.id, id), group.kind, group.status);
  const values = new SessionValues();
  for (const session of sessions) columns.put(readSession(session, values));
}

function readSession(session: ChangedSession, values: SessionValues): SessionValues {
  readUuid(session.id, values.id);
  readUuid(session.user_id, values.user);
  values.hasGroup = session.group_id !== null;
  if (session.group_id !== null) readUuid(session.group_id, values.group);
  values.hasProject = session.project_id !== null;
  if (session.project_id !== null) readUuid(session.project_id, values.project);
  values.flags = session.flags;
  values.model = session.model;
  values.agent = session.agent;
  values.createdAt = session.created_ms;
  values.updatedAt = session.updated_ms;
  values.lastMessageAt = session.last_message_ms ?? NO_TIME;
  values.messageCount = session.message_count;
  values.labels = session.labels;
  values.text = Buffer.from(session.search_text);
  values.textStart = 0;
  values.textEnd = values.text.length;
  return values;
}
