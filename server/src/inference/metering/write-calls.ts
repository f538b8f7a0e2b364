/** The statement that enters calls into the books: the calls, what they used, what they cost, and the end of what was held for them. */
import { type RawBuilder, sql } from 'kysely';
import { isFaultOfItem } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { list } from '../../platform/db/value-list.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { charging, deleteReservations } from '../../platform/metering/credits.ts';
import { insertUsages, type UsageEvent } from '../../platform/metering/usage.ts';
import type { BegunCall, CallEnd } from '../call-book.ts';
import { costOf } from './cost.ts';

/** Of the gateway's records among usage_events. */
export const SOURCE = 'gateway';

/** What is written of a call that has ended. */
export interface Entry {
  readonly call: BegunCall;
  readonly end: CallEnd;
  /** None where nothing was used. */
  readonly usage: UsageEvent | undefined;
  readonly credits: number;
}

/** @throws {RangeError} for numbers that are no counts or prices: of this call alone, before it is among others */
export function toEntry(call: BegunCall, end: CallEnd): Entry {
  if (!end.usage) return { call, end, usage: undefined, credits: 0 };
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = end.usage;
  const { dollars, credits } = costOf(end.usage, call.model.price);
  const usage: UsageEvent = {
    organizationId: call.organizationId,
    source: SOURCE,
    externalId: call.id,
    userId: call.userId,
    kind: 'inference',
    item: call.model.id,
    occurredAt: call.startedAt,
    quantities: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadInputTokens,
      cache_creation_input_tokens: cacheCreationInputTokens,
      cost_usd: dollars,
      credits,
    },
  };
  return { call, end, usage, credits };
}

/** Whether PostgreSQL would refuse it again. A batcher that is full, or stops, refuses what is no entry's fault. */
export const isRefused = (error: unknown) => isFaultOfItem(error) && !(error instanceof ApiError);

/** Under which the ledger and what is held know a call. */
export const referenceOf = ({ organizationId, id }: BegunCall) => ({ organizationId, reference: id });

/** A transaction by itself. A call that is in the books already stays as it is. */
export async function writeCalls(db: Db, entries: readonly Entry[]): Promise<void> {
  const charges = entries
    .filter(({ credits }) => credits > 0)
    .map(({ call, credits }) => ({
      organizationId: call.organizationId,
      reference: call.id,
      amount: credits,
    }));
  await sql`
    WITH calls AS (${insertCalls(entries)}),
    used AS (${insertUsages(entries.flatMap(({ usage }) => usage ?? []))}),
    ${charging(charges)},
    released AS (${deleteReservations(entries.map(({ call }) => referenceOf(call)))})
    SELECT`.execute(db);
}

const COLUMNS = sql.raw(
  'organization_id, id, user_id, model, is_streamed, status, error_type, is_estimated, session_id, trace_id, span_id, started_at, first_byte_ms, duration_ms',
);

function insertCalls(entries: readonly Entry[]): RawBuilder<unknown> {
  // In one order, so that no two batches wait for each other in a circle.
  const sorted = entries.toSorted((a, b) => (a.call.id < b.call.id ? -1 : Number(a.call.id > b.call.id)));
  const column = (read: (entry: Entry) => unknown, type: string) => list(sorted.map(read), type);
  return sql`
    INSERT INTO inference_calls (${COLUMNS})
    SELECT ${COLUMNS} FROM unnest(
      ${column(({ call }) => call.organizationId, 'uuid')},
      ${column(({ call }) => call.id, 'uuid')},
      ${column(({ call }) => call.userId, 'uuid')},
      ${column(({ call }) => call.model.id, 'text')},
      ${column(({ call }) => call.isStreamed, 'boolean')},
      ${column(({ end }) => end.status, 'text')},
      ${column(({ end }) => end.errorType, 'text')},
      ${column(({ end }) => end.isEstimated, 'boolean')},
      ${column(({ call }) => call.links.sessionId, 'uuid')},
      ${column(({ call }) => fromHex(call.links.traceId), 'bytea')},
      ${column(({ call }) => fromHex(call.links.spanId), 'bytea')},
      ${column(({ call }) => call.startedAt, 'timestamptz')},
      ${column(({ end }) => (end.firstByteMs === null ? null : toMilliseconds(end.firstByteMs)), 'integer')},
      ${column(({ end }) => toMilliseconds(end.durationMs), 'integer')}
    ) AS call (${COLUMNS})
    ON CONFLICT (organization_id, id) DO NOTHING`;
}

const fromHex = (id: string | null) => (id === null ? null : Buffer.from(id, 'hex'));

const MAX_INTEGER = 2 ** 31 - 1;

/** Clocks have fractions of milliseconds, and may step back. */
const toMilliseconds = (duration: number) => Math.max(0, Math.min(MAX_INTEGER, Math.round(duration)));
