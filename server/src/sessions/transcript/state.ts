/** The state of a transcript that a writer needs, read under the session's lock. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { findViolated } from '../../platform/db/violations.ts';
import { type LockedSession, lockOwnSession, refuseFrozen } from '../lookup.ts';
import type { Viewer } from '../visibility.ts';

interface TranscriptRow extends LockedSession {
  readonly title: string | null;
  readonly agent: string | null;
  readonly rewind_count: number;
  /** Time of the database, not before the last change of the session, so that later messages never look older. */
  readonly now: string;
}

export interface LockedTranscript extends TranscriptRow {
  /** Sequence numbers of those of the ids that are stored. */
  readonly known: ReadonlyMap<string, number>;
}

interface Place {
  readonly organizationId: string;
  readonly sessionId: string;
}

/**
 * Runs a writer in a transaction with the session locked. Messages are assumed to be new, as nearly all are; if one violates the unique
 * constraint, the transaction is repeated with a lookup of the ids. A lookup on every append would cost more than the append itself while
 * the planner has no statistics and reads the whole transcript for each id.
 */
export async function withTranscript<Result>(
  db: Db,
  scope: Viewer,
  given: string,
  ids: readonly string[],
  work: (trx: Trx, transcript: LockedTranscript) => Promise<Result>,
  /** Set `isSure` to look up ids from the start, for operations that are refused once they have been done. */
  { isSure = false }: { readonly isSure?: boolean } = {},
): Promise<Result> {
  const run = (isKnown: boolean) =>
    transactionFor(db, scope, async (trx) => {
      const row = await lockTranscript(trx, scope, given);
      refuseFrozen(row);
      const place = { organizationId: scope.organizationId, sessionId: row.id };
      const known = isKnown && ids.length > 0 ? await findKnown(trx, place, ids) : new Map<string, number>();
      return work(trx, { ...row, known });
    });
  // An error would abort the caller's transaction, so ids are looked up first.
  if (db.isTransaction) return run(true);
  try {
    return await run(isSure);
  } catch (error) {
    if (findViolated(error) !== 'session_messages_id_key') throw error;
    return run(true);
  }
}

function lockTranscript(trx: Trx, scope: Viewer, given: string) {
  const columns = sql`, s.title, s.agent, s.rewind_count, clock_timestamp()::timestamptz(3) AS now`;
  return lockOwnSession<TranscriptRow>(trx, scope, given, columns);
}

async function findKnown(
  trx: Trx,
  { organizationId, sessionId }: Place,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; seq: number }>`
    SELECT w.id, m.seq
      FROM unnest(${ids}::text[]) AS w (id)
     CROSS JOIN LATERAL (
       SELECT m.seq FROM session_messages AS m
        WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId} AND m.id = w.id
        LIMIT 1 -- one by one: the session may be very long
     ) AS m`.execute(trx);
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}

/** Finds the prompt that applies to the next message. */
export async function findSystemPrompt(
  db: Db,
  { organizationId, sessionId }: Place,
): Promise<string | undefined> {
  const { rows } = await sql<{ content: string }>`
    SELECT p.content FROM session_prompts AS p
     WHERE p.organization_id = ${organizationId} AND p.session_id = ${sessionId}
     ORDER BY p.from_seq DESC LIMIT 1`.execute(db);
  // An empty prompt ends the previous one.
  return rows[0]?.content || undefined;
}
