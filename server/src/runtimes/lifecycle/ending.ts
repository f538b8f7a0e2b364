/** The end of a sandbox, stored once, by any process that notices it. */
import { sql } from 'kysely';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { release } from '../../platform/metering/credits.ts';
import { endPeriod, type Moment, referenceOf, type SandboxKey } from '../accounting/periods.ts';
import { writeLog } from './sandbox-log.ts';

export interface EndKey extends SandboxKey {
  readonly runtimeId: string;
}

export interface End {
  readonly moment: Moment;
  /** Text for the log. */
  readonly reason: string;
}

/**
 * Stores the end: charges its time, deletes its environment and makes its runtime idle. Rows are locked in the order of all state
 * transitions: the runtime before its sandbox.
 * @returns false when the end had been stored before
 */
export async function recordEnd(trx: Trx, key: EndKey, { moment, reason }: End): Promise<boolean> {
  await lockRuntime(trx, key);
  const isFirst = await endPeriod(trx, key, { moment, to: { state: 'killed', reason } });
  if (isFirst) {
    await forgetEnvironment(trx, key);
    await releaseNext(trx, key);
    await writeLog(trx, key, [{ kind: 'lifecycle', message: 'ended', details: { reason } }]);
  }
  await trx
    .updateTable('runtimes')
    .set({ status: 'idle', move: null, updated_at: NEXT_CHANGE })
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.runtimeId)
    .where('sandbox_id', '=', key.sandboxId)
    .where(({ or, eb }) => or([eb('status', '<>', 'idle'), eb('move', 'is not', null)]))
    .execute();
  return isFirst;
}

/**
 * Undoes a failed start as if it had never been requested.
 * @returns false when there was none
 */
export async function forgetStart(trx: Trx, key: EndKey): Promise<boolean> {
  await lockRuntime(trx, key);
  const deleted = await trx
    .deleteFrom('sandboxes')
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.sandboxId)
    .where('state', '=', 'starting')
    .returning('id')
    .executeTakeFirst();
  if (!deleted) return false;
  await release(trx, key.organizationId, referenceOf(key.sandboxId, 1));
  await trx
    .updateTable('runtimes')
    .set({ move: null })
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.runtimeId)
    .where('move', '=', 'starting')
    .execute();
  return true;
}

async function lockRuntime(trx: Trx, { organizationId, runtimeId }: EndKey): Promise<void> {
  await sql`
    SELECT FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtimeId} FOR UPDATE`.execute(
    trx,
  );
}

async function forgetEnvironment(trx: Trx, { organizationId, sandboxId }: SandboxKey): Promise<void> {
  await trx
    .deleteFrom('sandbox_environments')
    .where('organization_id', '=', organizationId)
    .where('sandbox_id', '=', sandboxId)
    .execute();
}

/** Releases the credits reserved by a resume in progress. */
async function releaseNext(trx: Trx, { organizationId, sandboxId }: SandboxKey): Promise<void> {
  await sql`
    DELETE FROM credit_reservations AS c USING sandboxes AS s
     WHERE s.organization_id = ${organizationId} AND s.id = ${sandboxId}
       AND c.organization_id = s.organization_id
       AND c.reference = concat('sandbox/', s.id, '/', s.period + 1)`.execute(trx);
}
