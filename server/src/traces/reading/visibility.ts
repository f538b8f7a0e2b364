/** Which parts of a trace a caller sees: those of a session follow it. */
import { type RawBuilder, sql } from 'kysely';
import { isShown, type Viewer } from '../../sessions/service.ts';

/** The session `s` that a row `p` names, if it is there. Looked up by its key, row by row: the sessions of others cost nothing. */
export const joinSession = ({ organizationId, workspaceId }: Viewer) => sql`
  LEFT JOIN LATERAL (
    SELECT named.id, named.visibility, named.user_id FROM sessions AS named
     WHERE named.organization_id = ${organizationId} AND named.id = p.session_id
       AND named.workspace_id IS NOT DISTINCT FROM ${workspaceId}
    OFFSET 0) AS s ON true`;

/**
 * Whether a row `p`, joined with `s`, is not for the caller. An id that was never one of a session here is just an id; a
 * session that was here and is not any more was deleted. Spans often come before their session is saved: then only its
 * deletion tells that it was here.
 */
export const isHidden = (viewer: Viewer): RawBuilder<boolean> =>
  sql<boolean>`CASE WHEN p.session_id IS NULL THEN false
    WHEN s.id IS NULL THEN p.session_was_known OR EXISTS (
      SELECT FROM session_deletions AS deletion
       WHERE deletion.organization_id = ${viewer.organizationId} AND deletion.workspace_id = ${viewer.workspaceId}
         AND deletion.session_id = p.session_id OFFSET 0)
    ELSE NOT ${isShown(viewer, 's')} END`;

/**
 * All parts of the workspace, in the order of the index that has all this: what needs them in another order than that may
 * seem to be had faster by passing over everybody's.
 */
export const partsOf = ({ organizationId, workspaceId }: Viewer, more = sql``) => sql`(
  SELECT every.trace_id, every.session_id, every.session_was_known FROM trace_parts AS every
   WHERE every.organization_id = ${organizationId} AND every.workspace_id = ${workspaceId} ${more}
   ORDER BY every.trace_id OFFSET 0) AS p`;

/**
 * For who asks about all traces. The sessions that these name are few beside them, as a rule: each is looked up once. In words
 * by which few seem to be hidden: what seems to be more than fits into memory would be gone through for every part.
 */
export const hiddenOf = (viewer: Viewer) => sql`
  named AS MATERIALIZED (
    SELECT DISTINCT p.session_id, p.session_was_known FROM ${partsOf(viewer, sql`AND every.session_id IS NOT NULL`)}
  ),
  hidden AS MATERIALIZED (
    SELECT p.session_id, p.session_was_known FROM named AS p ${joinSession(viewer)} WHERE (${isHidden(viewer)})::text = 'true'
  )`;

/** Of a row `p` that names a session. Asked of a set in memory, however many there are. */
export const isAmongHidden = sql<boolean>`(p.session_id, p.session_was_known) IN (SELECT session_id, session_was_known FROM hidden)`;

/** Of any row `p`. */
export const isHiddenSession = sql<boolean>`(p.session_id IS NOT NULL AND ${isAmongHidden})`;

/** What names no session may belong to any of its trace: it is seen by who sees all of them. */
export function seenOf<Part extends { readonly session_id: string | null; readonly is_hidden: boolean }>(
  parts: readonly Part[],
): Part[] {
  const isCut = parts.some(({ is_hidden }) => is_hidden);
  return parts.filter(({ session_id, is_hidden }) => (isCut ? session_id !== null && !is_hidden : true));
}
