/** Table `task_sets` for SQL queries of users: the sets of the organization, as in its list. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable } from '../platform/sql-tables/sql-table.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

const MEMBERS = sql`(
  SELECT coalesce(json_agg(json_build_object('task_name', m.task_name, 'task_version', m.task_version, 'notes', m.notes)
                           ORDER BY m.position), '[]')
    FROM task_set_members AS m WHERE m.organization_id = s.organization_id AND m.task_set_id = s.id)`;

const COLUMNS: readonly SqlColumn[] = [
  column('id', 'UUID', sql`s.id`, 'Of the task set.'),
  column('name', 'VARCHAR', sql`s.name`, 'Unique in the organization.'),
  column('description', 'VARCHAR', sql`s.description`, 'As it was given; null for none.'),
  column('source', 'VARCHAR', sql`s.source`, 'Where it comes from, as it was given.'),
  column('tags', 'VARCHAR[]', sql`s.tags`, 'As they were given; null for none.'),
  column(
    'is_public',
    'BOOLEAN',
    sql`s.is_public`,
    'Whether every signed-in user of the platform can read it.',
  ),
  column('member_count', 'INTEGER', sql`s.member_count`, 'How many tasks it refers to.'),
  column(
    'members',
    'JSON',
    MEMBERS,
    'List of the tasks, in their order: {"task_name", "task_version", "notes"}; a version of null is the newest release.',
  ),
  column('created_by', 'UUID', sql`s.created_by`, 'Who made it.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of who made it.'),
  column('created_at', TIME, sql`s.created_at`, 'When it was made.'),
  column('updated_at', TIME, sql`s.updated_at`, 'When it was last replaced, or its visibility changed.'),
];

const taskSets: SqlTable = {
  name: 'task_sets',
  comment: 'Named lists of tasks, of your organization.',
  columns: COLUMNS,
  rows: ({ organizationId }) => sql`
    FROM task_sets AS s LEFT JOIN users AS u ON u.id = s.created_by
   WHERE s.organization_id = ${organizationId}`,
};

export const taskSetTables: readonly SqlTable[] = [taskSets];
