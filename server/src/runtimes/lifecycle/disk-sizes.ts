/** How much the disks of runtimes hold: measured by their host, summed up for the quota of their organization. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { quotaExceeded } from '../../platform/storage-limits/storage-limit-error.ts';
import type { LocalHost } from './local-host.ts';

const BATCH = 20;

interface MeasuredRuntime {
  readonly organization_id: string;
  readonly id: string;
  readonly disk_id: string;
}

/** Measures the disks that may have changed since they were measured. One pass measures the 20 that have waited longest. */
export async function measureDisks(host: LocalHost): Promise<void> {
  const { rows } = await sql<MeasuredRuntime>`
    SELECT organization_id, id, disk_id FROM runtimes /* of every organization */
     WHERE host_id = ${host.lease.hostId} AND disk_id IS NOT NULL
       AND (status <> 'idle' OR disk_measured_at IS NULL OR disk_measured_at < updated_at)
     ORDER BY disk_measured_at NULLS FIRST LIMIT ${BATCH}`.execute(host.db);
  for (const { organization_id, id, disk_id } of rows) {
    const bytes = await measure(host, disk_id);
    await sql`
      UPDATE runtimes SET disk_bytes = ${bytes}, disk_measured_at = clock_timestamp()
       WHERE organization_id = ${organization_id} AND id = ${id} AND disk_id = ${disk_id}`.execute(host.db);
  }
}

/** A disk belongs to one of the providers; the others know nothing of it. */
async function measure(host: LocalHost, diskId: string): Promise<number> {
  const sizes = await Promise.all(host.providers.map((provider) => provider.measureDisk(diskId)));
  return Math.max(0, ...sizes);
}

/**
 * What the disks of the organization's sandboxes may hold together; undefined without a quota. The host ends the sandbox that
 * passes it.
 *
 * @throws {StorageLimitError} when nothing is left
 */
export async function requireDiskRoom(
  trx: Trx,
  organizationId: string,
  runtimeId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ quota: number | null; used: number; resting: number }>`
    SELECT (SELECT q.bytes FROM storage_quotas AS q WHERE q.kind = 'runtimes') AS quota,
           coalesce(sum(r.disk_bytes), 0) AS used,
           coalesce(sum(r.disk_bytes) FILTER (WHERE r.status = 'idle' AND r.id <> ${runtimeId}), 0) AS resting
      FROM runtimes AS r WHERE r.organization_id = ${organizationId}`.execute(trx);
  const { quota = null, used = 0, resting = 0 } = rows[0] ?? {};
  if (quota === null) return undefined;
  if (used >= quota) throw quotaExceeded('runtimes');
  return quota - resting;
}
