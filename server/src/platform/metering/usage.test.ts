import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { transaction } from '../db/transaction.ts';
import { uuidv7 } from '../uuid.ts';
import { recordUsages, type UsageEvent } from './usage.ts';

const { db } = await startTestServer();
const ANN = uuidv7();
/** An event of an organization that only this test uses. */
function eventOf(organizationId: string, event: Partial<UsageEvent> = {}): UsageEvent {
  return {
    organizationId,
    source: 'gateway',
    externalId: uuidv7(),
    userId: ANN,
    kind: 'inference',
    item: 'sim/echo',
    occurredAt: '2026-01-15T00:00:00.000Z',
    quantities: { input_tokens: 10 },
    ...event,
  };
}

const recordAll = (events: UsageEvent[]) => transaction(db, (trx) => recordUsages(trx, events));
const record = async (event: UsageEvent) => (await recordAll([event]))[0];

/** Sums grouped by item. */
async function sumsOf(organizationId: string) {
  const { rows } = await sql<Record<string, unknown>>`
    SELECT item, count(*) AS count, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
           sum(cache_read_input_tokens) AS cache_read_input_tokens,
           sum(cache_creation_input_tokens) AS cache_creation_input_tokens, sum(seconds) AS seconds,
           sum(cost_usd) AS cost_usd, sum(credits) AS credits
      FROM usage_events WHERE organization_id = ${organizationId} GROUP BY item ORDER BY item`.execute(db);
  return rows;
}

test('recordUsages keeps every quantity exactly', async () => {
  const organization = uuidv7();
  const quantities = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 4,
    seconds: 0.1,
    cost_usd: 3.75e-8,
    credits: 5,
  };
  await recordAll(Array.from({ length: 10 }, () => eventOf(organization, { quantities })));
  await record(eventOf(organization, { item: 'sim/other', quantities: { output_tokens: 7 } }));
  expect(await sumsOf(organization)).toEqual([
    {
      item: 'sim/echo',
      count: 10,
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 40,
      seconds: 1,
      cost_usd: 3.75e-7,
      credits: 50,
    },
    expect.objectContaining({ item: 'sim/other', count: 1, input_tokens: 0, output_tokens: 7 }),
  ]);
});

test('recordUsages counts a repeated event once, also when repeats arrive together', async () => {
  const organization = uuidv7();
  const event = eventOf(organization);
  expect(await record(event)).toBe(true);
  expect(await record({ ...event, quantities: { input_tokens: 99 } })).toBe(false);
  const other = eventOf(organization);
  const results = await Promise.all(Array.from({ length: 8 }, () => record(other)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await sumsOf(organization)).toMatchObject([{ count: 2, input_tokens: 20 }]);
});

test('recordUsages reports for each event whether it was new', async () => {
  const [organization, another] = [uuidv7(), uuidv7()];
  const [known, first, second] = [eventOf(organization), eventOf(organization), eventOf(another)];
  await record(known);
  const repeat = { ...first, quantities: { input_tokens: 99 } };
  expect(await recordAll([second, known, first, repeat])).toEqual([true, false, true, false]);
  expect(await sumsOf(organization)).toMatchObject([{ count: 2, input_tokens: 20 }]);
  expect(await sumsOf(another)).toMatchObject([{ count: 1, input_tokens: 10 }]);
  expect(await recordAll([])).toEqual([]);
});

test('recordUsages does not deadlock when batches share events in any order', async () => {
  const organization = uuidv7();
  const events = Array.from({ length: 200 }, () => eventOf(organization));
  const shuffled = () => events.toSorted(() => Math.random() - 0.5);
  const results = await Promise.all(
    Array.from({ length: 8 }, () => db.transaction().execute((trx) => recordUsages(trx, shuffled()))),
  );
  expect(results.flat().filter(Boolean)).toHaveLength(200);
});

test.each([
  [{ quantities: { input_tokens: -1 } }, '23514'],
  [{ quantities: { input_tokens: 1.5 } }, '22P02'],
  [{ quantities: { cost_usd: Number.NaN } }, '23502'],
  [{ quantities: { seconds: Number.POSITIVE_INFINITY } }, '23502'],
  [{ quantities: { cost_usd: 'Infinity' } }, '23514'],
  [{ externalId: '' }, '23514'],
  [{ externalId: 'x'.repeat(257) }, '23514'],
])('recordUsages refuses invalid event number %#', async (event, code) => {
  await expect(record(eventOf(uuidv7(), event))).rejects.toMatchObject({ code });
});

test('usage_events refuses changes', async () => {
  await record(eventOf(uuidv7()));
  for (const change of [
    sql`UPDATE usage_events /* of every organization */ SET credits = 0`,
    sql`DELETE FROM usage_events /* of every organization */`,
  ]) {
    await expect(change.execute(db)).rejects.toThrow('append-only');
  }
});
