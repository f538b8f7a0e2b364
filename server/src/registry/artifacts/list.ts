/** Returns a page of artifacts: those of the organization and, on request, public ones of others. */
import { type RawBuilder, sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import { foldCase } from '../../platform/letter-case.ts';
import { type Kind, PLURALS } from '../kinds.ts';
import { parsePlace } from '../references.ts';
import type { ListQuery } from './list-query.ts';
import { DEFAULT_FRAMEWORK, listingColumns, selectShown, withDefaults } from './shown-fields.ts';
import { downloadsOf } from './store.ts';

type Condition = RawBuilder<boolean>;

interface Row {
  readonly total: number;
  /** Null in the single row of an empty page. */
  readonly id: string | null;
  readonly shown: Readonly<Record<string, unknown>>;
}

export async function listArtifacts(db: Db, scope: OrgScope, kind: Kind, query: ListQuery) {
  const { rows } = await selectPage(scope, kind, query).execute(db);
  const items = rows.filter(({ id }) => id !== null).map((row) => toItem(kind, row));
  return { [PLURALS[kind]]: items, ...toPage(rows[0]?.total ?? 0, query) };
}

/** The response schema removes the extra `total`. */
const toItem = (kind: Kind, { shown, ...item }: Row) => withDefaults(kind, { ...shown, ...item });

/**
 * Selects the matching rows first, from the artifacts table only, then the remaining columns of those on the page. Each `LATERAL` lookup
 * with an offset uses a primary key, so the amount of data of other tenants cannot change its plan.
 */
export function selectPage(scope: OrgScope, kind: Kind, query: ListQuery) {
  const order = sql.raw(`sort_key ${query.sort_dir}, id`);
  const listing = sql.join(listingColumns(kind).map((column) => sql.raw(`a.${column}`)));
  // If an index has the sort order, the page is read from it, and the other rows are only counted.
  const isReadOnce = query.include_public || isFiltered(query);
  return sql<Row>`
    WITH matching AS ${sql.raw(isReadOnce ? 'MATERIALIZED' : 'NOT MATERIALIZED')} (
      ${selectOwn(scope, kind, query)}
      ${query.include_public ? sql`UNION ALL ${selectPublic(scope, kind, query)}` : sql``}
    ),
    page AS (
      SELECT organization_id, artifact_id, id, org_key, sort_key FROM matching
       ORDER BY ${order} LIMIT ${query.limit} OFFSET ${offsetOf(query)}
    )
    SELECT whole.total, p.id, p.org_key || '/' || a.name AS name, v.version, v.shown, v.created_at, v.download_count,
           a.is_public, a.updated_at, a.version_count, a.file_size_bytes, l.aliases, ${listing}
      FROM (SELECT count(*) AS total FROM matching) AS whole
      LEFT JOIN page AS p ON true
      LEFT JOIN LATERAL (
        SELECT a.name, a.is_public, a.updated_at, a.version_count, a.file_size_bytes, ${listing} FROM artifacts AS a
         WHERE a.organization_id = p.organization_id AND a.id = p.artifact_id OFFSET 0
      ) AS a ON true
      LEFT JOIN LATERAL (
        SELECT v.version, v.created_at, ${selectShown(kind, 'v')} AS shown, ${downloadsOf('v')} AS download_count
          FROM artifact_versions AS v WHERE v.organization_id = p.organization_id AND v.id = p.id OFFSET 0
      ) AS v ON true
      LEFT JOIN LATERAL (
        SELECT coalesce(array_agg(l.alias ORDER BY l.alias), '{}') AS aliases FROM artifact_aliases AS l
         WHERE l.organization_id = p.organization_id AND l.artifact_id = p.artifact_id
      ) AS l ON true
     ORDER BY ${order}`;
}

/** Columns that conditions and sort orders use. */
const CANDIDATE =
  sql.raw(`a.organization_id, a.id, a.kind, a.name, a.is_public, a.created_by, a.version_count, a.latest_id,
  a.latest_created_at, a.updated_at, a.tags, a.license, a.task_categories, a.framework, a.size_category, a.difficulty,
  a.source, a.file_size_bytes, a.search_text`);

const COLUMNS = sql.raw('a.organization_id, a.id AS artifact_id, a.latest_id AS id');

function selectOwn({ organizationId, organizationKey, principal }: OrgScope, kind: Kind, query: ListQuery) {
  const key = sql<string>`${organizationKey}::text`;
  return sql`
    SELECT ${COLUMNS}, ${key} AS org_key, ${sortKeyOf(query, key)} AS sort_key
      FROM ${query.name === undefined ? sql`artifacts` : selectNamed(organizationId, kind, query.name)} AS a
     WHERE a.organization_id = ${organizationId} AND a.kind = ${kind} AND a.version_count > 0
       AND ${conditions(kind, query, key, principal.userId)}`;
}

/** The check for versions applies to the rows found: see `isVisible`. */
const selectNamed = (organizationId: string, kind: Kind, name: string) => sql`(
  SELECT ${CANDIDATE} FROM artifacts AS a
   WHERE a.organization_id = ${organizationId} AND a.kind = ${kind} AND a.name = ${parsePlace(name)?.name ?? null} LIMIT 1)`;

/** Reads from the catalogue, so that it never scans private rows of other tenants. */
function selectPublic({ organizationId, principal }: OrgScope, kind: Kind, query: ListQuery) {
  const key = sql<string>`o.key`;
  return sql`
    SELECT ${COLUMNS}, ${key} AS org_key, ${sortKeyOf(query, key)} AS sort_key
      FROM public_catalogue AS c
     CROSS JOIN LATERAL (SELECT o.key FROM organizations AS o WHERE o.id = c.organization_id AND o.is_active OFFSET 0) AS o
     CROSS JOIN LATERAL (
       SELECT ${CANDIDATE} FROM artifacts AS a WHERE a.organization_id = c.organization_id AND a.id = c.id OFFSET 0
     ) AS a
     WHERE c.kind = ${kind} AND c.organization_id <> ${organizationId} AND a.is_public AND a.version_count > 0
       AND ${conditions(kind, query, key, principal.userId)}`;
}

/** Names are compared together with their organization, which has no effect when all are of the same one. */
function sortKeyOf({ sort_by, include_public }: ListQuery, ownerKey: RawBuilder<string>) {
  if (sort_by === 'created_at') return sql.raw('a.latest_created_at');
  if (sort_by === 'name' && include_public) return sql`(${ownerKey} || '/' || a.name) COLLATE "C"`;
  return sql.raw(`a.${sort_by}`);
}

function conditions(kind: Kind, query: ListQuery, ownerKey: RawBuilder<string>, userId: string): Condition {
  const { name } = query;
  const isWanted = isFiltered(query) ? isFound(kind, query, ownerKey, userId) : sql<boolean>`true`;
  return name === undefined ? isWanted : sql`${isNamed(name, ownerKey)} AND ${isWanted}`;
}

function isNamed(name: string, ownerKey: RawBuilder<string>): Condition {
  const place = parsePlace(name);
  const isOf = sql`(${place?.owner ?? null}::text IS NULL OR ${ownerKey} = ${place?.owner ?? null})`;
  return sql`a.name = ${place?.name ?? null} AND ${isOf}`;
}

const FILTERS = [
  'tags',
  'keywords',
  'license',
  'task_categories',
  'framework',
  'size_category',
  'difficulty',
  'source',
] as const;

/** The keywords of a capability are stored as its tags. */
const KEYWORDS = 'tags';

/** Filters on data of the latest version, which is looked up by primary key for each row. */
const VERSION_FILTERS = ['format', 'author'] as const;

const isFiltered = (query: ListQuery) =>
  query.mine ||
  VERSION_FILTERS.some((filter) => query[filter] !== undefined) ||
  searchOf(query) !== null ||
  FILTERS.some((filter) => query[filter] !== undefined);

/** A blank search is ignored. */
const searchOf = ({ search }: ListQuery) => (search?.trim() ? foldCase(search) : null);

/** The text of the statement is the same for all combinations of filters; otherwise there would be a thousand statements to plan. */
function isFound(kind: Kind, query: ListQuery, ownerKey: RawBuilder<string>, userId: string): Condition {
  const search = sql`${searchOf(query)}::text`;
  const given = (filter: (typeof FILTERS)[number]) => sql`${query[filter] ?? null}::text[]`;
  const overlaps = (filter: 'tags' | 'keywords' | 'task_categories', column: string = filter) =>
    sql`(${given(filter)} IS NULL OR ${sql.ref(`a.${column}`)} && ${given(filter)})`;
  const isAny = (filter: (typeof FILTERS)[number]) =>
    sql`(${given(filter)} IS NULL OR ${sql.ref(`a.${filter}`)} = ANY(${given(filter)}))`;
  const framework = kind === 'model' ? sql`coalesce(a.framework, ${DEFAULT_FRAMEWORK})` : sql`a.framework`;
  return sql`
    (${search} IS NULL OR strpos(${ownerKey} || '/' || a.name, ${search}) > 0 OR strpos(a.search_text, ${search}) > 0)
    AND ${overlaps('tags')} AND ${overlaps('keywords', KEYWORDS)} AND ${overlaps('task_categories')} AND ${isAny('license')}
    AND ${kind === 'dataset' ? sql`true` : isAny('size_category')} AND ${hasMatchingVersion(kind, query)}
    AND (${given('framework')} IS NULL OR ${framework} = ANY(${given('framework')}))
    AND ${isAny('difficulty')} AND ${isAny('source')}
    AND (NOT ${query.mine}::boolean OR a.created_by = ${userId})`;
}

/** Size category of a dataset with `n` rows: `n<1K`, `1K<n<10K` and so on. Dataset manifests do not declare it. */
const SIZE_CATEGORY_OF_ROWS = sql`(CASE WHEN n < 1e3 THEN 'n<1K' WHEN n < 1e4 THEN '1K<n<10K' WHEN n < 1e5 THEN '10K<n<100K'
  WHEN n < 1e6 THEN '100K<n<1M' WHEN n < 1e7 THEN '1M<n<10M' WHEN n < 1e8 THEN '10M<n<100M'
  WHEN n < 1e9 THEN '100M<n<1B' WHEN n >= 1e9 THEN 'n>1B' END)`;

/** Whether the latest version of the artifact `a` matches the filters on versions. */
function hasMatchingVersion(kind: Kind, query: ListQuery): Condition {
  const { format, author } = query;
  const size = kind === 'dataset' ? query.size_category : undefined;
  const conditions = [
    ...(format
      ? [
          sql`EXISTS (SELECT FROM jsonb_array_elements(v.details -> 'splits') AS split WHERE split ->> 'format' = ANY(${format}::text[]))`,
        ]
      : []),
    ...(size
      ? [
          sql`(SELECT ${SIZE_CATEGORY_OF_ROWS} FROM (SELECT (v.details ->> 'row_count')::numeric) AS rows (n)) = ANY(${size}::text[])`,
        ]
      : []),
    ...(author
      ? [sql`coalesce(v.manifest -> 'author' ->> 'name', v.manifest ->> 'author') = ANY(${author}::text[])`]
      : []),
  ];
  if (conditions.length === 0) return sql<boolean>`true`;
  return sql<boolean>`EXISTS (
    SELECT FROM artifact_versions AS v
     WHERE v.organization_id = a.organization_id AND v.id = a.latest_id AND ${sql.join(conditions, sql` AND `)} OFFSET 0)`;
}
