/** Computes the seconds granted to a period: from the limits and, if credits are enforced, from the balance. */
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { reserveAtMost } from '../../platform/metering/reservations.ts';
import { referenceOf, type SandboxKey } from './periods.ts';
import { creditsFor, secondsFor } from './prices.ts';
import { climbLadder, type LimitSources, type RuntimeLimit } from './runtime-limits.ts';

export interface GrantRules {
  readonly platform: LimitSources['platform'];
  readonly credits: 'unlimited' | 'enforced';
}

export interface GrantRequest extends SandboxKey {
  readonly period: number;
  readonly requested: LimitSources['requested'];
  readonly organization: LimitSources['organization'];
  /** Time of the database. */
  readonly now: string;
}

export interface Grant extends RuntimeLimit {
  readonly seconds: number;
  readonly isLimitedByCredits: boolean;
}

/** Credits of a period stay reserved for this long after its end, so that a period whose host died can still be charged. */
const HELD_AFTERWARDS_MS = 600_000;

/** If credits are enforced, reserves them; concurrent grants of the organization wait until this transaction ends. */
export async function grantPeriod(
  trx: Trx,
  { platform, credits }: GrantRules,
  request: GrantRequest,
): Promise<Grant> {
  const { requested, organization } = request;
  const limit = climbLadder({ requested, organization, platform });
  const { seconds } = limit.configured;
  if (credits === 'unlimited') return { ...limit, seconds, isLimitedByCredits: false };
  const paid = await holdCredits(trx, request, seconds);
  if (paid === 0) throw noCredits();
  return { ...limit, seconds: paid, isLimitedByCredits: paid < seconds };
}

/** @returns the seconds that the reserved credits pay for, at most the requested ones */
export async function holdCredits(
  trx: Trx,
  request: Omit<GrantRequest, 'requested' | 'organization'>,
  seconds: number,
) {
  const amount = creditsFor(seconds * 1_000);
  const held = await reserveAtMost(trx, {
    organizationId: request.organizationId,
    reference: referenceOf(request.sandboxId, request.period),
    amount,
    expiresAt: new Date(Date.parse(request.now) + seconds * 1_000 + HELD_AFTERWARDS_MS).toISOString(),
  });
  return held === amount ? seconds : Math.min(seconds, secondsFor(held));
}

export const noCredits = () =>
  new ApiError(
    'usage_limit_exceeded_error',
    'The organization has no credits left for a sandbox. Add credits, or wait until something that runs has ended.',
  );

export type OrganizationLimits = LimitSources['organization'] & {
  /** Maximum number of concurrent sandboxes; null if unlimited. */
  readonly maxSandboxes: number | null;
};

export async function readLimits(trx: Trx, organizationId: string): Promise<OrganizationLimits> {
  const row = await trx
    .selectFrom('organizations')
    .select(['max_sandbox_runtime_seconds', 'default_sandbox_runtime_seconds', 'max_concurrent_sandboxes'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return {
    maxSeconds: row.max_sandbox_runtime_seconds,
    defaultSeconds: row.default_sandbox_runtime_seconds,
    maxSandboxes: row.max_concurrent_sandboxes,
  };
}

/** Columns of a sandbox that store its limits. */
export function toLimitColumns({ requested, configured, seconds, isLimitedByCredits }: Grant) {
  return {
    requested_runtime_limit_seconds: requested?.seconds ?? null,
    requested_runtime_limit_source_level: requested?.level ?? null,
    configured_runtime_limit_seconds: configured.seconds,
    configured_runtime_limit_source_level: configured.level,
    actual_runtime_limit_seconds: seconds,
    runtime_limited_by_credits: isLimitedByCredits,
  };
}
