/** The SQL tables of optimization jobs, of their candidates and of their proposals. Every member of the workspace sees all rows. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable, type SqlViewer } from '../platform/sql-tables/sql-table.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';
const MONEY = 'DECIMAL(38,18)';

/** Both sums use an index that begins with the organization and the job. */
const COST = sql`(
  SELECT coalesce(sum(v.cost_usd), 0) FROM evaluations AS v
   WHERE v.organization_id = j.organization_id AND v.optimization_job_id = j.id) + (
  SELECT coalesce(sum(f.cost_usd), 0) FROM optimization_reflections AS f
   WHERE f.organization_id = j.organization_id AND f.job_id = j.id AND f.paid_by = j.id)`;

const REFLECTION_CALLS = sql`(
  SELECT count(*) FROM optimization_reflections AS f
   WHERE f.organization_id = j.organization_id AND f.job_id = j.id)::integer`;

const CANDIDATE_COUNT = sql`(
  SELECT count(*) FROM optimization_candidates AS n
   WHERE n.organization_id = j.organization_id AND n.job_id = j.id)::integer`;

const JOB_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`j.id`, 'Of the optimization job.'),
  column('name', 'VARCHAR', sql`j.name`, 'As it was given; null for none.'),
  column('status', 'VARCHAR', sql`j.status`, 'queued, running, completed, failed or cancelled.'),
  column('target_kind', 'VARCHAR', sql`j.target_kind`, 'capability_agent or capability_env.'),
  column('model', 'VARCHAR', sql`j.model`, 'The model whose texts are improved.'),
  column(
    'reflection_model',
    'VARCHAR',
    sql`coalesce(j.request -> 'config' ->> 'reflection_lm', j.model)`,
    'The model that writes new texts.',
  ),
  column(
    'capability',
    'VARCHAR',
    sql`j.request -> 'capability' ->> 'name'`,
    'The capability whose texts are improved.',
  ),
  column(
    'capability_version',
    'VARCHAR',
    sql`j.request -> 'capability' ->> 'version'`,
    'The version that the job started from.',
  ),
  column('agent_name', 'VARCHAR', sql`j.request ->> 'agent_name'`, 'The agent of the capability.'),
  column(
    'components',
    'JSON',
    sql`j.request -> 'components'`,
    'The kinds of texts that are improved, such as ["instructions"].',
  ),
  column(
    'dataset',
    'JSON',
    sql`nullif(j.request -> 'dataset_ref', 'null')`,
    'The dataset that candidates are scored on: {"name", "version", "split"}; null for tasks.',
  ),
  column(
    'reward_recipe',
    'VARCHAR',
    sql`j.request -> 'reward_recipe' ->> 'name'`,
    'The recipe that computes scores.',
  ),
  column('created_by', 'UUID', sql`j.created_by`, 'The user who created it.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of the user who created it.'),
  column('project_id', 'UUID', sql`p.id`, 'Its project; null for none, or for one that was deleted.'),
  column('project_key', 'VARCHAR', sql`p.key`, 'The key of its project.'),
  column('tags', 'VARCHAR[]', sql`j.tags`, 'As they were given.'),
  column('retry_of', 'UUID', sql`j.retry_of`, 'The job that it continues; null for none.'),
  column('train_size', 'INTEGER', sql`j.train_size`, 'Examples of the training set.'),
  column(
    'val_size',
    'INTEGER',
    sql`j.val_size`,
    'Examples of the validation set; 0 where the training set is also the validation set.',
  ),
  column('holdout_size', 'INTEGER', sql`j.holdout_size`, 'Examples that the search never sees.'),
  column('iteration', 'INTEGER', sql`j.iteration`, 'The last iteration that began, from 0; -1 before.'),
  column('candidate_count', 'INTEGER', CANDIDATE_COUNT, 'Accepted candidates, with the seed.'),
  column('best_index', 'INTEGER', sql`j.best_index`, 'The candidate with the best validation score.'),
  column('seed_score', 'DOUBLE', sql`s.mean_score`, 'Validation score of the capability as it was.'),
  column('best_score', 'DOUBLE', sql`b.mean_score`, 'Validation score of the best candidate.'),
  column('seed_holdout_score', 'DOUBLE', sql`s.holdout_score`, 'Holdout score of the capability as it was.'),
  column('best_holdout_score', 'DOUBLE', sql`b.holdout_score`, 'Holdout score of the best candidate.'),
  column('metric_calls', 'INTEGER', sql`j.metric_calls`, 'Samples that were scored, without the holdout.'),
  column(
    'metric_calls_limit',
    'INTEGER',
    sql`(j.request -> 'config' ->> 'max_metric_calls')::integer`,
    'The job stops after this many metric calls; null for no limit.',
  ),
  column(
    'reflection_calls',
    'INTEGER',
    REFLECTION_CALLS,
    'Calls of the reflection model, with those taken over from a job that it continues.',
  ),
  column(
    'cost_usd',
    MONEY,
    COST,
    'Of the evaluations that it started and the reflections that it made, in US dollars.',
  ),
  column(
    'running_seconds',
    'DOUBLE',
    sql`j.running_ms / 1000.0::double precision`,
    'Time in which a worker had the job.',
  ),
  column('stop_reason', 'VARCHAR', sql`j.stop_reason`, 'Why the search ended, such as max_metric_calls.'),
  column('error', 'VARCHAR', sql`j.error`, 'Why the job failed; null when it did not.'),
  column('created_at', TIME, sql`j.created_at`, 'When it was created.'),
  column('started_at', TIME, sql`j.started_at`, 'When a worker first took it.'),
  column('completed_at', TIME, sql`j.completed_at`, 'When it ended.'),
];

const CANDIDATE_COLUMNS: readonly SqlColumn[] = [
  column('job_id', 'UUID', sql`c.job_id`, 'The optimization job that found it.'),
  column('candidate_index', 'INTEGER', sql`c.index`, 'From 0, which is the capability as it was.'),
  column('iteration', 'INTEGER', sql`c.iteration`, 'The iteration that found it; -1 for candidate 0.'),
  column('proposal', 'INTEGER', sql`c.proposal`, 'The proposal of that iteration, from 0.'),
  column('found_by', 'VARCHAR', sql`c.found_by`, 'seed, reflection or merge.'),
  column('parents', 'JSON', sql`to_json(c.parents)`, 'Indexes of the candidates that it was made of.'),
  column('texts', 'JSON', sql`c.texts`, 'The text of each component.'),
  column('score', 'DOUBLE', sql`c.mean_score`, 'Mean on the validation set.'),
  column('scores', 'JSON', sql`to_json(c.scores)`, 'Scores on the validation set, by position.'),
  column('objectives', 'JSON', sql`c.objectives`, 'Means of the metrics of its verifications.'),
  column(
    'holdout_score',
    'DOUBLE',
    sql`c.holdout_score`,
    'Mean on the holdout; null where it was not measured.',
  ),
  column('was_best', 'BOOLEAN', sql`c.is_best`, 'Whether it was the best when it was found.'),
  column('is_best', 'BOOLEAN', sql`c.index = j.best_index`, 'Whether it is the best of its job.'),
  column('is_on_frontier', 'BOOLEAN', sql`c.index = ANY (j.frontier)`, 'Whether it is best for some key.'),
  column('metric_calls', 'INTEGER', sql`c.metric_calls`, 'Metric calls of the job when it was found.'),
  column('created_at', TIME, sql`c.created_at`, 'When it was found.'),
];

const PROPOSAL_COLUMNS: readonly SqlColumn[] = [
  column('job_id', 'UUID', sql`r.job_id`, 'The optimization job that made it.'),
  column('iteration', 'INTEGER', sql`r.iteration`, 'The iteration that made it, from 0.'),
  column('proposal', 'INTEGER', sql`r.proposal`, 'Its number in the iteration, from 0.'),
  column('status', 'VARCHAR', sql`r.status`, 'accepted or rejected.'),
  column(
    'reason',
    'VARCHAR',
    sql`r.reason`,
    'Why it was rejected: not_better, perfect_score, no_traces, reflection_failed, unchanged, duplicate or merge_not_better.',
  ),
  column('found_by', 'VARCHAR', sql`r.found_by`, 'reflection or merge.'),
  column('parents', 'JSON', sql`to_json(r.parents)`, 'Indexes of the candidates that it was made of.'),
  column(
    'candidate_index',
    'INTEGER',
    sql`r.candidate_index`,
    'The candidate that it became; null for none.',
  ),
  column('components', 'VARCHAR[]', sql`r.components`, 'The components that it changed.'),
  column('texts', 'JSON', sql`r.texts`, 'Their new texts; null where none was written.'),
  column('minibatch', 'JSON', sql`to_json(r.minibatch)`, 'Positions of the examples that it was tried on.'),
  column(
    'parent_sum',
    'DOUBLE',
    sql`(SELECT sum(one) FROM unnest(r.parent_scores) AS one)`,
    'Sum of the scores of its parent on the minibatch.',
  ),
  column(
    'child_sum',
    'DOUBLE',
    sql`(SELECT sum(one) FROM unnest(r.child_scores) AS one)`,
    'Sum of its own scores there; null where it was not tried.',
  ),
  column('error', 'VARCHAR', sql`r.error`, 'Why its reflection failed; null when it did not.'),
  column('created_at', TIME, sql`r.created_at`, 'When it was decided.'),
];

const PROJECT = sql`LEFT JOIN projects AS p
  ON p.organization_id = j.organization_id AND p.workspace_id = j.workspace_id AND p.id = j.project_id`;

const isSeen = ({ organizationId, workspaceId, projectId }: SqlViewer) => sql`
  j.organization_id = ${organizationId} AND j.workspace_id = ${workspaceId}
  ${projectId === null ? sql`` : sql`AND p.id = ${projectId}`}`;

const jobs: SqlTable = {
  name: 'optimization_jobs',
  comment: 'Optimization jobs of the workspace: searches for better texts of a capability.',
  columns: JOB_COLUMNS,
  rows: (viewer) => sql`
    FROM optimization_jobs AS j ${PROJECT}
    LEFT JOIN users AS u ON u.id = j.created_by
    LEFT JOIN optimization_candidates AS b
      ON b.organization_id = j.organization_id AND b.job_id = j.id AND b.index = j.best_index
    LEFT JOIN optimization_candidates AS s
      ON s.organization_id = j.organization_id AND s.job_id = j.id AND s.index = 0
   WHERE ${isSeen(viewer)}`,
};

const candidates: SqlTable = {
  name: 'optimization_candidates',
  comment: 'Candidates of optimization jobs: accepted texts, with their scores.',
  columns: CANDIDATE_COLUMNS,
  rows: (viewer) => sql`
    FROM optimization_candidates AS c
    JOIN optimization_jobs AS j ON j.organization_id = c.organization_id AND j.id = c.job_id ${PROJECT}
   WHERE ${isSeen(viewer)} AND c.organization_id = ${viewer.organizationId}`,
};

const proposals: SqlTable = {
  name: 'optimization_proposals',
  comment: 'Proposals of optimization jobs: texts that were tried, accepted or rejected.',
  columns: PROPOSAL_COLUMNS,
  rows: (viewer) => sql`
    FROM optimization_proposals AS r
    JOIN optimization_jobs AS j ON j.organization_id = r.organization_id AND j.id = r.job_id ${PROJECT}
   WHERE ${isSeen(viewer)} AND r.organization_id = ${viewer.organizationId}`,
};

export const optimizationTables: readonly SqlTable[] = [jobs, candidates, proposals];
