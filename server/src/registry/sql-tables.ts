/** Tables `datasets` and `models` for SQL queries of users: those of the organization, each with its newest version, as in their lists. */
import { sql } from 'kysely';
import { column, type SqlColumn, type SqlTable } from '../platform/sql-tables/sql-table.ts';
import { DEFAULT_FRAMEWORK } from './artifacts/shown-fields.ts';
import { downloadsOf } from './artifacts/store.ts';
import type { Kind } from './kinds.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

/** Leading and trailing columns that both tables share. */
const named = (kind: Kind): readonly SqlColumn[] => [
  column(
    'id',
    'UUID',
    sql`a.latest_id`,
    'Of the newest version: the newest release, else the newest pre-release.',
  ),
  column(
    'name',
    'VARCHAR',
    sql`o.key || '/' || a.name`,
    `Of the ${kind}, with the key of the organization: org/name.`,
  ),
  column('version', 'VARCHAR', sql`a.latest_version`, 'The newest version, which all else is told of.'),
  column('summary', 'VARCHAR', sql`a.summary`, 'As its manifest says; null for none.'),
  column('tags', 'VARCHAR[]', sql`a.tags`, 'As its manifest says; null for none.'),
  column('license', 'VARCHAR', sql`a.license`, 'As its manifest says; null for none.'),
  column(
    'task_categories',
    'VARCHAR[]',
    sql`a.task_categories`,
    'What it is for, as its manifest says; null for none.',
  ),
];

const COUNTED: readonly SqlColumn[] = [
  column('file_size_bytes', 'BIGINT', sql`a.file_size_bytes`, 'Bytes of all files of the version, unpacked.'),
  column('download_count', 'BIGINT', downloadsOf('v'), 'How often the version was downloaded.'),
  column('version_count', 'INTEGER', sql`a.version_count`, 'How many versions there are.'),
  column(
    'is_public',
    'BOOLEAN',
    sql`a.is_public`,
    'Whether every signed-in user of the platform can read it.',
  ),
  column('created_by', 'UUID', sql`a.created_by`, 'Who published the first version.'),
  column('created_by_username', 'VARCHAR', sql`u.username`, 'Name of who published the first version.'),
  column('created_at', TIME, sql`a.latest_created_at`, 'When the newest version was published.'),
  column('updated_at', TIME, sql`a.updated_at`, 'When a version, an alias or the visibility last changed.'),
];

const rowsOf =
  (kind: Kind): SqlTable['rows'] =>
  ({ organizationId }) =>
    sql`
    FROM artifacts AS a JOIN organizations AS o ON o.id = a.organization_id
    LEFT JOIN artifact_versions AS v ON v.organization_id = a.organization_id AND v.id = a.latest_id
    LEFT JOIN users AS u ON u.id = a.created_by
   WHERE a.organization_id = ${organizationId} AND a.kind = ${kind} AND a.version_count > 0`;

const datasets: SqlTable = {
  name: 'datasets',
  comment: 'Datasets that your organization has published, one row for each name.',
  columns: [
    ...named('dataset'),
    column(
      'row_count',
      'BIGINT',
      sql`(v.details ->> 'row_count')::bigint`,
      'Rows of all splits of the version.',
    ),
    ...COUNTED,
  ],
  rows: rowsOf('dataset'),
};

const ofManifest = (name: string, comment: string) =>
  column(name, 'VARCHAR', sql`v.manifest ->> ${sql.raw(`'${name}'`)}`, comment);

const LANGUAGES = sql`CASE WHEN jsonb_typeof(v.manifest -> 'language') = 'array' THEN ARRAY(
  SELECT jsonb_array_elements_text(v.manifest -> 'language')) END`;

const ALIASES = sql`ARRAY(
  SELECT l.alias FROM artifact_aliases AS l
   WHERE l.organization_id = a.organization_id AND l.artifact_id = a.id ORDER BY l.alias)`;

const models: SqlTable = {
  name: 'models',
  comment: 'Models that your organization has published, one row for each name.',
  columns: [
    ...named('model'),
    column(
      'framework',
      'VARCHAR',
      sql`coalesce(a.framework, ${sql.raw(`'${DEFAULT_FRAMEWORK}'`)})`,
      `What it is stored for; ${DEFAULT_FRAMEWORK} where its manifest does not say.`,
    ),
    column('size_category', 'VARCHAR', sql`a.size_category`, 'How large it is, as its manifest says.'),
    ofManifest('architecture', 'As its manifest says; null for none.'),
    ofManifest('base_model', 'What it was made from, as its manifest says; null for none.'),
    ofManifest('pretty_name', 'A name for people, as its manifest says; null for none.'),
    ofManifest('task', 'What it does, as its manifest says; null for none.'),
    column(
      'language',
      'VARCHAR[]',
      LANGUAGES,
      'Languages that it knows, as its manifest says; null for none.',
    ),
    column(
      'origin',
      'JSON',
      sql`coalesce(nullif(v.manifest -> 'origin', 'null'), '{}')`,
      'How it came about, as its manifest says.',
    ),
    column('aliases', 'VARCHAR[]', ALIASES, 'Other names of its versions, of all of them.'),
    ...COUNTED,
  ],
  rows: rowsOf('model'),
};

export const registryTables: readonly SqlTable[] = [datasets, models];
