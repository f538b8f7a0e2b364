/**
 * Rows that belong to a job, such as the items of an evaluation: claimed and worked on several at once within one step.
 *
 * Their table has `organization_id, id, status, job_attempt integer NOT NULL DEFAULT 0`, a column with the id of the job, and an
 * index on (organization_id, <that column>, id) of the rows that have not ended. A claim writes the number of the job's
 * attempt into `job_attempt`, so that the next attempt claims rows again whose worker has died. The domain changes the status.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import type { ClaimedRow, ClaimRows, JobKind, JobRef, RowClaimOptions, Work } from './job-kind.ts';
import { isRow, JobCancelled, requireAttempt, Superseded } from './job-row.ts';

/** Milliseconds after which a changed concurrency or an added row is noticed while no row ends. */
const POLL_INTERVAL_MS = 1_000;

interface Claims {
  readonly db: Db;
  readonly kind: JobKind;
  readonly work: Pick<Work<never>, 'organizationId' | 'id' | 'attempt' | 'signal' | 'save'>;
}

export function createClaimRows(claims: Claims): ClaimRows {
  return async (options) => {
    const failure = new AbortController();
    const signal = AbortSignal.any([claims.work.signal, failure.signal]);
    const running = new Map<string, Promise<void>>();
    const begin = (id: string) => {
      const work = options
        .run(toClaimedRow(claims, options.table, id, signal))
        .catch((error: unknown) => failure.abort(error))
        .finally(() => running.delete(id));
      running.set(id, work);
    };
    try {
      for (;;) {
        signal.throwIfAborted();
        const before = [...running.keys()];
        const { ids, isAnyLeft } = await claimNext(claims, options, before);
        // Rows may have ended or thrown while the claim was made.
        signal.throwIfAborted();
        for (const id of ids) begin(id);
        if (running.size > 0 || isAnyLeft) await nextChange(running.values(), signal);
        else if (before.length === 0) return;
      }
    } catch (error) {
      // Passes the reason to the rows: a row of a cancelled job ends differently from one that the next attempt continues.
      failure.abort(error);
      throw error;
    } finally {
      // No row runs after its step has ended, since the next attempt may claim it.
      failure.abort(new Error('the step has ended'));
      await Promise.all(running.values());
    }
  };
}

interface Claimed {
  readonly ids: readonly string[];
  /** Whether an open row was not claimed: the limit was reached, or another transaction has locked it. */
  readonly isAnyLeft: boolean;
}

/** @param running rows that are running now: a released row is not claimed again before its work has ended */
function claimNext(
  { kind, work }: Claims,
  options: RowClaimOptions,
  running: readonly string[],
): Promise<Claimed> {
  const { organizationId, id, attempt } = work;
  const table = sql.table(options.table);
  const isOpen = sql`organization_id = ${organizationId} AND ${sql.ref(options.parent)} = ${id}
    AND status = ANY (${options.open}::text[]) AND job_attempt < ${attempt} AND id <> ALL (${running}::uuid[])`;
  return work.save(async (trx) => {
    await requireAttempt(trx, kind.table, work, attempt);
    const free = (await options.concurrency(trx)) - running.length;
    if (free <= 0) return { ids: [], isAnyLeft: false };
    // A plan may run a plain subquery once for each row of the table, and then claims the limit each time.
    const { rows } = await sql<{ id: string }>`
      WITH next AS MATERIALIZED (
        SELECT id FROM ${table} WHERE ${isOpen} ORDER BY id LIMIT ${free} FOR UPDATE SKIP LOCKED)
      UPDATE ${table} AS r SET job_attempt = ${attempt} FROM next
       WHERE r.organization_id = ${organizationId} AND r.id = next.id
      RETURNING r.id`.execute(trx);
    const ids = rows.map((row) => row.id).toSorted();
    const left = await sql`SELECT FROM ${table} WHERE ${isOpen} LIMIT 1`.execute(trx);
    return { ids, isAnyLeft: left.rows.length > 0 };
  });
}

/** Resolves when a row is done or the next poll is due. */
async function nextChange(running: Iterable<Promise<void>>, signal: AbortSignal): Promise<void> {
  const timer = new AbortController();
  const poll = sleep(POLL_INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).catch(
    () => undefined,
  );
  await Promise.race([poll, ...running]);
  timer.abort();
}

function toClaimedRow(
  { db, kind, work }: Claims,
  table: string,
  id: string,
  signal: AbortSignal,
): ClaimedRow {
  const row: JobRef = { organizationId: work.organizationId, id };
  return {
    id,
    signal,
    save: (write) =>
      transaction(db, async (trx) => {
        await holdRow(trx, { kind, work }, table, row);
        return write(trx);
      }),
    release: async (trx) => {
      await sql`UPDATE ${sql.table(table)} SET job_attempt = 0 WHERE ${isRow(row)}`.execute(trx);
    },
  };
}

/**
 * Locks the row if this attempt is the current one and has claimed it, and requires that the job is not cancelled. It is one statement,
 * since every write of a row begins with it.
 */
async function holdRow(
  trx: Trx,
  { kind, work }: Pick<Claims, 'kind' | 'work'>,
  table: string,
  row: JobRef,
): Promise<void> {
  const { organizationId, id, attempt } = work;
  const { rows } = await sql<{ is_cancelled: boolean }>`
    SELECT j.cancel_requested_at IS NOT NULL AS is_cancelled
      FROM ${sql.table(kind.table)} AS j CROSS JOIN ${sql.table(table)} AS r
     WHERE j.organization_id = ${organizationId} AND j.id = ${id} AND j.status = 'running' AND j.attempt = ${attempt}
       AND r.organization_id = ${organizationId} AND r.id = ${row.id} AND r.job_attempt = ${attempt}
       FOR KEY SHARE OF j FOR NO KEY UPDATE OF r`.execute(trx);
  const [held] = rows;
  if (!held) throw new Superseded(`attempt ${attempt} has lost ${table}/${row.id}`);
  if (held.is_cancelled) throw new JobCancelled(`${kind.table}/${id} is cancelled`);
}
