/**
 * Saves sessions. New sessions that arrive at the same moment share one statement. A session that cannot be inserted, because its id is
 * taken, it has a dangling reference or another transaction blocks it, is saved alone.
 */
import pg from 'pg';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { Batcher } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { notFound } from '../../platform/errors.ts';
import { type SessionRow, toSessions } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import { insertSessions, type NewSession } from './insert.ts';
import type { SaveRequest } from './schema.ts';
import { type Saved, saveAlone } from './store.ts';

export class SessionWriter {
  private readonly db: Db;
  private readonly batcher: Batcher<NewSession, SessionRow | undefined>;

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

  /** Stores pending saves and accepts no further ones. */
  drain(): Promise<void> {
    return this.batcher.drain();
  }

  private async store(place: WorkspaceScope, request: SaveRequest): Promise<Saved> {
    // The record of a call's effect belongs to the transaction of its session alone, so such a session shares no statement.
    if (place.recordEffect) return saveAlone(this.db, place, request);
    const row = await this.batcher.add({ place, request });
    return row ? { row, isNew: true } : saveAlone(this.db, place, request);
  }
}

/** Lock timeout in milliseconds of a batch, so that one blocked session does not delay the others for longer. */
const WAIT_TIMEOUT_MS = 200;

/** PostgreSQL error codes lock_not_available and deadlock_detected: nothing is stored. */
const WAITED_IN_VAIN = new Set(['55P03', '40P01']);

async function insertAll(db: Db, items: readonly NewSession[]): Promise<(SessionRow | undefined)[]> {
  try {
    return await insertSessions(db, items, WAIT_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && WAITED_IN_VAIN.has(error.code ?? ''))) throw error;
    return items.map(() => undefined);
  }
}
