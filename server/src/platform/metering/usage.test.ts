import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import type { Db } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { uuidv7 } from '../uuid.ts';
import { recordUsage, recordUsages, sumUsage, type UsageEvent } from './usage.ts';

const { db } = await startTestServer();
const [ANN, BEN] = [uuidv7(), uuidv7()];
const NOTHING = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  seconds: 0,
  cost_usd: 0,
  credits: 0,
};
const JANUARY = { kind: 'inference', from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:59:59.999Z' };

/** An event of an organization of the test's own. */
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

const record = (event: UsageEvent) => transaction(db, (trx) => recordUsage(trx, event));
const recordAll = (events: UsageEvent[]) => transaction(db, (trx) => recordUsages(trx, events));

test('usage is summed by item, exactly', async () => {
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
  expect(await sumUsage(db, organization, JANUARY)).toEqual([
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
    { ...NOTHING, item: 'sim/other', count: 1, output_tokens: 7 },
  ]);
});

test('a report that arrives again counts once, at the same time too', async () => {
  const organization = uuidv7();
  const event = eventOf(organization);
  expect(await record(event)).toBe(true);
  expect(await record({ ...event, quantities: { input_tokens: 99 } })).toBe(false);
  const other = eventOf(organization);
  const answers = await Promise.all(Array.from({ length: 8 }, () => record(other)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await sumUsage(db, organization, JANUARY)).toMatchObject([{ count: 2, input_tokens: 20 }]);
});

test('a batch tells of each event whether it was new; of repeats in it the first counts', async () => {
  const [organization, another] = [uuidv7(), uuidv7()];
  const [known, first, second] = [eventOf(organization), eventOf(organization), eventOf(another)];
  await record(known);
  const repeat = { ...first, quantities: { input_tokens: 99 } };
  expect(await recordAll([second, known, first, repeat])).toEqual([true, false, true, false]);
  expect(await sumUsage(db, organization, JANUARY)).toMatchObject([{ count: 2, input_tokens: 20 }]);
  expect(await sumUsage(db, another, JANUARY)).toMatchObject([{ count: 1, input_tokens: 10 }]);
  expect(await recordAll([])).toEqual([]);
});

test('batches that share calls in any order do not end each other', async () => {
  const organization = uuidv7();
  const events = Array.from({ length: 200 }, () => eventOf(organization));
  const shuffled = () => events.toSorted(() => Math.random() - 0.5);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => db.transaction().execute((trx) => recordUsages(trx, shuffled()))),
  );
  expect(answers.flat().filter(Boolean)).toHaveLength(200);
});

test.each(['gateway first', 'span first'])(
  'of a call that both report, %s, the winner counts',
  async (order) => {
    const organization = uuidv7();
    const gateway = eventOf(organization, { quantities: { input_tokens: 100 } });
    const span = {
      ...gateway,
      source: 'span',
      yieldsTo: 'gateway',
      userId: BEN,
      item: 'echo',
      quantities: { input_tokens: 90 },
    };
    const alone = { ...span, externalId: uuidv7() };
    for (const event of order === 'gateway first' ? [gateway, span] : [span, gateway]) {
      expect(await record(event)).toBe(true);
    }
    await record(alone);
    expect(await sumUsage(db, organization, JANUARY)).toMatchObject([
      { item: 'echo', count: 1, input_tokens: 90 },
      { item: 'sim/echo', count: 1, input_tokens: 100 },
    ]);
  },
);

test('a report that yields does not count where only the winner lies outside of the window', async () => {
  const organization = uuidv7();
  const gateway = eventOf(organization, { occurredAt: '2026-02-01T00:00:00.000Z' });
  await recordAll([gateway, { ...gateway, source: 'span', yieldsTo: 'gateway', occurredAt: JANUARY.to }]);
  expect(await sumUsage(db, organization, JANUARY)).toEqual([]);
});

test('both ends of the window belong to it, to the millisecond', async () => {
  const organization = uuidv7();
  const times = [
    '2025-12-31T23:59:59.999Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-31T23:59:59.999Z',
    '2026-02-01T00:00:00.000Z',
  ];
  await recordAll(times.map((occurredAt) => eventOf(organization, { occurredAt, item: occurredAt })));
  const items = (await sumUsage(db, organization, JANUARY)).map(({ item }) => item);
  expect(items).toEqual(times.slice(1, 3));
});

test('a sum is of one organization, one kind, and one user or all', async () => {
  const [organization, another] = [uuidv7(), uuidv7()];
  await recordAll([
    eventOf(organization),
    eventOf(organization, { userId: BEN }),
    eventOf(organization, { userId: null }),
    eventOf(organization, { kind: 'sandbox', item: 'small', quantities: { seconds: 1.5 } }),
    eventOf(another),
  ]);
  expect(await sumUsage(db, organization, JANUARY)).toMatchObject([{ count: 3 }]);
  expect(await sumUsage(db, organization, { ...JANUARY, userId: BEN })).toMatchObject([{ count: 1 }]);
  expect(await sumUsage(db, organization, { ...JANUARY, kind: 'sandbox' })).toMatchObject([
    { item: 'small', count: 1, seconds: 1.5 },
  ]);
});

test.each([
  [{ quantities: { input_tokens: -1 } }, '23514'],
  [{ quantities: { input_tokens: 1.5 } }, '22P02'],
  [{ quantities: { cost_usd: Number.NaN } }, '23514'],
  [{ quantities: { seconds: Number.POSITIVE_INFINITY } }, '23514'],
  [{ externalId: '' }, '23514'],
  [{ externalId: 'x'.repeat(257) }, '23514'],
])('event number %# is refused', async (event, code) => {
  await expect(record(eventOf(uuidv7(), event))).rejects.toMatchObject({ code });
});

test('what is recorded cannot be changed', async () => {
  await record(eventOf(uuidv7()));
  for (const change of [
    sql`UPDATE usage_events /* of every organization */ SET credits = 0`,
    sql`DELETE FROM usage_events /* of every organization */`,
  ]) {
    await expect(change.execute(db)).rejects.toThrow('append-only');
  }
});

test('a sum reads what it sums, however much others used, or the organization itself before', async () => {
  const organization = uuidv7();
  const spans = { source: 'span', yieldsTo: 'gateway' };
  await recordAll(Array.from({ length: 100 }, () => eventOf(organization, spans)));
  await addMany(uuidv7(), '2026-01-15T00:00:00.000Z');
  await addMany(organization, '2025-06-15T00:00:00.000Z');
  await sql`ANALYZE usage_events`.execute(db);
  for (const userId of [undefined, ANN]) {
    const read = await blocksRead((one) => sumUsage(one, organization, { ...JANUARY, userId }));
    expect(read).toBeGreaterThan(100);
    expect(read).toBeLessThan(1_000);
  }
});

async function addMany(organizationId: string, occurredAt: string): Promise<void> {
  await sql`
    INSERT INTO usage_events (organization_id, source, external_id, yields_to, user_id, kind, item, occurred_at)
    SELECT ${organizationId}, 'span', i, 'gateway', ${ANN}, 'inference', 'sim/echo', ${occurredAt}::timestamptz
      FROM generate_series(1, 50000) AS i`.execute(db);
}

/** Blocks of the table and its indexes that PostgreSQL looks at. A connection tells of its own when it is asked to. */
async function blocksRead(work: (one: Db) => Promise<unknown>): Promise<number> {
  return db.connection().execute(async (one) => {
    const look = async () => {
      await sql`SELECT pg_stat_force_next_flush()`.execute(one);
      const { rows } = await sql<{ blocks: number }>`
        SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit) AS blocks
          FROM pg_statio_user_tables WHERE relname = 'usage_events'`.execute(one);
      return rows[0]?.blocks ?? 0;
    };
    const before = await look();
    await work(one);
    return (await look()) - before;
  });
}
