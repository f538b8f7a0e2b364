/** Stores ended calls: the call, its usage, its charge, and the end of its reservation, in one transaction. */
import { type RawBuilder, sql } from 'kysely';
import { isFaultOfItem } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { recordSet } from '../../platform/db/record-set.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { chargeParts, reservationDelete } from '../../platform/metering/credits.ts';
import { type UsageEvent, usageInsert } from '../../platform/metering/usage.ts';
import type { BegunCall, CallEnd } from '../call-ledger.ts';
import { type Cost, costOf } from './cost.ts';

/** An ended call. */
export interface Entry {
  readonly call: BegunCall;
  readonly end: CallEnd;
  /** Undefined when nothing was used. */
  readonly cost: Cost | undefined;
}

/** @throws {RangeError} for invalid counts or prices, before the entry can break a batch */
export const toEntry = (call: BegunCall, end: CallEnd): Entry => ({
  call,
  end,
  cost: end.usage && costOf(end.usage, call.model.price),
});

/**
 * Returns whether PostgreSQL would refuse the entry again. An ApiError comes from a batcher that is full or stopping, and is not caused by
 * the entry.
 */
export const isRefused = (error: unknown) => isFaultOfItem(error) && !(error instanceof ApiError);

/** Identifies a call in the ledger and in reservations. */
export const referenceOf = ({ organizationId, id }: BegunCall) => ({ organizationId, reference: id });

/**
 * Idempotent: storing a call again changes nothing. Uses a single statement, which is a transaction by itself: the five round trips of an
 * explicit one would be half of the latency that the gateway adds to a call.
 * @param isEnforced whether credits were reserved for calls
 */
export async function writeCalls(db: Db, entries: readonly Entry[], isEnforced: boolean): Promise<void> {
  const events = entries.flatMap((entry) => toUsageEvent(entry) ?? []);
  const charges = entries.map(({ call, cost }) => ({ ...referenceOf(call), amount: cost?.credits ?? 0 }));
  const charged = charges.filter(({ amount }) => amount > 0);
  const spent = entries.filter(({ call, cost }) => call.sandboxId !== null && cost !== undefined);
  const parts = [
    sql`calls AS (${callInsert(entries)})`,
    ...(spent.length > 0 ? [sql`spending AS (${spendingUpsert(spent)})`] : []),
    ...(events.length > 0 ? [sql`usage AS (${usageInsert(events)})`] : []),
    ...(charged.length > 0 ? [chargeParts(charged)] : []),
    ...(isEnforced ? [sql`released AS (${reservationDelete(charges)})`] : []),
  ];
  await transaction(db, (one) => sql`WITH ${sql.join(parts)} SELECT`.execute(one));
}

const CALLS = recordSet({
  organization_id: 'uuid',
  id: 'uuid',
  user_id: 'uuid',
  model: 'text',
  is_streamed: 'boolean',
  status: 'text',
  error_type: 'text',
  is_estimated: 'boolean',
  session_id: 'uuid',
  trace_id: 'bytea',
  span_id: 'bytea',
  sandbox_id: 'uuid',
  started_at: 'timestamptz',
  first_byte_ms: 'integer',
  duration_ms: 'integer',
});

function callInsert(entries: readonly Entry[]): RawBuilder<unknown> {
  const rows = entries.toSorted((a, b) => compare(a.call, b.call)).map(toRow);
  return sql`
    INSERT INTO inference_calls (${CALLS.names}) ${CALLS.select(rows)}
    ON CONFLICT (organization_id, id) DO NOTHING
    RETURNING organization_id, id`;
}

const SPENDING = recordSet({ organization_id: 'uuid', id: 'uuid', sandbox_id: 'uuid', cost_usd: 'numeric' });

/** Counts only new calls, so that a repeated batch is not counted twice. Sorted, so that two batches never deadlock. */
function spendingUpsert(entries: readonly Entry[]): RawBuilder<unknown> {
  const rows = entries.map(({ call, cost }) => ({
    organization_id: call.organizationId,
    id: call.id,
    sandbox_id: call.sandboxId,
    cost_usd: cost?.dollars ?? '0',
  }));
  return sql`
    INSERT INTO sandbox_spending AS s (organization_id, sandbox_id, cost_usd)
    SELECT n.organization_id, n.sandbox_id, sum(n.cost_usd)
      FROM (${SPENDING.select(rows)}) AS n JOIN calls USING (organization_id, id)
     GROUP BY n.organization_id, n.sandbox_id ORDER BY n.organization_id, n.sandbox_id
    ON CONFLICT (organization_id, sandbox_id) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd`;
}

/** Sorts by key, so that two batches never deadlock. */
function compare(a: BegunCall, b: BegunCall): number {
  if (a.organizationId !== b.organizationId) return a.organizationId < b.organizationId ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function toRow({ call, end }: Entry) {
  return {
    organization_id: call.organizationId,
    id: call.id,
    user_id: call.userId,
    model: call.model.id,
    is_streamed: call.isStreamed,
    status: end.status,
    error_type: end.errorType,
    is_estimated: end.isEstimated,
    session_id: call.links.sessionId,
    trace_id: fromHex(call.links.traceId),
    span_id: fromHex(call.links.spanId),
    sandbox_id: call.sandboxId,
    started_at: call.startedAt,
    first_byte_ms: end.firstByteMs === null ? null : toMilliseconds(end.firstByteMs),
    duration_ms: toMilliseconds(end.durationMs),
  };
}

function toUsageEvent({ call, end: { usage }, cost }: Entry): UsageEvent | undefined {
  if (!usage || !cost) return undefined;
  return {
    organizationId: call.organizationId,
    source: 'gateway',
    externalId: call.id,
    userId: call.userId,
    kind: 'inference',
    item: call.model.id,
    occurredAt: call.startedAt,
    quantities: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_input_tokens: usage.cacheReadInputTokens,
      cache_creation_input_tokens: usage.cacheCreationInputTokens,
      cost_usd: cost.dollars,
      credits: cost.credits,
    },
  };
}

const fromHex = (id: string | null) => (id === null ? null : `\\x${id}`);

const MAX_INTEGER = 2 ** 31 - 1;

/** Durations have fractions of milliseconds, and are negative when the clock steps back. */
const toMilliseconds = (duration: number) => Math.max(0, Math.min(MAX_INTEGER, Math.round(duration)));
