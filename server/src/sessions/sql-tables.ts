/** Tables `sessions` and `messages` for SQL queries of users. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable, type SqlViewer } from '../platform/sql-tables/sql-table.ts';
import { isVisible } from './visibility.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';
const MONEY = 'DECIMAL(38,18)';

/** The sessions `s` that a viewer can see, with their projects `p` that still exist. */
const visibleSessions = (viewer: SqlViewer) => {
  const { organizationId, workspaceId, userId, projectId } = viewer;
  const isSeen = isVisible({ organizationId, workspaceId, principal: { userId } }, 's');
  return projectId === null ? isSeen : sql<boolean>`${isSeen} AND p.id = ${projectId}`;
};

const joinProject = ({ organizationId, workspaceId }: SqlViewer) => sql`LEFT JOIN projects AS p
  ON p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId} AND p.id = s.project_id`;

const sum = (name: string, comment: string) => [
  column(`total_${name}`, 'BIGINT', sql.ref(`s.${name}`), `${comment}, over all messages.`),
  column(
    `current_${name}`,
    'BIGINT',
    sql`${sql.ref(`s.${name}`)} - ${sql.ref(`s.compacted_${name}`)}`,
    `${comment}, over the messages of the current era: those after the last compaction.`,
  ),
];

const SESSION_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`s.id`, 'Of the session.'),
  column('user_id', 'UUID', sql`s.user_id`, 'Whose session it is.'),
  column('username', 'VARCHAR', sql`u.username`, 'Name of the user whose session it is.'),
  column('model', 'VARCHAR', sql`s.model`, 'The model that it runs with now.'),
  column('agent', 'VARCHAR', sql`s.agent`, 'The agent that it runs with, if there is one.'),
  column('title', 'VARCHAR', sql`s.title`, 'As it was given; null for none.'),
  column(
    'origin',
    'VARCHAR',
    sql`s.origin`,
    'What it was made for: user, worker, eval, optimization, training or world.',
  ),
  column(
    'visibility',
    'VARCHAR',
    sql`s.visibility`,
    "private: its user's alone; workspace: everybody's in the workspace.",
  ),
  column(
    'labels',
    'JSON',
    sql`s.labels`,
    'Key to a list of values, such as {"team": ["red"]}: labels->>\'$.team[0]\' is the first.',
  ),
  column('group_id', 'UUID', sql`s.group_id`, 'The group of sessions that it belongs to, if any.'),
  column('group_kind', 'VARCHAR', sql`g.kind`, 'Of that group: worker_run, evaluation_item or workflow.'),
  column(
    'group_status',
    'VARCHAR',
    sql`g.status`,
    'Of that group: running, completed, failed or cancelled; null where nobody said.',
  ),
  column('group_title', 'VARCHAR', sql`g.title`, 'Of that group.'),
  column('group_worker', 'VARCHAR', sql`g.worker`, 'The worker that ran that group.'),
  column('group_capability', 'VARCHAR', sql`g.capability`, 'The capability that the worker came from.'),
  column('group_capability_version', 'VARCHAR', sql`g.capability_version`, 'The version of that capability.'),
  column('group_evaluation_id', 'UUID', sql`g.evaluation_id`, 'The evaluation that group is of.'),
  column('project_id', 'UUID', sql`p.id`, 'Its project; null for none, or for one that was deleted.'),
  column('project_key', 'VARCHAR', sql`p.key`, 'The key of its project.'),
  column('project_name', 'VARCHAR', sql`p.name`, 'The name of its project.'),
  column('runtime_id', 'UUID', sql`s.runtime_id`, 'The runtime that it ran in, if any.'),
  column('preview_text', 'VARCHAR', sql`s.preview_text`, 'The beginning of the first message of a user.'),
  column(
    'message_count',
    'INTEGER',
    sql`coalesce(s.claimed_message_count, s.last_seq)`,
    'Messages of all eras; as its client said while none are stored.',
  ),
  column('total_message_count', 'INTEGER', sql`s.last_seq`, 'Messages that are stored, of all eras.'),
  column(
    'current_message_count',
    'INTEGER',
    sql`s.last_seq - s.compacted_up_to`,
    'Messages of the current era: those after the last compaction.',
  ),
  column(
    'compaction_count',
    'INTEGER',
    sql`s.compaction_count`,
    'How often it was compacted: a summary took the place of what was said before.',
  ),
  ...sum('input_tokens', 'Tokens that models were given, without cached ones'),
  ...sum('output_tokens', 'Tokens that models wrote'),
  ...sum('cache_read_input_tokens', 'Tokens that models were given and read from a cache'),
  ...sum('cache_creation_input_tokens', 'Tokens that models were given and wrote to a cache'),
  column('total_tool_call_count', 'INTEGER', sql`s.tool_call_count`, 'Calls of tools, over all messages.'),
  column(
    'current_tool_call_count',
    'INTEGER',
    sql`s.tool_call_count - s.compacted_tool_call_count`,
    'Calls of tools, over the messages of the current era.',
  ),
  column(
    'total_cost_usd',
    MONEY,
    sql`CASE WHEN s.unpriced_count = 0 THEN s.cost_usd END`,
    'US dollars, over all messages; null when an answer of a model has no cost.',
  ),
  column(
    'current_cost_usd',
    MONEY,
    sql`CASE WHEN s.unpriced_count <= s.compacted_unpriced_count THEN s.cost_usd - s.compacted_cost_usd END`,
    'US dollars, over the messages of the current era; null when an answer of a model has no cost.',
  ),
  column(
    'last_generation_input_tokens',
    'BIGINT',
    sql`s.last_generation_input_tokens`,
    'Tokens that the model was given when it last answered: how full its context is.',
  ),
  column('archived_at', TIME, sql`s.archived_at`, 'When it was archived; null while it is not.'),
  column(
    'frozen_at',
    TIME,
    sql`s.frozen_at`,
    'When it was frozen: nothing more can be said in it; null while it is not.',
  ),
  column('frozen_by', 'VARCHAR', sql`s.frozen_by`, 'What froze it: evaluation or user.'),
  column(
    'last_message_at',
    TIME,
    sql`s.last_message_at`,
    'When its last message was stored; null before the first.',
  ),
  column('created_at', TIME, sql`s.created_at`, 'When it was saved first.'),
  column('updated_at', TIME, sql`s.updated_at`, 'When it last changed in any way.'),
];

const sessions: SqlTable = {
  name: 'sessions',
  comment: 'Conversations with agents that you can see: your own, and those shared with the workspace.',
  columns: SESSION_COLUMNS,
  rows: (viewer) => sql`
    FROM sessions AS s ${joinProject(viewer)}
    LEFT JOIN users AS u ON u.id = s.user_id
    LEFT JOIN session_groups AS g ON g.organization_id = ${viewer.organizationId} AND g.id = s.group_id
   WHERE ${visibleSessions(viewer)}`,
};

/** Boundaries grow with the eras, so the nearest one below a message determines its era. Most sessions have none. */
const ERA = sql`CASE WHEN s.compaction_count = 0 THEN 0 ELSE coalesce((
  SELECT c.era FROM session_compactions AS c
   WHERE c.organization_id = s.organization_id AND c.session_id = s.id AND c.up_to_seq < m.seq
   ORDER BY c.up_to_seq DESC LIMIT 1), 0) END`;

const COMPACTED_UP_TO = sql`CASE WHEN s.compaction_count = 0 THEN NULL ELSE (
  SELECT c.up_to_seq FROM session_compactions AS c
   WHERE c.organization_id = s.organization_id AND c.session_id = s.id AND c.summary_seq = m.seq) END`;

const MESSAGE_COLUMNS: readonly SqlColumn[] = [
  column('session_id', 'UUID', sql`s.id`, 'The session that it was said in.'),
  column('seq', 'INTEGER', sql`m.seq`, 'Its number in the session, from 1 on and without gaps.'),
  column('id', 'VARCHAR', sql`m.id`, 'As its client calls it; unique in its session.'),
  column('parent_id', 'VARCHAR', sql`m.parent_id`, 'The message that it follows, as its client said.'),
  column('role', 'VARCHAR', sql`m.role`, 'Who said it: system, user, assistant or tool.'),
  column('content', 'VARCHAR', sql`m.content`, 'What was said.'),
  column(
    'tool_calls',
    'JSON',
    sql`m.tool_calls`,
    'Of an assistant: list of the calls of tools that it made, each {"id", "name", "arguments"}; null for none.',
  ),
  column('tool_call_count', 'INTEGER', sql`m.tool_call_count`, 'How many calls of tools it made.'),
  column('tool_call_id', 'VARCHAR', sql`m.tool_call_id`, 'Of a tool: the call that this answers.'),
  column('model', 'VARCHAR', sql`m.model`, 'Of an assistant: the model of the session when it was stored.'),
  column('metadata', 'JSON', sql`m.metadata`, 'Whatever its client stored beside it.'),
  column(
    'input_tokens',
    'BIGINT',
    sql`m.input_tokens`,
    'Tokens that the model was given, without cached ones; null where nobody said.',
  ),
  column('output_tokens', 'BIGINT', sql`m.output_tokens`, 'Tokens that the model wrote.'),
  column(
    'cache_read_input_tokens',
    'BIGINT',
    sql`m.cache_read_input_tokens`,
    'Tokens that the model was given and read from a cache.',
  ),
  column(
    'cache_creation_input_tokens',
    'BIGINT',
    sql`m.cache_creation_input_tokens`,
    'Tokens that the model was given and wrote to a cache.',
  ),
  column(
    'cost_usd',
    MONEY,
    sql`m.cost_usd`,
    'What the answer of the model cost, in US dollars; null where nobody said.',
  ),
  column('era', 'INTEGER', ERA, 'How many compactions lie below it: 0 for what was said before the first.'),
  column(
    'is_compacted',
    'BOOLEAN',
    sql`m.seq <= s.compacted_up_to`,
    'Whether a summary has taken its place, so that the agent no longer sees it.',
  ),
  column(
    'compacted_up_to_seq',
    'INTEGER',
    COMPACTED_UP_TO,
    'Of a summary: it stands for the messages up to this number.',
  ),
  column('created_at', TIME, sql`m.created_at`, 'When it was stored; of an imported one, when it was said.'),
];

/** Reads messages session by session by key: messages of other sessions cost nothing, and the first rows arrive at once. */
const messages: SqlTable = {
  name: 'messages',
  comment: 'What was said in the sessions that you can see, in all eras.',
  columns: MESSAGE_COLUMNS,
  rows: (viewer) => sql`
    FROM sessions AS s ${viewer.projectId === null ? sql`` : joinProject(viewer)}
    CROSS JOIN LATERAL (
      SELECT m.seq, m.id, m.parent_id, m.role, m.content, m.tool_calls, m.tool_call_count, m.tool_call_id, m.model, m.metadata,
             m.input_tokens, m.output_tokens, m.cache_read_input_tokens, m.cache_creation_input_tokens, m.cost_usd, m.created_at
        FROM session_messages AS m
       WHERE m.organization_id = ${viewer.organizationId} AND m.session_id = s.id
      OFFSET 0) AS m
   WHERE ${visibleSessions(viewer)}`,
};

export const sessionTables: readonly SqlTable[] = [sessions, messages];
