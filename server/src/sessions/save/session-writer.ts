/**
 * Saves sessions. What is new goes into one statement with whatever else arrives at that moment; what cannot, because its id
 * is taken, it refers to nothing or others hold it up, is looked at alone.
 */
import pg from 'pg';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { Batcher } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { apart, findLastStep, type LastStep, transaction } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { notFound } from '../../platform/errors.ts';
import { type SessionRow, toSessions } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import { insertSessions, type NewSession } from './insert.ts';
import type { SaveRequest } from './schema.ts';
import { type Saved, saveAlone } from './store.ts';

interface Item extends NewSession {
  /** Of the call: it belongs into the transaction that stores the session, and into none that does not. */
  readonly lastStep: LastStep | undefined;
}

export class SessionWriter {
  private readonly db: Db;
  private readonly batcher: Batcher<Item, SessionRow | undefined>;

  constructor(db: Db) {
    this.db = db;
    this.batcher = new Batcher({ write: (items) => insertAll(db, items) });
  }

  async save(
    scope: WorkspaceScope,
    request: SaveRequest,
  ): Promise<{ readonly session: SessionOf; readonly isNew: boolean }> {
    const { row, isNew } = await explainViolation(this.store(scope, request), {
      sessions_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
    });
    const [session] = await toSessions(this.db, scope, [row]);
    return { session: session as SessionOf, isNew };
  }

  /** Stores what waits, and takes nothing more. */
  drain(): Promise<void> {
    return this.batcher.drain();
  }

  private async store(place: WorkspaceScope, request: SaveRequest): Promise<Saved> {
    const item = { place, request, lastStep: findLastStep() };
    const row = await apart(() => this.batcher.add(item));
    return row ? { row, isNew: true } : saveAlone(this.db, place, request);
  }
}

/** Who shares a batch waits no longer than this for what only one of it has to wait for. */
const PATIENCE_MS = 200;

/** Of PostgreSQL: a lock was not had in time, or never would have been. Nothing is stored then. */
const WAITED_IN_VAIN = new Set(['55P03', '40P01']);

async function insertAll(db: Db, items: readonly Item[]): Promise<(SessionRow | undefined)[]> {
  try {
    return await insertTogether(db, items);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && WAITED_IN_VAIN.has(error.code ?? ''))) throw error;
    return items.map(() => undefined);
  }
}

/** A statement alone is a transaction already: only what a call ends with needs one around both. */
function insertTogether(db: Db, items: readonly Item[]): Promise<(SessionRow | undefined)[]> {
  if (items.every(({ lastStep }) => lastStep === undefined)) return insertSessions(db, items, PATIENCE_MS);
  return transaction(db, async (trx) => {
    const rows = await insertSessions(trx, items, PATIENCE_MS);
    for (const [index, { lastStep }] of items.entries()) if (rows[index]) await lastStep?.(trx);
    return rows;
  });
}
