/** A sandbox in a response, derived from its row at the time of reading. */
import { sql } from 'kysely';
import { creditFields, grantedMsOf, periodMsOf, runtimeMsOf, type SandboxTimes } from './accounting/usage.ts';
import type { InstanceOf } from './schema.ts';

type Derived = 'created_at' | 'total_runtime_seconds' | 'sandbox_url' | keyof ReturnType<typeof creditFields>;

export interface InstanceRow extends Omit<InstanceOf, Derived>, SandboxTimes {
  readonly sandbox_created_at: string;
  readonly runtime_ms: number;
}

/** Columns of the rows `s` of sandboxes. */
export const INSTANCE_COLUMNS = sql`s.id AS sandbox_id, s.provider, s.provider_sandbox_id, s.state, s.created_at AS sandbox_created_at,
  s.expires_at, s.pause_reason, s.supports_pause, s.requested_runtime_limit_seconds, s.requested_runtime_limit_source_level,
  s.configured_runtime_limit_seconds, s.configured_runtime_limit_source_level, s.actual_runtime_limit_seconds,
  s.runtime_limited_by_credits, s.billed_credits, ${runtimeMsOf('s')} AS runtime_ms, ${periodMsOf('s')} AS period_ms,
  ${grantedMsOf('s')} AS granted_ms`;

export function toInstance(row: InstanceRow): InstanceOf {
  return {
    sandbox_id: row.sandbox_id,
    provider: row.provider,
    provider_sandbox_id: row.provider_sandbox_id,
    state: row.state,
    created_at: row.sandbox_created_at,
    total_runtime_seconds: Math.floor(row.runtime_ms / 1_000),
    // Sandboxes cannot be reached directly.
    sandbox_url: null,
    expires_at: row.expires_at,
    pause_reason: row.pause_reason,
    supports_pause: row.supports_pause,
    requested_runtime_limit_seconds: row.requested_runtime_limit_seconds,
    requested_runtime_limit_source_level: row.requested_runtime_limit_source_level,
    configured_runtime_limit_seconds: row.configured_runtime_limit_seconds,
    configured_runtime_limit_source_level: row.configured_runtime_limit_source_level,
    actual_runtime_limit_seconds: row.actual_runtime_limit_seconds,
    runtime_limited_by_credits: row.runtime_limited_by_credits,
    ...creditFields(row),
  };
}
