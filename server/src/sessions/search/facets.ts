/** Facets of the sessions that match a query. */
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../visibility.ts';
import { toFacets } from './facet-counts.ts';
import { resolveFilter, type SessionQueryOf } from './query.ts';
import type { SessionFacetsOf } from './schema.ts';
import { queryIndex, type SessionIndex } from './session-index.ts';
import { countFacets } from './sql-facets.ts';
import { inTime } from './time-limit.ts';

/** What searches use: the database and, if there is one, an index. */
export interface SearchOptions {
  readonly db: Db;
  readonly index?: SessionIndex | undefined;
}

export async function getFacets(
  { db, index }: SearchOptions,
  viewer: Viewer,
  query: SessionQueryOf,
): Promise<SessionFacetsOf> {
  const filter = await resolveFilter(db, viewer, query);
  const counts = await inTime(filter, () =>
    queryIndex(
      index,
      viewer,
      (loaded) => loaded.facets(viewer, filter),
      () => countFacets(db, viewer, filter),
    ),
  );
  return toFacets(db, counts);
}
