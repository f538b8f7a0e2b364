/** How long a sandbox may run: what was asked for, what stands in for it, and what cuts it. */

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
  /** The start call's value, the creation's, and the configuration's: the first that was given counts. */
  readonly requested: readonly (number | null | undefined)[];
  readonly organization: { readonly maxSeconds: number | null; readonly defaultSeconds: number | null };
  readonly platform: { readonly maxSeconds: number; readonly defaultSeconds: number };
}

export interface RuntimeLimit {
  /** null where nobody asked. */
  readonly requested: Limit | null;
  /** What won, and why. */
  readonly configured: Limit;
  /** What no period passes, however often it is kept alive. */
  readonly maxSeconds: number;
}

export function climbLadder({ requested, organization, platform }: LimitSources): RuntimeLimit {
  const asked = requested.find((seconds) => seconds !== null && seconds !== undefined);
  const request: Limit | null = asked ? { seconds: asked, level: 'l4_requested' } : null;
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
