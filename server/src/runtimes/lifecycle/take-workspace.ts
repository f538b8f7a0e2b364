/** Takeover of a /workspace: its disk, cleared of everything else, moves from an ended runtime to one that was never started. */
import { sql } from 'kysely';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Target } from '../operator.ts';
import { isHeld } from '../transitions.ts';
import type { LocalHost } from './local-host.ts';

interface EndedDisk {
  readonly diskId: string;
  readonly provider: string;
}

/**
 * The disk is cleared first and handed over in one transaction afterwards, so that the new runtime never has more of it than /workspace. An
 * interruption in between leaves the workspace with the old runtime, and the call can be repeated. Every sandbox that ran on the disk
 * becomes one of the new runtime, so that the workspace is found by the id of any of them.
 */
export async function takeWorkspace(host: LocalHost, target: Target, fromId: string): Promise<void> {
  const { diskId, provider } = await findEnded(host, target, fromId);
  await host.provider(provider).keepOnlyWorkspace(diskId);
  await transactionFor(host.db, target, (trx) => handOver(trx, host, target, { fromId, diskId }));
}

async function findEnded(host: LocalHost, { organizationId }: Target, fromId: string): Promise<EndedDisk> {
  const { rows } = await sql<EndedDisk>`
    SELECT r.disk_id AS "diskId", s.provider
      FROM runtimes AS r JOIN sandboxes AS s ON s.organization_id = r.organization_id AND s.id = r.sandbox_id
     WHERE r.organization_id = ${organizationId} AND r.id = ${fromId} AND r.host_id = ${host.lease.hostId}
       AND r.disk_id IS NOT NULL AND ${IS_ENDED}`.execute(host.db);
  const [found] = rows;
  if (!found) throw notTaken();
  return found;
}

/** Condition on the row `r` of a runtime whose workspace may be taken. */
const IS_ENDED = sql<boolean>`r.origin <> 'user' AND r.status = 'idle' AND r.move IS NULL AND r.leased_until > clock_timestamp()`;

interface Handed extends Pick<EndedDisk, 'diskId'> {
  readonly fromId: string;
}

async function handOver(
  trx: Trx,
  host: LocalHost,
  { organizationId, runtimeId }: Target,
  { fromId, diskId }: Handed,
): Promise<void> {
  const { rows } = await sql`
    WITH ended AS (
      DELETE FROM runtimes AS r
       WHERE r.organization_id = ${organizationId} AND r.id = ${fromId} AND r.disk_id = ${diskId} AND ${IS_ENDED}
         AND ${isHeld(host.lease)}
      RETURNING r.id, r.workspace_id, r.created_by, r.host_id, r.disk_id, r.sandbox_id),
    renamed AS (
      UPDATE sandboxes AS s SET runtime_id = ${runtimeId} FROM ended
       WHERE s.organization_id = ${organizationId} AND s.runtime_id = ended.id)
    UPDATE runtimes AS taker SET host_id = ended.host_id, disk_id = ended.disk_id, sandbox_id = ended.sandbox_id FROM ended
     WHERE taker.organization_id = ${organizationId} AND taker.id = ${runtimeId} AND taker.workspace_id = ended.workspace_id
       AND taker.created_by = ended.created_by AND taker.origin <> 'user' AND taker.status = 'idle' AND taker.move IS NULL
       AND taker.disk_id IS NULL
    RETURNING taker.id`.execute(trx);
  // The transaction is rolled back, including the deletion.
  if (rows.length === 0) throw notTaken();
}

const notTaken = () =>
  new ApiError(
    'conflict_error',
    'The /workspace cannot be taken: its sandbox has not ended, is of another owner, or was removed. End that sandbox first.',
  );
