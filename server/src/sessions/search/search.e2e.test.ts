/** Compares lists and facets of sessions with a model that does not use SQL: it filters every session of a random world one by one. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { expectedFacets, expectedPage, type SearchQuery, toParameters } from '../../../test/session-model.ts';
import {
  AGENTS,
  LABELS,
  MODELS,
  randomOrder,
  randomQuery,
  SEARCHES,
  type World,
  WorldMaker,
} from '../../../test/session-world.ts';
import { SESSIONS } from '../../../test/transcripts.ts';
import { COUNTED_AHEAD } from '../../platform/http/responses/pages.ts';
import { createLog } from '../../platform/log.ts';
import { ORIGINS, type SessionOf } from '../schema.ts';
import { ColumnIndex } from './columns/column-index.ts';
import { getFacets, type SearchOptions } from './facets.ts';
import { listSessions } from './list.ts';
import { SessionQuery } from './query.ts';
import { SessionListQuery } from './schema.ts';

const SESSION_COUNT = 210;
const QUERIES = 250;

const server = await startTestServer();
const { owner, db } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const cleo = await server.addPerson('cleo', { role: 'member' });
const reader = await server.addPerson('rob', { role: 'member', workspaceRole: 'reader' });
const callers: Readonly<Record<string, Person>> = { owner, ana, ben, reader };

const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const index = new ColumnIndex({ db, log: createLog('fatal') });
const unnaming = new ColumnIndex({ db, log: createLog('fatal'), maxNamed: 0 });

let world: World;
/** The sessions as each caller reads them one by one. */
const seen = new Map<Person, ReadonlyMap<string, SessionOf>>();

beforeAll(async () => {
  const people = [owner, ana, ben, cleo];
  world = await new WorldMaker(server, people, new Random('sessions', 'world')).make(SESSION_COUNT);
  await copyElsewhere();
  for (const caller of Object.values(callers)) {
    const visible = world.sessions.filter(
      ({ session }) => session.visibility === 'workspace' || session.user_id === caller.id,
    );
    const read = visible.map(({ session }) => server.as(caller).get(`${SESSIONS}/${session.id}`));
    seen.set(caller, new Map((await Promise.all(read)).map(({ body }) => [body.id, body])));
  }
  const filter = { archived: 'any', labels: [] } as const;
  for (const columns of [index, unnaming]) {
    await columns.facets(viewerOf(owner), filter);
    await columns.settled();
    expect(await columns.facets(viewerOf(owner), filter)).toBeDefined();
  }
  return () => Promise.all([index.close(), unnaming.close()]);
});

/** Copies all sessions into another workspace and another organization. */
async function copyElsewhere(): Promise<void> {
  await server.as(owner).post('/org/main/ws', { key: 'side', name: 'side' });
  const otherId = await addOrganization(server, owner, 'other');
  for (const workspace of [
    { org: organizationId, key: 'side' },
    { org: otherId, key: 'main' },
  ]) {
    const { numAffectedRows } = await sql`
      WITH place AS (SELECT w.organization_id, w.id FROM workspaces AS w WHERE w.organization_id = ${workspace.org} AND w.key = ${workspace.key})
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, agent, title, origin, visibility, labels, search_text)
      SELECT p.organization_id, gen_random_uuid(), p.id, s.user_id, s.model, s.agent, s.title, s.origin, s.visibility, s.labels, s.search_text
        FROM sessions AS s, place AS p WHERE s.organization_id = ${organizationId} AND s.workspace_id = ${workspaceId}`.execute(
      db,
    );
    expect(numAffectedRows).toBe(BigInt(SESSION_COUNT));
  }
}

const viewerOf = ({ id }: Person) => ({
  organizationId,
  workspaceId,
  principal: { userId: id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
});

interface Results {
  readonly facets: unknown;
  readonly list: {
    readonly sessions: readonly SessionOf[];
    readonly total: number;
    readonly total_is_exact: boolean;
  };
}

type Ask = (caller: Person, query: SearchQuery) => Promise<Results>;

/** Lets the server choose how to run the query. */
const askServer: Ask = async (caller, query) => {
  const [facets, list] = await Promise.all([
    server.as(caller).get(`${SESSIONS}/facets?${toParameters(query)}`),
    server.as(caller).get(`${SESSIONS}?${toParameters(query)}`),
  ]);
  expect([facets.status, list.status], JSON.stringify([facets.body, list.body])).toEqual([200, 200]);
  return { facets: facets.body, list: list.body };
};

const askWith =
  (options: SearchOptions): Ask =>
  async (caller, query) => ({
    facets: await getFacets(options, viewerOf(caller), SessionQuery.parse(query)),
    list: await listSessions(options, viewerOf(caller), SessionListQuery.parse(query)),
  });

const ways: Readonly<Record<string, Ask>> = {
  server: askServer,
  database: askWith({ db }),
  columns: askWith({ db, index }),
  'columns that name no sessions': askWith({ db, index: unnaming }),
};

/** Whether the total is bounded: only while no index is loaded, and then for most of a workspace in its own order. */
const isBounded = (way: string, { sort_by = 'updated_at', ...query }: SearchQuery) =>
  way === 'database' &&
  sort_by === 'updated_at' &&
  !(query.search?.trim() || query.label?.length) &&
  ![query.user_id, query.user, query.project_id, query.agent, query.model].some(Boolean);

async function expectSame(way: string, caller: string, query: SearchQuery): Promise<number> {
  const person = callers[caller] as Person;
  const responses = await (ways[way] as Ask)(person, query);
  const about = `${way}, ${caller}: ${JSON.stringify(query)}`;
  expect(responses.facets, about).toEqual(expectedFacets(world, person.id, query));
  const countedAhead = isBounded(way, query) ? COUNTED_AHEAD : undefined;
  const { ids, ...page } = expectedPage(world, person.id, query, countedAhead);
  expect(responses.list, about).toEqual({ sessions: ids.map((id) => seen.get(person)?.get(id)), ...page });
  return responses.list.total;
}

function alone(): SearchQuery[] {
  const { people, projects, deletedProjectId } = world;
  const labels = Object.entries(LABELS).flatMap(([key, values]) => values.map((value) => `${key}:${value}`));
  const all = { include_workload_sessions: true, archived: 'any' } as const;
  return [
    {},
    all,
    { include_workload_sessions: true },
    { include_workload_sessions: false },
    ...(['active', 'inactive', 'archived', 'any'] as const).map((archived) => ({ archived })),
    ...ORIGINS.map((origin) => ({ origin: [origin] })),
    { origin: ['user', 'world'], include_workload_sessions: true },
    ...people.flatMap(({ id, username }) => [{ user_id: id }, { user: [id] }, { user: [username] }]),
    { user: ['ana', ben.id.toUpperCase(), 'nobody'] },
    { user: ['nobody'] },
    { user: ['ANA'] },
    { user_id: ana.id, user: ['ana', 'ben'] },
    { user_id: ana.id, user: ['ben'] },
    ...projects.flatMap(({ id, key }) => [{ project_id: [id] }, { project_id: [key] }]),
    { project_id: [deletedProjectId] },
    { project_id: [deletedProjectId, 'one', 'none', ''] },
    ...[...AGENTS, 'none'].map((agent) => ({ agent: [agent] })),
    ...[...MODELS, 'none'].map((model) => ({ model: [model] })),
    ...labels.map((label) => Object.assign({ label: [label] }, all)),
    { label: labels, ...all },
    { label: ['team:red', 'team:Red'], ...all },
    { label: ['team:red', 'team:Red', 'İ:ς', 'İ:\u{1F680}', '10:9', '10:10'], ...all },
    ...SEARCHES.map((search) => Object.assign({ search }, all)),
    { search: 'x'.repeat(200) },
    ...(['created_at', 'updated_at', 'last_message_at', 'title', 'message_count'] as const).flatMap(
      (sort_by) => [
        { sort_by, ...all },
        { sort_by, sort_dir: 'asc' as const, limit: 7, page: 3, ...all },
      ],
    ),
    { page: Number.MAX_SAFE_INTEGER },
    { limit: 100, page: 2, ...all },
  ];
}

test.each(Object.keys(ways))(
  'every parameter alone returns what the model returns, by way of the %s',
  async (way) => {
    const queries = alone();
    let found = 0;
    for (const [index, query] of queries.entries()) {
      found += await expectSame(way, ['ana', 'ben', 'owner', 'reader'][index % 4] as string, query);
    }
    expect(found).toBeGreaterThan(queries.length);
  },
);

test.each(Object.keys(ways))(
  'combined parameters return what the model returns, by way of the %s',
  async (way) => {
    const random = new Random('queries', way);
    const totals: number[] = [];
    for (let count = 0; count < QUERIES; count++) {
      const query = randomQuery(random, world);
      totals.push(await expectSame(way, random.pick(Object.keys(callers)), query));
    }
    // Otherwise the world would be too small, or the filters too narrow, for a meaningful test.
    expect(totals.filter((total) => total > 0).length).toBeGreaterThan(QUERIES / 4);
  },
);

test.each(Object.keys(callers))(
  'all sort orders return what the model returns, for the %s',
  async (caller) => {
    const random = new Random('orders', caller);
    for (let count = 0; count < 20; count++) {
      const query = { include_workload_sessions: true, archived: 'any', ...randomOrder(random) } as const;
      expect(await expectSame('server', caller, query)).toBeGreaterThan(SESSION_COUNT / 3);
    }
  },
);
