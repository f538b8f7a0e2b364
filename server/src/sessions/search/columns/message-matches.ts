/** Finds sessions by their messages: those of a filter, and once more those that have changed. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import type { Viewer } from '../../visibility.ts';
import { isMatching } from '../matching.ts';
import { isSaidIn } from '../message-search.ts';
import type { SessionFilter } from '../query.ts';
import { isChangedSince, isOfPlace, type Place } from './moment.ts';

/**
 * The sessions with a message that has the text of the filter, but for those that have it themselves.
 * @param among only these are looked into, for who knows which they are; else all that the filter lets through
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
      }>`SELECT g.id FROM unnest(${among}::uuid[]) AS g (id) WHERE ${isSaidIn(viewer, sql`g.id`, text)}`
    : sql<{ id: string }>`
        SELECT s.id FROM sessions AS s
         WHERE ${isMatching(viewer, filter)} AND s.last_seq > 0 AND strpos(s.search_text, ${text}) = 0
           AND ${isSaidIn(viewer, sql`s.id`, text)}`;
  const { rows } = await statement.execute(db);
  return rows.map(({ id }) => id);
}

/** Asks for the sessions that a snapshot did not see as they are now. */
export interface Recheck {
  /** Folded. */
  readonly search: string;
  readonly since: string;
}

/** Those sessions, and whether a message of theirs has the text. */
export type Rechecked = ReadonlyMap<string, boolean>;

export async function recheckMessages(db: Db, place: Place, { search, since }: Recheck): Promise<Rechecked> {
  const { rows } = await sql<{ id: string; is_said: boolean }>`
    SELECT s.id, ${isSaidIn(place, sql`s.id`, sql`${search}::text`)} AS is_said
      FROM sessions AS s WHERE ${isOfPlace('s', place)} AND ${isChangedSince('s', since)}`.execute(db);
  return new Map(rows.map(({ id, is_said }) => [id, is_said]));
}
