/** Keeps the sessions of an evaluation for as long as the evaluation exists. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { appendState, type SessionState } from '../events.ts';

/**
 * Refuses to delete a session of an evaluation, or to move it out of its group, after which it could be deleted.
 * @param advice what the caller can do instead
 */
export async function refuseEvaluated(
  trx: Trx,
  { organizationId }: WorkspaceScope,
  groupId: string,
  advice: string,
): Promise<void> {
  const { kind, released_at } = await trx
    .selectFrom('session_groups')
    .select(['kind', 'released_at'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', groupId)
    .executeTakeFirstOrThrow();
  if (kind !== 'evaluation_item' || released_at !== null) return;
  throw new ApiError('conflict_error', `This session belongs to an evaluation and stays with it; ${advice}.`);
}

/** Allows sessions of a deleted evaluation to be deleted like any others. */
export async function releaseEvaluation(
  trx: Trx,
  { organizationId, workspaceId }: Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>,
  groupIds: readonly string[],
): Promise<void> {
  await trx
    .updateTable('session_groups')
    .set({ released_at: sql`now()`, updated_at: NEXT_CHANGE })
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`ANY (${groupIds}::uuid[])`)
    .execute();
}

export interface EndedAttempts {
  /** Ids of the groups of the attempts: each has the session of the attempt and those of its sub-agents. */
  readonly groupIds: readonly string[];
  readonly status: 'completed' | 'failed' | 'cancelled';
}

/**
 * Freezes the sessions of attempts that have ended, and ends their groups. Sessions and groups that were frozen or ended before are
 * unchanged.
 */
export async function closeAttempts(
  trx: Trx,
  organizationId: string,
  { groupIds, status }: EndedAttempts,
): Promise<void> {
  const { rows } = await sql<SessionState & { readonly id: string }>`
    WITH frozen AS (
      UPDATE sessions SET frozen_at = clock_timestamp(), frozen_by = 'evaluation', updated_at = ${NEXT_CHANGE}
       WHERE organization_id = ${organizationId} AND group_id = ANY (${groupIds}::uuid[]) AND frozen_at IS NULL
      RETURNING id, title, model, agent, labels, visibility, archived_at, frozen_at, frozen_by, updated_at)
    SELECT id, title, model, agent, labels, visibility, archived_at, frozen_at, frozen_by, updated_at
      FROM frozen ORDER BY id`.execute(trx);
  await sql`
    UPDATE session_groups SET status = ${status}, completed_at = clock_timestamp(), updated_at = ${NEXT_CHANGE}
     WHERE organization_id = ${organizationId} AND id = ANY (${groupIds}::uuid[]) AND status = 'running'`.execute(
    trx,
  );
  // Event streams are locked in the order of their ids, as every writer of several streams does.
  for (const { id, ...state } of rows) await appendState(trx, { organizationId }, id, state);
}

export interface SessionTotals {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cost_usd: number;
}

/**
 * Returns usage over all eras, including summaries: a summary is a user message, which the sums of its session leave out. All values are
 * zero for an unknown session.
 */
export const getTotals = (db: Db, organizationId: string, sessionId: string): Promise<SessionTotals> =>
  sumTotals(db, sql`s.organization_id = ${organizationId} AND s.id = ${sessionId}`);

/** Returns usage over all sessions of a group. */
export const getGroupTotals = (db: Db, organizationId: string, groupId: string): Promise<SessionTotals> =>
  sumTotals(db, sql`s.organization_id = ${organizationId} AND s.group_id = ${groupId}`);

async function sumTotals(db: Db, isCounted: RawBuilder<unknown>): Promise<SessionTotals> {
  const { rows } = await sql<SessionTotals>`
    SELECT coalesce(sum(s.input_tokens + m.input_tokens), 0) AS input_tokens,
           coalesce(sum(s.output_tokens + m.output_tokens), 0) AS output_tokens,
           coalesce(sum(s.cache_read_input_tokens + m.cache_read_input_tokens), 0) AS cache_read_input_tokens,
           coalesce(sum(s.cache_creation_input_tokens + m.cache_creation_input_tokens), 0) AS cache_creation_input_tokens,
           coalesce(sum(s.cost_usd + m.cost_usd), 0) AS cost_usd
      FROM sessions AS s
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(m.input_tokens), 0) AS input_tokens, coalesce(sum(m.output_tokens), 0) AS output_tokens,
              coalesce(sum(m.cache_read_input_tokens), 0) AS cache_read_input_tokens,
              coalesce(sum(m.cache_creation_input_tokens), 0) AS cache_creation_input_tokens,
              coalesce(sum(m.cost_usd), 0) AS cost_usd
         FROM session_compactions AS c
         JOIN session_messages AS m ON m.organization_id = c.organization_id AND m.session_id = c.session_id AND m.seq = c.summary_seq
        WHERE c.organization_id = s.organization_id AND c.session_id = s.id AND m.role <> 'assistant'
     ) AS m
     WHERE ${isCounted}`.execute(db);
  const [totals] = rows;
  if (!totals) throw new Error('A sum has no row.');
  return totals;
}

export interface MainConversation {
  readonly sessionId: string;
  /** Number of model responses in all conversations of the group. */
  readonly turns: number;
  /** The text of the last response. */
  readonly answer: string;
}

/**
 * Finds the conversation of a group that was continued last: an agent speaks after its sub-agents and side calls, even if it has compacted
 * its conversation in between.
 */
export async function findMainConversation(
  db: Db,
  organizationId: string,
  groupId: string,
): Promise<MainConversation | undefined> {
  const { rows } = await sql<MainConversation>`
    SELECT s.id AS "sessionId",
           (SELECT count(*)::integer FROM sessions AS t
              JOIN session_messages AS m ON m.organization_id = t.organization_id AND m.session_id = t.id AND m.role = 'assistant'
             WHERE t.organization_id = ${organizationId} AND t.group_id = ${groupId}) AS turns,
           coalesce((SELECT m.content FROM session_messages AS m
                      WHERE m.organization_id = ${organizationId} AND m.session_id = s.id AND m.role = 'assistant'
                      ORDER BY m.seq DESC LIMIT 1), '') AS answer
      FROM sessions AS s
     WHERE s.organization_id = ${organizationId} AND s.group_id = ${groupId}
     ORDER BY s.last_message_at DESC NULLS LAST, s.last_seq DESC, s.id LIMIT 1`.execute(db);
  return rows[0];
}
