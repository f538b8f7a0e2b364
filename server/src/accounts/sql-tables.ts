/** Table `projects` for SQL queries of users. */
import { sql } from 'kysely';
import { column, type SqlTable } from '../platform/sql-tables/sql-table.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

const projects: SqlTable = {
  name: 'projects',
  comment: 'What the workspace is divided into; other tables refer to them by project_id.',
  columns: [
    column('id', 'UUID', sql`p.id`, 'Of the project.'),
    column('key', 'VARCHAR', sql`p.key`, 'Unique in the workspace.'),
    column('name', 'VARCHAR', sql`p.name`, 'As it was given.'),
    column('description', 'VARCHAR', sql`p.description`, 'As it was given; null for none.'),
    column(
      'is_default',
      'BOOLEAN',
      sql`p.is_default`,
      'Whether it is the one that the workspace was made with.',
    ),
    column('created_at', TIME, sql`p.created_at`, 'When it was created.'),
    column('updated_at', TIME, sql`p.updated_at`, 'When it last changed.'),
  ],
  rows: ({ organizationId, workspaceId, projectId }) => sql`
    FROM projects AS p WHERE p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId}
     ${projectId === null ? sql`` : sql`AND p.id = ${projectId}`}`,
};

export const accountTables: readonly SqlTable[] = [projects];
