/** What hosts found that they can do, as one list: with several hosts, what any of them can. */

import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { ProviderReport } from '../../platform/sandbox/sandbox-provider.ts';
import type { SandboxProviderOf } from './schema.ts';

/** As a host's row keeps it. */
export function toSandboxProvider(report: ProviderReport): SandboxProviderOf {
  const { name, available, reason, supportsPause, preserves, limits, isolation } = report;
  return {
    name,
    available,
    ...(reason !== undefined && { reason }),
    supports_pause: supportsPause,
    preserves: [...preserves],
    limits: [...limits],
    isolation,
  };
}

/** Of hosts whose lease has not ended: nothing runs on the others. */
export async function listProviders(db: Db): Promise<SandboxProviderOf[]> {
  const { rows } = await sql<{ providers: SandboxProviderOf[] }>`
    SELECT providers FROM sandbox_hosts WHERE lease_expires_at > now() ORDER BY id`.execute(db);
  const found = new Map<string, SandboxProviderOf>();
  for (const provider of rows.flatMap(({ providers }) => providers)) {
    if (provider.available || !found.has(provider.name)) found.set(provider.name, provider);
  }
  return [...found.values()];
}
