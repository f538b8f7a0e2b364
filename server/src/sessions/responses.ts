/** Session rows and their groups as responses. */
import { sql } from 'kysely';
import { identityOf, type UserIdentityOf } from '../accounts/service.ts';
import type { Db } from '../platform/db/connect.ts';
import { findGroups } from './groups/store.ts';
import { MAX_RECENT, type SessionOf } from './schema.ts';
import type { Viewer } from './visibility.ts';

type Sums = Record<
  `${'' | 'compacted_'}${(typeof TOKENS)[number] | 'tool_call_count' | 'unpriced_count' | 'cost_usd'}`,
  number
>;

const TOKENS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

export interface SessionRow
  extends Pick<
      SessionOf,
      'id' | 'user_id' | 'workspace_id' | 'model' | 'agent' | 'title' | 'origin' | 'visibility'
    >,
    Pick<
      SessionOf,
      'archived_at' | 'frozen_at' | 'frozen_by' | 'created_at' | 'updated_at' | 'last_message_at'
    >,
    Pick<SessionOf, 'preview_text' | 'labels' | 'group_id' | 'runtime_id'>,
    Pick<SessionOf, 'project_id' | 'project_key' | 'project_name'>,
    Sums {
  readonly created_by: UserIdentityOf | null;
  readonly claimed_message_count: number | null;
  readonly last_seq: number;
  readonly compacted_up_to: number;
  readonly compaction_count: number;
  readonly last_generation_input_tokens: number | null;
}

/** Columns of the rows `s` of sessions only. */
const OWN_COLUMNS = sql`s.id, s.user_id, s.workspace_id, s.model, s.agent, s.title, s.origin, s.visibility,
  s.archived_at, s.frozen_at, s.frozen_by, s.created_at, s.updated_at, s.last_message_at, s.preview_text, s.labels,
  s.group_id, s.runtime_id, s.claimed_message_count, s.last_seq, s.compacted_up_to, s.compaction_count,
  s.last_generation_input_tokens, s.input_tokens, s.output_tokens, s.cache_read_input_tokens, s.cache_creation_input_tokens,
  s.tool_call_count, s.cost_usd, s.unpriced_count,
  s.compacted_input_tokens, s.compacted_output_tokens, s.compacted_cache_read_input_tokens,
  s.compacted_cache_creation_input_tokens, s.compacted_tool_call_count, s.compacted_cost_usd, s.compacted_unpriced_count`;

/** Columns that a statement that changes a session returns, so that a response can be selected from them. */
export const CHANGED_COLUMNS = sql`s.organization_id, s.project_id, ${OWN_COLUMNS}`;

/** Columns of the rows `s` of sessions, `u` of their users and `p` of their projects. */
export const SESSION_COLUMNS = sql`${OWN_COLUMNS}, p.id AS project_id, p.key AS project_key, p.name AS project_name,
  CASE WHEN u.id IS NOT NULL THEN ${identityOf('u')} END AS created_by`;

/** Joins for a row `s` of sessions. A deleted project yields null. */
export const SESSION_JOINS = sql`
  LEFT JOIN users AS u ON u.id = s.user_id
  LEFT JOIN projects AS p ON p.organization_id = s.organization_id AND p.workspace_id = s.workspace_id AND p.id = s.project_id`;

/** Converts rows to sessions with summaries of their groups, as this caller sees them. */
export async function toSessions(db: Db, viewer: Viewer, rows: readonly SessionRow[]): Promise<SessionOf[]> {
  const groups = await findGroups(
    db,
    viewer,
    rows.flatMap(({ group_id }) => group_id ?? []),
  );
  return rows.map((row) => ({ ...toSession(row), group: groups.get(row.group_id ?? '') ?? null }));
}

/** Converts the row of a session that has no group, or whose group the caller fills in. */
export function toSession(row: SessionRow): SessionOf {
  const current = row.last_seq - row.compacted_up_to;
  return {
    id: row.id,
    user_id: row.user_id,
    workspace_id: row.workspace_id,
    model: row.model,
    agent: row.agent,
    title: row.title,
    origin: row.origin,
    visibility: row.visibility,
    archived_at: row.archived_at,
    frozen_at: row.frozen_at,
    frozen_by: row.frozen_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_message_at: row.last_message_at,
    message_count: row.claimed_message_count ?? row.last_seq,
    recent_message_count: Math.min(MAX_RECENT, current),
    preview_text: row.preview_text,
    labels: row.labels,
    created_by: row.created_by,
    group_id: row.group_id,
    group: null,
    project_id: row.project_id,
    project_key: row.project_key,
    project_name: row.project_name,
    runtime_id: row.runtime_id,
    usage: toUsage(row, current),
  };
}

function toUsage(row: SessionRow, currentMessages: number): SessionOf['usage'] {
  return {
    compaction_count: row.compaction_count,
    current_message_count: currentMessages,
    current_input_tokens: toCount(row.input_tokens - row.compacted_input_tokens),
    current_output_tokens: toCount(row.output_tokens - row.compacted_output_tokens),
    current_cache_read_input_tokens: toCount(
      row.cache_read_input_tokens - row.compacted_cache_read_input_tokens,
    ),
    current_cache_creation_input_tokens: toCount(
      row.cache_creation_input_tokens - row.compacted_cache_creation_input_tokens,
    ),
    current_tool_call_count: row.tool_call_count - row.compacted_tool_call_count,
    current_cost_usd:
      row.unpriced_count > row.compacted_unpriced_count
        ? null
        : toCost(row.cost_usd - row.compacted_cost_usd),
    total_message_count: row.last_seq,
    total_input_tokens: toCount(row.input_tokens),
    total_output_tokens: toCount(row.output_tokens),
    total_cache_read_input_tokens: toCount(row.cache_read_input_tokens),
    total_cache_creation_input_tokens: toCount(row.cache_creation_input_tokens),
    total_tool_call_count: row.tool_call_count,
    total_cost_usd: row.unpriced_count > 0 ? null : row.cost_usd,
    last_generation_input_tokens: row.last_generation_input_tokens,
  };
}

/** Token counts come from clients: a sum beyond the safe integers of JSON must not make a list unreadable. */
const toCount = (sum: number) => Math.min(sum, Number.MAX_SAFE_INTEGER);

const COST_DIGITS = 12;

/** Costs are decimals; this removes the remainder that their differences have as doubles. */
const toCost = (cost: number) => Number(cost.toFixed(COST_DIGITS));
