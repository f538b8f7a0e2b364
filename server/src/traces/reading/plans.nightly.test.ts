/** Cost of lists and trace pages: independent of other tenants' spans, of other days and of the rest of the trace. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { countBlocks, explainGenericWork, explainWork } from '../../../test/query-plans.ts';
import { addTraces, makeDays } from '../../../test/trace-rows.ts';
import { createSigner } from '../../platform/auth/signing.ts';
import { connect, type Db } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import { SpanListQuery, TraceListQuery } from '../schema.ts';
import { listTraces } from './list.ts';
import { getSpan, listSpans } from './span-page.ts';
import { getStats } from './stats.ts';
import { getTrace } from './summary.ts';

const LONG = 30_000;
const SHORT = 300;
/** Number of spans that fit on one page. */
const WHOLE = 90;
const FIRST_DAY = '2026-01-01';
const DAYS = 40;

const server = await startTestServer();
const { owner, db } = server;
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const principal = { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const viewer = { organizationId, workspaceId, principal };
const mine = { organizationId, workspaceId, userId: owner.id };
const signer = createSigner('a secret that is long enough for this');

/** Returns the id of the nth trace with this name. */
const idOf = (name: string, n = 1) => createHash('md5').update(`${name}${n}`).digest('hex');
const analyze = () =>
  sql`ANALYZE spans, sender_parts, sessions, span_sources, projects, workspaces`.execute(db);

beforeAll(async () => {
  await makeDays(db, FIRST_DAY, DAYS);
  await addTraces(db, {
    ...mine,
    name: 'mine',
    traces: 300,
    spans: 4,
    day: '2026-01-20',
    withSessions: true,
  });
  await addTraces(db, { ...mine, name: 'short', traces: 1, spans: SHORT, day: '2026-01-21' });
  await addTraces(db, { ...mine, name: 'whole', traces: 1, spans: WHOLE, day: '2026-01-21' });
  await addTraces(db, { ...mine, name: 'long', traces: 1, spans: LONG, day: '2026-01-21' });
});

const DAY = { from: '2026-01-20T00:00:00Z', to: '2026-01-20T23:59:59Z' };

/** After filtering, all remaining traces of each list are on one day, which grows. */
const LISTS: Readonly<Record<string, object>> = {
  all: {},
  'a day': DAY,
  'successful traces of a day': { ...DAY, status: 'ok' },
  'a session': { session_id: '0b5e55ed-0000-4000-8000-000000000000' },
  'a text, on a day': { ...DAY, search: 'orders' },
};

const list = (query: object) => (on: Db) => listTraces(on, viewer, TraceListQuery.parse(query));
const spans = (name: string, query: object) => (on: Db) =>
  listSpans(on, signer, viewer, idOf(name), SpanListQuery.parse(query));

async function middle(name: string, query: object) {
  const { next_cursor } = await spans(name, query)(db);
  return spans(name, { ...query, after: next_cursor ?? undefined });
}

const FIRST_SPAN = '0000000000000001';
const PAGES: Readonly<Record<string, (name: string) => Promise<(on: Db) => Promise<unknown>>>> = {
  'the summary': async (name) => (on) => getTrace(on, viewer, idOf(name)),
  'the first page': async (name) => spans(name, {}),
  'a page further on': (name) => middle(name, {}),
  children: async (name) => spans(name, { parent: FIRST_SPAN }),
  'children further on': (name) => middle(name, { parent: FIRST_SPAN }),
  'children of a span that has none': async (name) => spans(name, { parent: '0000000000000002' }),
};

/** Measures custom plans; for lists also generic plans. */
async function costOf(work: (on: Db) => Promise<unknown>, isList = false): Promise<number> {
  if (!isList) return countBlocks(server, work);
  const generic = await explainGenericWork(server, work);
  return Math.max(await countBlocks(server, work), ...generic.map(({ blocks }) => blocks));
}

async function expectByIndex(work: (on: Db) => Promise<unknown>, isList = false): Promise<void> {
  const plans = await explainWork(server, work);
  // Plans come in pairs: custom plan and generic plan.
  for (const plan of plans.filter((_, index) => isList || index % 2 === 0)) {
    expect(plan).not.toMatch(/Seq Scan on (spans_2|sender_parts|sessions)/);
    // No lookup may use the organization alone.
    expect(plan).not.toMatch(
      /on (spans|sender_parts|sessions)[^\n]*\n\s*Index Cond: \(organization_id = [^ ]+\)$/m,
    );
  }
}

describe.each([
  ['without statistics', false],
  ['with statistics', true],
])('%s', (_, isAnalyzed) => {
  beforeAll(async () => {
    if (isAnalyzed) await analyze();
  });

  test.each(Object.keys(PAGES))(
    `%s of a trace of ${LONG} spans costs the same as for ${SHORT} spans`,
    async (name) => {
      const page = PAGES[name] as (typeof PAGES)[string];
      const few = await costOf(await page('short'));
      const many = await costOf(await page('long'));
      expect(many).toBeLessThan(few * 1.3 + 20);
    },
  );

  test('a trace that fits on one page costs less than a lookup per span', async () => {
    expect(await costOf(spans('whole', {}))).toBeLessThan(WHOLE);
  });

  test('reading a trace touches only the partitions of its days', async () => {
    for (const page of Object.values(PAGES)) {
      const plans = await explainWork(server, await page('long'));
      const looked = plans
        .filter((_, index) => index % 2 === 0)
        .flatMap((text) => text.match(/ on spans_\w+ /g) ?? []);
      expect(new Set(looked).size).toBeLessThanOrEqual(1);
    }
  });

  test('roots, a single span, and counts read each span of a trace once', async () => {
    for (const work of [
      spans('long', { parent: 'root' }),
      (on: Db) => getSpan(on, viewer, { trace_id: idOf('long'), span_id: FIRST_SPAN }),
      (on: Db) => getStats(on, viewer, idOf('long')),
    ])
      expect(await costOf(work)).toBeLessThan(LONG / 4);
  });
});

test('a page is planned for its trace, however often pages are read', async () => {
  const one = connect({ url: server.url, poolSize: 1, namedStatements: true, log: createLog('fatal') });
  try {
    for (let times = 0; times < 12; times++) await spans(times % 3 === 0 ? 'long' : 'short', {})(one);
    const { rows } = await sql<{ custom: number; generic: number }>`
      SELECT custom_plans AS custom, generic_plans AS generic FROM pg_prepared_statements
       WHERE statement LIKE '%attributes_text%' AND statement NOT LIKE '%pg_prepared_statements%'`.execute(
      one,
    );
    expect(rows).toEqual([{ custom: 12, generic: 0 }]);
  } finally {
    await one.destroy();
  }
});

describe("costs with other tenants' data", () => {
  const before = new Map<string, number>();
  const works = new Map<string, (on: Db) => Promise<unknown>>();
  const isList = (name: string) => name in LISTS;
  const others: { organizationId: string; workspaceId: string }[] = [];

  async function measure(): Promise<Map<string, number>> {
    const costs = new Map<string, number>();
    for (const [name, work] of works) costs.set(name, await costOf(work, isList(name)));
    return costs;
  }

  /** Expected growth of the traces of this workspace. */
  const OWN_GROWTH = (300 + 500 + 5_000) / (300 + 500);

  /** Adds traces to another workspace and another organization on all days, and to this workspace on other days. */
  async function addOthers(name: string, traces: number): Promise<void> {
    const many = { spans: 4, day: FIRST_DAY, days: DAYS, userId: owner.id, withSessions: true };
    for (const [index, place] of others.entries())
      await addTraces(db, { ...many, ...place, traces, name: `${name} ${index}` });
    await addTraces(db, {
      ...many,
      ...mine,
      traces: traces / 2,
      name: `${name} days`,
      day: '2026-01-22',
      days: 10,
    });
  }

  beforeAll(async () => {
    for (const [name, query] of Object.entries(LISTS)) works.set(name, list(query));
    for (const [name, page] of Object.entries(PAGES)) works.set(name, await page('long'));
    const side = (await server.as(owner).post('/org/main/ws', { key: 'side', name: 'side' })).body.id;
    others.push({ organizationId, workspaceId: side });
    const other = await addOrganization(server, owner, 'other');
    const otherWorkspace: string = (await server.as(owner).get('/org/other/ws/main')).body.id;
    others.push({ organizationId: other, workspaceId: otherWorkspace });
    await addOthers('few', 1_000);
    await analyze();
    for (const [name, blocks] of await measure()) before.set(name, blocks);
    await addOthers('many', 10_000);
  });

  test.each([false, true])(
    "reads cost no more after other tenants' traces were added (analyzed again: %s)",
    async (isAnalyzed) => {
      if (isAnalyzed) await analyze();
      for (const [name, work] of works) await expectByIndex(work, isList(name));
      const after = await measure();
      // An index is at most one level higher; only queries over all days read more traces now.
      for (const [name, few] of before) {
        const most = name === 'all' ? few * OWN_GROWTH : few;
        expect(after.get(name), name).toBeLessThan(most * 1.35 + 40);
      }
    },
  );
});
