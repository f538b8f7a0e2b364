/** Reading usage costs what it sums, however much usage others have, or the same users at other times. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';
import { explainGenericWork, explainWork } from '../../test/query-plans.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import { createSigner } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import { listTransactions } from './credits/store.ts';
import { readUsage } from './inference/store.ts';

const server = await startTestServer();
const { db, owner } = server;
const signer = createSigner('a secret that is long enough for this');
const mia = await server.addPerson('mia', { role: 'member' });
const organizationId = await findOrganizationId(server, 'main');
const large = await addOrganization(server, owner, 'large');
const TABLES = ['span_usage', 'inference_calls', 'usage_events', 'credit_transactions'];
const JANUARY = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:59:59.999999Z' };
/** Set to up to 1,000,000 for manual measurements. */
const OTHERS = Number(process.env['DRYDOCK_TEST_USAGE_ROWS'] ?? 30_000);
const PEOPLE = 20;
const OWN = 50;

/** Adds calls and spans of several users, evenly over a month; every tenth span reports a call. */
async function add(
  organization: string,
  users: readonly string[],
  month: string,
  count: number,
): Promise<void> {
  const moment = sql`${month}::timestamptz + n * interval '28 days' / ${count}::integer`;
  const user = sql`(${users}::uuid[])[1 + n % ${users.length}::integer]`;
  await sql`
    WITH made AS (
      SELECT n, ${moment} AS at, ${user} AS user_id, gen_random_uuid() AS id, sha256(n::text::bytea || ${month}::bytea) AS hash
        FROM generate_series(1, ${count}::integer) AS n
    ), calls AS (
      INSERT INTO inference_calls (organization_id, id, user_id, model, is_streamed, status, is_estimated, trace_id, span_id, started_at, duration_ms)
      SELECT ${organization}, id, user_id, 'sim/echo', false, 'completed', false, substr(hash, 1, 16), substr(hash, 17, 8), at, 1 FROM made
    ), usage AS (
      INSERT INTO usage_events (organization_id, source, external_id, user_id, kind, item, occurred_at, input_tokens)
      SELECT ${organization}, 'gateway', id::text, user_id, 'inference', 'sim/echo', at, 1 FROM made
    ), charges AS (
      INSERT INTO credit_transactions (organization_id, id, kind, reference, amount)
      SELECT ${organization}, id, 'charge', id::text, -1 FROM made
    )
    INSERT INTO span_usage (organization_id, user_id, start_time, trace_id, span_id, inference_call_id, model, input_tokens)
    SELECT ${organization}, user_id, at, substr(hash, 2, 16), substr(hash, 18, 8), CASE WHEN n % 10 = 0 THEN id END, 'm', 1 FROM made`.execute(
    db,
  );
}

beforeAll(async () => {
  for (const table of TABLES)
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  const { rows } = await sql<{ id: string }>`
    SELECT gen_random_uuid() AS id FROM generate_series(1, ${PEOPLE}::integer)`.execute(db);
  const people = rows.map(({ id }) => id);
  await add(organizationId, [mia.id], '2026-01-01T00:00:00Z', OWN);
  // The same users at other times, the rest of the organization, and others.
  await add(organizationId, [mia.id], '2025-06-01T00:00:00Z', Math.ceil(OTHERS / 3));
  await add(organizationId, people, '2025-07-01T00:00:00Z', Math.ceil(OTHERS / 3));
  await add(large, people, '2026-01-02T00:00:00Z', OTHERS);
}, 300_000);

const READS: readonly (readonly [string, number, (on: Db) => Promise<unknown>])[] = [
  ['of a user', 800, (on) => readUsage(on, { organizationId, userId: mia.id, ...JANUARY })],
  ['of everybody', 1_000, (on) => readUsage(on, { organizationId, userId: undefined, ...JANUARY })],
  [
    'the ledger',
    100,
    (on) => listTransactions(on, signer, { organizationId } as OrgScope, { limit: 50, cursor: undefined }),
  ],
];

test.each([false, true])('usage is read by its indexes; analyzed: %s', async (isAnalyzed) => {
  if (isAnalyzed)
    await sql`ANALYZE span_usage, inference_calls, usage_events, credit_transactions`.execute(db);
  for (const [name, most, read] of READS) {
    const plans = await explainWork(server, read);
    expect(plans).toHaveLength(2);
    for (const plan of plans)
      expect(plan, name).not.toMatch(
        /Seq Scan on (span_usage|inference_calls|usage_events|credit_transactions)/,
      );
    const done = await explainGenericWork(server, read);
    for (const { blocks, text } of done) expect(blocks, `${name}\n${text}`).toBeLessThan(most);
  }
});

test('usage returns the sums of all rows', async () => {
  const spans = OWN - OWN / 10;
  for (const userId of [mia.id, undefined]) {
    const [all, ...models] = (await readUsage(db, { organizationId, userId, ...JANUARY })).toSorted(
      (a, b) => b.request_count - a.request_count,
    );
    expect(all).toMatchObject({ model: null, request_count: OWN + spans });
    expect(models.map(({ model, request_count }) => [model, request_count])).toEqual([
      ['sim/echo', OWN],
      ['m', spans],
    ]);
  }
});
