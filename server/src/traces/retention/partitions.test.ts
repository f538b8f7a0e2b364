/** Days get their partitions, including existing spans, while other connections read and write. */
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { expectAgreement, spanId, store, traceId, whereSpansLie } from '../../../test/span-store.ts';
import { withPlugin } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { traceCleanUps } from './clean-ups.ts';
import { dayOf, findDay, firstKeptDay, partitionOf, plusDays } from './days.ts';
import { hasTooMany } from './earned-days.ts';
import { makeDay, makeDaysAhead, readPartitions } from './partitions.ts';

const server = await startTestServer();
const { db, owner } = server;
const organizationId = await findOrganizationId(server, 'main');
const { id: workspaceId } = await db
  .selectFrom('workspaces')
  .select('id')
  .where('organization_id', '=', organizationId)
  .executeTakeFirstOrThrow();
const place = { organizationId, workspaceId, userId: owner.id };
const today = dayOf(new Date());
const noonOf = (day: string) => new Date(`${day}T12:00:00Z`);

const sweep = async (now = new Date()) => {
  for (const { run } of traceCleanUps(() => now)) await run(db);
};

test('days are computed in UTC', () => {
  expect(dayOf(new Date('2026-11-15T23:59:59.999Z'))).toBe('2026-11-15');
  expect(plusDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(plusDays('2028-03-01', -1)).toBe('2028-02-29');
  expect(findDay(partitionOf('2026-11-15'))).toBe('2026-11-15');
  expect(findDay('spans_default')).toBeUndefined();
  expect(firstKeptDay(new Date('2026-11-15T10:00:00Z'), 1)).toBe('2026-11-14');
});

test('makeDaysAhead in concurrent processes creates each day once: yesterday, today and a week', async () => {
  const made = await Promise.all(Array.from({ length: 6 }, () => makeDaysAhead(db)));
  expect(made.reduce((sum, count) => sum + count, 0)).toBe(9);
  const { days } = await readPartitions(db);
  expect(days).toEqual(Array.from({ length: 9 }, (_, n) => plusDays(today, n - 1)));
  expect(await makeDaysAhead(db)).toBe(0);
});

test('makeDay creates a partition with the same keys, indexes and settings as the others, and nothing else', async () => {
  const describe = async (table: string) => {
    const { rows } = await sql<{ what: string }>`
      SELECT substring(pg_get_indexdef(indexrelid) FROM 'USING .*') AS what FROM pg_index WHERE indrelid = ${table}::regclass
      UNION ALL SELECT replace(conname, ${table}, 'table') || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
                 WHERE conrelid = ${table}::regclass
      UNION ALL SELECT reloptions::text FROM pg_class WHERE oid = ${table}::regclass ORDER BY what`.execute(
      db,
    );
    return rows.map(({ what }) => what).filter((what) => !/received_at|\(start_time\)/.test(what));
  };
  const made = await describe(partitionOf(today));
  expect(made.length).toBeGreaterThan(3);
  expect(made).toEqual(await describe('spans_default_near'));
});

test('makeDay for an earlier day moves its spans, and a repeated span is stored once', async () => {
  const day = plusDays(today, 8);
  const spans = [0, 1, 2].map((n) => ({
    traceId: traceId(),
    spanId: spanId(),
    start: noonOf(plusDays(day, n - 1)),
  }));
  await store(db, place, spans);
  expect(await makeDay(db, day)).toBe('made');
  const lie = await whereSpansLie(db);
  expect(spans.map((span) => lie.get(span.spanId.toString('hex')))).toEqual([
    partitionOf(plusDays(day, -1)),
    partitionOf(day),
    'spans_default_near',
  ]);
  await store(db, place, spans);
  expect((await whereSpansLie(db)).size).toBe(lie.size);
  await expectAgreement(db);
});

test('the sweep creates a partition for a past day with a thousand spans, not for one with fewer', async () => {
  const [many, few, tooOld] = [plusDays(today, -10), plusDays(today, -11), plusDays(today, -31)];
  const some = (day: string, count: number) => Array.from({ length: count }, () => ({ start: noonOf(day) }));
  await store(db, place, [...some(many, 1_000), ...some(few, 999), ...some(tooOld, 1_001)]);
  await sweep();
  const { days } = await readPartitions(db);
  expect(days).toContain(many);
  expect(days).not.toContain(few);
  expect(days).not.toContain(tooOld);
  const counts = Map.groupBy((await whereSpansLie(db)).values(), (name) => name);
  expect(counts.get(partitionOf(many))).toHaveLength(1_000);
  await expectAgreement(db);
});

test('hasTooMany detects days with more spans than can be moved in time', async () => {
  const day = plusDays(today, -50);
  await store(
    db,
    place,
    [1, 2, 3].map(() => ({ start: noonOf(day) })),
  );
  expect([await hasTooMany(db, day, 3), await hasTooMany(db, day, 2)]).toEqual([false, true]);
});

test('makeDay gives up when it cannot lock the tables, lets others write, and leaves nothing behind', async () => {
  const day = plusDays(today, 20);
  const reading = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const reader = transaction(db, async (trx) => {
    await sql`SELECT /* of every organization */ count(*) FROM spans`.execute(trx);
    reading.resolve();
    await done.promise;
  });
  await reading.promise;
  const making = makeDay(db, day);
  // Both calls return while the reader still holds the tables.
  await store(db, place, [{ start: noonOf(today) }, { start: noonOf(plusDays(today, -100)) }]);
  expect(await making).toBe('busy');
  done.resolve();
  await reader;
  expect((await readPartitions(db)).days).not.toContain(day);
  expect(await makeDay(db, day)).toBe('made');
});

test('attaching the partition of a day scans neither the early nor the late default partition', async () => {
  const client = new pg.Client({ connectionString: server.url });
  const received: string[] = [];
  client.on('notice', ({ message }) => received.push(message ?? ''));
  await client.connect();
  const [from, to] = [plusDays(today, 30), plusDays(today, 31)];
  await client.query(`
    BEGIN; SET LOCAL client_min_messages = debug1; CREATE TABLE one_day (LIKE spans INCLUDING ALL);
    ALTER TABLE spans ATTACH PARTITION one_day FOR VALUES FROM ('${from} 00:00:00+00') TO ('${to} 00:00:00+00')`);
  await client.end();
  const spared = received.filter((message) => message.includes('is implied by existing constraints'));
  for (const table of ['spans_default_early', 'spans_default_late'])
    expect(spared.some((message) => message.includes(table))).toBe(true);
});

test('the sources of moved spans are kept as long as the day that they move to', async () => {
  const day = plusDays(today, 50);
  await store(db, place, [{ start: noonOf(day) }], { scope: 'early' });
  await sql`
    UPDATE span_sources SET last_used_at = now() - interval '25 days'
     WHERE organization_id = ${organizationId} AND scope->>'name' = 'early'`.execute(db);
  expect(await makeDay(db, day)).toBe('made');
  const { rows } = await sql`
    SELECT last_used_at > now() - interval '1 minute' AS is_used FROM span_sources
     WHERE organization_id = ${organizationId} AND scope->>'name' = 'early'`.execute(db);
  expect(rows).toEqual([{ is_used: true }]);
});

test('a process with a wrong clock drops no day', async () => {
  await makeDaysAhead(db);
  const { days } = await readPartitions(db);
  vi.useFakeTimers({ toFake: ['Date'], now: noonOf(plusDays(today, 4_000)) });
  try {
    for (const { run } of traceCleanUps()) await run(db);
  } finally {
    vi.useRealTimers();
  }
  expect((await readPartitions(db)).days).toEqual(days);
});

test('during a backup, other statements wait for one attempt and not for one per day', async () => {
  await makeDaysAhead(db);
  for (let n = 40; n < 50; n++) await makeDay(db, plusDays(today, -n));
  const mayEnd = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const backup = transaction(db, async (trx) => {
    await sql`LOCK TABLE spans IN ACCESS SHARE MODE`.execute(trx);
    isHeld.resolve();
    await mayEnd.promise;
  });
  await isHeld.promise;
  let detached = 0;
  const counting = withPlugin(db, {
    transformQuery: ({ node }) => {
      if (node.kind === 'RawNode' && node.sqlFragments.join().includes('DETACH PARTITION')) detached++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  for (const { run } of traceCleanUps()) await run(counting);
  mayEnd.resolve();
  await backup;
  expect(detached).toBe(1);
  await sweep();
  expect((await readPartitions(db)).days.filter((day) => day < plusDays(today, -35))).toEqual([]);
});
