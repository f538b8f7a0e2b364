/** Returns a page of task sets: those of the organization and, on request, public ones of others. */
import { type RawBuilder, sql } from 'kysely';
import type { OrgScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { offsetOf, toPage } from '../platform/http/responses/pages.ts';
import { parseReference, precedenceOf, type Reference } from '../registry/service.ts';
import { creatorFor, SUMMARY } from './detail.ts';
import type { TaskSetQuery, TaskSetSummaryOf } from './schema.ts';
import { toPrefixQuery } from './search-words.ts';

type Row = TaskSetSummaryOf & { readonly total: number };

export async function listTaskSets(db: Db, scope: OrgScope, query: TaskSetQuery) {
  const { rows } = await selectPage(scope, query).execute(db);
  // An empty page is one row that has only the total.
  return { task_sets: rows.filter(({ id }) => id !== null), ...toPage(rows[0]?.total ?? 0, query) };
}

/**
 * Selects the matching sets first, then the remaining columns of those on the page. Each `LATERAL` lookup with an offset uses a primary
 * key, so the amount of data of other tenants cannot change its plan.
 */
export function selectPage(scope: OrgScope, query: TaskSetQuery): RawBuilder<Row> {
  const nulls = query.sort_by === 'source' ? 'NULLS LAST' : '';
  const order = (alias: string) => sql.raw(`${alias}.sort_key ${query.sort_dir} ${nulls}, ${alias}.id`);
  return sql<Row>`
    WITH matching AS ${isFiltered(query) ? sql`MATERIALIZED` : sql`NOT MATERIALIZED`} (
      ${selectOwn(scope, query)}
      ${query.include_public ? sql`UNION ALL ${selectPublic(scope, query)}` : sql``}
    ),
    page AS (
      SELECT m.organization_id, m.id, m.sort_key FROM matching AS m
       ORDER BY ${order('m')} LIMIT ${query.limit} OFFSET ${offsetOf(query)}
    )
    SELECT whole.total, ${SUMMARY}
      FROM (SELECT count(*) AS total FROM matching) AS whole
      LEFT JOIN page AS p ON true
      LEFT JOIN LATERAL (
        SELECT s.id, s.name, s.description, s.source, s.tags, s.is_public, s.member_count, s.organization_id, s.created_by,
               s.created_at, s.updated_at
          FROM task_sets AS s WHERE s.organization_id = p.organization_id AND s.id = p.id OFFSET 0
      ) AS s ON true
      LEFT JOIN LATERAL (SELECT o.key FROM organizations AS o WHERE o.id = p.organization_id OFFSET 0) AS o ON true
      LEFT JOIN LATERAL (${creatorFor(scope)}) AS u ON true
     ORDER BY ${order('p')}`;
}

/** A filtered result is materialized once, for both counting and sorting. Otherwise one index is used to count and another to sort. */
const isFiltered = ({ source, search, tags, contains, include_public }: TaskSetQuery) =>
  include_public || [source, search, tags, contains].some((filter) => filter !== undefined);

/** A blank search is ignored. */
const wordsOf = ({ search }: TaskSetQuery) => (search?.trim() ? toPrefixQuery(search) : null);

const taskOf = ({ contains }: TaskSetQuery) =>
  contains === undefined ? undefined : parseReference(contains);

function selectOwn(scope: OrgScope, query: TaskSetQuery) {
  const task = taskOf(query);
  return sql`
    SELECT s.organization_id, s.id, ${sortKeyOf(query)} AS sort_key
      FROM task_sets AS s
     WHERE s.organization_id = ${scope.organizationId} AND ${isFound(query)} AND ${task ? isOwnWith(scope, task) : sql`true`}`;
}

/** Reads from the catalogue, so that it never scans private rows of other tenants. */
function selectPublic({ organizationId }: OrgScope, query: TaskSetQuery) {
  const task = taskOf(query);
  return sql`
    SELECT s.organization_id, s.id, ${sortKeyOf(query)} AS sort_key
      FROM public_catalogue AS c
     CROSS JOIN LATERAL (SELECT FROM organizations AS o WHERE o.id = c.organization_id AND o.is_active OFFSET 0) AS o
     CROSS JOIN LATERAL (
       SELECT s.organization_id, s.id, s.name, s.source, s.tags, s.is_public, s.search_words, s.created_at, s.updated_at
         FROM task_sets AS s WHERE s.organization_id = c.organization_id AND s.id = c.id OFFSET 0
     ) AS s
     WHERE c.kind = 'task_set' AND c.organization_id <> ${organizationId} AND s.is_public
       AND ${isFound(query)} AND ${task ? isPublicWith(task) : sql`true`}`;
}

const sortKeyOf = ({ sort_by }: TaskSetQuery) => sql.raw(`s.${sort_by}`);

/** The text of the statement is the same for all combinations of filters; otherwise there would be a thousand statements to plan. */
function isFound(query: TaskSetQuery) {
  if (!isFiltered(query)) return sql`true`;
  const source = sql`${query.source ?? null}::text[]`;
  const tags = sql`${query.tags ?? null}::text[]`;
  const words = sql`${wordsOf(query)}::tsquery`;
  return sql`(${source} IS NULL OR s.source = ANY (${source})) AND (${tags} IS NULL OR s.tags && ${tags})
    AND (${words} IS NULL OR s.search_words @@ ${words})`;
}

/** Finds the sets that refer to the task first, by the index of members. */
function isOwnWith({ organizationId, organizationKey }: OrgScope, task: Reference) {
  const owner = task.owner === organizationKey ? undefined : task.owner;
  return sql`s.id = ANY (ARRAY(
    SELECT t.task_set_id FROM task_set_members AS t
     WHERE t.organization_id = ${organizationId} AND ${isTask(task)}
       AND t.owner_key IS NOT DISTINCT FROM ${owner ?? null}::text))`;
}

/** Within sets of its own organization, a task is stored without its owner. */
function isPublicWith(task: Reference) {
  const owner = sql`${task.owner ?? null}::text`;
  return sql`EXISTS (
    SELECT FROM task_set_members AS t
     WHERE t.organization_id = s.organization_id AND t.task_set_id = s.id AND ${isTask(task)}
       AND (t.owner_key = ${owner} OR t.owner_key IS NULL AND
            (${owner} IS NULL OR t.organization_id = (SELECT o.id FROM organizations AS o WHERE o.key = ${owner})))
    OFFSET 0)`;
}

function isTask({ name, version }: Reference) {
  const precedence = sql`${version === undefined ? null : precedenceOf(version)}::text`;
  return sql`t.local_name = ${name} AND (${precedence} IS NULL OR t.precedence = ${precedence})`;
}
