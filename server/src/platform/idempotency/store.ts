/** The rows behind idempotency keys: which call runs, whether it took effect, and its response. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { deleteInBatches } from '../db/delete-in-batches.ts';
import type { Trx } from '../db/transaction.ts';
import type { SealedSecret } from '../secrets/envelope.ts';
import type { SealedTable } from '../secrets/rewrap.ts';

/** After this long without a heartbeat, the process that ran a call counts as dead. */
const RUNNING_SECONDS = 120;
const KEPT_HOURS = 24;

export interface Claim {
  readonly userId: string;
  readonly requestHash: Buffer;
  readonly bodyHash: Buffer;
  readonly callId: string;
}

/** Claims the row for this call if there is none, or one that expired, or one whose call was lost without effect. */
export async function claim(db: Db, { userId, requestHash, bodyHash, callId }: Claim): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO idempotency_keys AS k (user_id, request_hash, body_hash, call_id, running_until)
    VALUES (${userId}, ${requestHash}, ${bodyHash}, ${callId}, now() + make_interval(secs => ${RUNNING_SECONDS}))
    ON CONFLICT (user_id, request_hash) DO UPDATE
      SET body_hash = excluded.body_hash, call_id = excluded.call_id, created_at = now(),
          running_until = excluded.running_until, took_effect = false,
          status = NULL, key_id = NULL, wrapped_key = NULL, ciphertext = NULL
      WHERE k.created_at < now() - make_interval(hours => ${KEPT_HOURS})
         OR (k.body_hash = excluded.body_hash AND k.running_until < now() AND k.status IS NULL AND NOT k.took_effect)
    RETURNING k.call_id
  `.execute(db);
  return rows.length === 1;
}

export async function findFirstCall(db: Db, { userId, requestHash }: Claim) {
  return db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'took_effect', 'key_id', 'wrapped_key', 'ciphertext'])
    .select(sql<boolean>`running_until >= now()`.as('is_running'))
    .where('user_id', '=', userId)
    .where('request_hash', '=', requestHash)
    .executeTakeFirst();
}

/** Writes the heartbeat of a running call. */
export async function keepRunning(db: Db, { userId, requestHash, callId }: Claim): Promise<void> {
  await sql`
    UPDATE idempotency_keys SET running_until = now() + make_interval(secs => ${RUNNING_SECONDS})
     WHERE user_id = ${userId} AND request_hash = ${requestHash} AND call_id = ${callId}
  `.execute(db);
}

/** @returns false when another call has claimed the row: this one was considered lost */
export async function markEffect(trx: Trx, claim: Claim): Promise<boolean> {
  const { numUpdatedRows } = await ownRow(trx, claim).set({ took_effect: true }).executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function storeResponse(
  db: Db,
  claim: Claim,
  response: SealedSecret & { readonly status: number },
): Promise<void> {
  await ownRow(db, claim)
    .set({ ...response, took_effect: true })
    .execute();
}

/** After a failure, a call without effect can be repeated; a call with an effect is marked as not running any more. */
export async function release(db: Db, { userId, requestHash, callId }: Claim): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', userId)
    .where('request_hash', '=', requestHash)
    .where('call_id', '=', callId)
    .where('took_effect', '=', false)
    .execute();
  await sql`
    UPDATE idempotency_keys SET running_until = now()
     WHERE user_id = ${userId} AND request_hash = ${requestHash} AND call_id = ${callId}
  `.execute(db);
}

function ownRow(db: Db, { userId, requestHash, callId }: Claim) {
  return db
    .updateTable('idempotency_keys')
    .where('user_id', '=', userId)
    .where('request_hash', '=', requestHash)
    .where('call_id', '=', callId);
}

export function forgetOldIdempotencyKeys(db: Db): Promise<number> {
  return deleteInBatches((size) =>
    sql`
      DELETE FROM idempotency_keys WHERE (user_id, request_hash) IN (
        SELECT user_id, request_hash FROM idempotency_keys
         WHERE created_at < now() - make_interval(hours => ${KEPT_HOURS})
         ORDER BY created_at LIMIT ${size} FOR UPDATE SKIP LOCKED)
    `.execute(db),
  );
}

/** The owner to which a stored response is bound by its encryption. */
export function responseOwner(userId: string, requestHash: Buffer): string {
  return `idempotency ${userId} ${requestHash.toString('hex')}`;
}

export const sealedResponses: SealedTable = {
  table: 'idempotency_keys',
  primaryKey: ['user_id', 'request_hash'],
  owner: ({ user_id, request_hash }) => responseOwner(String(user_id), request_hash as Buffer),
};
