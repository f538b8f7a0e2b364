/** Finds sessions by the text of their messages. No index helps here, so few sessions are searched, each once. */
import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '../visibility.ts';

/**
 * Tells whether a message of the session contains the text. Always uses the key of its messages, so that other sessions cost nothing.
 * @param session id of the session
 * @param search case-folded text
 */
export function isTextIn(
  { organizationId }: Pick<Viewer, 'organizationId'>,
  session: RawBuilder<unknown>,
  search: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (
    SELECT FROM session_messages AS m
     WHERE m.organization_id = ${organizationId} AND m.session_id = ${session} AND strpos(m.search_text, ${search}) > 0
    OFFSET 0)`;
}
