/** Runtimes without a sandbox: every process can reset or delete them. A disk that no runtime names is removed by its host. */
import { NEXT_CHANGE } from '../../../platform/db/change-time.ts';
import type { Db } from '../../../platform/db/connect.ts';
import type { Trx } from '../../../platform/db/transaction.ts';
import { type Asked, auditMove } from '../../audited.ts';
import { explainRefusal } from '../../transitions.ts';

/** Reset requires a sandbox, or the disk of an earlier one. */
export async function requireDisk(db: Db, key: Asked): Promise<void> {
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
export async function wipeIdle(trx: Trx, asked: Asked): Promise<string | null> {
  const { disk_id } = await lockIdle(trx, asked, 'reset');
  await trx
    .updateTable('runtimes')
    .set({ host_id: null, disk_id: null, disk_bytes: 0, updated_at: NEXT_CHANGE })
    .where('organization_id', '=', asked.organizationId)
    .where('id', '=', asked.runtimeId)
    .execute();
  await auditMove(trx, asked, 'runtime.reset');
  return disk_id;
}

/** @returns its former disk */
export async function deleteIdle(trx: Trx, asked: Asked): Promise<string | null> {
  const { disk_id, key: slug, name } = await lockIdle(trx, asked, 'delete');
  await auditMove(trx, asked, 'runtime.deleted', undefined, { slug, name });
  await trx
    .deleteFrom('runtimes')
    .where('organization_id', '=', asked.organizationId)
    .where('id', '=', asked.runtimeId)
    .execute();
  return disk_id;
}

async function lockIdle(trx: Trx, key: Asked, verb: 'reset' | 'delete') {
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
