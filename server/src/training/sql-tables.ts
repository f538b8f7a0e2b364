/** The SQL tables of training jobs, of their metrics and of their checkpoints. Every member of the workspace sees all rows. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable, type SqlViewer } from '../platform/sql-tables/sql-table.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

const JOB_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`j.id`, 'Of the training job.'),
  column('name', 'VARCHAR', sql`j.name`, 'As it was given; null for none.'),
  column('status', 'VARCHAR', sql`j.status`, 'queued, running, completed, failed or cancelled.'),
  column('backend', 'VARCHAR', sql`j.backend`, 'hosted_a or hosted_b.'),
  column('trainer_type', 'VARCHAR', sql`j.trainer_type`, 'sft or rl.'),
  column('model', 'VARCHAR', sql`j.model`, 'The model that it starts from.'),
  column('capability', 'VARCHAR', sql`j.request -> 'capability' ->> 'name'`, 'The scaffold of its examples.'),
  column(
    'capability_version',
    'VARCHAR',
    sql`j.request -> 'capability' ->> 'version'`,
    'The version of the capability.',
  ),
  column('dataset', 'JSON', sql`nullif(j.request -> 'dataset_ref', 'null')`, 'The dataset; null for none.'),
  column(
    'trajectory_datasets',
    'JSON',
    sql`j.request -> 'trajectory_dataset_refs'`,
    'The datasets of trajectories.',
  ),
  column('config', 'JSON', sql`j.request -> 'effective'`, 'The settings, with their defaults.'),
  column('created_by', 'UUID', sql`j.created_by`, 'The user who created it.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of the user who created it.'),
  column('project_id', 'UUID', sql`p.id`, 'Its project; null for none, or for one that was deleted.'),
  column('project_key', 'VARCHAR', sql`p.key`, 'The key of its project.'),
  column('tags', 'VARCHAR[]', sql`j.tags`, 'As they were given.'),
  column('retry_of', 'UUID', sql`j.retry_of`, 'The job that it continues; null for none.'),
  column('worker', 'VARCHAR', sql`j.worker`, 'The trainer that has, or had, the job.'),
  column('attempt', 'INTEGER', sql`j.attempt`, 'How often a trainer has claimed it.'),
  column('step', 'INTEGER', sql`j.step`, 'The last step that was reported.'),
  column('num_tokens', 'BIGINT', sql`j.num_tokens`, 'Tokens that were trained on so far.'),
  column(
    'trainer_seconds',
    'DOUBLE',
    sql`j.trainer_ms / 1000.0::double precision`,
    'Time in which a trainer had the job.',
  ),
  column('error', 'VARCHAR', sql`j.error`, 'Why the job failed; null when it did not.'),
  column('created_at', TIME, sql`j.created_at`, 'When it was created.'),
  column('started_at', TIME, sql`j.started_at`, 'When a trainer first claimed it.'),
  column('completed_at', TIME, sql`j.completed_at`, 'When it ended.'),
];

const METRIC_COLUMNS: readonly SqlColumn[] = [
  column('job_id', 'UUID', sql`m.job_id`, 'The training job that was measured.'),
  column('name', 'VARCHAR', sql`m.name`, 'Such as train/loss or eval/loss.'),
  column('step', 'INTEGER', sql`m.step`, 'The optimizer step, from 1.'),
  column('attempt', 'INTEGER', sql`m.attempt`, 'A step that was trained again has a row for each attempt.'),
  column('value', 'DOUBLE', sql`m.value`, 'What was measured.'),
];

const CHECKPOINT_COLUMNS: readonly SqlColumn[] = [
  column('job_id', 'UUID', sql`c.job_id`, 'The training job that saved it.'),
  column('step', 'INTEGER', sql`c.step`, 'The optimizer step after which it was saved.'),
  column('attempt', 'INTEGER', sql`c.attempt`, 'The attempt that saved it; 0 for one of the job before.'),
  column('size_bytes', 'BIGINT', sql`c.size_bytes`, 'Bytes of all of its files.'),
  column('digest', 'VARCHAR', sql`c.digest`, 'Over the paths and digests of its files.'),
  column('metrics', 'JSON', sql`c.metrics`, 'What was measured when it was saved.'),
  column('is_servable', 'BOOLEAN', sql`c.is_servable`, 'Whether it can be published and served.'),
  column('created_at', TIME, sql`c.completed_at`, 'When all of it had arrived.'),
];

const PROJECT = sql`LEFT JOIN projects AS p
  ON p.organization_id = j.organization_id AND p.workspace_id = j.workspace_id AND p.id = j.project_id`;

const isSeen = ({ organizationId, workspaceId, projectId }: SqlViewer) => sql`
  j.organization_id = ${organizationId} AND j.workspace_id = ${workspaceId}
  ${projectId === null ? sql`` : sql`AND p.id = ${projectId}`}`;

export const trainingTables: readonly SqlTable[] = [
  {
    name: 'training_jobs',
    comment: 'Training jobs of the workspace: models fine-tuned on datasets and trajectories.',
    columns: JOB_COLUMNS,
    rows: (viewer) => sql`
      FROM training_jobs AS j ${PROJECT} LEFT JOIN users AS u ON u.id = j.created_by WHERE ${isSeen(viewer)}`,
  },
  {
    name: 'training_metrics',
    comment: 'What trainers measured at every step of the training jobs.',
    columns: METRIC_COLUMNS,
    rows: (viewer) => sql`
      FROM training_jobs AS j ${PROJECT}
      JOIN training_metrics AS m ON m.organization_id = j.organization_id AND m.job_id = j.id
     WHERE ${isSeen(viewer)}`,
  },
  {
    name: 'training_checkpoints',
    comment: 'Complete checkpoints of the training jobs.',
    columns: CHECKPOINT_COLUMNS,
    rows: (viewer) => sql`
      FROM training_jobs AS j ${PROJECT}
      JOIN training_checkpoints AS c ON c.organization_id = j.organization_id AND c.job_id = j.id
       AND c.completed_at IS NOT NULL
     WHERE ${isSeen(viewer)}`,
  },
];
