/** The SQL tables of the red team: assessments, findings, trials and reviews. Every member of the workspace sees all rows. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable, type SqlViewer } from '../platform/sql-tables/sql-table.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';
const MONEY = 'DECIMAL(38,18)';

const ASSESSMENT_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`a.id`, 'Of the assessment.'),
  column('name', 'VARCHAR', sql`a.name`, 'As it was given.'),
  column('status', 'VARCHAR', sql`a.status`, 'pending, running, completed or failed.'),
  column('run_by', 'VARCHAR', sql`a.run_by`, 'server or client; null while it is pending.'),
  column('target_model', 'VARCHAR', sql`a.target_model`, 'The model that is attacked; null for none.'),
  column(
    'target_kind',
    'VARCHAR',
    sql`coalesce(a.target_config ->> 'kind', 'model')`,
    'model, http or agent.',
  ),
  column('attacker_model', 'VARCHAR', sql`a.attacker_model`, 'The model that writes attacks.'),
  column('judge_model', 'VARCHAR', sql`a.judge_model`, 'The model that scores responses.'),
  column(
    'overall_asr',
    'DOUBLE',
    sql`a.overall_asr`,
    'Attack success rate of all trials, as the run found it.',
  ),
  column('risk_score', 'DOUBLE', sql`a.risk_score`, 'From 0 to 10, as the run found it.'),
  column('retest_of', 'UUID', sql`a.retest_of`, 'The finding that it tries again; null for none.'),
  column(
    'stop_reason',
    'VARCHAR',
    sql`a.stop_reason`,
    'cancelled, budget or credits; null for an ordinary end.',
  ),
  column('error', 'VARCHAR', sql`a.error`, 'Why it failed.'),
  column(
    'cost_usd',
    MONEY,
    sql`(SELECT coalesce(sum(n.cost_usd), 0) FROM airt_findings AS n
          WHERE n.organization_id = a.organization_id AND n.assessment_id = a.id)`,
    'Of all its model calls, in US dollars.',
  ),
  column('created_by', 'UUID', sql`a.created_by`, 'The user who created it.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of the user who created it.'),
  column('project_id', 'UUID', sql`p.id`, 'Its project; null for one that was deleted.'),
  column('project_key', 'VARCHAR', sql`p.key`, 'The key of its project.'),
  column('created_at', TIME, sql`a.created_at`, 'When it was created.'),
  column('started_at', TIME, sql`a.started_at`, 'When it began.'),
  column('completed_at', TIME, sql`a.completed_at`, 'When it ended.'),
];

const FINDING_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`f.id`, 'Of the finding.'),
  column('assessment_id', 'UUID', sql`f.assessment_id`, 'The assessment that it belongs to.'),
  column('attack_name', 'VARCHAR', sql`f.attack_name`, 'The attack, such as crescendo.'),
  column('goal', 'VARCHAR', sql`f.goal`, 'What the attack wanted.'),
  column('goal_category', 'VARCHAR', sql`f.goal_category`, 'The category of the goal.'),
  column('status', 'VARCHAR', sql`f.status`, 'Of the attack run: pending, running, completed or failed.'),
  column(
    'finding_status',
    'VARCHAR',
    sql`f.finding_status`,
    'Of the triage: open, false_positive, accepted_risk, remediated or incorrect_scoring.',
  ),
  column(
    'finding_type',
    'VARCHAR',
    sql`f.finding_type`,
    'jailbreak, partial, refusal, robust, error, evasion or degradation.',
  ),
  column('severity', 'VARCHAR', sql`f.severity`, 'critical, high, medium, low or info, with triage.'),
  column(
    'original_severity',
    'VARCHAR',
    sql`f.original_severity`,
    'Before the first change by a person; null for none.',
  ),
  column('is_jailbreak', 'BOOLEAN', sql`f.jailbreak_trials > 0`, 'Whether a trial reached the threshold.'),
  column('best_score', 'DOUBLE', sql`f.best_score`, 'The highest score of a trial, 0 to 1.'),
  column('total_trials', 'INTEGER', sql`f.total_trials`, 'Trials, also those that failed.'),
  column('finished_trials', 'INTEGER', sql`f.finished_trials`, 'Trials with a score.'),
  column('jailbreak_trials', 'INTEGER', sql`f.jailbreak_trials`, 'Trials that reached the threshold.'),
  column(
    'transforms_applied',
    'VARCHAR[]',
    sql`coalesce(f.transforms_applied, '{}')`,
    'The transforms that it used.',
  ),
  column('compliance_tags', 'JSON', sql`f.compliance_tags`, 'Controls of frameworks that it tests.'),
  column('target_model', 'VARCHAR', sql`f.target_model`, 'The model that was attacked.'),
  column('evaluator_model', 'VARCHAR', sql`f.evaluator_model`, 'The model that scored responses.'),
  column(
    'best_transformed_prompt',
    'VARCHAR',
    sql`f.best_transformed_prompt`,
    'The prompt of its best trial, as it was sent.',
  ),
  column('best_response', 'VARCHAR', sql`f.best_response`, 'The response of its best trial.'),
  column('execution_time_s', 'DOUBLE', sql`f.execution_time_s`, 'How long its trials took.'),
  column('cost_usd', MONEY, sql`f.cost_usd`, 'Of its model calls, in US dollars.'),
  column('created_at', TIME, sql`f.created_at`, 'When it was planned.'),
  column('completed_at', TIME, sql`f.completed_at`, 'When its attack ended.'),
];

const TRIAL_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`t.id`, 'Of the trial.'),
  column('assessment_id', 'UUID', sql`t.assessment_id`, 'The assessment that it belongs to.'),
  column('finding_id', 'UUID', sql`t.finding_id`, 'The finding that it belongs to.'),
  column('attack_name', 'VARCHAR', sql`f.attack_name`, 'The attack that made it.'),
  column('trial_index', 'INTEGER', sql`t.trial_index`, 'Its number in the finding, from 0.'),
  column('trial_status', 'VARCHAR', sql`t.trial_status`, 'finished or failed, or what a client reported.'),
  column('candidate', 'VARCHAR', sql`t.candidate`, 'The prompt before its transforms.'),
  column('transformed_prompt', 'VARCHAR', sql`t.transformed_prompt`, 'The prompt that was sent.'),
  column('response', 'VARCHAR', sql`t.response`, 'What the target responded.'),
  column('judge_reasoning', 'VARCHAR', sql`t.judge_reasoning`, 'Why the judge gave this score.'),
  column('score', 'DOUBLE', sql`t.score`, 'From 0 to 1; null where it did not finish.'),
  column('is_jailbreak', 'BOOLEAN', sql`t.is_jailbreak`, 'Whether the score reached the threshold.'),
  column('is_refusal', 'BOOLEAN', sql`t.is_refusal`, 'Whether the response is a refusal.'),
  column('transforms_applied', 'VARCHAR[]', sql`t.transforms_applied`, 'Its transforms, in their order.'),
  column('error', 'VARCHAR', sql`t.error`, 'Why it failed; null when it finished.'),
  column('session_id', 'UUID', sql`t.session_id`, 'The session of an agent; null for other targets.'),
  column('execution_time_s', 'DOUBLE', sql`t.execution_time_s`, 'How long it took.'),
  column('created_at', TIME, sql`t.created_at`, 'When it was stored.'),
];

const REVIEW_COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`r.id`, 'Of the review event.'),
  column('finding_id', 'UUID', sql`r.finding_id`, 'The finding, which may have been deleted since.'),
  column('assessment_id', 'UUID', sql`r.assessment_id`, 'Its assessment.'),
  column('attack_name', 'VARCHAR', sql`r.attack_name`, 'The attack of the finding.'),
  column('original_status', 'VARCHAR', sql`r.original_status`, 'Before the edit.'),
  column('updated_status', 'VARCHAR', sql`r.updated_status`, 'After the edit.'),
  column('original_finding_type', 'VARCHAR', sql`r.original_finding_type`, 'Before the edit.'),
  column('updated_finding_type', 'VARCHAR', sql`r.updated_finding_type`, 'After the edit.'),
  column('original_severity', 'VARCHAR', sql`r.original_severity`, 'Before the edit.'),
  column('updated_severity', 'VARCHAR', sql`r.updated_severity`, 'After the edit.'),
  column('reasoning', 'VARCHAR', sql`r.reasoning`, 'The notes of the edit.'),
  column('retest_id', 'UUID', sql`r.retest_id`, 'The assessment that proved a fix; null for none.'),
  column('updated_by', 'VARCHAR', sql`r.updated_by`, 'A username, or system.'),
  column('updated_at', TIME, sql`r.updated_at`, 'When it was edited.'),
];

const PROJECT = sql`LEFT JOIN projects AS p
  ON p.organization_id = a.organization_id AND p.workspace_id = a.workspace_id AND p.id = a.project_id`;

const isSeen = ({ organizationId, workspaceId, projectId }: SqlViewer) => sql`
  a.organization_id = ${organizationId} AND a.workspace_id = ${workspaceId}
  ${projectId === null ? sql`` : sql`AND p.id = ${projectId}`}`;

const assessments: SqlTable = {
  name: 'assessments',
  comment: 'Red-team assessments of the workspace.',
  columns: ASSESSMENT_COLUMNS,
  rows: (viewer) => sql`
    FROM airt_assessments AS a ${PROJECT}
    LEFT JOIN users AS u ON u.id = a.created_by
   WHERE ${isSeen(viewer)}`,
};

const findings: SqlTable = {
  name: 'findings',
  comment: 'Findings of assessments: what an attack achieved for a goal.',
  columns: FINDING_COLUMNS,
  rows: (viewer) => sql`
    FROM airt_findings AS f
    JOIN airt_assessments AS a ON a.organization_id = f.organization_id AND a.id = f.assessment_id ${PROJECT}
   WHERE ${isSeen(viewer)} AND f.organization_id = ${viewer.organizationId}`,
};

const trials: SqlTable = {
  name: 'trials',
  comment: 'Trials of findings: prompts, responses and scores.',
  columns: TRIAL_COLUMNS,
  rows: (viewer) => sql`
    FROM airt_trials AS t
    JOIN airt_findings AS f ON f.organization_id = t.organization_id AND f.id = t.finding_id
    JOIN airt_assessments AS a ON a.organization_id = t.organization_id AND a.id = t.assessment_id ${PROJECT}
   WHERE ${isSeen(viewer)} AND t.organization_id = ${viewer.organizationId}`,
};

const reviews: SqlTable = {
  name: 'finding_reviews',
  comment: 'Edits of findings, by people and by the system. They outlive their findings.',
  columns: REVIEW_COLUMNS,
  rows: ({ organizationId, workspaceId, projectId }) => sql`
    FROM airt_finding_reviews AS r
   WHERE r.organization_id = ${organizationId} AND r.workspace_id = ${workspaceId}
   ${
     projectId === null
       ? sql``
       : sql`AND EXISTS (SELECT FROM airt_assessments AS a
               WHERE a.organization_id = r.organization_id AND a.id = r.assessment_id AND a.project_id = ${projectId})`
   }`,
};

export const airtTables: readonly SqlTable[] = [assessments, findings, trials, reviews];
