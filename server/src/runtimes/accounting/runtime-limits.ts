/** Decides how long a sandbox may run, from requests, defaults and maximums. */

export type LimitLevel =
  | 'l1_platform_max'
  | 'l1_platform_default'
  | 'l2_org_max'
  | 'l3_org_default'
  | 'l4_requested';

export interface Limit {
  readonly seconds: number;
  readonly level: LimitLevel;
}

export interface LimitSources {
  /** Requests at start, at creation and in the configuration: the first given one counts. */
  readonly requested: readonly (number | null | undefined)[];
  readonly organization: { readonly maxSeconds: number | null; readonly defaultSeconds: number | null };
  readonly platform: { readonly maxSeconds: number; readonly defaultSeconds: number };
}

export interface RuntimeLimit {
  /** Null if nothing was requested. */
  readonly requested: Limit | null;
  /** The value that applies, and why. */
  readonly configured: Limit;
  /** Maximum length of a period, including all keepalives. */
  readonly maxSeconds: number;
}

export function climbLadder({ requested, organization, platform }: LimitSources): RuntimeLimit {
  const seconds = requested.find((limit) => limit !== null && limit !== undefined);
  const request: Limit | null = seconds ? { seconds, level: 'l4_requested' } : null;
  const cuts: Limit[] = [{ seconds: platform.maxSeconds, level: 'l1_platform_max' }];
  if (organization.maxSeconds !== null)
    cuts.unshift({ seconds: organization.maxSeconds, level: 'l2_org_max' });
  const wanted = request ?? defaultOf({ organization, platform });
  const configured = cuts.reduce((limit, cut) => (cut.seconds < limit.seconds ? cut : limit), wanted);
  return { requested: request, configured, maxSeconds: Math.min(...cuts.map(({ seconds }) => seconds)) };
}

function defaultOf({ organization, platform }: Omit<LimitSources, 'requested'>): Limit {
  return organization.defaultSeconds === null
    ? { seconds: platform.defaultSeconds, level: 'l1_platform_default' }
    : { seconds: organization.defaultSeconds, level: 'l3_org_default' };
}
