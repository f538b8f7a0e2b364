/** Merges the provider reports of all hosts into one list: a feature counts if any host has it. */

import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { ProviderReport } from '../../platform/sandbox/sandbox-provider.ts';
import type { SandboxProviderOf } from './schema.ts';

/** Converts a report stored in the row of a host. */
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

/** Includes only hosts with a valid lease, because nothing runs on others. */
export async function listProviders(db: Db): Promise<SandboxProviderOf[]> {
  const { rows } = await sql<{ providers: SandboxProviderOf[] }>`
    SELECT providers FROM sandbox_hosts WHERE lease_expires_at > now() ORDER BY id`.execute(db);
  const found = new Map<string, SandboxProviderOf>();
  for (const provider of rows.flatMap(({ providers }) => providers)) {
    if (provider.available || !found.has(provider.name)) found.set(provider.name, provider);
  }
  return [...found.values()];
}
