import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { begunCall, type CallOf, callEnd, offeredModel } from '../../../test/metered-calls.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { startPostgresProxy } from '../../../test/postgres-proxy.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { createSigner } from '../../platform/auth/signing.ts';
import { connect } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createLog } from '../../platform/log.ts';
import { adjust, balance } from '../../platform/metering/credits.ts';
import { forgetOldReservations } from '../../platform/metering/reservations.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { listTransactions } from '../../usage/credits/store.ts';
import { MeteredCalls } from './metered-calls.ts';

const server = await startTestServer();
const { db, owner } = server;
const log = createLog('fatal');
const signer = createSigner('a secret that is long enough for this');
const unlimited = new MeteredCalls({ db, log, credits: 'unlimited' });
const enforced = new MeteredCalls({ db, log, credits: 'enforced' });

let made = 0;
async function newOrganization(credits = 0): Promise<string> {
  const organizationId = await addOrganization(server, owner, `metered-${made++}`);
  const gift = { organizationId, reference: 'gift', amount: credits, actorId: owner.id, note: null };
  if (credits > 0) await transaction(db, (trx) => adjust(trx, gift));
  return organizationId;
}

/** A dollar per thousand tokens: one credit per token. */
const COSTLY = offeredModel('test/costly', { input_price: 1_000, output_price: 1_000 });
const callOf = (organizationId: string, call: Partial<CallOf> = {}) =>
  begunCall({ organizationId, userId: owner.id, model: COSTLY, ...call });

/** Returns the charges in the ledger. */
async function chargesOf(organizationId: string) {
  const scope = { organizationId } as OrgScope;
  const { items } = await listTransactions(db, signer, scope, { limit: 200, cursor: undefined });
  return items
    .filter(({ kind }) => kind === 'charge')
    .map(({ reference, amount }) => ({ reference, amount }));
}

const readBooks = async (organizationId: string) => ({
  calls: await db
    .selectFrom('inference_calls')
    .select(['id', 'status', 'error_type', 'model', 'is_estimated', 'session_id', 'trace_id', 'span_id'])
    .where('organization_id', '=', organizationId)
    .execute(),
  usage: await db
    .selectFrom('usage_events')
    .select(['external_id as id', 'user_id', 'input_tokens', 'output_tokens', 'cost_usd', 'credits'])
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'inference')
    .execute(),
  charges: await chargesOf(organizationId),
  held: await db
    .selectFrom('credit_reservations')
    .select(['reference', 'amount'])
    .where('organization_id', '=', organizationId)
    .execute(),
});

const expiryOf = async (organizationId: string) => {
  const { expires_at } = await db
    .selectFrom('credit_reservations')
    .select('expires_at')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Date.parse(expires_at);
};

test('end stores a call once in the calls, the usage and the ledger', async () => {
  const organizationId = await newOrganization();
  const links = { sessionId: uuidv7(), traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
  const model = offeredModel('test/cheap', { input_price: 0.1, output_price: 0.2, cache_read_price: 0.01 });
  const call = callOf(organizationId, { model, links });
  const usage = { inputTokens: 30, outputTokens: 7, cacheReadInputTokens: 20, cacheCreationInputTokens: 0 };
  await unlimited.begin(call);
  await unlimited.end(call, callEnd(0, 0, { usage }));
  const expected = {
    calls: [
      {
        id: call.id,
        status: 'completed',
        error_type: null,
        model: 'test/cheap',
        is_estimated: false,
        session_id: links.sessionId,
        trace_id: Buffer.from(links.traceId, 'hex'),
        span_id: Buffer.from(links.spanId, 'hex'),
      },
    ],
    usage: [
      {
        id: call.id,
        user_id: owner.id,
        input_tokens: 30,
        output_tokens: 7,
        cost_usd: 0.0000026,
        credits: 1,
      },
    ],
    charges: [{ reference: call.id, amount: -1 }],
    held: [],
  };
  expect(await readBooks(organizationId)).toEqual(expected);
  await Promise.all([1, 2, 3].map((n) => unlimited.end(call, callEnd(n, n, { status: 'cancelled' }))));
  expect(await readBooks(organizationId)).toEqual(expected);
});

test('end stores the other calls of a batch with a call that is stored already', async () => {
  const organizationId = await newOrganization(100_000);
  const [first, ...others] = Array.from({ length: 6 }, () => callOf(organizationId));
  if (!first) throw new Error('there are six');
  await enforced.begin(first);
  await enforced.end(first, callEnd(1, 1));
  await Promise.all(others.map(async (call) => enforced.begin(call)));
  const again = [first, ...others, others[0] ?? first].map((call) => enforced.end(call, callEnd(2, 1)));
  await Promise.all(again);
  const { calls, usage, charges, held } = await readBooks(organizationId);
  expect([calls.length, usage.length, held]).toEqual([6, 6, []]);
  expect(charges.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([-3, -3, -3, -3, -3, -2]);
  expect(await balance(db, organizationId)).toBe(100_000 - 17);
});

test('end counts no request for a call without usage, and no charge for a free call', async () => {
  const organizationId = await newOrganization();
  const failed = callOf(organizationId);
  const free = callOf(organizationId, { model: offeredModel('sim/echo') });
  await enforced.begin(free);
  expect((await readBooks(organizationId)).held).toEqual([]);
  await enforced.end(
    failed,
    callEnd(0, 0, { usage: undefined, status: 'failed', errorType: 'bad_gateway_error' }),
  );
  await enforced.end(free, callEnd(10, 20));
  const books = await readBooks(organizationId);
  expect(books.calls.map(({ status, error_type }) => `${status} ${error_type}`).toSorted()).toEqual([
    'completed null',
    'failed bad_gateway_error',
  ]);
  expect(books.usage).toMatchObject([{ id: free.id, credits: 0, input_tokens: 10 }]);
  expect(books.charges).toEqual([]);
});

test('begin reserves the maximum cost until the call ends, however it ends', async () => {
  const organizationId = await newOrganization(2_500);
  const [first, second, third] = [callOf(organizationId), callOf(organizationId), callOf(organizationId)];
  await enforced.begin(first);
  await expect(enforced.begin(second)).rejects.toMatchObject({
    status: 429,
    type: 'usage_limit_exceeded_error',
    message: expect.stringContaining('credit'),
    reason: 'insufficient_quota',
    headers: { 'x-should-retry': 'false' },
  });
  expect((await readBooks(organizationId)).held).toEqual([{ reference: first.id, amount: 2_000 }]);
  await enforced.end(
    first,
    callEnd(0, 0, { usage: undefined, status: 'failed', errorType: 'gateway_timeout_error' }),
  );
  await enforced.begin(third);
  await enforced.end(third, callEnd(100, 23));
  expect((await readBooks(organizationId)).held).toEqual([]);
  expect(await balance(db, organizationId)).toBe(2_377);
});

test('a reservation of a process that died expires after five minutes', async () => {
  const organizationId = await newOrganization(2_000);
  const before = Date.now();
  await enforced.begin(callOf(organizationId));
  const expiresAt = await expiryOf(organizationId);
  expect(expiresAt - before).toBeGreaterThanOrEqual(299_000);
  expect(expiresAt - Date.now()).toBeLessThanOrEqual(301_000);
  await forgetOldReservations(db);
  expect((await readBooks(organizationId)).held).toHaveLength(1);
});

test('a reservation is renewed until its call ends', async () => {
  const organizationId = await newOrganization(4_000);
  const book = new MeteredCalls({ db, log, credits: 'enforced', holding: { holdMs: 10_000, renewMs: 60 } });
  const [first, second] = [callOf(organizationId), callOf(organizationId)];
  for (const call of [first, second]) await book.begin(call);
  await book.end(second, callEnd(1, 1));
  for (let round = 0; round < 3; round++) {
    const before = await expiryOf(organizationId);
    await expect.poll(() => expiryOf(organizationId)).toBeGreaterThan(before);
    await forgetOldReservations(db);
    expect((await readBooks(organizationId)).held).toEqual([{ reference: first.id, amount: 2_000 }]);
    await expect(enforced.begin(callOf(organizationId))).rejects.toMatchObject({ status: 429 });
  }
  await book.end(first, callEnd(1, 1));
  expect((await readBooks(organizationId)).held).toEqual([]);
  await book.drain();
});

test('end retries until the call is stored, and stores it once', async () => {
  const organizationId = await newOrganization(10_000);
  const proxy = await startPostgresProxy(server.url);
  const away = connect({ url: proxy.url, poolSize: 2, namedStatements: true, log });
  onTestFinished(() => away.destroy());
  const book = new MeteredCalls({ db: away, log, credits: 'enforced' });
  const calls = Array.from({ length: 3 }, () => callOf(organizationId));
  for (const call of calls) await book.begin(call);
  proxy.isAway = true;
  proxy.cutAll();
  const ends = await Promise.allSettled(calls.map((call) => book.end(call, callEnd(5, 5))));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  proxy.isAway = false;
  await expect.poll(async () => (await readBooks(organizationId)).charges.length).toBe(3);
  const { calls: written, usage, held } = await readBooks(organizationId);
  expect([written.length, usage.length, held]).toEqual([3, 3, []]);
  // The final attempt before stopping.
  const last = callOf(organizationId);
  proxy.isAway = true;
  proxy.cutAll();
  await expect(book.end(last, callEnd(1, 1))).rejects.toThrow();
  proxy.isAway = false;
  await book.drain();
  expect((await readBooks(organizationId)).calls.map(({ id }) => id)).toContain(last.id);
});

test.each(['inference_calls', 'span_usage'])('the table %s is append-only', async (table) => {
  const change = sql`DELETE FROM ${sql.table(table)} WHERE organization_id = ${owner.id}`;
  await expect(change.execute(db)).rejects.toThrow('append-only');
});

test('begin admits exactly the concurrent calls that each of several organizations can pay for', async () => {
  const ids = await Promise.all([newOrganization(20_000), newOrganization(7_999), newOrganization(0)]);
  const calls = Array.from({ length: 90 }, (_, n) => callOf(ids[n % 3] ?? ''));
  const begun = await Promise.allSettled(calls.map(async (call) => enforced.begin(call)));
  const letIn = calls.filter((_, index) => begun[index]?.status === 'fulfilled');
  const perOrganization = ids.map((id) => letIn.filter(({ organizationId }) => organizationId === id).length);
  expect(perOrganization).toEqual([10, 3, 0]);
  await Promise.all(letIn.map((call, index) => enforced.end(call, callEnd(index, 1))));
  const books = await Promise.all(ids.map(readBooks));
  expect(books.map(({ usage, held }) => [usage.length, held.length])).toEqual([
    [10, 0],
    [3, 0],
    [0, 0],
  ]);
  const charged = books.flatMap(({ charges }) => charges).reduce((sum, { amount }) => sum - amount, 0);
  expect(charged).toBe(letIn.reduce((sum, _, index) => sum + index + 1, 0));
});

test.each([
  ['no count', callEnd(-1, 1)],
  ['a fraction', callEnd(1.5, 1)],
])('end with %s fails alone, not the other calls of its batch', async (_, wrong) => {
  const organizationId = await newOrganization();
  const [good, bad] = [callOf(organizationId), callOf(organizationId)];
  const [, failure] = await Promise.allSettled([
    unlimited.end(good, callEnd(1, 1)),
    unlimited.end(bad, wrong),
  ]);
  expect(failure?.status).toBe('rejected');
  expect((await readBooks(organizationId)).calls.map(({ id }) => id)).toEqual([good.id]);
});

test('end stores the other calls when PostgreSQL refuses one', async () => {
  const organizationId = await newOrganization();
  const good = Array.from({ length: 5 }, () => callOf(organizationId));
  const bad = callOf(organizationId, { links: { sessionId: null, traceId: 'abcd', spanId: 'ab' } });
  const ends = await Promise.allSettled([...good, bad].map((call) => unlimited.end(call, callEnd(1, 1))));
  expect(ends.map(({ status }) => status)).toEqual([...good.map(() => 'fulfilled'), 'rejected']);
  expect((await readBooks(organizationId)).usage).toHaveLength(5);
});

test('drain stores waiting calls and refuses later ones', async () => {
  const organizationId = await newOrganization();
  const book = new MeteredCalls({ db, log, credits: 'unlimited' });
  const ends = Array.from({ length: 500 }, () => book.end(callOf(organizationId), callEnd(1, 1)));
  await book.drain();
  await Promise.all(ends);
  expect((await readBooks(organizationId)).calls).toHaveLength(500);
  await expect(book.end(callOf(organizationId), callEnd(1, 1))).rejects.toMatchObject({ status: 429 });
});
