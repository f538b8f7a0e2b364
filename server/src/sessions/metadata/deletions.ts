/** Lists deleted sessions, for other domains that keep data about sessions. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';

export interface SessionDeletion {
  readonly organization_id: string;
  readonly workspace_id: string;
  readonly session_id: string;
  /** Id of the owner of the session. */
  readonly user_id: string;
  readonly deleted_at: string;
  /** The owner has since saved a session with the same id again. */
  readonly is_back: boolean;
}

export interface DeletionsQuery {
  /** Returns deletions at or after this time. */
  readonly since: string;
  /** The last deletion of the previous page. */
  readonly after?: SessionDeletion | undefined;
  readonly limit: number;
}

/** Lists deletions of all organizations, oldest first. They are kept for a day. */
export async function listDeletions(
  db: Db,
  { since, after, limit }: DeletionsQuery,
): Promise<SessionDeletion[]> {
  const { rows } = await sql<SessionDeletion>`
    SELECT /* of every organization */ d.organization_id, d.workspace_id, d.session_id, d.user_id, d.deleted_at,
           EXISTS (SELECT FROM sessions AS s WHERE s.organization_id = d.organization_id AND s.id = d.session_id
                      AND s.workspace_id = d.workspace_id AND s.user_id = d.user_id) AS is_back
      FROM session_deletions AS d
     WHERE d.deleted_at >= ${after?.deleted_at ?? since}::timestamptz AND d.user_id IS NOT NULL
       AND (d.deleted_at, d.organization_id, d.workspace_id, d.session_id, d.user_id) >
           (${after?.deleted_at ?? '-infinity'}::timestamptz, ${after?.organization_id ?? NONE}::uuid,
            ${after?.workspace_id ?? NONE}::uuid, ${after?.session_id ?? NONE}::uuid, ${after?.user_id ?? NONE}::uuid)
     ORDER BY d.deleted_at, d.organization_id, d.workspace_id, d.session_id, d.user_id LIMIT ${limit}`.execute(
    db,
  );
  return rows;
}

const NONE = '00000000-0000-0000-0000-000000000000';
