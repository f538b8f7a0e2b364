/**
 * The columns of one workspace, kept up to date. Callers take turns: all that wait are served together, after one refresh that starts after
 * they arrived. So every caller sees its own writes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../../../platform/db/connect.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { loadColumns } from './load.ts';
import { type Recheck, type Rechecked, recheckMessages } from './message-matches.ts';
import { isContinued, type Moment, type Place } from './moment.ts';
import { applyChanges, findChanges } from './refresh.ts';
import { SessionColumns } from './session-columns.ts';

/** Thrown when the columns must be loaded again; the caller uses the database instead. */
export class ColumnsLost extends Error {}

/** Maximum number of changed sessions that a caller waits for; with more of them, the database itself responds sooner. */
const MAX_AWAITED = 50_000;

/** The columns at one moment, valid while the work runs. */
export interface Visited {
  readonly columns: SessionColumns;
  readonly snapshot: string;
  /** Results of the requested recheck, by session. */
  readonly rechecked: Rechecked;
}

interface Visit {
  readonly recheck: Recheck | undefined;
  readonly run: (visited: Visited) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

export interface Source {
  readonly db: Db;
  readonly pool: pg.Pool;
}

export interface Watch {
  /** Called with the number of sessions before they are loaded. */
  readonly onCount: (columns: SessionColumns, sessionCount: number) => void;
  /** Called while sessions are loaded. An error thrown by either callback ends the load. */
  readonly onRows: (columns: SessionColumns) => void;
  /** Memory budget of the loaded columns. */
  readonly maxBytes: number;
}

interface Loaded {
  readonly columns: SessionColumns;
  readonly moment: Moment;
}

export class WorkspaceColumns {
  readonly place: Place;
  readonly columns: SessionColumns;
  private readonly source: Source;
  private moment: Moment;
  private waiting: Visit[] = [];
  private isTakingTurns = false;
  /** The reason why the columns can no longer be relied on. */
  private loss: ColumnsLost | undefined;
  private readonly maxBytes: number;

  private constructor(source: Source, place: Place, loaded: Loaded, maxBytes: number) {
    this.source = source;
    this.place = place;
    this.columns = loaded.columns;
    this.moment = loaded.moment;
    this.maxBytes = maxBytes;
  }

  static async load(source: Source, place: Place, watch: Watch): Promise<WorkspaceColumns> {
    const columns = new SessionColumns();
    const moment = await loadColumns(columns, {
      ...source,
      place,
      onCount: (count) => watch.onCount(columns, count),
      onRows: () => watch.onRows(columns),
    });
    const loaded = new WorkspaceColumns(source, place, { columns, moment }, watch.maxBytes);
    // Many changes may have been written during the load, and no caller waits for them yet.
    await loaded.catchUp(() => watch.onRows(columns));
    return loaded;
  }

  /** @throws ColumnsLost */
  visit<Result>(work: (visited: Visited) => Result | Promise<Result>, recheck?: Recheck): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async (visited: Visited) => resolve(await work(visited));
      this.waiting.push({ recheck, run, fail: reject });
      if (!this.isTakingTurns) void this.takeTurns();
    });
  }

  private async takeTurns(): Promise<void> {
    this.isTakingTurns = true;
    while (this.waiting.length > 0) await this.takeTurn(this.waiting.splice(0));
    this.isTakingTurns = false;
  }

  /** Callers that recheck messages come last and alone, because that may take long or fail. */
  private async takeTurn(visits: readonly Visit[]): Promise<void> {
    const [plain, others] = [
      visits.filter(({ recheck }) => !recheck),
      visits.filter(({ recheck }) => recheck),
    ];
    if (plain.length > 0) await this.serve(plain);
    for (const visit of others) await this.serve([visit], visit.recheck);
  }

  private async serve(visits: readonly Visit[], recheck?: Recheck): Promise<void> {
    try {
      if (this.loss) throw this.loss;
      const rechecked = await this.refresh(recheck);
      const { columns, moment } = this;
      for (const { run, fail } of visits) {
        await run({ columns, snapshot: moment.snapshot, rechecked }).catch(fail);
        // Each caller scans all rows, so other requests are served in between.
        await nextTurn();
      }
    } catch (error) {
      if (error instanceof ColumnsLost) this.loss = error;
      for (const { fail } of visits) fail(error);
    }
  }

  /** @returns the results of the recheck, at the same moment as the columns */
  private async refresh(recheck: Recheck | undefined): Promise<Rechecked> {
    const found = await this.tryRefresh(recheck);
    if (found) return found;
    await this.catchUpInTime();
    const foundThen = await this.tryRefresh(recheck);
    if (!foundThen) throw new ColumnsLost('Sessions change faster than they are read');
    return foundThen;
  }

  /** Returns undefined when too much has changed. Changes are applied only after all are read, so a failure leaves the columns intact. */
  private async tryRefresh(recheck: Recheck | undefined): Promise<Rechecked | undefined> {
    const { db } = this.source;
    const read = async (from: Db) => {
      const changes = await findChanges(from, this.place, this.moment);
      return changes && { changes, found: recheck && (await recheckMessages(from, this.place, recheck)) };
    };
    const known = await (recheck ? atOneMoment(db, read) : read(db));
    if (!known) return undefined;
    const { changes, found = new Map<string, boolean>() } = known;
    this.check(changes);
    applyChanges(this.columns, changes);
    this.moment = { snapshot: changes.snapshot, now_ms: changes.now_ms, instance: changes.instance };
    return found;
  }

  /** Applies rows as they arrive: a failure halfway leaves the columns inconsistent. */
  private async catchUp(onRows: (rowCount: number) => void): Promise<void> {
    const { source, place, moment: since } = this;
    const moment = await loadColumns(this.columns, { ...source, place, since, onRows });
    this.check(moment);
    this.moment = moment;
  }

  private async catchUpInTime(): Promise<void> {
    let left = MAX_AWAITED;
    try {
      await this.catchUp((count) => {
        left -= count;
        if (left < 0) throw new ColumnsLost('More sessions have changed than are read again');
        if (this.columns.bytes > this.maxBytes) throw new ColumnsLost('They have become too many for memory');
      });
    } catch (error) {
      if (error instanceof ColumnsLost) throw error;
      throw new ColumnsLost('They could not be brought up to date', { cause: error });
    }
  }

  private check(moment: Moment): void {
    if (!isContinued(this.moment, moment)) throw new ColumnsLost('What has changed since cannot be known');
    if (this.columns.isWorn) throw new ColumnsLost('Most of it is what no session has any more');
  }
}

/** Timeout of a recheck of messages, during which all callers of this workspace wait. */
const MAX_RECHECK_MS = 2_000;

function atOneMoment<Result>(db: Db, read: (trx: Db) => Promise<Result>): Promise<Result> {
  return transaction(db, async (trx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.execute(trx);
    await sql`SET LOCAL statement_timeout = ${sql.lit(MAX_RECHECK_MS)}`.execute(trx);
    return read(trx);
  });
}
