/** The statement that enters calls into the books: the calls with what they used and cost, and the end of what was held for them. */
import { sql } from 'kysely';
import pg from 'pg';
import { isFaultOfItem } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { deducting, releasing } from '../../platform/metering/credits.ts';
import type { BegunCall, CallEnd } from '../call-book.ts';
import { type Cost, costOf } from './cost.ts';

/** What is written of a call that has ended. */
export interface Entry {
  readonly call: BegunCall;
  readonly end: CallEnd;
  /** None where nothing was used. */
  readonly cost: Cost | undefined;
}

/** @throws {RangeError} for numbers that are no counts or prices: of this call alone, before it is among others */
export const toEntry = (call: BegunCall, end: CallEnd): Entry => ({
  call,
  end,
  cost: end.usage && costOf(end.usage, call.model.price),
});

/** Whether PostgreSQL would refuse it again. A batcher that is full, or stops, refuses what is no entry's fault. */
export const isRefused = (error: unknown) => isFaultOfItem(error) && !(error instanceof ApiError);

const UNIQUE_VIOLATION = '23505';

export const isRepeat = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;

/** Under which the ledger and what is held know a call. */
export const referenceOf = ({ organizationId, id }: BegunCall) => ({ organizationId, reference: id });

/** To look for each row before it is written takes PostgreSQL a sixth longer: for who expects none, failing is cheaper. */
type Repeats = 'stay' | 'fail';

/**
 * A transaction by itself.
 *
 * @param isHeld whether credits are held for calls
 * @param repeats what becomes of a call that is in the books already: it stays as it is, or all fail as a repeat
 */
export async function writeCalls(
  db: Db,
  entries: readonly Entry[],
  isHeld: boolean,
  repeats: Repeats,
): Promise<void> {
  const write = isHeld ? WRITE_AND_RELEASE : WRITE;
  await write[repeats](db, { rows: JSON.stringify(toRows(entries)) });
}

/** The columns that are written, with their types. */
const TYPES = {
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
  started_at: 'timestamptz',
  first_byte_ms: 'integer',
  duration_ms: 'integer',
  // None of these where nothing was used.
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  cache_read_input_tokens: 'bigint',
  cache_creation_input_tokens: 'bigint',
  cost_usd: 'numeric',
  credits: 'bigint',
};

/** In the order of the columns. */
const toRow = ({ call, end, cost }: Entry): (string | number | boolean | null | undefined)[] => [
  call.organizationId,
  call.id,
  call.userId,
  call.model.id,
  call.isStreamed,
  end.status,
  end.errorType,
  end.isEstimated,
  call.links.sessionId,
  fromHex(call.links.traceId),
  fromHex(call.links.spanId),
  call.startedAt,
  end.firstByteMs === null ? null : toMilliseconds(end.firstByteMs),
  toMilliseconds(end.durationMs),
  end.usage?.inputTokens,
  end.usage?.outputTokens,
  end.usage?.cacheReadInputTokens,
  end.usage?.cacheCreationInputTokens,
  cost?.dollars,
  cost?.credits,
];

/** In one order, so that no two batches wait for each other in a circle. */
const toRows = (entries: readonly Entry[]) => entries.toSorted((a, b) => compare(a.call, b.call)).map(toRow);

function compare(a: BegunCall, b: BegunCall): number {
  if (a.organizationId !== b.organizationId) return a.organizationId < b.organizationId ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

const NAMES = sql.raw(Object.keys(TYPES).join(', '));
const VALUES = sql.raw(
  Object.entries(TYPES)
    .map(([name, type], index) => `(row ->> ${index})::${type} AS ${name}`)
    .join(', '),
);

/** Built once. One text holds all rows: a parameter for each column, or its name in each row, would take the driver longer. */
const writing = (isHeld: boolean, repeats: Repeats) =>
  prepared<{ rows: string }, unknown>((db, value) => {
    const released = releasing(sql`SELECT organization_id, id::text AS reference FROM ended`);
    const statement = sql`
      WITH ended AS (SELECT ${VALUES} FROM jsonb_array_elements(${value('rows')}::jsonb) AS row),
      calls AS (
        INSERT INTO inference_calls (${NAMES}) SELECT ${NAMES} FROM ended
        ${repeats === 'stay' ? sql`ON CONFLICT (organization_id, id) DO NOTHING` : sql``}
        RETURNING organization_id, id, credits
      ),
      ${deducting(sql`SELECT organization_id, id, credits AS amount FROM calls WHERE credits > 0`)}
      ${isHeld ? sql`, released AS (${released})` : sql``}
      SELECT`;
    return { compile: () => statement.compile(db) };
  });

const WRITE = { fail: writing(false, 'fail'), stay: writing(false, 'stay') };
const WRITE_AND_RELEASE = { fail: writing(true, 'fail'), stay: writing(true, 'stay') };

const fromHex = (id: string | null) => (id === null ? null : `\\x${id}`);

const MAX_INTEGER = 2 ** 31 - 1;

/** Clocks have fractions of milliseconds, and may step back. */
const toMilliseconds = (duration: number) => Math.max(0, Math.min(MAX_INTEGER, Math.round(duration)));
