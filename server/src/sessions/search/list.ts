/** Returns a page of the sessions that match a query. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { COUNTED_AHEAD, offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import { SESSION_COLUMNS, SESSION_JOINS, type SessionRow, toSessions } from '../responses.ts';
import { isInWorkspace, type Viewer } from '../visibility.ts';
import type { SearchOptions } from './facets.ts';
import { isBroad, isMatching } from './matching.ts';
import { resolveFilter, type SessionFilter } from './query.ts';
import type { SessionListQueryOf } from './schema.ts';
import { type IndexedPage, type PageOrder, queryIndex, type SessionIndex } from './session-index.ts';
import { inTime } from './time-limit.ts';

interface Page {
  readonly total: number;
  /** Whether the total is exact; else there are more. */
  readonly isExact: boolean;
  readonly rows: readonly SessionRow[];
}

/**
 * Reads the page in the cheapest possible way: from the column index if it is loaded; by a walk over the newest sessions, for broad filters in
 * the order of `updated_at`; or else in SQL over all sessions.
 */
export async function listSessions({ db, index }: SearchOptions, viewer: Viewer, query: SessionListQueryOf) {
  const filter = await resolveFilter(db, viewer, query);
  const { sort_by, sort_dir, limit, exact_total } = query;
  const order = { sort_by, sort_dir, limit, offset: offsetOf(query) };
  const isBounded = isBroad(filter) && sort_by === 'updated_at' && !exact_total;
  // The index has no titles, so there is nothing to wait for.
  const usable = sort_by === 'title' ? undefined : index;
  const ofIndex = (loaded: SessionIndex) => findIndexedPage(db, loaded, viewer, filter, order);
  const { total, isExact, rows } = await inTime(filter, async () => {
    if (!isBounded) return queryIndex(usable, viewer, ofIndex, () => readPage(db, viewer, filter, order));
    return (
      (usable && (await ofIndex(usable))) ??
      // A walk takes milliseconds, so it does not wait until the index is loaded.
      (maxTotal(order) < MAX_WALKED ? await walkPage(db, viewer, filter, order) : undefined) ??
      queryIndex(usable, viewer, ofIndex, () => readBoundedPage(db, viewer, filter, order))
    );
  });
  return { sessions: await toSessions(db, viewer, rows), ...toPage(total, query), total_is_exact: isExact };
}

const ATTEMPTS = 3;

/** Returns undefined when the index is not loaded, or when sessions change faster than they can be read. */
async function findIndexedPage(
  db: Db,
  index: SessionIndex,
  viewer: Viewer,
  filter: SessionFilter,
  order: PageOrder,
): Promise<Page | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const page = await index.page(viewer, filter, order);
    if (!page) return undefined;
    const rows = await findUnchanged(db, viewer, page);
    if (rows) return { total: page.total, isExact: true, rows };
  }
  return undefined;
}

/** Returns undefined when a session of the page has changed since the page was computed, because its position may differ. */
async function findUnchanged(
  db: Db,
  { organizationId }: Viewer,
  { ids, snapshot }: IndexedPage,
): Promise<SessionRow[] | undefined> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SessionRow & { is_unchanged: boolean }>`
    SELECT pg_visible_in_snapshot(s.changed_in, ${snapshot}::pg_snapshot) AS is_unchanged, ${SESSION_COLUMNS}
      FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS page (id, place)
      JOIN sessions AS s ON s.organization_id = ${organizationId} AND s.id = page.id ${SESSION_JOINS}
     ORDER BY page.place`.execute(db);
  return rows.length === ids.length && rows.every((row) => row.is_unchanged) ? rows : undefined;
}

async function readPage(db: Db, viewer: Viewer, filter: SessionFilter, order: PageOrder): Promise<Page> {
  const { rows } = await selectPage(viewer, filter, order).execute(db);
  return { total: totalOf(rows), isExact: true, rows: rows.filter(isSession) };
}

const maxTotal = ({ offset, limit }: PageOrder) => offset + limit + COUNTED_AHEAD;

/** Number of sessions of the workspace that a walk reads at most, whether they match or not. */
const MAX_WALKED = 10_000;

/**
 * Reads a page, and its total up to a bound, from the newest sessions only, so that the cost does not grow with the number of sessions
 * (docs/decisions/list-totals.md). Returns undefined when too few of them match.
 */
async function walkPage(
  db: Db,
  viewer: Viewer,
  filter: SessionFilter,
  order: PageOrder,
): Promise<Page | undefined> {
  const { isWhole, ...page } = await readBoundedPage(db, viewer, filter, order, MAX_WALKED);
  // Fewer sessions match than are counted, and there are more to look at.
  return page.isExact && !isWhole ? undefined : page;
}

/** Bounds the total by the position of the page alone, which tells nothing about the sessions that others keep private. */
async function readBoundedPage(
  db: Db,
  viewer: Viewer,
  filter: SessionFilter,
  order: PageOrder,
  maxWalked?: number,
): Promise<Page & { readonly isWhole: boolean }> {
  const max = maxTotal(order);
  const { rows } = await selectPage(viewer, filter, order, { max: max + 1, maxWalked }).execute(db);
  const total = totalOf(rows);
  const isWhole = rows[0]?.is_whole ?? true;
  return { total: Math.min(total, max), isExact: total <= max, isWhole, rows: rows.filter(isSession) };
}

/** An empty page is one row that has only the total. */
const isSession = ({ id }: SessionRow) => id !== null;
const totalOf = ([first]: readonly { readonly total: number }[]) => first?.total ?? 0;

/** Expressions to sort by; the last three may be null or are not plain columns. */
const SORT_KEYS = {
  created_at: sql`s.created_at`,
  updated_at: sql`s.updated_at`,
  last_message_at: sql`s.last_message_at`,
  title: sql`s.title`,
  message_count: sql`coalesce(s.claimed_message_count, s.last_seq)`,
};
const NULLABLE: ReadonlySet<string> = new Set(['last_message_at', 'title']);

/** What broad filters and their order read. */
const MATCHED_COLUMNS = sql`s.id, s.organization_id, s.workspace_id, s.user_id, s.visibility, s.origin, s.archived_at, s.frozen_at, s.updated_at`;

interface SelectedRow extends SessionRow {
  readonly total: number;
  /** Whether no more sessions of the workspace were left to look at. */
  readonly is_whole: boolean;
}

/** Only for broad filters in the order of `updated_at`. */
interface Bounds {
  /** Number of matching sessions, the first ones in order, that are read. */
  readonly max: number;
  /** Number of sessions of the workspace, the first ones in order, among which matching ones are looked for. */
  readonly maxWalked: number | undefined;
}

/**
 * Selects the matching sessions first, then the remaining columns of those on the page. Without bounds, a broad match is counted by one scan
 * and read in index order by another. Anything else is materialized once, for both counting and sorting.
 */
export function selectPage(
  viewer: Viewer,
  filter: SessionFilter,
  { sort_by, sort_dir, limit, offset }: PageOrder,
  bounds?: Bounds,
): RawBuilder<SelectedRow> {
  const isReadTwice = !bounds && isBroad(filter) && sort_by === 'updated_at';
  const nulls = NULLABLE.has(sort_by) ? 'NULLS LAST' : '';
  const direction = sql.raw(`${sort_dir} ${nulls}`);
  const inOrder = (alias: string) =>
    sql`${sql.ref(`${alias}.sort_key`)} ${direction}, ${sql.ref(`${alias}.id`)}`;
  const ofWorkspace = sql`FROM sessions AS s WHERE ${isInWorkspace(viewer, 's')}`;
  // The LIMIT is a subquery, so that the planner does not know its value. Otherwise it would sort the whole workspace where it expects fewer
  // rows than that, as in a workspace that is newer than the statistics.
  const { source, isWhole } =
    bounds?.maxWalked === undefined
      ? { source: sql`sessions`, isWhole: sql`true` }
      : {
          source: sql`(SELECT ${MATCHED_COLUMNS} ${ofWorkspace} ORDER BY s.updated_at ${direction}, s.id LIMIT (SELECT ${bounds.maxWalked}::bigint))`,
          // The subquery runs only when fewer sessions match than may be read.
          isWhole: sql`count(*) = ${bounds.max} OR
            (SELECT count(*) FROM (SELECT ${ofWorkspace} LIMIT ${bounds.maxWalked + 1}) AS looked_at) <= ${bounds.maxWalked}`,
        };
  return sql`
    WITH matching AS ${isReadTwice ? sql`NOT MATERIALIZED` : sql`MATERIALIZED`} (
      SELECT s.id, ${SORT_KEYS[sort_by]} AS sort_key FROM ${source} AS s WHERE ${isMatching(viewer, filter)}
      ${bounds ? sql`ORDER BY sort_key ${direction}, s.id LIMIT ${bounds.max}` : sql``}
    ),
    page AS (
      SELECT m.id, m.sort_key FROM matching AS m ORDER BY ${inOrder('m')} LIMIT ${limit} OFFSET ${offset}
    )
    SELECT whole.total, whole.is_whole, ${SESSION_COLUMNS}
      FROM (SELECT count(*) AS total, ${isWhole} AS is_whole FROM matching) AS whole
      LEFT JOIN page ON true
      LEFT JOIN sessions AS s ON s.organization_id = ${viewer.organizationId} AND s.id = page.id ${SESSION_JOINS}
     ORDER BY ${inOrder('page')}`;
}
