/**
 * Keeps the sessions of busy workspaces in memory, to count and to list them. The memory is bounded, the columns are rebuilt when needed,
 * and results never differ from those of the database: see docs/design/session-search.md.
 */
import type { Db } from '../../../platform/db/connect.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Viewer } from '../../visibility.ts';
import type { FacetCounts } from '../facet-counts.ts';
import type { SessionFilter } from '../query.ts';
import type { IndexedPage, PageOrder, SessionIndex } from '../session-index.ts';
import { inTime } from '../time-limit.ts';
import { countFacets } from './count-facets.ts';
import { LastCounts } from './last-counts.ts';
import { LoadedWorkspaces } from './loaded-workspaces.ts';
import { findSessionsByMessage } from './message-matches.ts';
import { findPage } from './page-rows.ts';
import { findSilent, markMatches, markTexts } from './search-rows.ts';
import { Selection } from './selection.ts';
import type { SessionColumns } from './session-columns.ts';
import { ColumnsLost, type Visited, type WorkspaceColumns } from './workspace-columns.ts';

export interface ColumnIndexOptions {
  readonly db: Db;
  readonly log: Log;
  /** Memory budget in bytes. */
  readonly maxBytes?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
  /** Maximum number of changed sessions that a query names one by one; above it, the database determines them itself. */
  readonly maxNamed?: number;
}

const MAX_BYTES = 384 * 2 ** 20;
const MAX_NAMED = 20_000;

/** Computes a result from the selection, synchronously: the next query reuses the memory. */
type Query<Result> = (visited: Visited) => Result;

interface Question<Result = unknown> {
  readonly viewer: Viewer;
  readonly filter: SessionFilter;
  /** Returns the result if it is known for the current columns. */
  readonly find?: (columns: SessionColumns) => Result | undefined;
}

export class ColumnIndex implements SessionIndex {
  private readonly db: Db;
  private readonly log: Log;
  private readonly maxNamed: number;
  private readonly workspaces: LoadedWorkspaces;
  private readonly selection = new Selection();
  private readonly lastCounts = new LastCounts();

  constructor(options: ColumnIndexOptions) {
    const { db, log, maxBytes = MAX_BYTES, now = Date.now, maxNamed = MAX_NAMED } = options;
    this.db = db;
    this.log = log;
    this.maxNamed = maxNamed;
    this.workspaces = new LoadedWorkspaces({ db, log, maxBytes, now });
  }

  get bytes(): number {
    return this.workspaces.bytes + this.selection.bytes;
  }

  facets(viewer: Viewer, filter: SessionFilter): Promise<FacetCounts | undefined> {
    const question = JSON.stringify([viewer.principal.userId, filter]);
    const find = (columns: SessionColumns) => this.lastCounts.find(columns, question);
    return this.ask({ viewer, filter, find }, ({ columns }) => {
      const counts = countFacets(columns, this.selection);
      // The texts of messages are not in the columns.
      return filter.search === undefined ? this.lastCounts.keep(columns, question, counts) : counts;
    });
  }

  async page(viewer: Viewer, filter: SessionFilter, order: PageOrder): Promise<IndexedPage | undefined> {
    const { sort_by } = order;
    // Titles are only in the columns as search text.
    if (sort_by === 'title') return undefined;
    return this.ask({ viewer, filter }, ({ columns, snapshot }) => {
      const total = this.selection.count;
      return { total, ids: findPage(columns, this.selection, { ...order, sort_by }), snapshot };
    });
  }

  orQuery<Result>(viewer: Viewer, query: () => Promise<Result>): Promise<Result | undefined> {
    return this.workspaces.orQuery(viewer, query);
  }

  /** Resolves once nothing is being loaded. */
  settled(): Promise<void> {
    return this.workspaces.settled();
  }

  close(): Promise<void> {
    return this.workspaces.close();
  }

  /** Queries the index; on any error the caller falls back to the database. */
  private async ask<Result>(question: Question<Result>, query: Query<Result>): Promise<Result | undefined> {
    const workspace = this.workspaces.find(question.viewer);
    if (!workspace) return undefined;
    try {
      return await this.query(workspace, question, query);
    } catch (error) {
      // The database would fail in the same way, after the same time.
      if (error instanceof ApiError) throw error;
      if (error instanceof ColumnsLost) this.loadAnew(workspace, error);
      else this.log.warn({ err: error }, 'sessions could not be counted in memory');
      return undefined;
    } finally {
      this.workspaces.measure(workspace);
    }
  }

  private loadAnew(workspace: WorkspaceColumns, { message, cause }: ColumnsLost): void {
    this.log.info({ ...workspace.place, reason: message, err: cause }, 'sessions are loaded anew');
    this.workspaces.drop(workspace);
    this.workspaces.find(workspace.place);
  }

  private query<Result>(workspace: WorkspaceColumns, question: Question<Result>, query: Query<Result>) {
    const { search } = question.filter;
    if (search !== undefined) return this.runSearch(workspace, { ...question, search }, query);
    return workspace.visit((visited) => {
      const known = question.find?.(visited.columns);
      if (known !== undefined) return known;
      this.select(visited, question, undefined);
      return query(visited);
    });
  }

  /**
   * Messages are searched in the database, which takes long, so only this caller waits. Sessions that change during the search are checked
   * again, together with the columns.
   */
  private async runSearch<Result>(
    workspace: WorkspaceColumns,
    question: Question & { readonly search: string },
    query: Query<Result>,
  ): Promise<Result> {
    const { viewer, filter, search } = question;
    const first = await workspace.visit(async (visited) => {
      const { columns, snapshot } = visited;
      const marks = await markTexts(columns, search);
      const silent = findSilent(columns, this.selection, { userId: viewer.principal.userId, filter, marks });
      if (silent.length > 0)
        return {
          snapshot,
          among: silent.length <= this.maxNamed ? silent.map((row) => columns.ids.text(row)) : undefined,
        };
      this.select(visited, question, marks);
      return { result: query(visited) };
    });
    if ('result' in first) return first.result;
    const matching = await inTime(filter, () =>
      findSessionsByMessage(this.db, viewer, { ...filter, search }, first.among),
    );
    return workspace.visit(
      async (visited) => {
        const marks = await markTexts(visited.columns, search);
        markMatches(visited.columns, marks, matching, visited.rechecked);
        this.select(visited, question, marks);
        return query(visited);
      },
      { search, since: first.snapshot },
    );
  }

  private select({ columns }: Visited, { viewer, filter }: Question, marks: Uint8Array | undefined): void {
    this.selection.select(columns, { userId: viewer.principal.userId, filter, marks });
  }
}
