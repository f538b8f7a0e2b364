/** Plans a sandbox: its provider and enforced limits. Anything unavailable is refused, never ignored. */

import { sql } from 'kysely';
import type { Trx } from '../../../platform/db/transaction.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { Limit, ProviderReport, SandboxLimits } from '../../../platform/sandbox/sandbox-provider.ts';
import type { PlatformAccess } from '../../config-schema.ts';

/** The parts of a runtime's configuration that matter for a start. */
export interface StartConfig {
  readonly build: { readonly provider: string };
  readonly resources: { readonly cpu_cores: number; readonly memory_mb: number };
  readonly runtime_server: { readonly env: Readonly<Record<string, string>> };
  readonly sandbox: {
    readonly timeout_seconds?: number | null;
    readonly workspace_mount: boolean;
    readonly egress_allow?: readonly string[];
    readonly platform_access?: PlatformAccess;
    readonly spend_limit_usd?: number;
  };
  readonly secrets: { readonly secret_ids: readonly string[] };
}

/** Applied wherever it can be enforced, although the API does not require it: without it one guest could use up all processes. */
const MAX_PROCESSES = 1_024;

export interface Plan {
  readonly provider: ProviderReport;
  readonly limits: SandboxLimits;
}

/** @param given limits that were given explicitly, not by default */
export function planSandbox(
  reports: readonly ProviderReport[],
  { build, resources }: StartConfig,
  given: readonly string[],
): Plan {
  const provider = chooseProvider(reports, build.provider);
  const missing = LIMITS.filter(([name]) => given.includes(name) && !provider.limits.includes(name));
  if (missing.length > 0) {
    const fields = missing.map(([, field]) => `resources.${field}`).join(' and ');
    throw new ApiError(
      'conflict_error',
      `The provider "${provider.name}" cannot enforce ${fields} on this host. Leave it out of the configuration, or run the server where that can be enforced.`,
    );
  }
  const holds = (limit: Limit) => provider.limits.includes(limit);
  return {
    provider,
    limits: {
      ...(holds('cpu') && { cpuCores: resources.cpu_cores }),
      ...(holds('memory') && { memoryMb: resources.memory_mb }),
      ...(holds('pids') && { pids: MAX_PROCESSES }),
    },
  };
}

const LIMITS = [
  ['cpu', 'cpu_cores'],
  ['memory', 'memory_mb'],
] as const;

/** A named provider never falls back to another. */
function chooseProvider(reports: readonly ProviderReport[], wanted: string): ProviderReport {
  const candidates = wanted === 'auto' ? reports : reports.filter(({ name }) => name === wanted);
  const found = candidates.find(({ available }) => available);
  if (found) return found;
  const reasons = candidates.map(({ name, reason }) => `${name}: ${reason ?? 'not available'}`);
  const detail =
    wanted === 'auto'
      ? `No provider of sandboxes is available here. ${reasons.join(' ')}`
      : `The provider "${wanted}" is not available here. ${reasons.join(' ')}`;
  throw new ApiError('sandbox_provider_error', detail.trim());
}

/** Limits as fields of a response. */
export function toLimitFields({ cpuCores, memoryMb, pids }: SandboxLimits) {
  return {
    ...(cpuCores !== undefined && { cpu_cores: cpuCores }),
    ...(memoryMb !== undefined && { memory_mb: memoryMb }),
    ...(pids !== undefined && { pids }),
  };
}

/**
 * Limits the number of sandboxes of an organization, including starting and paused ones. It serializes callers until the end of the transaction, so that concurrent starts cannot exceed the limit.
 */
export async function requireCapacity(trx: Trx, organizationId: string, max: number | null): Promise<void> {
  if (max === null) return;
  // A separate statement, so that the snapshot of the count is taken after the lock.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sandboxes ${organizationId}`}, 0))`.execute(trx);
  const { count } = await trx
    .selectFrom('sandboxes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('state', 'in', ['starting', 'running', 'paused'])
    .executeTakeFirstOrThrow();
  if (count < max) return;
  throw new ApiError(
    'org_sandbox_capacity_exceeded_error',
    `The organization has ${count} sandboxes of the ${max} that it may have at a time, paused ones included. End one, or have an admin raise the limit.`,
  );
}
