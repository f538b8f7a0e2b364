/** Objects whose owner is gone: noted in the transaction in which the owner goes, deleted by a clean-up. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import type { CleanUp } from '../sweeper/clean-up.ts';
import type { ObjectStorage } from './object-storage.ts';

/** Credentials last for an hour: until then something may still be written. */
const WAIT_MINUTES = 65;
const BATCH = 100;

interface AbandonedPrefix {
  readonly organization_id: string;
  readonly prefix: string;
}

/** @param prefix ends with a slash */
export async function abandonPrefix(trx: Trx, organizationId: string, prefix: string): Promise<void> {
  await trx
    .insertInto('abandoned_prefixes')
    .values({ organization_id: organizationId, prefix })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Counts the objects. One prefix that fails does not keep the others from their turn. */
export function deleteAbandonedObjects(storage: Pick<ObjectStorage, 'deleteUnder'>): CleanUp {
  return {
    name: 'abandoned objects',
    async run(db) {
      let deleted = 0;
      const failures: unknown[] = [];
      for (const abandoned of await listAbandoned(db)) {
        try {
          deleted += await storage.deleteUnder(abandoned.prefix);
          await forget(db, abandoned);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return deleted;
    },
  };
}

async function listAbandoned(db: Db): Promise<AbandonedPrefix[]> {
  const { rows } = await sql<AbandonedPrefix>`
    SELECT organization_id, prefix FROM abandoned_prefixes /* of every organization */
     WHERE abandoned_at < now() - make_interval(mins => ${WAIT_MINUTES})
     ORDER BY abandoned_at LIMIT ${BATCH}`.execute(db);
  return rows;
}

async function forget(db: Db, { organization_id, prefix }: AbandonedPrefix): Promise<void> {
  await db
    .deleteFrom('abandoned_prefixes')
    .where('organization_id', '=', organization_id)
    .where('prefix', '=', prefix)
    .execute();
}
