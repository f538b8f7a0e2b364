/**
 * The periods in which a sandbox runs: each starts once and ends once, and is then recorded and charged. All times are those of the
 * database clock; a host reports its observations as a duration until now.
 */
import { type QueryCreator, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/schema.gen.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { settle } from '../../platform/metering/credits.ts';
import { recordUsages } from '../../platform/metering/usage.ts';
import type { PauseReason } from '../schema.ts';
import { splitByMonth } from './months.ts';
import { creditsFor } from './prices.ts';

export interface SandboxKey {
  readonly organizationId: string;
  readonly sandboxId: string;
}

/** Reference under which the credits of a period are reserved and charged. */
export const referenceOf = (sandboxId: string, period: number) => `sandbox/${sandboxId}/${period}`;

/** Finds no row if the state of the sandbox has changed. */
export function beginPeriod(
  db: QueryCreator<Database>,
  { organizationId, sandboxId }: SandboxKey,
  { from, seconds }: { readonly from: 'starting' | 'paused'; readonly seconds: number },
) {
  const now = sql<string>`clock_timestamp()::timestamptz(3)`;
  return db
    .updateTable('sandboxes')
    .set({
      state: 'running',
      pause_reason: null,
      period: sql`period + 1`,
      period_started_at: now,
      expires_at: sql`${now} + make_interval(secs => ${seconds})`,
      actual_runtime_limit_seconds: seconds,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .where('state', '=', from)
    .returning('id');
}

/** Milliseconds ago on the host's clock, or a time of the database. */
export type Moment = { readonly agoMs: number } | { readonly at: string };

export interface PeriodEnd {
  readonly moment: Moment;
  readonly to:
    | { readonly state: 'paused'; readonly reason: PauseReason }
    | { readonly state: 'killed'; readonly reason: string };
}

/**
 * Ends the running period, if there is one, and sets the state of the sandbox.
 * @returns false when the period had ended before
 */
export async function endPeriod(trx: Trx, key: SandboxKey, { moment, to }: PeriodEnd): Promise<boolean> {
  const row = await lockSandbox(trx, key, moment);
  if (!row || row.state === 'killed' || row.state === to.state) return false;
  const milliseconds = row.period_started_at ? Date.parse(row.until) - Date.parse(row.period_started_at) : 0;
  const credits = creditsFor(milliseconds);
  await trx
    .updateTable('sandboxes')
    .set({
      state: to.state,
      period_started_at: null,
      expires_at: null,
      ended_periods_ms: sql`ended_periods_ms + ${milliseconds}`,
      billed_credits: sql`billed_credits + ${credits}`,
      ...(to.state === 'paused'
        ? { pause_reason: to.reason }
        : { pause_reason: null, end_reason: to.reason, ended_at: row.moment }),
    })
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.sandboxId)
    .execute();
  if (row.period_started_at) await charge(trx, key, { ...row, from: row.period_started_at, credits });
  return true;
}

/** Locks the row. Time beyond the limit, because the host was late, is not charged. */
async function lockSandbox(trx: Trx, { organizationId, sandboxId }: SandboxKey, moment: Moment) {
  const at = momentOf(moment);
  return trx
    .selectFrom('sandboxes')
    .select(['state', 'period', 'period_started_at', 'provider', 'created_by'])
    .select([
      sql<string>`greatest(created_at, ${at})::timestamptz(3)`.as('moment'),
      sql<string>`greatest(period_started_at, least(expires_at, ${at}))::timestamptz(3)`.as('until'),
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .forUpdate()
    .executeTakeFirst();
}

/** Never in the future: the clock of the host may have been set back. */
function momentOf(moment: Moment): RawBuilder<string> {
  if ('at' in moment) return sql`least(clock_timestamp(), ${moment.at}::timestamptz)`;
  return sql`clock_timestamp() - make_interval(secs => ${Math.max(0, moment.agoMs) / 1_000})`;
}

interface EndedPeriod {
  readonly period: number;
  readonly provider: string;
  readonly created_by: string;
  readonly from: string;
  readonly until: string;
  readonly credits: number;
}

async function charge(trx: Trx, { organizationId, sandboxId }: SandboxKey, ended: EndedPeriod) {
  const { period, provider, created_by: userId, credits } = ended;
  const parts = splitByMonth(ended.from, ended.until);
  const events = parts.map(({ month, from, milliseconds }, index) => ({
    organizationId,
    source: 'sandbox',
    externalId: `${sandboxId}/${period}/${month}`,
    userId,
    kind: 'sandbox',
    item: provider,
    occurredAt: from,
    // Credits are rounded once, over the whole period.
    quantities: { seconds: milliseconds / 1_000, credits: index === parts.length - 1 ? credits : 0 },
  }));
  await recordUsages(trx, events);
  await settle(trx, { organizationId, reference: referenceOf(sandboxId, period), amount: credits });
}
