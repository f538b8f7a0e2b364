/** Extends a running period, up to the maximum and, if credits are enforced, up to what they pay for. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Requested, transactionFor } from '../../platform/db/transaction.ts';
import { explainRefusal, type RuntimeKey } from '../transitions.ts';
import { type GrantRules, holdCredits, noCredits, readLimits } from './grants.ts';
import { climbLadder } from './runtime-limits.ts';

/**
 * Works in any process, because a host reads the expiry from the database.
 * @returns the new expiry
 */
export async function keepAlive(
  db: Db,
  rules: GrantRules,
  { organizationId, runtimeId, recordEffect }: RuntimeKey & Requested,
  extendSeconds: number,
): Promise<string> {
  return transactionFor(db, { recordEffect }, async (trx) => {
    // Locks before reading, so that a concurrently claimed state transition is not missed.
    await sql`
      SELECT FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtimeId} FOR NO KEY UPDATE`.execute(
      trx,
    );
    const row = await trx
      .selectFrom('sandboxes as s')
      .innerJoin('runtimes as r', (join) =>
        join.onRef('r.sandbox_id', '=', 's.id').on('r.organization_id', '=', organizationId),
      )
      .select(['s.id', 's.period', 's.runtime_limited_by_credits'])
      .select([
        sql<number>`extract(epoch FROM s.expires_at - s.period_started_at)`.as('granted'),
        sql<string>`clock_timestamp()`.as('now'),
      ])
      .where('s.organization_id', '=', organizationId)
      .where('r.id', '=', runtimeId)
      .where('r.status', '=', 'running')
      .where('r.move', 'is', null)
      .where('s.state', '=', 'running')
      .forUpdate('s')
      .executeTakeFirst();
    if (!row) throw await explainRefusal(trx, { organizationId, runtimeId }, 'keepalive');
    const organization = await readLimits(trx, organizationId);
    const { maxSeconds } = climbLadder({ requested: [], organization, platform: rules.platform });
    const wanted = Math.max(row.granted, Math.min(maxSeconds, row.granted + extendSeconds));
    let seconds = wanted;
    if (rules.credits === 'enforced' && wanted > row.granted) {
      const request = { organizationId, sandboxId: row.id, period: row.period, now: row.now };
      seconds = await holdCredits(trx, request, wanted);
      if (seconds <= row.granted) throw noCredits();
    }
    const { expires_at } = await trx
      .updateTable('sandboxes')
      .set({
        expires_at: sql`period_started_at + make_interval(secs => ${seconds})`,
        actual_runtime_limit_seconds: Math.floor(seconds),
        runtime_limited_by_credits: row.runtime_limited_by_credits || seconds < wanted,
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', row.id)
      .returning('expires_at')
      .executeTakeFirstOrThrow();
    if (!expires_at) throw new Error('a period that runs expires');
    return expires_at;
  });
}
