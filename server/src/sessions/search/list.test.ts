/** Totals of the list of sessions while the column index is not loaded: bounded by default, exact on request. */
import { sql } from 'kysely';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { addWorkspace } from '../../../test/column-world.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { countBlocks } from '../../../test/query-plans.ts';
import { createLog } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { ColumnIndex } from './columns/column-index.ts';
import type { SearchOptions } from './facets.ts';
import { listSessions } from './list.ts';
import { SessionListQuery } from './schema.ts';

const server = await startTestServer();
const { owner, db } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const organizationId = await findOrganizationId(server, 'main');
const FEW = 260;
const MANY = 20_000;
/** The oldest ones of many. */
const ARCHIVED = 200;
const few = uuidv7();
const many = uuidv7();

const list = (
  workspaceId: string,
  query: object,
  given: Partial<SearchOptions> & { person?: Person } = {},
) => {
  const { person = owner, ...options } = given;
  const principal = { userId: person.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  return listSessions(
    { db, ...options },
    { organizationId, workspaceId, principal },
    SessionListQuery.parse(query),
  );
};

/** Several sessions have the same time. */
const addSessions = (workspaceId: string, count: number, userId = owner.id) =>
  sql`INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, archived_at, updated_at)
      SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, ${userId}, 'm', 'user', 'private',
             CASE WHEN n > ${MANY - ARCHIVED} THEN now() END, now() - (n / 3) * interval '1 second'
        FROM generate_series(1, ${count}::int) AS n`.execute(db);

beforeAll(async () => {
  for (const [workspaceId, count] of [
    [few, FEW],
    [many, MANY],
  ] as const) {
    await addWorkspace(db, { organizationId, workspaceId }, owner.id);
    await addSessions(workspaceId, count);
  }
  await sql`VACUUM (ANALYZE) sessions`.execute(db);
});

test.each(['asc', 'desc'])(
  'listSessions returns the same pages with a bounded and an exact total, %s',
  async (sort_dir) => {
    const query = { sort_dir };
    for (const [limit, page] of [
      [1, 1],
      [1, 160],
      [1, 161],
      [50, 1],
      [50, 3],
      [50, 4],
      [100, 3],
      [100, 4],
    ] as const) {
      const exact = await list(few, { ...query, limit, page, exact_total: true });
      expect(exact).toMatchObject({ total: FEW, total_is_exact: true });
      const bounded = await list(few, { ...query, limit, page });
      expect(bounded).toMatchObject({
        sessions: exact.sessions,
        has_next: exact.has_next,
        total: Math.min(FEW, page * limit + 100),
        total_is_exact: page * limit + 100 >= FEW,
      });
    }
  },
);

test.each([{ sort_by: 'created_at' }, { model: ['m'] }, { label: ['a:b'] }])(
  'listSessions returns an exact total with %j',
  async (query) => {
    const { total, total_is_exact } = await list(few, query);
    expect({ total, total_is_exact }).toEqual({ total: 'label' in query ? 0 : FEW, total_is_exact: true });
  },
);

test('listSessions returns an exact total by way of the index', async () => {
  const index = new ColumnIndex({ db, log: createLog('fatal') });
  onTestFinished(() => index.close());
  const first = () => list(few, { limit: 10 }, { index });
  expect(await first()).toMatchObject({ total: 110, total_is_exact: false });
  await index.settled();
  expect(await first()).toMatchObject({ total: FEW, total_is_exact: true });
});

test.each([
  ['only the oldest match', { archived: 'archived' }, ARCHIVED],
  ['none matches', { origin: ['world'] }, 0],
])('listSessions returns the page when %s of more sessions than are walked', async (_, query, total) => {
  const exact = await list(many, { ...query, exact_total: true });
  expect(exact).toMatchObject({ total, total_is_exact: true });
  const bounds = total > 150 ? { total: 150, total_pages: 3, total_is_exact: false } : {};
  expect(await list(many, query)).toEqual({ ...exact, ...bounds });
});

test('listSessions returns nothing to a caller from whom more sessions are hidden than are walked', async () => {
  expect(await list(many, {}, { person: ana })).toMatchObject({
    sessions: [],
    total: 0,
    total_is_exact: true,
  });
});

test('listSessions returns the same, whether others keep sessions private or not', async () => {
  const workspaceId = uuidv7();
  await addWorkspace(db, { organizationId, workspaceId }, owner.id);
  await addSessions(workspaceId, 400, ana.id);
  const listAll = () =>
    Promise.all([1, 20, 100].map((limit) => list(workspaceId, { limit }, { person: ana })));
  const before = await listAll();
  await addSessions(workspaceId, 400);
  expect(await listAll()).toEqual(before);
});

test('listSessions returns the same pages beyond the sessions that are walked', async () => {
  for (const page of [98, 99, 198, 199]) {
    const exact = await list(many, { limit: 100, page, exact_total: true });
    const bounded = await list(many, { limit: 100, page });
    expect(bounded).toMatchObject({ sessions: exact.sessions, has_next: exact.has_next });
    expect(bounded.total).toBe(Math.min(exact.total, page * 100 + 100));
  }
});

const countBlocksOf = (workspaceId: string) =>
  countBlocks(server, async (on) => {
    const page = await list(workspaceId, {}, { db: on });
    expect(page).toMatchObject({ total: 150, total_is_exact: false, has_next: true });
    expect(page.sessions).toHaveLength(50);
  });

test('the newest page reads as much among many sessions as among few', async () => {
  expect(await countBlocksOf(many)).toBeLessThan(1.5 * (await countBlocksOf(few)));
});

test('the newest page reads little of a workspace that is newer than the statistics', async () => {
  const addFilled = async (count: number) => {
    const workspaceId = uuidv7();
    await addWorkspace(db, { organizationId, workspaceId }, owner.id);
    await addSessions(workspaceId, count);
    return workspaceId;
  };
  for (let count = 0; count < 100; count++) await addFilled(10);
  await sql`ANALYZE sessions`.execute(db);
  // All of it are more than 700 blocks.
  expect(await countBlocksOf(await addFilled(MANY))).toBeLessThan(1.5 * (await countBlocksOf(few)));
});
