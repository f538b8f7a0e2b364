/** Disk usage of runtimes: measured by their host, summed for the quota of their organization. */
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
       AND (origin = 'user' OR created_at < now() - interval '1 minute') -- most of the others are deleted by then
     ORDER BY disk_measured_at NULLS FIRST LIMIT ${BATCH}`.execute(host.db);
  for (const { organization_id, id, disk_id } of rows) {
    const bytes = await measure(host, disk_id);
    await sql`
      UPDATE runtimes SET disk_bytes = ${bytes}, disk_measured_at = clock_timestamp()
       WHERE organization_id = ${organization_id} AND id = ${id} AND disk_id = ${disk_id}`.execute(host.db);
  }
}

/** A disk belongs to one of the providers; the others do not know it or are unavailable. */
async function measure(host: LocalHost, diskId: string): Promise<number> {
  const measured = await Promise.allSettled(host.providers.map((provider) => provider.measureDisk(diskId)));
  return Math.max(0, ...measured.map((size) => (size.status === 'fulfilled' ? size.value : 0)));
}

/**
 * Sums all disks of the organization, including those without a sandbox, before one starts. When the running ones exceed the quota later,
 * the host ends the sandbox that grew most.
 * @returns the quota, undefined if there is none
 * @throws {StorageLimitError} when the quota is used up
 */
export async function requireDiskQuota(trx: Trx, organizationId: string): Promise<number | undefined> {
  const { rows } = await sql<{ quota: number | null; used: number }>`
    SELECT q.bytes AS quota, stored_of(${organizationId}, 'runtimes') AS used
      FROM storage_quotas AS q WHERE q.kind = 'runtimes'`.execute(trx);
  const { quota = null, used = 0 } = rows[0] ?? {};
  if (quota === null) return undefined;
  if (used >= quota) throw quotaExceeded('runtimes');
  return quota;
}
