/** Compares lists of task sets with a model that does not use SQL: it filters every set of a random world one by one. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type Person, startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';

const server = await startTestServer();
const { owner, db } = server;
const outsider = await server.addPerson('otto');
const third = await server.addPerson('theo');
const member = await server.addPerson('mia', { role: 'member' });

const SETS = 90;
const QUERIES = 450;

let state = 20_260_101;
/** Returns the same sequence in every run. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
const some = <T>(values: readonly T[], most: number) => [
  ...new Set(Array.from({ length: random(most + 1) }, () => pick(values))),
];
const maybe = <T>(make: () => T, oneIn = 3) => (random(oneIn) === 0 ? make() : undefined);

const ORGANIZATIONS = ['main', 'acme', 'zeta'];
const SOURCES = ['alpha', 'Beta', 'beta', 'Größe', '数学', '\u{1F680}', '\uFF5E', ''];
const TAGS = ['x', 'X', 'two words', 'naïve', 'e-mail', 'a,b', '{c}', '"d"', 'ﬁne'];
const WORDS = [
  'GSM8K',
  'gsm',
  "o'neil",
  "x' | 'y",
  'a:*',
  '数学 題',
  'İstanbul',
  'STRASSE',
  'Éte\u0301',
  '!',
  '\\',
  '①',
  'math',
];
const NAMES = ['math', 'gsm8k', 'o', 'x.y', 'long_name', 'math-2'];
const TASKS = ['foo', 'bar', 'main/foo', 'acme/foo', 'zeta/bar', 'nobody/foo'];
const VERSIONS = ['1.0.0', '1.0.0+one', '1.0.0-rc.1', '2.0.0', '10.0.0'];
const SEARCHES = [
  'gsm',
  'GSM8K',
  'mat',
  'math 2',
  'O',
  "o'n",
  "x' | 'y",
  "'",
  'a:*',
  '数',
  'stras',
  'ÉTÉ',
  'fin',
  '1',
  '  ',
  '',
  '...',
  'no such',
  'large main',
  'Größe',
  'grö',
  'nai',
  'y x',
];

interface Given {
  readonly name: string;
  readonly organization: string;
  readonly description: string | null;
  readonly source: string | null;
  readonly tags: string[] | null;
  readonly is_public: boolean;
  readonly members: string[];
}

interface Known extends Given {
  /** The set as its owner reads it. */
  readonly summary: Record<string, unknown> & { id: string; created_at: string; updated_at: string };
}

interface Query {
  source?: string[] | undefined;
  tags?: string[] | undefined;
  search?: string | undefined;
  contains?: string | undefined;
  sort_by?: 'name' | 'source' | 'created_at' | 'updated_at' | undefined;
  sort_dir?: 'asc' | 'desc' | undefined;
  page?: number | undefined;
  limit?: number | undefined;
  include_public?: boolean | undefined;
}

interface Reader {
  readonly credential: string;
  readonly organization: string;
}

const reference = () => pick(TASKS) + (random(2) === 0 ? `@${pick(VERSIONS)}` : '');

/** Returns owner, name and version, normalized; build metadata is ignored. */
function meaningOf(text: string, home: string) {
  const [place = '', version] = text.split('@');
  const [first = '', second] = place.split('/');
  const task = second === undefined ? `${home}/${first}` : `${first}/${second}`;
  return { task, version: version?.replace(/\+.*/, '') };
}

function randomSet(index: number): Given {
  const organization = pick(ORGANIZATIONS);
  const members = new Map<string, string>();
  for (const text of some(Array.from({ length: 6 }, reference), 4)) {
    const { task, version } = meaningOf(text, organization);
    members.set(`${task}@${version}`, text);
  }
  return {
    name: `${pick(NAMES)}-${index}`,
    organization,
    description: maybe(() => some(WORDS, 4).join(pick([' ', ', ', '\n'])), 2) ?? null,
    source: maybe(() => pick(SOURCES), 2) ?? null,
    tags: maybe(() => some(TAGS, 3), 2) ?? null,
    is_public: random(3) === 0,
    members: [...members.values()],
  };
}

const ownerOf: Record<string, Person> = { main: owner, acme: outsider, zeta: third };
const world: Known[] = [];
const readers: Record<string, Reader> = {};

async function insertKeyOf(person: Person, limits: object): Promise<string> {
  const { body } = await server.as(person).post('/user/api-keys', { name: 'narrow', ...limits });
  return body.key;
}

beforeAll(async () => {
  await addOrganization(server, outsider, 'acme');
  await addOrganization(server, third, 'zeta');
  const mainId = await findOrganizationId(server, 'main');
  const limits = { org_id: mainId, allowed_scopes: ['task_sets:read'] };
  readers.member = { credential: member.key, organization: 'main' };
  readers.outsider = { credential: outsider.key, organization: 'acme' };
  readers.key = { credential: await insertKeyOf(member, limits), organization: 'main' };
  for (let index = 0; index < SETS; index++) {
    const { organization, ...request } = randomSet(index);
    const as = server.as(ownerOf[organization]);
    const created = await as.post(`/org/${organization}/task-sets`, request);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    await changeTimes(created.body.id);
    const {
      members: _,
      unresolvable_count: __,
      publicly_runnable: ___,
      warnings: ____,
      ...summary
    } = (await as.get(`/org/${organization}/task-sets/${request.name}`)).body;
    world.push({ ...request, organization, summary });
  }
});

/** Uses few distinct times, so that many sets share one. */
async function changeTimes(id: string): Promise<void> {
  const at = () => `2026-01-0${1 + random(4)}T00:00:00Z`;
  await sql`UPDATE task_sets SET created_at = ${at()}, updated_at = ${at()} WHERE id = ${id} /* of every organization */`.execute(
    db,
  );
}

const wordsOf = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{Letter}\p{Number}\p{Mark}]+/u)
    .filter((word) => word !== '');

function hasWords({ name, description, source, tags }: Known, search: string): boolean {
  if (search.trim() === '') return true;
  const wanted = wordsOf(search);
  const present = [name, description ?? '', source ?? '', ...(tags ?? [])].flatMap(wordsOf);
  return wanted.length > 0 && wanted.every((word) => present.some((other) => other.startsWith(word)));
}

function containsTask({ members, organization }: Known, contains: string): boolean {
  const wanted = meaningOf(contains, organization);
  return members
    .map((text) => meaningOf(text, organization))
    .some(
      ({ task, version }) =>
        task === wanted.task && (wanted.version === undefined || wanted.version === version),
    );
}

function isListed(set: Known, { organization }: Reader, query: Query): boolean {
  const { source, tags, search, contains, include_public = false } = query;
  if (set.organization !== organization && !(include_public && set.is_public)) return false;
  if (source && (set.source === null || !source.includes(set.source))) return false;
  if (tags && !set.tags?.some((tag) => tags.includes(tag))) return false;
  if (search !== undefined && !hasWords(set, search)) return false;
  return contains === undefined || containsTask(set, contains);
}

function compare(a: Known, b: Known, { sort_by = 'created_at', sort_dir = 'desc' }: Query): number {
  const [left, right] = [a, b].map((set) => set.summary[sort_by] as string | null);
  if (left !== right) {
    if (typeof left !== 'string') return 1;
    if (typeof right !== 'string') return -1;
    const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
    return sort_dir === 'asc' ? order : -order;
  }
  return a.summary.id < b.summary.id ? -1 : 1;
}

const asSeenBy = (reader: Reader, { organization, summary }: Known) =>
  organization === reader.organization ? summary : { ...summary, created_by_user: null };

function expected(reader: Reader, query: Query) {
  const { page = 1, limit = 50 } = query;
  const matching = world
    .filter((set) => isListed(set, reader, query))
    .toSorted((a, b) => compare(a, b, query));
  const total_pages = Math.ceil(matching.length / limit);
  const shown = matching.slice((page - 1) * limit, page * limit);
  return {
    task_sets: shown.map((set) => asSeenBy(reader, set)),
    total: matching.length,
    page,
    limit,
    total_pages,
    has_next: page < total_pages,
    has_previous: page > 1 && matching.length > 0,
  };
}

async function expectSame(readerName: string, query: Query): Promise<number> {
  const reader = readers[readerName] as Reader;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) parameters.append(name, String(item));
    }
  }
  const response = await server
    .as(reader.credential)
    .get(`/org/${reader.organization}/task-sets?${parameters.toString()}`);
  const about = `${readerName}: ${JSON.stringify(query)}`;
  expect(response.status, about).toBe(200);
  expect(response.body, about).toEqual(expected(reader, query));
  return response.body.total;
}

const ALONE: Query[] = [
  {},
  ...SOURCES.map((source) => ({ source: [source] })),
  { source: ['alpha', '数学', 'none'] },
  ...TAGS.map((tag) => ({ tags: [tag] })),
  { tags: ['x', 'naïve', 'none'] },
  ...[...SEARCHES, ...WORDS, ...TAGS].map((search) => ({ search })),
  ...TASKS.map((contains) => ({ contains })),
  ...TASKS.map((contains) => ({ contains, include_public: true })),
  ...TASKS.flatMap((task) => VERSIONS.map((version) => ({ contains: `${task}@${version}` }))),
  ...(['name', 'source', 'created_at', 'updated_at'] as const).flatMap((sort_by) => [
    { sort_by },
    { sort_by, sort_dir: 'asc' as const },
    { sort_by, sort_dir: 'desc' as const, include_public: true, limit: 7, page: 2 },
  ]),
  { sort_dir: 'asc' },
  { page: 2 },
  { page: Number.MAX_SAFE_INTEGER },
  { limit: 1 },
  { limit: 100 },
  { limit: 3, page: 4 },
  { include_public: true },
  { include_public: false },
];

test.each(['member', 'outsider', 'key'])(
  'every parameter alone returns what the model returns, for the %s',
  async (reader) => {
    let found = 0;
    for (const query of ALONE) found += await expectSame(reader, query);
    expect(found).toBeGreaterThan(ALONE.length);
  },
);

test('combined parameters return what the model returns, for all callers', async () => {
  const totals: number[] = [];
  for (let count = 0; count < QUERIES; count++) {
    const query: Query = {
      source: maybe(() => [pick(SOURCES), ...some(SOURCES, 2)], 4),
      tags: maybe(() => [pick(TAGS), ...some(TAGS, 2)], 4),
      search: maybe(() => pick(SEARCHES), 4),
      contains: maybe(reference, 4),
      sort_by: maybe(() => pick(['name', 'source', 'created_at', 'updated_at'] as const), 2),
      sort_dir: maybe(() => pick(['asc', 'desc'] as const), 2),
      page: maybe(() => 1 + random(4)),
      limit: maybe(() => pick([1, 2, 5, 10, 100])),
      include_public: maybe(() => random(4) > 0, 2),
    };
    totals.push(await expectSame(pick(['member', 'outsider', 'key']), query));
  }
  // Otherwise the world would be too small, or the filters too narrow, for a meaningful test.
  expect(totals.filter((total) => total > 0).length).toBeGreaterThan(QUERIES / 3);
});

test('the list returns 403 to outsiders, to keys of another organization and to keys without the scope', async () => {
  const narrow = await insertKeyOf(outsider, { org_id: await findOrganizationId(server, 'acme') });
  const writer = await insertKeyOf(member, { allowed_scopes: ['task_sets:write', 'tasks:read'] });
  for (const credential of [outsider.key, narrow, writer]) {
    expect((await server.as(credential).get('/org/main/task-sets?include_public=true')).status).toBe(403);
  }
  expect((await server.as(readers.key?.credential).get('/org/acme/task-sets')).status).toBe(403);
});

test.each([
  ['page=0', 'page'],
  ['page=-1', 'page'],
  ['page=1.5', 'page'],
  ['page=x', 'page'],
  ['page=9007199254740992', 'page'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=', 'limit'],
  ['sort_by=id', 'sort_by'],
  ['sort_by=', 'sort_by'],
  ['sort_by=name&sort_by=source', 'sort_by'],
  ['sort_dir=up', 'sort_dir'],
  ['include_public=1', 'include_public'],
  ['include_public=', 'include_public'],
  ['contains=', 'contains'],
  ['contains=Foo', 'contains'],
  ['contains=foo@latest', 'contains'],
  ['contains=foo@%5E1.0.0', 'contains'],
  ['contains=foo@v1', 'contains'],
  ['contains=a/b/c', 'contains'],
  ['search=%00', 'search'],
  [`search=${'x'.repeat(1_001)}`, 'search'],
])('the list with query %s is refused', async (query, name) => {
  const response = await server.as(member).get(`/org/main/task-sets?${query}`);
  expect(response.status).toBe(422);
  expect(response.body).toMatchObject({ type: 'validation_error' });
  expect(response.body.errors.map(({ loc }: { loc: unknown[] }) => loc.slice(0, 2))).toEqual([
    ['query', name],
  ]);
});

test('search matches words by prefix regardless of case, even if a letter has another form at the end of a word', async () => {
  const request = { name: 'greek', description: 'ΟΔΟΣΑ σοφος', members: [] };
  expect((await server.as(member).post('/org/main/task-sets', request)).status).toBe(201);
  for (const search of ['ΟΔΟΣ', 'οδος', 'οδοσ', 'ΣΟΦΟΣ', 'σοφοσ']) {
    const { body } = await server.as(member).get(`/org/main/task-sets?search=${encodeURIComponent(search)}`);
    expect(body.task_sets.map(({ name }: { name: string }) => name)).toEqual(['greek']);
  }
});

test('search matches words of any length by prefix', async () => {
  const word = `q${'ß'.repeat(1_900)}`;
  const request = { name: 'endless', description: word, members: [] };
  expect((await server.as(member).post('/org/main/task-sets', request)).status).toBe(201);
  for (const search of ['qß', `q${'ß'.repeat(150)}`]) {
    const { body } = await server.as(member).get(`/org/main/task-sets?search=${encodeURIComponent(search)}`);
    expect(body.task_sets.map(({ name }: { name: string }) => name)).toEqual(['endless']);
  }
});
