/**
 * Decides which parts of a trace a caller sees, for lists, traces and SQL tables: `isHidden` and `isSeenAmongParts` are the rule. A part
 * belongs to the session that it names only if its sender owns that session; any other id is just a text. See docs/design/traces.md,
 * "Who sees a span".
 */
import { type RawBuilder, sql } from 'kysely';
import { isShown, type Viewer } from '../../sessions/service.ts';

/**
 * Joins the session `s` that a row `p` belongs to, if it exists. Looks it up by key for each row, so that sessions of other users cost
 * nothing.
 */
export const joinSession = ({ organizationId, workspaceId }: Viewer) => sql`
  LEFT JOIN LATERAL (
    SELECT named.id, named.visibility, named.user_id FROM sessions AS named
     WHERE named.organization_id = ${organizationId} AND named.id = p.session_id
       AND named.workspace_id IS NOT DISTINCT FROM ${workspaceId} AND named.user_id = p.user_id
    OFFSET 0) AS s ON true`;

/** Time of the last deletion of the sender's session that a row `p` names; null if it was never deleted. */
const deletedAt = ({ organizationId, workspaceId }: Viewer) => sql`(
  SELECT deletion.deleted_at FROM session_deletions AS deletion
   WHERE deletion.organization_id = ${organizationId} AND deletion.workspace_id = ${workspaceId}
     AND deletion.session_id = p.session_id AND deletion.user_id = p.user_id)`;

/**
 * For a row `p` that names a session, joined with `s`, returns the time until which its spans are hidden from the caller; null hides none.
 * A session that its sender had and no longer has was deleted. Spans often arrive before their session is saved: then only the deletion
 * shows that it existed. If the sender has saved the id again, spans from before the deletion wait to be removed.
 */
const hiddenUntil = (viewer: Viewer) => sql`
  CASE WHEN s.id IS NULL THEN CASE WHEN p.session_was_known OR ${deletedAt(viewer)} IS NOT NULL THEN 'infinity'::timestamptz END
       WHEN NOT ${isShown(viewer, 's')} THEN 'infinity'::timestamptz
       ELSE ${deletedAt(viewer)} END`;

/** Returns whether a row `p`, joined with `s`, belongs to a session that the caller does not see. */
export const isHidden = (viewer: Viewer): RawBuilder<boolean> =>
  sql<boolean>`(p.session_id IS NOT NULL AND coalesce(p.first_received_at <= ${hiddenUntil(viewer)}, false))`;

/**
 * Selects all parts of the workspace in the order of the index that covers these columns. Without the order, PostgreSQL might prefer
 * to scan the parts of all workspaces.
 */
export const partsOf = ({ organizationId, workspaceId }: Viewer, more = sql``) => sql`(
  SELECT every.trace_id, every.user_id, every.session_id, every.session_was_known, every.first_received_at
    FROM sender_parts AS every
   WHERE every.organization_id = ${organizationId} AND every.workspace_id = ${workspaceId} ${more}
   ORDER BY every.trace_id, every.user_id OFFSET 0) AS p`;

/**
 * Selects the sessions that the traces of a list name. They are usually few compared with the traces, so each is looked up once. The
 * condition is phrased so that PostgreSQL expects few rows: it would scan a set that seems larger than memory for every part.
 */
export const namedSessionsOf = (viewer: Viewer) => sql`
  named AS MATERIALIZED (
    SELECT p.session_id, p.user_id, p.session_was_known, s.id IS NOT NULL AS is_there, ${hiddenUntil(viewer)} AS hidden_until
      FROM (SELECT DISTINCT p.session_id, p.user_id, p.session_was_known
              FROM ${partsOf(viewer, sql`AND every.session_id IS NOT NULL`)}) AS p ${joinSession(viewer)}
  ),
  hidden AS MATERIALIZED (
    SELECT session_id, user_id, session_was_known FROM named WHERE (hidden_until = 'infinity')::text = 'true'
  ),
  deleted AS MATERIALIZED (
    SELECT session_id, user_id, session_was_known, hidden_until FROM named WHERE (hidden_until < 'infinity')::text = 'true'
  ),
  seen_sessions AS MATERIALIZED (
    SELECT session_id, user_id FROM named WHERE is_there AND (hidden_until IS DISTINCT FROM 'infinity')::text = 'true'
  )`;

/** True when all parts are visible. */
export const isNothingHidden = sql<boolean>`(NOT EXISTS (SELECT FROM hidden) AND NOT EXISTS (SELECT FROM deleted))`;

/** Evaluates `isHidden` for a row `p` from the sets of `namedSessionsOf`, in memory, however many sessions there are. */
export const isAmongHidden = sql<boolean>`(p.session_id IS NOT NULL AND (
  (p.session_id, p.user_id, p.session_was_known) IN (SELECT session_id, user_id, session_was_known FROM hidden)
  OR (p.session_id, p.user_id, p.session_was_known) IN (SELECT session_id, user_id, session_was_known FROM deleted)
    AND p.first_received_at <= (
      SELECT max(d.hidden_until) FROM deleted AS d WHERE d.session_id = p.session_id AND d.user_id = p.user_id)))`;

/** Returns whether a row `p` belongs to a session that the caller sees; the row itself may still be hidden by a deletion. */
export const isOfSeenSession = sql<boolean>`(p.session_id IS NOT NULL
  AND (p.session_id, p.user_id) IN (SELECT session_id, user_id FROM seen_sessions))`;

/**
 * The rule, for statements over rows `p` with `is_hidden` and `is_of_session`. A part that belongs to no session may concern any session of
 * its sender in the trace, since a tool call rarely repeats its conversation id. So it is visible to its sender, and to every user from
 * whom no part of this sender in the trace is hidden. Parts of other senders do not affect it.
 */
export const isSeenAmongParts = ({ principal }: Viewer) => sql<boolean>`(NOT p.is_hidden AND (
  p.is_of_session OR p.user_id = ${principal.userId} OR NOT bool_or(p.is_hidden) OVER (PARTITION BY p.trace_id, p.user_id)))`;

interface Part {
  readonly user_id: string;
  readonly has_session: boolean;
  readonly is_hidden: boolean;
}

/**
 * Applies the rule of `isSeenAmongParts` to parts that were read.
 * @param parts all parts of one trace
 */
export function seenOf<P extends Part>({ principal }: Viewer, parts: readonly P[]): P[] {
  const hiding = new Set(parts.filter(({ is_hidden }) => is_hidden).map(({ user_id }) => user_id));
  return parts.filter(
    ({ user_id, has_session, is_hidden }) =>
      !is_hidden && (has_session || user_id === principal.userId || !hiding.has(user_id)),
  );
}

interface PartOfTrace {
  readonly user_id: string;
  readonly session_id: string | null;
  readonly project_id: string | null;
}

/** Identifies a part of one trace by a text, so that spans can be compared with a list of parts. */
export const toPartKey = ({ user_id, session_id, project_id }: PartOfTrace) =>
  `${user_id}/${session_id ?? ''}/${project_id ?? ''}`;

/**
 * Builds the same text in SQL.
 * @param alias of a row of spans or of sender_parts
 */
export const partKeyOf = (alias: string) =>
  sql<string>`concat(${sql.ref(`${alias}.user_id`)}, '/', ${sql.ref(`${alias}.session_id`)}, '/', ${sql.ref(`${alias}.project_id`)})`;
