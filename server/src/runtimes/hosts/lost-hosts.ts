/** Hosts whose lease has expired: their sandboxes are gone, and the first process to notice stores that. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import type { Log } from '../../platform/log.ts';
import { forgetStart, recordEnd } from '../lifecycle/ending.ts';
import { LEASE } from '../lifecycle/host-lease.ts';

const BATCH = 50;
const REASON = 'Its host is gone.';

const WATCH_MS = 3_000;

/**
 * Runs periodically in every process.
 * @returns a function that stops it
 */
export function watchLostHosts(db: Db, log: Log): () => Promise<void> {
  let turn: Promise<void> | undefined;
  const check = async () => {
    try {
      const ended = await endLostSandboxes(db);
      if (ended > 0) log.warn({ ended }, 'the sandboxes of hosts that are gone have ended');
    } catch (error) {
      log.warn({ err: error }, 'hosts that are gone could not be looked for');
    } finally {
      turn = undefined;
    }
  };
  const timer = setInterval(() => {
    turn ??= check();
  }, WATCH_MS).unref();
  return async () => {
    clearInterval(timer);
    await turn;
  };
}

/**
 * @param hostId limits the search to one host
 * @returns the number of sandboxes found ended
 */
export async function endLostSandboxes(db: Db, hostId?: string): Promise<number> {
  // Finds the first living sandbox by a partial index: an existence check would scan all that ever ran.
  const { rows: hosts } = await sql<{ id: string }>`
    SELECT h.id FROM sandbox_hosts AS h /* of every organization */
     WHERE h.lease_expires_at < clock_timestamp()
       ${hostId === undefined ? sql`` : sql`AND h.id = ${hostId}`}
       AND ((SELECT s.id FROM sandboxes AS s WHERE s.host_id = h.id AND s.state <> 'killed'
             ORDER BY s.expires_at LIMIT 1) IS NOT NULL
         OR EXISTS (SELECT FROM runtimes AS r WHERE r.host_id = h.id AND r.move IS NOT NULL))`.execute(db);
  let ended = 0;
  for (const host of hosts) {
    for (let found = BATCH; found === BATCH; ended += found)
      found = await transaction(db, (trx) => endBatch(trx, host.id));
  }
  return ended;
}

/** Locks the row of the host, so that its lease cannot be taken in between. */
async function endBatch(trx: Trx, hostId: string): Promise<number> {
  const host = await trx
    .selectFrom('sandbox_hosts')
    .select(sql<string>`lease_expires_at - ${LEASE}`.as('last_renewed_at'))
    .where('id', '=', hostId)
    .where('lease_expires_at', '<', sql<string>`clock_timestamp()`)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!host) return 0;
  const { rows } = await sql<LostSandbox>`
    SELECT organization_id, id, runtime_id, state FROM sandboxes /* of every organization */
     WHERE host_id = ${hostId} AND state <> 'killed' ORDER BY id LIMIT ${BATCH}`.execute(trx);
  for (const { organization_id: organizationId, id: sandboxId, runtime_id: runtimeId, state } of rows) {
    const key = { organizationId, sandboxId, runtimeId };
    if (state === 'starting') await forgetStart(trx, key);
    else await recordEnd(trx, key, { moment: { at: host.last_renewed_at }, reason: REASON });
  }
  if (rows.length < BATCH) {
    await sql`
      UPDATE runtimes /* of every organization */ SET move = NULL
       WHERE host_id = ${hostId} AND move IS NOT NULL`.execute(trx);
  }
  return rows.length;
}

interface LostSandbox {
  readonly organization_id: string;
  readonly id: string;
  readonly runtime_id: string;
  readonly state: string;
}
