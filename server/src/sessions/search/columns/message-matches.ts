/** Finds sessions by their messages: those of a filter, and again those that changed since. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import type { Viewer } from '../../visibility.ts';
import { isMatching } from '../matching.ts';
import { isTextIn } from '../message-search.ts';
import type { SessionFilter } from '../query.ts';
import { isChangedSince, isOfPlace, type Place } from './moment.ts';

/**
 * Finds sessions with a message that contains the text of the filter, except those that match by their own text.
 * @param among restricts the search to these sessions; otherwise all sessions of the filter are searched
 */
export async function findSessionsByMessage(
  db: Db,
  viewer: Viewer,
  { search, ...filter }: SessionFilter & { readonly search: string },
  among?: readonly string[],
): Promise<string[]> {
  const text = sql`${search}::text`;
  const statement = among
    ? sql<{
        id: string;
      }>`SELECT g.id FROM unnest(${among}::uuid[]) AS g (id) WHERE ${isTextIn(viewer, sql`g.id`, text)}`
    : sql<{ id: string }>`
        SELECT s.id FROM sessions AS s
         WHERE ${isMatching(viewer, filter)} AND s.last_seq > 0 AND strpos(s.search_text, ${text}) = 0
           AND ${isTextIn(viewer, sql`s.id`, text)}`;
  const { rows } = await statement.execute(db);
  return rows.map(({ id }) => id);
}

/** Requests a second check of sessions that changed after a snapshot. */
export interface Recheck {
  /** The search text, case-folded. */
  readonly search: string;
  readonly since: string;
}

/** Maps each session to whether one of its messages contains the text. */
export type Rechecked = ReadonlyMap<string, boolean>;

export async function recheckMessages(db: Db, place: Place, { search, since }: Recheck): Promise<Rechecked> {
  const { rows } = await sql<{ id: string; is_match: boolean }>`
    SELECT s.id, ${isTextIn(place, sql`s.id`, sql`${search}::text`)} AS is_match
      FROM sessions AS s WHERE ${isOfPlace('s', place)} AND ${isChangedSince('s', since)}`.execute(db);
  return new Map(rows.map(({ id, is_match }) => [id, is_match]));
}
