/** The statement that enters calls into the books: the calls with what they used and cost, and the end of what was held for them. */
import { sql } from 'kysely';
import pg from 'pg';
import { isFaultOfItem } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { ApiError } from '../../platform/errors.ts';
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

type Value = string | number | boolean | null | undefined;

/** The columns that are written: of which type they are, and what of a call they hold. */
const COLUMNS: Record<string, readonly [type: string, read: (entry: Entry) => Value]> = {
  organization_id: ['uuid', ({ call }) => call.organizationId],
  id: ['uuid', ({ call }) => call.id],
  user_id: ['uuid', ({ call }) => call.userId],
  model: ['text', ({ call }) => call.model.id],
  is_streamed: ['boolean', ({ call }) => call.isStreamed],
  status: ['text', ({ end }) => end.status],
  error_type: ['text', ({ end }) => end.errorType],
  is_estimated: ['boolean', ({ end }) => end.isEstimated],
  session_id: ['uuid', ({ call }) => call.links.sessionId],
  trace_id: ['bytea', ({ call }) => fromHex(call.links.traceId)],
  span_id: ['bytea', ({ call }) => fromHex(call.links.spanId)],
  started_at: ['timestamptz', ({ call }) => call.startedAt],
  first_byte_ms: ['integer', ({ end }) => end.firstByteMs && toMilliseconds(end.firstByteMs)],
  duration_ms: ['integer', ({ end }) => toMilliseconds(end.durationMs)],
  // None of these where nothing was used.
  input_tokens: ['bigint', ({ end }) => end.usage?.inputTokens],
  output_tokens: ['bigint', ({ end }) => end.usage?.outputTokens],
  cache_read_input_tokens: ['bigint', ({ end }) => end.usage?.cacheReadInputTokens],
  cache_creation_input_tokens: ['bigint', ({ end }) => end.usage?.cacheCreationInputTokens],
  cost_usd: ['numeric', ({ cost }) => cost?.dollars],
  credits: ['bigint', ({ cost }) => cost?.credits],
};

const READERS = Object.values(COLUMNS).map(([, read]) => read);

const toRow = (entry: Entry): Value[] => READERS.map((read) => read(entry));

/** In one order, so that no two batches wait for each other in a circle. */
const toRows = (entries: readonly Entry[]) => entries.toSorted((a, b) => compare(a.call, b.call)).map(toRow);

function compare(a: BegunCall, b: BegunCall): number {
  if (a.organizationId !== b.organizationId) return a.organizationId < b.organizationId ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

const NAMES = sql.raw(Object.keys(COLUMNS).join(', '));
const VALUES = sql.raw(
  Object.entries(COLUMNS)
    .map(([name, [type]], index) => `(row ->> ${index})::${type} AS ${name}`)
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
