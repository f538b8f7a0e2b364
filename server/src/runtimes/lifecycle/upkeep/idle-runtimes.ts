/** Runtimes without a sandbox: every process can reset or delete them. A disk that no runtime names is removed by its host. */
import { NEXT_CHANGE } from '../../../platform/db/change-time.ts';
import type { Db } from '../../../platform/db/connect.ts';
import type { Trx } from '../../../platform/db/transaction.ts';
import { auditMove, type TransitionTarget } from '../../audited.ts';
import { explainRefusal } from '../../transitions.ts';

/** Reset requires a sandbox, or the disk of an earlier one. */
export async function requireDisk(db: Db, key: TransitionTarget): Promise<void> {
  const row = await db
    .selectFrom('runtimes')
    .select(['status', 'disk_id'])
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.runtimeId)
    .executeTakeFirst();
  if (!row || (row.status === 'idle' && row.disk_id === null)) throw await explainRefusal(db, key, 'reset');
}

/**
 * Clears the runtime, so that its next start begins from scratch on any host.
 * @returns its former disk
 */
export async function wipeIdle(trx: Trx, target: TransitionTarget): Promise<string | null> {
  const { disk_id } = await lockIdle(trx, target, 'reset');
  await trx
    .updateTable('runtimes')
    .set({ host_id: null, disk_id: null, disk_bytes: 0, updated_at: NEXT_CHANGE })
    .where('organization_id', '=', target.organizationId)
    .where('id', '=', target.runtimeId)
    .execute();
  await auditMove(trx, target, 'runtime.reset');
  return disk_id;
}

/** @returns its former disk */
export async function deleteIdle(trx: Trx, target: TransitionTarget): Promise<string | null> {
  const { disk_id, key: slug, name } = await lockIdle(trx, target, 'delete');
  await auditMove(trx, target, 'runtime.deleted', undefined, { slug, name });
  await trx
    .deleteFrom('runtimes')
    .where('organization_id', '=', target.organizationId)
    .where('id', '=', target.runtimeId)
    .execute();
  return disk_id;
}

async function lockIdle(trx: Trx, key: TransitionTarget, verb: 'reset' | 'delete') {
  const row = await trx
    .selectFrom('runtimes')
    .select(['disk_id', 'key', 'name'])
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.runtimeId)
    .where('status', '=', 'idle')
    .where('move', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw await explainRefusal(trx, key, verb);
  return row;
}
