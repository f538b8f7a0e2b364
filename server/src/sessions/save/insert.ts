/** Inserts many new sessions at once. */
import { sql } from 'kysely';
import { identityOf } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { runtimeOf } from '../../runtimes/service.ts';
import type { SessionRow } from '../responses.ts';
import { toSearchText } from '../search-text.ts';
import type { Viewer } from '../visibility.ts';
import type { SaveRequest } from './schema.ts';

export interface NewSession {
  readonly place: Viewer;
  readonly request: SaveRequest;
}

interface InsertedRow
  extends Pick<
    SessionRow,
    'id' | 'created_at' | 'updated_at' | 'created_by' | 'project_key' | 'project_name'
  > {
  readonly organization_id: string;
}

const CREATED_BY = identityOf('u');

/**
 * Inserts the sessions in one statement, which skips taken ids and dangling references. Rows are inserted in the order of their ids, so
 * that concurrent inserts of the same ids do not deadlock. Each list of values is a query of its own, because otherwise every length would
 * need its own plan.
 * @param lockTimeoutMs lock timeout while others delete one of the ids or a workspace; the statement fails after it
 * @returns one row per session, or undefined if it was not stored
 */
export async function insertSessions(
  db: Db,
  sessions: readonly NewSession[],
  lockTimeoutMs?: number,
): Promise<(SessionRow | undefined)[]> {
  const rows = await insertRows(db, firstOfEachId(sessions), lockTimeoutMs);
  const inserted = new Map(rows.map((row) => [keyOf(row.organization_id, row.id), row]));
  return sessions.map((session) => {
    const key = keyOf(session.place.organizationId, session.request.id);
    const row = inserted.get(key);
    // If several sessions have one id, the first one gets the row.
    inserted.delete(key);
    return row && toRow(session, row);
  });
}

const keyOf = (organizationId: string, id: string) => `${organizationId}/${id}`;

function firstOfEachId(sessions: readonly NewSession[]): NewSession[] {
  const byKey = new Map<string, NewSession>();
  for (const session of sessions) {
    const key = keyOf(session.place.organizationId, session.request.id);
    if (!byKey.has(key)) byKey.set(key, session);
  }
  return [...byKey.values()];
}

async function insertRows(
  db: Db,
  sessions: readonly NewSession[],
  lockTimeoutMs: number | undefined,
): Promise<InsertedRow[]> {
  const of = <T>(read: (request: SaveRequest) => T) => sessions.map(({ request }) => read(request));
  const { rows } = await sql<InsertedRow>`
    WITH stored AS (
      INSERT INTO sessions (organization_id, workspace_id, user_id, id, model, agent, title, origin, visibility, labels,
                            claimed_message_count, group_id, project_id, runtime_id, search_text)
      SELECT g.organization_id, g.workspace_id, g.user_id, g.id, g.model, g.agent, g.title, g.origin, g.visibility, g.labels,
             g.message_count, g.group_id, g.project_id, g.runtime_id, g.search_text
        FROM unnest(
          (SELECT ${sessions.map(({ place }) => place.organizationId)}::uuid[]),
          (SELECT ${sessions.map(({ place }) => place.workspaceId)}::uuid[]),
          (SELECT ${sessions.map(({ place }) => place.principal.userId)}::uuid[]),
          (SELECT ${of(({ id }) => id)}::uuid[]),
          (SELECT ${of(({ model }) => model)}::text[]),
          (SELECT ${of(({ agent }) => agent ?? null)}::text[]),
          (SELECT ${of(({ title }) => title ?? null)}::text[]),
          (SELECT ${of(({ origin }) => origin ?? 'user')}::text[]),
          (SELECT ${of(({ visibility }) => visibility ?? 'private')}::text[]),
          (SELECT ${of(({ labels }) => JSON.stringify(labels ?? {}))}::jsonb[]),
          (SELECT ${of(({ message_count }) => message_count ?? 0)}::integer[]),
          (SELECT ${of(({ group_id }) => group_id ?? null)}::uuid[]),
          (SELECT ${of(({ project_id }) => project_id ?? null)}::uuid[]),
          (SELECT ${of(({ runtime_id }) => runtime_id ?? null)}::uuid[]),
          (SELECT ${of(({ title }) => toSearchText(title ?? null, null))}::text[])
        ) AS g (organization_id, workspace_id, user_id, id, model, agent, title, origin, visibility, labels, message_count,
                group_id, project_id, runtime_id, search_text)
        LEFT JOIN LATERAL (
          SELECT true AS is_there FROM projects AS p
           WHERE p.organization_id = g.organization_id AND p.workspace_id = g.workspace_id AND p.id = g.project_id OFFSET 0
        ) AS project ON true
        LEFT JOIN LATERAL (
          SELECT true AS is_there FROM session_groups AS sg
           WHERE sg.organization_id = g.organization_id AND sg.workspace_id = g.workspace_id AND sg.id = g.group_id OFFSET 0
        ) AS of_group ON true
        LEFT JOIN LATERAL (${runtimeOf('g')} OFFSET 0) AS runtime ON true
       WHERE (g.project_id IS NULL OR project.is_there) AND (g.group_id IS NULL OR of_group.is_there)
             AND (g.runtime_id IS NULL OR runtime.is_there)
             ${lockTimeoutMs === undefined ? sql`` : setLockTimeout(lockTimeoutMs)}
       ORDER BY g.organization_id, g.id
      ON CONFLICT (organization_id, id) DO NOTHING
      RETURNING organization_id, workspace_id, id, user_id, project_id, created_at, updated_at
    )
    SELECT s.organization_id, s.id, s.created_at, s.updated_at, p.key AS project_key, p.name AS project_name,
           ${CREATED_BY} AS created_by
      FROM stored AS s
      CROSS JOIN LATERAL (
        SELECT u.id, u.username, u.email_address, u.first_name, u.last_name FROM users AS u WHERE u.id = s.user_id OFFSET 0
      ) AS u
      LEFT JOIN LATERAL (
        SELECT p.key, p.name FROM projects AS p
         WHERE p.organization_id = s.organization_id AND p.workspace_id = s.workspace_id AND p.id = s.project_id OFFSET 0
      ) AS p ON true`.execute(db);
  return rows;
}

/** Always true; sets the lock timeout for the rest of the statement, before its first row goes in, because the rows are sorted first. */
const setLockTimeout = (ms: number) =>
  sql`AND (SELECT set_config('lock_timeout', ${`${ms}ms`}, true)) IS NOT NULL`;

/** Values of a session without messages. */
const UNUSED = {
  archived_at: null,
  frozen_at: null,
  frozen_by: null,
  last_message_at: null,
  preview_text: null,
  last_seq: 0,
  compacted_up_to: 0,
  compaction_count: 0,
  last_generation_input_tokens: null,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  tool_call_count: 0,
  cost_usd: 0,
  unpriced_count: 0,
  compacted_input_tokens: 0,
  compacted_output_tokens: 0,
  compacted_cache_read_input_tokens: 0,
  compacted_cache_creation_input_tokens: 0,
  compacted_tool_call_count: 0,
  compacted_cost_usd: 0,
  compacted_unpriced_count: 0,
} as const;

function toRow({ place, request }: NewSession, inserted: InsertedRow): SessionRow {
  return {
    ...UNUSED,
    id: inserted.id,
    user_id: place.principal.userId,
    workspace_id: place.workspaceId,
    model: request.model,
    agent: request.agent ?? null,
    title: request.title ?? null,
    origin: request.origin ?? 'user',
    visibility: request.visibility ?? 'private',
    labels: request.labels ?? {},
    claimed_message_count: request.message_count ?? 0,
    group_id: request.group_id ?? null,
    project_id: request.project_id ?? null,
    runtime_id: request.runtime_id ?? null,
    project_key: inserted.project_key,
    project_name: inserted.project_name,
    created_by: inserted.created_by,
    created_at: inserted.created_at,
    updated_at: inserted.updated_at,
  };
}
