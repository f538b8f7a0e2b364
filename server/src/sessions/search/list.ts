/** Returns a page of the sessions that match a query. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { offsetOf, toPage } from '../../platform/http/responses/pages.ts';
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
  readonly rows: readonly SessionRow[];
}

export async function listSessions({ db, index }: SearchOptions, viewer: Viewer, query: SessionListQueryOf) {
  const filter = await resolveFilter(db, viewer, query);
  const { sort_by, sort_dir, limit } = query;
  const order = { sort_by, sort_dir, limit, offset: offsetOf(query) };
  // The index has no titles, so there is nothing to wait for.
  const { total, rows } = await inTime(filter, () =>
    queryIndex(
      sort_by === 'title' ? undefined : index,
      viewer,
      (loaded) => findIndexedPage(db, loaded, viewer, filter, order),
      () => readPage(db, viewer, filter, order),
    ),
  );
  return { sessions: await toSessions(db, viewer, rows), ...toPage(total, query) };
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
    if (rows) return { total: page.total, rows };
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
  // An empty page is one row that has only the total.
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ id }) => id !== null) };
}

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
 */
export function selectPage(
  viewer: Viewer,
  filter: SessionFilter,
  { sort_by, sort_dir, limit, offset }: PageOrder,
): RawBuilder<SessionRow & { readonly total: number }> {
  const isWalked = isBroad(filter) && sort_by === 'updated_at';
  const nulls = NULLABLE.has(sort_by) ? 'NULLS LAST' : '';
  const inOrder = (alias: string) => sql.raw(`${alias}.sort_key ${sort_dir} ${nulls}, ${alias}.id`);
  return sql`
    WITH matching AS ${isWalked ? sql`NOT MATERIALIZED` : sql`MATERIALIZED`} (
      SELECT s.id, ${SORT_KEYS[sort_by]} AS sort_key FROM sessions AS s WHERE ${isMatching(viewer, filter)}
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
