/** Selects the parts of all traces of a workspace that a viewer sees, for statements that read many traces. */
import { type RawBuilder, sql } from 'kysely';
import type { SqlViewer } from '../../platform/sql-tables/sql-table.ts';
import type { Viewer } from '../../sessions/service.ts';
import { isHidden, isSeenAmongParts, joinSession } from '../reading/visibility.ts';

/** Limits the traces to those that an index finds; without candidates all traces of the workspace are read. */
export interface Candidates {
  /** A condition on a row `c` of sender_parts: every wanted trace has such a part. */
  readonly isCandidate: RawBuilder<boolean>;
  /** Order of the index to use, so that PostgreSQL uses no other. */
  readonly order: RawBuilder<unknown>;
}

const COLUMNS = sql.raw(
  `trace_id user_id session_id project_id session_was_known first_received_at span_count error_count span_types models first_start last_start last_end
  input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens cost_usd unpriced_count root_has_parent
  root_start root_span_id root_name root_service_name`
    .split(/\s+/)
    .map((name) => `p.${name}`)
    .join(', '),
);

export const toViewer = ({ organizationId, workspaceId, userId }: SqlViewer): Viewer => ({
  organizationId,
  workspaceId,
  principal: { userId },
});

/**
 * Yields rows `p`, those of a trace consecutively, in index order, so that the first rows are returned at once. Applies the rule of
 * `isSeenAmongParts`. `is_cut` is true when some parts of the trace are not visible.
 */
export function seenParts(viewer: SqlViewer, candidates: Candidates | undefined): RawBuilder<unknown> {
  return sql`(
    SELECT ${COLUMNS}, p.named_session_id, p.named_project_id, p.is_cut
      FROM (
        SELECT ${COLUMNS}, p.named_session_id, p.named_project_id, p.is_seen,
               NOT bool_and(p.is_seen) OVER (PARTITION BY p.trace_id) AS is_cut
          FROM (
            SELECT ${COLUMNS}, p.named_session_id, p.named_project_id, ${isSeenAmongParts(toViewer(viewer))} AS is_seen
              FROM (${candidates ? partsOfCandidates(viewer, candidates) : allParts(viewer)}) AS p
          ) AS p
      ) AS p
     WHERE p.is_seen) AS p`;
}

const allParts = (viewer: SqlViewer) => sql`
  SELECT ${COLUMNS}, ${BESIDE}, ${isHidden(toViewer(viewer))} AS is_hidden, s.id IS NOT NULL AS is_of_session
    FROM sender_parts AS p ${joinSession(toViewer(viewer))} ${joinProject(viewer)}
   WHERE p.organization_id = ${viewer.organizationId} AND p.workspace_id = ${viewer.workspaceId}`;

/** Reads candidates in the order of their index and looks up each trace by its key, like the list of traces. */
const partsOfCandidates = (viewer: SqlViewer, { isCandidate, order }: Candidates) => sql`
  SELECT ${COLUMNS}, p.named_session_id, p.named_project_id, p.is_hidden, p.is_of_session
    FROM (
      SELECT DISTINCT c.trace_id FROM (
        SELECT c.trace_id FROM sender_parts AS c WHERE ${isCandidate} ORDER BY ${order} OFFSET 0) AS c
    ) AS candidate CROSS JOIN LATERAL (
      ${allParts(viewer)} AND p.trace_id = candidate.trace_id OFFSET 0) AS p`;

/** Deleted sessions and projects become null. */
const BESIDE = sql`s.id AS named_session_id, j.id AS named_project_id`;

const joinProject = ({ organizationId, workspaceId }: SqlViewer) => sql`
  LEFT JOIN projects AS j ON j.organization_id = ${organizationId} AND j.workspace_id = ${workspaceId} AND j.id = p.project_id`;

/** @param column of the time range in which a part of each trace began */
export function beganBetween(
  { organizationId, workspaceId }: SqlViewer,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Candidates {
  const bounds = [
    ...(from === null ? [] : [sql`c.first_start >= ${from}::timestamptz`]),
    ...(to === null ? [] : [sql`c.first_start <= ${to}::timestamptz`]),
  ];
  return {
    isCandidate: sql<boolean>`c.organization_id IS NOT DISTINCT FROM ${organizationId} AND c.workspace_id = ${workspaceId}
      AND ${sql.join(bounds, sql` AND `)}`,
    order: sql`c.first_start DESC, c.trace_id`,
  };
}

export const ofSession = ({ organizationId, workspaceId }: SqlViewer, sessionId: string): Candidates => ({
  isCandidate: sql<boolean>`c.organization_id = ${organizationId} AND c.workspace_id IS NOT DISTINCT FROM ${workspaceId}
    AND c.session_id = ${sessionId}::uuid`,
  order: sql`c.session_id`,
});
