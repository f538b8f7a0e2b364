/** Determines how long a sandbox of an organization may run, from the settings of platform and organization, and which of them applied. */
import type { SourceLevelName } from './schema.ts';

export interface PlatformLimits {
  readonly maxSeconds: number;
  readonly defaultSeconds: number;
}

export interface OrganizationLimits {
  readonly max_sandbox_runtime_seconds: number | null;
  readonly default_sandbox_runtime_seconds: number | null;
}

interface Limit {
  readonly seconds: number;
  readonly level: SourceLevelName;
}

export function runtimeLimits(platform: PlatformLimits, organization: OrganizationLimits) {
  const max = smaller(
    { seconds: platform.maxSeconds, level: 'l1_platform_max' },
    organization.max_sandbox_runtime_seconds,
  );
  const wanted = organization.default_sandbox_runtime_seconds;
  const chosen: Limit =
    wanted === null
      ? { seconds: platform.defaultSeconds, level: 'l1_platform_default' }
      : { seconds: wanted, level: 'l3_org_default' };
  const initial = chosen.seconds > max.seconds ? max : chosen;
  return {
    effective_max_sandbox_runtime_seconds: max.seconds,
    max_sandbox_runtime_source_level: max.level,
    effective_default_sandbox_runtime_seconds: initial.seconds,
    default_sandbox_runtime_source_level: initial.level,
    platform_max_sandbox_runtime_seconds: platform.maxSeconds,
    platform_default_sandbox_runtime_seconds: platform.defaultSeconds,
  };
}

function smaller(platform: Limit, organizationMax: number | null): Limit {
  if (organizationMax === null || organizationMax >= platform.seconds) return platform;
  return { seconds: organizationMax, level: 'l2_org_max' };
}
