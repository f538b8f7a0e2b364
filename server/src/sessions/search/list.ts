/** Returns a page of the sessions that match a query. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { COUNTED_AHEAD, offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import { SESSION_COLUMNS, SESSION_JOINS, type SessionRow, toSessions } from '../responses.ts';
import type { Viewer } from '../visibility.ts';
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

export async function listSessions({ db, index }: SearchOptions, viewer: Viewer, query: SessionListQueryOf) {
  const filter = await resolveFilter(db, viewer, query);
  const { sort_by, sort_dir, limit, exact_total } = query;
  const order = { sort_by, sort_dir, limit, offset: offsetOf(query) };
  const isWalked = isBroad(filter) && sort_by === 'updated_at' && !exact_total;
  const { total, isExact, rows } = await inTime(filter, async () => {
    // A walk takes milliseconds in a workspace of any size, so it never waits until the index is loaded.
    if (isWalked) {
      const indexed = index && (await findIndexedPage(db, index, viewer, filter, order));
      return indexed ?? (await walkPage(db, viewer, filter, order));
    }
    return queryIndex(
      // The index has no titles, so there is nothing to wait for.
      sort_by === 'title' ? undefined : index,
      viewer,
      (loaded) => findIndexedPage(db, loaded, viewer, filter, order),
      () => readPage(db, viewer, filter, order),
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

/** Reads a page from the newest sessions only, so that its cost does not grow with their number (docs/decisions/list-totals.md). */
async function walkPage(db: Db, viewer: Viewer, filter: SessionFilter, order: PageOrder): Promise<Page> {
  const max = order.offset + order.limit + COUNTED_AHEAD;
  const { rows } = await selectPage(viewer, filter, order, max + 1).execute(db);
  const total = totalOf(rows);
  return { total: Math.min(total, max), isExact: total <= max, rows: rows.filter(isSession) };
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

/**
 * Selects the matching sessions first, then the remaining columns of those on the page. A broad match is counted by one scan and read in
 * index order by another; a narrow one is materialized once, for both counting and sorting.
 * @param max number of sessions, in order, after which neither is continued
 */
export function selectPage(
  viewer: Viewer,
  filter: SessionFilter,
  { sort_by, sort_dir, limit, offset }: PageOrder,
  max?: number,
): RawBuilder<SessionRow & { readonly total: number }> {
  const isReadTwice = max === undefined && isBroad(filter) && sort_by === 'updated_at';
  const nulls = NULLABLE.has(sort_by) ? 'NULLS LAST' : '';
  const inOrder = (alias: string) => sql.raw(`${alias}.sort_key ${sort_dir} ${nulls}, ${alias}.id`);
  return sql`
    WITH matching AS ${isReadTwice ? sql`NOT MATERIALIZED` : sql`MATERIALIZED`} (
      SELECT s.id, ${SORT_KEYS[sort_by]} AS sort_key FROM sessions AS s WHERE ${isMatching(viewer, filter)}
      ${max === undefined ? sql`` : sql`ORDER BY sort_key ${sql.raw(`${sort_dir} ${nulls}`)}, s.id LIMIT ${max}`}
    ),
    page AS (
      SELECT m.id, m.sort_key FROM matching AS m ORDER BY ${inOrder('m')} LIMIT ${limit} OFFSET ${offset}
    )
    SELECT whole.total, ${SESSION_COLUMNS}
      FROM (SELECT count(*) AS total FROM matching) AS whole
      LEFT JOIN page ON true
      LEFT JOIN sessions AS s ON s.organization_id = ${viewer.organizationId} AND s.id = page.id ${SESSION_JOINS}
     ORDER BY ${inOrder('page')}`;
}
