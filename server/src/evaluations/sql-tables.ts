/** The SQL tables of evaluations, of their samples and of the scores of samples. Every member of the workspace sees all rows. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable, type SqlViewer } from '../platform/sql-tables/sql-table.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';
const MONEY = 'DECIMAL(38,18)';

const countOf = (...states: readonly string[]) =>
  sql.join(
    states.map((state) => sql`coalesce((e.item_counts ->> ${state})::integer, 0)`),
    sql` + `,
  );

const PASSED = countOf('passed');
const FAILED = countOf('failed', 'timed_out');

const EVALUATION_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`e.id`, 'Of the evaluation.'),
  column('name', 'VARCHAR', sql`e.name`, 'As it was given.'),
  column('model', 'VARCHAR', sql`e.model`, 'The model that is evaluated.'),
  column(
    'status',
    'VARCHAR',
    sql`e.shown_status`,
    'queued, running, paused, completed, failed or cancelled.',
  ),
  column('created_by', 'UUID', sql`e.created_by`, 'The user who made it.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of the user who made it.'),
  column('project_id', 'UUID', sql`p.id`, 'Its project; null for none, or for one that was deleted.'),
  column('project_key', 'VARCHAR', sql`p.key`, 'The key of its project.'),
  column('project_name', 'VARCHAR', sql`p.name`, 'The name of its project.'),
  column('tags', 'VARCHAR[]', sql`e.tags`, 'As they were given.'),
  column('task_set', 'VARCHAR', sql`e.request ->> 'task_set'`, 'The task set that it runs; null for none.'),
  column(
    'dataset',
    'JSON',
    sql`nullif(e.request -> 'dataset', 'null')`,
    'The dataset that it runs, such as {"name", "version", "split"}; null for tasks.',
  ),
  column(
    'agent',
    'JSON',
    sql`nullif(e.request -> 'agent', 'null')`,
    'The name of its agent, or {"command"}; null for the built-in one.',
  ),
  column(
    'capability',
    'JSON',
    sql`nullif(e.request -> 'capability', 'null')`,
    'The capability under test: {"name", "version"}; null for none.',
  ),
  column(
    'repetitions',
    'INTEGER',
    sql`(e.request ->> 'repetitions')::integer`,
    'Samples of each task or row.',
  ),
  column('concurrency', 'INTEGER', sql`e.concurrency`, 'Samples that run at once.'),
  column('budget_usd', MONEY, sql`e.budget_usd`, 'At this cost it pauses; null for none.'),
  column('total_samples', 'INTEGER', sql`e.total_samples`, 'How many samples it has.'),
  column('passed_count', 'INTEGER', sql`(${PASSED})`, 'Samples that passed.'),
  column('failed_count', 'INTEGER', sql`(${FAILED})`, 'Samples that failed or ran out of time.'),
  column('error_count', 'INTEGER', sql`(${countOf('infra_error')})`, 'Samples that could not run.'),
  column(
    'pass_rate',
    'DOUBLE',
    sql`(${PASSED})::double precision / nullif(${PASSED} + ${FAILED}, 0)`,
    'Passed of passed and failed; null before the first result.',
  ),
  column(
    'mean_score',
    'DOUBLE',
    sql`e.score_sum / nullif(e.scored_count, 0)`,
    'Of the samples that have a score.',
  ),
  column(
    'optimization_job_id',
    'UUID',
    sql`e.optimization_job_id`,
    'The job whose candidate it scores; null for an ordinary evaluation.',
  ),
  column('cost_usd', MONEY, sql`e.cost_usd`, 'Of all attempts, in US dollars.'),
  column('stop_reason', 'VARCHAR', sql`e.stop_reason`, 'Why it ended before its last sample.'),
  column('pause_reason', 'VARCHAR', sql`e.pause_reason`, 'Why it was paused.'),
  column('error', 'VARCHAR', sql`e.error`, 'Why it failed as a whole.'),
  column('created_at', TIME, sql`e.created_at`, 'When it was made.'),
  column('started_at', TIME, sql`e.started_at`, 'When its first sample began.'),
  column('completed_at', TIME, sql`e.completed_at`, 'When it ended.'),
];

/** Columns that samples and scores share. */
const SAMPLE_COLUMNS: readonly SqlColumn[] = [
  column('evaluation_id', 'UUID', sql`i.evaluation_id`, 'The evaluation that it is of.'),
  column('task_name', 'VARCHAR', sql`i.task_name`, 'The task; null for a row of a dataset.'),
  column('row_index', 'INTEGER', sql`i.row_index`, 'The row of the dataset, from 0; null for a task.'),
  column('sample', 'INTEGER', sql`i.sample`, 'Which repetition, from 1.'),
];

const ITEM_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`i.id`, 'Of the sample.'),
  ...SAMPLE_COLUMNS,
  column('position', 'INTEGER', sql`i.position`, 'Its place in the evaluation, from 0.'),
  column('task_version', 'VARCHAR', sql`i.task_version`, 'The version of the task.'),
  column(
    'item_status',
    'VARCHAR',
    sql`i.status`,
    'queued, claiming, provisioning, agent_running, agent_finished, verifying, passed, failed, timed_out, cancelled or infra_error.',
  ),
  column('passed', 'BOOLEAN', sql`i.passed`, 'null without a result.'),
  column('score', 'DOUBLE', sql`i.score`, 'From 0 to 1; null without a result.'),
  column('metrics', 'JSON', sql`i.metrics`, 'Figures that the verification reported beside its score.'),
  column('stop_reason', 'VARCHAR', sql`i.stop_reason`, 'Why the agent ended, such as finished or timeout.'),
  column('error', 'VARCHAR', sql`i.error`, 'What went wrong; null for nothing.'),
  column('error_kind', 'VARCHAR', sql`i.error_kind`, 'agent, verifier, limit or infra.'),
  column('session_id', 'UUID', sql`i.session_id`, 'The session of the attempt that counts.'),
  column(
    'retry_count',
    'INTEGER',
    sql`i.retry_count`,
    'Attempts that errors of the infrastructure have used up.',
  ),
  column('turn_count', 'INTEGER', sql`i.turn_count`, 'Answers of the model.'),
  column('answer', 'VARCHAR', sql`i.answer`, 'Its final answer, at most 4 KiB of it.'),
  column('input_tokens', 'BIGINT', sql`i.input_tokens`, 'Without those of the cache.'),
  column('output_tokens', 'BIGINT', sql`i.output_tokens`, 'What the model wrote.'),
  column('cache_read_input_tokens', 'BIGINT', sql`i.cache_read_input_tokens`, 'Read from the cache.'),
  column(
    'cache_creation_input_tokens',
    'BIGINT',
    sql`i.cache_creation_input_tokens`,
    'Written to the cache.',
  ),
  column('cost_usd', MONEY, sql`i.cost_usd`, 'Of the attempt that counts, in US dollars.'),
  column('duration_ms', 'INTEGER', sql`i.duration_ms`, 'Milliseconds of the attempt that counts.'),
  column('queued_at', TIME, sql`i.queued_at`, 'When it was last queued.'),
  column('started_at', TIME, sql`i.started_at`, 'When the attempt that counts began.'),
  column('agent_finished_at', TIME, sql`i.agent_finished_at`, 'When its agent ended.'),
  column('completed_at', TIME, sql`i.completed_at`, 'When it had its result.'),
];

const SCORE_COLUMNS: readonly SqlColumn[] = [
  column('item_id', 'UUID', sql`i.id`, 'The sample that it is of.'),
  ...SAMPLE_COLUMNS,
  column('scorer', 'VARCHAR', sql`s.name`, 'The name of the scorer.'),
  column(
    'value',
    'DOUBLE',
    sql`(s.score ->> 'value')::double precision`,
    'From 0 to 1; null after an error.',
  ),
  column('passed', 'BOOLEAN', sql`(s.score ->> 'passed')::boolean`, 'null where the scorer does not decide.'),
  column('explanation', 'VARCHAR', sql`s.score ->> 'explanation'`, 'How the scorer came to it.'),
  column('error', 'VARCHAR', sql`s.score ->> 'error'`, 'Why the scorer failed; null when it did not.'),
];

const isSeen = ({ organizationId, workspaceId, projectId }: SqlViewer) => sql`
  e.organization_id = ${organizationId} AND e.workspace_id = ${workspaceId}
  ${projectId === null ? sql`` : sql`AND p.id = ${projectId}`}`;

const PROJECT = sql`LEFT JOIN projects AS p
  ON p.organization_id = e.organization_id AND p.workspace_id = e.workspace_id AND p.id = e.project_id`;

const ITEMS = sql`evaluation_items AS i
  JOIN evaluations AS e ON e.organization_id = i.organization_id AND e.id = i.evaluation_id ${PROJECT}`;

const evaluations: SqlTable = {
  name: 'evaluations',
  comment: 'Evaluations of the workspace: one model, with an agent, over many samples.',
  columns: EVALUATION_COLUMNS,
  rows: (viewer) => sql`
    FROM evaluations AS e ${PROJECT} LEFT JOIN users AS u ON u.id = e.created_by WHERE ${isSeen(viewer)}`,
};

const items: SqlTable = {
  name: 'evaluation_items',
  comment: 'Samples of evaluations: one task or row of a dataset, one repetition.',
  columns: ITEM_COLUMNS,
  rows: (viewer) => sql`
    FROM ${ITEMS} WHERE ${isSeen(viewer)} AND i.organization_id = ${viewer.organizationId}`,
};

const scores: SqlTable = {
  name: 'evaluation_scores',
  comment: 'What each scorer said of each sample of an evaluation.',
  columns: SCORE_COLUMNS,
  rows: (viewer) => sql`
    FROM ${ITEMS} CROSS JOIN LATERAL jsonb_each(i.scores) AS s (name, score)
   WHERE ${isSeen(viewer)} AND i.organization_id = ${viewer.organizationId}`,
};

export const evaluationTables: readonly SqlTable[] = [evaluations, items, scores];
