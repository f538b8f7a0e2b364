/** Objects whose owner is deleted: recorded in the transaction that deletes the owner, and deleted by a cleanup job. */
import { sql } from 'kysely';
import type { CleanUp } from '../clean-up.ts';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import type { ObjectStorage } from './object-storage.ts';
import { CREDENTIALS_SECONDS, MAX_REQUEST_MS } from './write-times.ts';

/** Tolerance for clock skew. */
const MARGIN_MS = 15 * 60_000;
/** A request that was authorized with the last credentials may write when it ends. */
export const WAIT_MS = CREDENTIALS_SECONDS * 1_000 + MAX_REQUEST_MS + MARGIN_MS;
const BATCH = 100;

interface AbandonedPrefix {
  readonly organization_id: string;
  readonly prefix: string;
  readonly abandoned_at: string;
}

/** @param prefix must end with a slash */
export async function abandonPrefix(trx: Trx, organizationId: string, prefix: string): Promise<void> {
  await trx
    .insertInto('abandoned_prefixes')
    .values({ organization_id: organizationId, prefix })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Counts the deleted objects. One failing prefix does not block the others. */
export function deleteAbandonedObjects(storage: Pick<ObjectStorage, 'deleteUnder'>): CleanUp {
  return {
    name: 'abandoned objects',
    async run(db) {
      let deleted = 0;
      const failures: unknown[] = [];
      for await (const abandoned of walkAbandoned(db)) {
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

async function* walkAbandoned(db: Db): AsyncGenerator<AbandonedPrefix> {
  for (let last: AbandonedPrefix | undefined; ; ) {
    const page: AbandonedPrefix[] = await listAbandoned(db, last);
    yield* page;
    last = page.at(-1);
    if (page.length < BATCH) return;
  }
}

/** Lists prefixes after `last`, so that a failed one is not returned again. */
async function listAbandoned(db: Db, last?: AbandonedPrefix): Promise<AbandonedPrefix[]> {
  const { abandoned_at = '-infinity', organization_id = NO_ID, prefix = '' } = last ?? {};
  const { rows } = await sql<AbandonedPrefix>`
    SELECT organization_id, prefix, abandoned_at FROM abandoned_prefixes /* of every organization */
     WHERE abandoned_at < now() - make_interval(secs => ${WAIT_MS / 1_000})
       AND (abandoned_at, organization_id, prefix) > (${abandoned_at}::timestamptz, ${organization_id}::uuid, ${prefix})
     ORDER BY abandoned_at, organization_id, prefix LIMIT ${BATCH}`.execute(db);
  return rows;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

async function forget(db: Db, { organization_id, prefix }: AbandonedPrefix): Promise<void> {
  await db
    .deleteFrom('abandoned_prefixes')
    .where('organization_id', '=', organization_id)
    .where('prefix', '=', prefix)
    .execute();
}
