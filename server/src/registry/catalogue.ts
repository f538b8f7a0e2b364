/** The catalogue of public artifacts and task sets: the only table through which organizations find what others share. */
import type { Trx } from '../platform/db/transaction.ts';
import type { Kind } from './kinds.ts';

export interface CatalogueEntry {
  readonly kind: Kind | 'task_set';
  readonly organization_id: string;
  readonly id: string;
}

/** Runs in the transaction that changes the entry's own row, under the lock of that row. */
export async function setInCatalogue(trx: Trx, entry: CatalogueEntry, isPublic: boolean): Promise<void> {
  if (isPublic) {
    const insert = trx.insertInto('public_catalogue').values(entry);
    await insert.onConflict((conflict) => conflict.doNothing()).execute();
    return;
  }
  await trx
    .deleteFrom('public_catalogue')
    .where('kind', '=', entry.kind)
    .where('organization_id', '=', entry.organization_id)
    .where('id', '=', entry.id)
    .execute();
}
