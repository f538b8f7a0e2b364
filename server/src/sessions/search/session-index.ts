/** What answers for the sessions of a workspace faster than SQL, where it is there. Never another answer than SQL's. */
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
  /** Those on the page, in order. */
  readonly ids: readonly string[];
  /** As of when: `pg_current_snapshot()`, as text. */
  readonly snapshot: string;
}

/** Each answer is as of one moment after it was asked for. Undefined: ask the database, here is nothing yet. */
export interface SessionIndex {
  facets(viewer: Viewer, filter: SessionFilter): Promise<FacetCounts | undefined>;
  page(viewer: Viewer, filter: SessionFilter, order: PageOrder): Promise<IndexedPage | undefined>;
  /** Asks the database, unless several do so already while the index is made: then undefined, once it is there. */
  orAsk<Result>(viewer: Viewer, ask: () => Promise<Result>): Promise<Result | undefined>;
}

/** By the index, or else by the database. */
export async function answerBy<Result>(
  index: SessionIndex | undefined,
  viewer: Viewer,
  ofIndex: (index: SessionIndex) => Promise<Result | undefined>,
  ofDatabase: () => Promise<Result>,
): Promise<Result> {
  if (!index) return ofDatabase();
  return (
    (await ofIndex(index)) ??
    (await index.orAsk(viewer, ofDatabase)) ??
    (await ofIndex(index)) ??
    (await ofDatabase())
  );
}
