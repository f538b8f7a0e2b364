/** Finds sessions by what was said in them. No index helps here, so that few sessions are looked into, and each once. */
import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '../visibility.ts';

/**
 * Whether a message of the session has the text. Always by the key of its messages: what others have said costs nothing.
 * @param session id of the session; @param search folded
 */
export function isSaidIn(
  { organizationId }: Pick<Viewer, 'organizationId'>,
  session: RawBuilder<unknown>,
  search: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (
    SELECT FROM session_messages AS m
     WHERE m.organization_id = ${organizationId} AND m.session_id = ${session} AND strpos(m.search_text, ${search}) > 0
    OFFSET 0)`;
}
