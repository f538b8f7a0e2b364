/** The statements of lists and facets: few, so that each is planned once, and none scans rows of other callers. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { explainWork } from '../../../test/query-plans.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { findSessionsByMessage } from './columns/message-matches.ts';
import { selectPage } from './list.ts';
import { isBroad } from './matching.ts';
import { resolveFilter, type SessionFilter, SessionQuery } from './query.ts';
import { SORT_KEYS } from './schema.ts';
import type { PageOrder } from './session-index.ts';
import { countFacets, selectCounts, selectCountsApart } from './sql-facets.ts';

const server = await startTestServer();
const { owner, db } = server;
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const principal = { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const viewer = { organizationId, workspaceId, principal };

const DEFAULT: SessionFilter = { archived: 'active', labels: [], origins: ['user'] };
const FIRST: PageOrder = { sort_by: 'updated_at', sort_dir: 'desc', offset: 0, limit: 50 };
const BOUNDED = { max: 151, maxWalked: undefined };
const WALKED = { max: 151, maxWalked: 10_000 };
const LABELS = ['a', 'b', 'c'].map((key) => ({ key, values: ['x', 'y'] }));

const VALUES: Partial<Record<keyof SessionFilter, readonly unknown[]>> = {
  userId: [undefined, uuidv7()],
  userIds: [undefined, [], [uuidv7(), uuidv7()]],
  projectIds: [undefined, [uuidv7()]],
  agents: [undefined, ['a', 'b']],
  models: [undefined, ['m']],
  origins: [undefined, ['eval', 'worker']],
  archived: ['active', 'any'],
  labels: [[], LABELS.slice(0, 1), LABELS.slice(0, 2), LABELS],
  search: [undefined, '%'],
};

function filters(): SessionFilter[] {
  let all: SessionFilter[] = [DEFAULT];
  for (const [name, values] of Object.entries(VALUES))
    all = all.flatMap((filter) => values.map((value) => Object.assign({}, filter, { [name]: value })));
  return all;
}

test('all queries together use only a few statements', () => {
  const texts = new Set<string>();
  const all = filters();
  expect(all.length).toBeGreaterThan(1_000);
  for (const [index, filter] of all.entries()) {
    const counts = isBroad(filter) ? selectCountsApart(viewer, filter) : [selectCounts(viewer, filter)];
    for (const statement of counts) texts.add(statement.compile(db).sql);
    const sort_by = SORT_KEYS[index % SORT_KEYS.length] ?? 'title';
    for (const sort_dir of ['asc', 'desc'] as const)
      texts.add(selectPage(viewer, filter, { sort_by, sort_dir, offset: index, limit: 50 }).compile(db).sql);
  }
  for (const sort_by of SORT_KEYS)
    for (const sort_dir of ['asc', 'desc'] as const)
      texts.add(selectPage(viewer, DEFAULT, { ...FIRST, sort_by, sort_dir }).compile(db).sql);
  for (const sort_dir of ['asc', 'desc'] as const)
    for (const bounds of [BOUNDED, WALKED, { max: 1_101, maxWalked: 1_000 }])
      texts.add(selectPage(viewer, DEFAULT, { ...FIRST, sort_dir }, bounds).compile(db).sql);
  expect(texts.size).toBe(3 + 2 * SORT_KEYS.length * 2 + 2 * 2);
});

/** Inserts sessions, each with a message and in a group of its own. */
async function addSessions(place: { org: string; workspace: string }, count: number): Promise<void> {
  await sql`
    WITH grouped AS (
      INSERT INTO session_groups (organization_id, id, workspace_id, kind, created_by)
      SELECT ${place.org}, gen_random_uuid(), ${place.workspace}, 'workflow', ${owner.id} FROM generate_series(1, ${count}::int)
      RETURNING organization_id, id, workspace_id
    ), added AS (
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, labels, group_id, last_seq,
                            updated_at)
      SELECT organization_id, gen_random_uuid(), workspace_id, ${owner.id}, 'm', 'user', 'private', '{"a": ["x"]}', id, 1,
             now() - random() * interval '1 day' FROM grouped
      RETURNING organization_id, id, workspace_id
    )
    INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, search_text)
    SELECT organization_id, id, 1, workspace_id, 'one', 'user', 'Hello', 'hello' FROM added`.execute(db);
}

beforeAll(async () => {
  for (const table of ['sessions', 'session_messages', 'session_groups'])
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  const side = (await server.as(owner).post('/org/main/ws', { key: 'side', name: 'side' })).body.id;
  const other = await addOrganization(server, owner, 'other');
  const otherWorkspace: string = (await server.as(owner).get('/org/other/ws/main')).body.id;
  await addSessions({ org: organizationId, workspace: workspaceId }, 300);
  await addSessions({ org: organizationId, workspace: side }, 2_000);
  await addSessions({ org: other, workspace: otherWorkspace }, 2_000);
});

const ASKED: Readonly<Record<string, SessionFilter>> = {
  'most of the workspace': DEFAULT,
  'a model': { ...DEFAULT, models: ['m'] },
  labels: { ...DEFAULT, labels: LABELS },
  'a text': { ...DEFAULT, search: 'hell' },
};

test.each(Object.keys(ASKED))('a query for %s scans no rows of others', async (name) => {
  const filter = ASKED[name] as SessionFilter;
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await sql`ANALYZE sessions, session_messages, session_groups`.execute(db);
    const plans = await explainWork(server, async (on) => {
      await countFacets(on, viewer, filter);
      for (const sort_by of SORT_KEYS) await selectPage(viewer, filter, { ...FIRST, sort_by }).execute(on);
      for (const bounds of isBroad(filter) ? [BOUNDED, WALKED] : [])
        await selectPage(viewer, filter, FIRST, bounds).execute(on);
    });
    expect(plans).toHaveLength(2 * ((isBroad(filter) ? 4 : 1) + SORT_KEYS.length));
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan on session/);
      // An index by organization alone would scan its other workspaces.
      expect(plan).not.toMatch(/on session[^\n]*\n\s*Index Cond: \(organization_id = [^ ]+\)$/m);
    }
  }
});

test('messages are searched session by session', async () => {
  for (const among of [undefined, [uuidv7(), uuidv7()]]) {
    const plans = await explainWork(server, (on) =>
      findSessionsByMessage(on, viewer, { ...DEFAULT, search: 'hell' }, among),
    );
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toMatch(/on session_messages[^\n]*\n\s*Index Cond: .*session_id = /);
      expect(plan).not.toMatch(/Seq Scan on session/);
    }
  }
});

test('the most recently changed sessions are read in index order', async () => {
  await addSessions({ org: organizationId, workspace: workspaceId }, 3_000);
  await sql`ANALYZE sessions`.execute(db);
  const IN_ORDER =
    /Limit[^\n]*\n([^\n]*(InitPlan|Result)[^\n]*\n)*[^\n]*Incremental Sort[\s\S]*Index Scan Backward using sessions_updated_at/;
  for (const bounds of [undefined, BOUNDED, WALKED]) {
    const plans = await explainWork(server, (on) => selectPage(viewer, DEFAULT, FIRST, bounds).execute(on));
    for (const plan of bounds ? plans : plans.slice(0, 1)) expect(plan).toMatch(IN_ORDER);
  }
});

test('names are looked up only when the query has any', async () => {
  const statementsFor = async (query: object) => {
    const resolve = (on: typeof db) => resolveFilter(on, viewer, SessionQuery.parse(query));
    return (await explainWork(server, resolve)).length / 2;
  };
  expect(await statementsFor({ user_id: uuidv7(), user: [uuidv7()], model: ['m'], search: 'x' })).toBe(0);
  expect(await statementsFor({ user: ['ana'] })).toBe(1);
  expect(await statementsFor({ user: ['ana'], project_id: ['one', uuidv7()] })).toBe(1);
});
