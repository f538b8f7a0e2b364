/** While sessions change, every response matches the state at one moment between its request and itself. */
import { beforeAll, expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import {
  expectedFacets,
  expectedPage,
  type KnownWorld,
  type SearchQuery,
  toParameters,
} from '../../../test/session-model.ts';
import { AGENTS, MODELS, maybe, SEARCHES } from '../../../test/session-world.ts';
import { SessionChanger, type WriterState } from '../../../test/session-writer.ts';
import { SESSIONS } from '../../../test/transcripts.ts';
import type { SessionOf } from '../schema.ts';
import { getFacets } from './facets.ts';
import { listSessions } from './list.ts';
import { SessionQuery } from './query.ts';
import { SessionListQuery } from './schema.ts';

const CHANGES = 150;

const server = await startTestServer();
const { owner, db } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const reader = await server.addPerson('rob', { role: 'member', workspaceRole: 'reader' });
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;

const changers = [new SessionChanger(server, ana, 'changes'), new SessionChanger(server, ben, 'changes')];
const users = [ana, ben].map(({ id, username, email }) => ({ id, username, email, full_name: null }));

interface Page {
  readonly sessions: readonly SessionOf[];
  readonly total: number;
}

interface Asked {
  readonly caller: Person;
  readonly query: SearchQuery;
  readonly result: { readonly facets: unknown } | { readonly page: Page };
  /** For each writer, the last change surely visible before the query, and the last that may be visible after it. */
  readonly windows: readonly { readonly from: number; readonly to: number }[];
}

type Ask = (caller: Person, query: SearchQuery) => Promise<Asked['result']>;

const viewerOf = ({ id }: Person) => ({
  organizationId,
  workspaceId,
  principal: { userId: id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
});

const WAYS: Readonly<Record<string, Ask>> = {
  'facets of the server': async (caller, query) => {
    const { status, body } = await server.as(caller).get(`${SESSIONS}/facets?${toParameters(query)}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return { facets: body };
  },
  'pages of the server': async (caller, query) => {
    const { status, body } = await server.as(caller).get(`${SESSIONS}?${toParameters(query)}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return { page: body };
  },
  'facets of the database': async (caller, query) => ({
    facets: await getFacets({ db }, viewerOf(caller), SessionQuery.parse(query)),
  }),
  'pages of the database': async (caller, query) => ({
    page: await listSessions({ db }, viewerOf(caller), SessionListQuery.parse(query)),
  }),
};

function randomFilter(random: Random): SearchQuery {
  return {
    include_workload_sessions: maybe(random, 0.7, () => true),
    archived: maybe(random, 0.5, () => random.pick(['active', 'inactive', 'archived', 'any'] as const)),
    user: maybe(random, 0.2, () => [random.pick(['ana', 'ben'])]),
    agent: maybe(random, 0.1, () => [random.pick(AGENTS), random.pick(AGENTS)]),
    model: maybe(random, 0.1, () => [random.pick(MODELS), random.pick(MODELS)]),
    search: maybe(random, 0.3, () => random.pick(SEARCHES)),
  };
}

const asked = new Map<string, Asked[]>(Object.keys(WAYS).map((way) => [way, []]));

async function keepAsking(way: string, isOver: () => boolean): Promise<void> {
  const random = new Random('questions', way);
  while (!isOver()) {
    const caller = random.pick([owner, ana, ben, reader]);
    const query = randomFilter(random);
    const before = changers.map(({ respondedCount: responded }) => responded);
    const result = await (WAYS[way] as Ask)(caller, query);
    const windows = changers.map(({ begun }, index) => ({ from: before[index] ?? 0, to: begun }));
    asked.get(way)?.push({ caller, query, result, windows });
  }
}

beforeAll(async () => {
  let isOver = false;
  const asking = Object.keys(WAYS).map((way) => keepAsking(way, () => isOver));
  const changing = changers.map(async (changer) => {
    for (let count = 0; count < CHANGES; count++) await changer.change();
  });
  try {
    await Promise.all(changing);
  } finally {
    isOver = true;
    await Promise.all(asking);
  }
});

/** Yields each moment at which the response may have been computed. */
function* momentsOf(windows: Asked['windows']): Generator<KnownWorld> {
  const [first, second] = windows.map(({ from, to }, index) => changers[index]?.states.slice(from, to + 1));
  for (const one of first ?? []) for (const other of second ?? []) yield toWorld([one, other]);
}

const toWorld = (states: readonly WriterState[]): KnownWorld => ({
  sessions: states.flatMap(({ sessions }) => [...sessions.values()]),
  groups: new Map(states.flatMap(({ groups }) => [...groups])),
  users,
  projects: [],
});

/** Removes the counts of the group, which include other sessions. */
const withoutGroup = (session: SessionOf) => Object.assign({}, session, { group: null });

function expectedResult(world: KnownWorld, { caller, query, result }: Asked): unknown {
  if ('facets' in result) return expectedFacets(world, caller.id, query);
  const { ids, total } = expectedPage(world, caller.id, query);
  const byId = new Map(world.sessions.map(({ session }) => [session.id, session]));
  return { total, sessions: ids.flatMap((id) => byId.get(id) ?? []).map(withoutGroup) };
}

const givenResult = ({ result }: Asked): unknown =>
  'facets' in result
    ? result.facets
    : { total: result.page.total, sessions: result.page.sessions.map(withoutGroup) };

const isSame = (a: unknown, b: unknown) => {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
};

test.each(Object.keys(WAYS))('%s', (way) => {
  const all = asked.get(way) ?? [];
  let moments = 0;
  for (const one of all) {
    const possible = [...momentsOf(one.windows)];
    moments += possible.length;
    const given = givenResult(one);
    if (possible.some((world) => isSame(given, expectedResult(world, one)))) continue;
    // The expected moment is unknown; the last one makes the most helpful failure message.
    expect(given, JSON.stringify(one.query)).toEqual(expectedResult(possible.at(-1) as KnownWorld, one));
  }
  // Otherwise no query ran while something changed.
  expect(all.length).toBeGreaterThan(20);
  expect(moments).toBeGreaterThan(all.length * 2);
});
