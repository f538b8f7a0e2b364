/** The first pages of all traces are found without reading all of them, and equal the sorted result. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { countBlocks } from '../../../test/query-plans.ts';
import { addTraces } from '../../../test/trace-rows.ts';
import { TraceListQuery } from '../schema.ts';
import { gatherPage } from './gathered-page.ts';
import { listTraces } from './list.ts';
import { countTraces, walkPage } from './walked-page.ts';

const SESSIONS = 3_000;
const TRACES = 500;

const server = await startTestServer();
const { owner, db } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const viewerOf = ({ id: userId }: { readonly id: string }) => ({
  organizationId,
  workspaceId,
  principal: { userId, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
});
const viewers = { owner: viewerOf(owner), ana: viewerOf(ana) };

const ALL = {
  projectId: null,
  typeBit: null,
  status: null,
  sessionId: null,
  search: null,
  ids: null,
  from: null,
  to: null,
};

/** Adds one trace with very many sessions, such as an evaluation traced as a whole, where each sample is a conversation. */
async function addWideTrace(): Promise<void> {
  const sessionOf = sql`('0b5e55ed-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
    SELECT ${organizationId}::uuid, ${sessionOf}, ${workspaceId}::uuid, ${owner.id}::uuid, 'm', 'user',
           CASE WHEN n % 2 = 0 THEN 'private' ELSE 'workspace' END FROM generate_series(1, ${SESSIONS}::int) AS n`.execute(
    db,
  );
  const { rows } = await sql<{ id: string }>`
    SELECT ${sessionOf} AS id FROM generate_series(1, ${SESSIONS}::int) AS n`.execute(db);
  const spans = rows.map(({ id }, index) => ({
    traceId: 'ab'.repeat(16),
    spanId: String(index + 1).padStart(16, '0'),
    name: 'sample',
    startTimeUnixNano: `${Date.parse('2026-01-02T12:00:00Z') + index * 1_000}000000`,
    attributes: [{ key: 'session.id', value: { stringValue: id } }],
  }));
  const pushed = await server
    .as(owner)
    .post('/org/main/otel/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  expect(pushed).toMatchObject({ status: 200, body: {} });
}

beforeAll(async () => {
  const place = { organizationId, workspaceId, traces: TRACES, spans: 3, days: 3 };
  // The last traces are visible to the owner only, and some begin before and some after the wide one.
  await addTraces(db, { ...place, userId: ana.id, name: 'ana', day: '2026-01-01', withSessions: true });
  await addTraces(db, { ...place, userId: owner.id, name: 'nobody', day: '2026-01-02' });
  await addTraces(db, { ...place, userId: owner.id, name: 'owner', day: '2026-01-03', withSessions: true });
  await addWideTrace();
});

describe.each(['owner', 'ana'] as const)('the list of traces for the %s', (name) => {
  const viewer = viewers[name];

  test.each([1, 7, 100])('a page of %d equals the same page of the fully sorted list', async (limit) => {
    const { total } = await gatherPage(db, viewer, ALL, { limit: 1, offset: 0 });
    expect(total).toBe(2 * TRACES + 1);
    let walked = 0;
    for (const offset of [0, 1, limit, 2 * limit, 500, 900, total - limit, total - 1, total, total + 1]) {
      const expected = await gatherPage(db, viewer, ALL, { limit, offset });
      const page = await walkPage(db, viewer, { limit, offset });
      if (page) {
        expect(page.ids).toEqual(expected.ids);
        expect(page.total).toBe(Math.min(total, offset + limit + 100));
        expect(page.isExact).toBe(page.total === total);
      }
      walked += page?.ids.length ?? 0;
      const query = { limit, page: Math.floor(offset / limit) + 1 };
      const counted = await listTraces(db, viewer, TraceListQuery.parse({ ...query, exact_total: true }));
      expect(counted).toMatchObject({ total, total_is_exact: true });
      const listed = await listTraces(db, viewer, TraceListQuery.parse(query));
      expect(listed.traces).toEqual(counted.traces);
      expect(listed.has_next).toBe(counted.has_next);
      expect(listed.total_is_exact).toBe(listed.total === total);
    }
    // None of the last traces is visible to ana.
    if (name === 'owner') expect(walked).toBeGreaterThan(limit);
  });

  test('countTraces equals the total of the fully sorted list', async () => {
    expect(await countTraces(db, viewer)).toBe(2 * TRACES + 1);
  });

  test('the list of traces reads each part of a wide trace once', async () => {
    const blocks = await countBlocks(server, (on) => listTraces(on, viewer, TraceListQuery.parse({})));
    expect(blocks).toBeLessThan(20 * (SESSIONS + 3 * TRACES));
  });
});

test('the list of traces is the same whether others keep traces private or not', async () => {
  const id = await addWorkspace('private');
  const seen = { organizationId, workspaceId: id, userId: ana.id, spans: 1, traces: 400 };
  await addTraces(db, { ...seen, name: 'seen', day: '2026-01-08' });
  const list = (query: object) =>
    listTraces(db, { ...viewers.ana, workspaceId: id }, TraceListQuery.parse(query));
  const listAll = () => Promise.all([1, 20, 100].map((limit) => list({ limit })));
  const before = await listAll();
  await addTraces(db, { ...seen, userId: owner.id, name: 'hidden', day: '2026-01-09', withSessions: true });
  expect(await listAll()).toEqual(before);
});

test('the newest page reads as much among many traces as among few', async () => {
  const other = await addWorkspace('few');
  const more = await addWorkspace('many');
  const newest = { organizationId, userId: owner.id, spans: 2, days: 1, day: '2026-01-05' };
  await addTraces(db, { ...newest, workspaceId: other, name: 'few', traces: 600 });
  await addTraces(db, { ...newest, workspaceId: more, name: 'many', traces: 20_000 });
  const read = (id: string) =>
    countBlocks(server, async (on) => {
      const page = await listTraces(on, { ...viewers.owner, workspaceId: id }, TraceListQuery.parse({}));
      expect(page).toMatchObject({ total_is_exact: false, has_next: true });
      expect(page.traces).toHaveLength(50);
    });
  await sql`VACUUM (ANALYZE) sender_parts`.execute(db);
  expect(await read(more)).toBeLessThan(1.5 * (await read(other)));
});

async function addWorkspace(name: string): Promise<string> {
  const { status, body } = await server.as(owner).post('/org/main/ws', { key: name, name });
  expect(status).toBe(201);
  return body.id;
}
