/** Sums the running time of sandboxes in milliseconds, including the current period up to now. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { creditsFor } from './prices.ts';

/**
 * Total running time of the sandbox.
 * @param alias of a row of sandboxes
 */
export function runtimeMsOf(alias: string): RawBuilder<number> {
  return sql<number>`(${sql.ref(`${alias}.ended_periods_ms`)} + ${periodMsOf(alias)})`;
}

/** Running time of the current period; 0 while the sandbox does not run. */
export function periodMsOf(alias: string): RawBuilder<number> {
  return sql<number>`coalesce(${msBetween(sql.ref(`${alias}.period_started_at`), nowOf(alias))}, 0)`;
}

/** Time beyond the limit does not count. */
const nowOf = (alias: string) =>
  sql`greatest(${sql.ref(`${alias}.period_started_at`)}, least(${sql.ref(`${alias}.expires_at`)}, clock_timestamp()))::timestamptz(3)`;

const msBetween = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql<number>`(extract(epoch FROM ${to} - ${from}) * 1000)::bigint`;

export interface SandboxTimes {
  readonly billed_credits: number;
  /** Milliseconds of the current period. */
  readonly period_ms: number;
  /** Milliseconds of the current period until its expiry; 0 while the sandbox does not run. */
  readonly granted_ms: number;
}

/** Returns the credits charged so far, those of the current period until now, and those of the current period at its expiry. */
export function creditFields({ billed_credits, period_ms, granted_ms }: SandboxTimes) {
  return {
    billed_credits,
    running_credits: creditsFor(period_ms),
    estimated_total_credits: billed_credits + creditsFor(granted_ms),
  };
}

/** @param alias of a row of sandboxes */
export function grantedMsOf(alias: string): RawBuilder<number> {
  return sql<number>`coalesce(${msBetween(sql.ref(`${alias}.period_started_at`), sql.ref(`${alias}.expires_at`))}, 0)`;
}

export interface SandboxUsage {
  readonly current_month_seconds: number;
  readonly sessions_count: number;
  readonly total_runtime_seconds: number;
}

/** Sums the usage of one user in an organization in one statement, so that a period that ends concurrently is counted exactly once. */
export async function sumSandboxUsage(db: Db, organizationId: string, userId: string): Promise<SandboxUsage> {
  const { rows } = await sql<SandboxUsage>`
    WITH month AS (SELECT date_trunc('month', clock_timestamp(), 'UTC') AS start),
    own AS (
      SELECT count(*) AS sessions,
             coalesce(sum(${runtimeMsOf('s')}), 0) AS total_ms,
             coalesce(sum(greatest(0, ${msBetween(sql`greatest(s.period_started_at, month.start)`, nowOf('s'))}))
               FILTER (WHERE s.period_started_at IS NOT NULL), 0) AS running_ms
        FROM sandboxes AS s CROSS JOIN month
       WHERE s.organization_id = ${organizationId} AND s.created_by = ${userId} AND s.state <> 'starting'),
    ended AS (
      SELECT coalesce(sum(u.seconds), 0) * 1000 AS month_ms
        FROM usage_events AS u CROSS JOIN month
       WHERE u.organization_id = ${organizationId} AND u.user_id = ${userId} AND u.kind = 'sandbox'
         AND u.occurred_at >= month.start)
    SELECT floor((ended.month_ms + own.running_ms) / 1000) AS current_month_seconds,
           own.sessions AS sessions_count,
           floor(own.total_ms / 1000) AS total_runtime_seconds
      FROM own CROSS JOIN ended`.execute(db);
  const [sums] = rows;
  if (!sums) throw new Error('a sum has one row');
  return sums;
}
