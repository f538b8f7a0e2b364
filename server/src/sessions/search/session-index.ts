/** Interface of an index that lists and counts the sessions of a workspace faster than SQL, with the same results. */
import type { Viewer } from '../visibility.ts';
import type { FacetCounts } from './facet-counts.ts';
import type { SessionFilter } from './query.ts';
import type { SessionOrder } from './schema.ts';

export interface PageOrder extends SessionOrder {
  readonly offset: number;
  readonly limit: number;
}

export interface IndexedPage {
  readonly total: number;
  /** Ids of the sessions on the page, in order. */
  readonly ids: readonly string[];
  /** Snapshot of the page: `pg_current_snapshot()`, as text. */
  readonly snapshot: string;
}

/** Each result is a snapshot taken after the call. Undefined means that the index is not loaded and the caller queries the database. */
export interface SessionIndex {
  facets(viewer: Viewer, filter: SessionFilter): Promise<FacetCounts | undefined>;
  page(viewer: Viewer, filter: SessionFilter, order: PageOrder): Promise<IndexedPage | undefined>;
  /** Queries the database, unless several callers already do while the index is being loaded: then returns undefined once it is loaded. */
  orQuery<Result>(viewer: Viewer, query: () => Promise<Result>): Promise<Result | undefined>;
}

/** Uses the index, or else the database. */
export async function queryIndex<Result>(
  index: SessionIndex | undefined,
  viewer: Viewer,
  ofIndex: (index: SessionIndex) => Promise<Result | undefined>,
  ofDatabase: () => Promise<Result>,
): Promise<Result> {
  if (!index) return ofDatabase();
  return (
    (await ofIndex(index)) ??
    (await index.orQuery(viewer, ofDatabase)) ??
    (await ofIndex(index)) ??
    (await ofDatabase())
  );
}
