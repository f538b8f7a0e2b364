/** Table `runtimes` for SQL queries of users. It leaves out the environment, whose values are for the owner in the sandbox only. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable } from '../platform/sql-tables/sql-table.ts';
import { runtimeMsOf } from './accounting/usage.ts';
import { RUNTIME_JOINS } from './responses.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

const COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`r.id`, 'Of the runtime.'),
  column('key', 'VARCHAR', sql`r.key`, 'Unique in the workspace.'),
  column('name', 'VARCHAR', sql`r.name`, 'As it was given.'),
  column('description', 'VARCHAR', sql`r.description`, 'As it was given; null for none.'),
  column('status', 'VARCHAR', sql`r.status`, 'idle, running or paused.'),
  column('created_by', 'UUID', sql`r.created_by`, 'Its owner: who may operate it.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of its owner.'),
  column('project_id', 'UUID', sql`p.id`, 'Its project; null for none, or for one that was deleted.'),
  column('project_key', 'VARCHAR', sql`p.key`, 'The key of its project.'),
  column('project_name', 'VARCHAR', sql`p.name`, 'The name of its project.'),
  column(
    'config_digest',
    'VARCHAR',
    sql`r.config_digest`,
    'SHA-256 of its configuration: the same for the same.',
  ),
  column('config_version', 'VARCHAR', sql`r.config ->> 'version'`, 'The form that its configuration has.'),
  column(
    'cpu_cores',
    'INTEGER',
    sql`(r.config #>> '{resources,cpu_cores}')::integer`,
    'Processors that it may use.',
  ),
  column(
    'memory_mb',
    'INTEGER',
    sql`(r.config #>> '{resources,memory_mb}')::integer`,
    'Memory that it may use, in MiB.',
  ),
  column('labels', 'JSON', sql`r.config #> '{metadata,labels}'`, 'Key to value, as they were given.'),
  column(
    'capabilities',
    'JSON',
    sql`r.config -> 'capabilities'`,
    'List of the capabilities that it has: {"name", "version", "enabled"}.',
  ),
  column(
    'sandbox_id',
    'UUID',
    sql`s.id`,
    'Its sandbox, or the last that it had: what it runs in from a start until its end. null before the first.',
  ),
  column('sandbox_state', 'VARCHAR', sql`s.state`, 'Of that sandbox: running, paused or killed.'),
  column('sandbox_created_at', TIME, sql`s.created_at`, 'When that sandbox was started.'),
  column('provider', 'VARCHAR', sql`s.provider`, 'What that sandbox was made with.'),
  column('pause_reason', 'VARCHAR', sql`s.pause_reason`, 'Why that sandbox was paused last.'),
  column(
    'expires_at',
    TIME,
    sql`s.expires_at`,
    'When that sandbox will be paused; null while it does not run.',
  ),
  column(
    'total_runtime_seconds',
    'BIGINT',
    sql`floor(${runtimeMsOf('s')} / 1000.0)::bigint`,
    'Seconds that the sandbox has run so far, without the time in which it was paused.',
  ),
  column(
    'billed_credits',
    'BIGINT',
    sql`s.billed_credits`,
    'Credits that the sandbox was charged so far: 1,000 are a US dollar.',
  ),
  column(
    'platform_access',
    'VARCHAR',
    sql`s.platform_access`,
    'What programs of that sandbox reach of the platform: none, inference or full.',
  ),
  column(
    'spend_limit_usd',
    'DECIMAL(38,18)',
    sql`s.spend_limit_usd`,
    'US dollars that the model calls of that sandbox may cost; null for no limit of its own.',
  ),
  column('created_at', TIME, sql`r.created_at`, 'When it was created.'),
  column('updated_at', TIME, sql`r.updated_at`, 'When it last changed.'),
];

const runtimes: SqlTable = {
  name: 'runtimes',
  comment: 'Environments of the workspace in which agents run, each with its current or last sandbox.',
  columns: COLUMNS,
  rows: ({ organizationId, workspaceId, projectId }) => sql`
    FROM runtimes AS r ${RUNTIME_JOINS} LEFT JOIN users AS u ON u.id = r.created_by
   WHERE r.organization_id = ${organizationId} AND r.workspace_id = ${workspaceId} AND r.origin = 'user'
     ${projectId === null ? sql`` : sql`AND p.id = ${projectId}`}`,
};

export const runtimeTables: readonly SqlTable[] = [runtimes];
