/** Spans are kept for the retention of their organization, and the summaries of traces match the remaining spans. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import {
  expectAgreement,
  type Owner,
  spanId,
  store,
  traceId,
  whereSpansLie,
} from '../../../test/span-store.ts';
import { withPlugin } from '../../platform/db/connect.ts';
import { traceCleanUps } from './clean-ups.ts';
import { DAY_MS, dayOf, plusDays } from './days.ts';
import { makeDay, readPartitions, takeOut } from './partitions.ts';

const server = await startTestServer();
const { db, owner } = server;
const today = dayOf(new Date());
const noon = new Date(`${today}T12:00:00Z`);
const later = (days: number) => new Date(noon.getTime() + days * DAY_MS);

async function placeIn(organizationId: string): Promise<Owner> {
  const { id } = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return { organizationId, workspaceId: id, userId: owner.id };
}

const long = await placeIn(await findOrganizationId(server, 'main'));
const short = await placeIn(await addOrganization(server, owner, 'short'));

async function keepFor(place: Owner, days: number): Promise<void> {
  await db
    .updateTable('organizations')
    .set({ trace_retention_days: days })
    .where('id', '=', place.organizationId)
    .execute();
}

/** A sweeper process whose clock the test moves. */
function sweeper(swept = db) {
  let now = noon;
  const cleanUps = traceCleanUps(() => now);
  return async (at: Date) => {
    now = at;
    let dealt = 0;
    for (const { run } of cleanUps) dealt += await run(swept);
    return dealt;
  };
}

const ids = async () => [...(await whereSpansLie(db)).keys()].toSorted();
const hex = (...spans: { spanId: Buffer }[]) => spans.map((span) => span.spanId.toString('hex')).toSorted();

beforeEach(async () => {
  await sql`DELETE /* of every organization */ FROM spans`.execute(db);
  await sql`DELETE /* of every organization */ FROM sender_parts`.execute(db);
  await keepFor(long, 30);
  await keepFor(short, 30);
});

test('a day is dropped when the longest retention is over, and not before; a longer trace is cut', async () => {
  const sweep = sweeper();
  await sweep(noon);
  const trace = traceId();
  const first = { traceId: trace, spanId: spanId(), start: noon, tokens: 5, model: 'a' };
  const second = {
    traceId: trace,
    spanId: spanId(),
    parentSpanId: first.spanId,
    start: later(1),
    tokens: 6,
    model: 'b',
  };
  const alone = { traceId: traceId(), spanId: spanId(), start: noon };
  await store(db, long, [first, second, alone]);
  await sweep(new Date(`${plusDays(today, 30)}T23:59:59Z`));
  expect(await ids()).toEqual(hex(first, second, alone));
  expect((await readPartitions(db)).days).toContain(today);
  await sweep(new Date(`${plusDays(today, 31)}T00:00:00Z`));
  expect(await ids()).toEqual(hex(second));
  expect(await readPartitions(db)).toMatchObject({ expired: [] });
  expect((await readPartitions(db)).days).not.toContain(today);
  await expectAgreement(db);
  const parts = await db
    .selectFrom('sender_parts')
    .select(['span_count', 'input_tokens', 'models', 'root_name', 'root_service_name'])
    .where('organization_id', '=', long.organizationId)
    .execute();
  expect(parts).toEqual([
    {
      span_count: 1,
      input_tokens: 6,
      models: ['b'],
      root_name: `span ${second.spanId.toString('hex')}`,
      root_service_name: 'shop',
    },
  ]);
});

test('an organization with a shorter retention loses its spans, and others keep theirs', async () => {
  const sweep = sweeper();
  await makeDay(db, today);
  const start = noon;
  const spans = Array.from({ length: 2_500 }, () => ({ traceId: traceId(), spanId: spanId(), start }));
  const kept = { traceId: traceId(), spanId: spanId(), start };
  await keepFor(short, 7);
  await store(db, short, spans);
  await store(db, long, [kept]);
  await sweep(later(7));
  expect(await ids()).toHaveLength(2_501);
  await sweep(later(8));
  expect(await ids()).toEqual(hex(kept));
  await expectAgreement(db);
});

test('a changed retention takes effect at the next sweep, whether shorter or longer', async () => {
  const sweep = sweeper();
  await makeDay(db, today);
  const [old, kept] = [0, 1].map(() => ({ traceId: traceId(), spanId: spanId(), start: noon }));
  await store(db, short, [old as { spanId: Buffer; start: Date }]);
  await store(db, long, [kept as { spanId: Buffer; start: Date }]);
  await sweep(later(10));
  expect(await ids()).toHaveLength(2);
  await keepFor(short, 7);
  await sweep(later(10));
  expect(await ids()).toEqual(hex(kept as { spanId: Buffer }));
  await keepFor(long, 365);
  await sweep(later(100));
  expect(await ids()).toEqual(hex(kept as { spanId: Buffer }));
  expect((await readPartitions(db)).days).toContain(today);
  await expectAgreement(db);
});

test('a span with an implausible time is kept for the retention since it was received', async () => {
  const sweep = sweeper();
  const trace = traceId();
  const times = [new Date(0), new Date('2554-07-21T00:00:00Z'), new Date(noon.getTime() - 1_000 * DAY_MS)];
  const odd = times.map((start) => ({ traceId: trace, spanId: spanId(), start }));
  await store(db, long, odd, { receivedAt: noon });
  await sweep(later(30));
  expect(await ids()).toEqual(hex(...odd));
  await sweep(new Date(later(30).getTime() + 1));
  // Nothing expires before a day has passed, since nothing else has changed.
  expect(await ids()).toEqual(hex(...odd));
  await sweep(later(31));
  expect(await ids()).toEqual([]);
  await expectAgreement(db);
});

test('a sweep continues after another process was killed between detaching and dropping a day', async () => {
  await makeDay(db, today);
  await store(db, long, [{ start: noon }, { start: later(2) }]);
  await keepFor(long, 1);
  await keepFor(short, 1);
  expect(await takeOut(db, today)).toBe(true);
  // A new span of that day goes to the default partition, and counts.
  const late = { traceId: traceId(), spanId: spanId(), start: noon };
  await store(db, long, [late], { receivedAt: later(2) });
  await sweeper()(later(2));
  expect(await readPartitions(db)).toMatchObject({ expired: [] });
  expect((await ids()).length).toBe(2);
  expect(await ids()).toContain(late.spanId.toString('hex'));
  await expectAgreement(db);
});

test('sources and byte counts are deleted after their last spans', async () => {
  await store(db, long, [{ start: noon }], { scope: 'once' });
  const sources = async () => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM span_sources WHERE organization_id = ${long.organizationId} AND scope ->> 'name' = 'once'`.execute(
      db,
    );
    return rows.length;
  };
  const sweep = sweeper();
  await sweep(later(39));
  expect(await sources()).toBe(1);
  await sweep(later(42));
  expect(await sources()).toBe(0);
});

test('a sweep with nothing to do runs the same few queries however many spans there are', async () => {
  let asked = 0;
  const counting = withPlugin(db, {
    transformQuery: ({ node }) => {
      asked++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const sweep = sweeper(counting);
  await store(db, long, [{ start: noon }, { start: new Date(0) }]);
  await sweep(noon);
  expect(await sweep(noon)).toBe(0);
  asked = 0;
  expect(await sweep(noon)).toBe(0);
  expect(asked).toBeLessThanOrEqual(8);
});
