/** Compares every list parameter, alone and combined, with a plain filter over the rows of the tables. */
import { expect, test } from 'vitest';
import { expectedList, type Query } from '../../../test/artifact-list-model.ts';
import { addArtifacts, addOrganization, Random, VALUES } from '../../../test/artifact-world.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { KINDS, type Kind, PLURALS } from '../kinds.ts';

const QUERIES = 480;
const FORBIDDEN = { code: 403, type: 'forbidden_error', detail: expect.any(String) };

const random = new Random(20_240_517);
const server = await startTestServer();
const { db, owner } = server;
const member = await server.addPerson('member', { role: 'member' });
const outsider = await server.addPerson('outsider');
const { id: mainId } = (await server.as(owner).get('/org/main')).body;
// A dash sorts before the slash that ends the key of an organization, so `main-2/a` comes before `main/a`.
const places = [
  { key: 'main', id: mainId as string },
  await addOrganization(db, owner.id, 'main-2'),
  await addOrganization(db, owner.id, 'acme'),
  await addOrganization(db, outsider.id, 'zoo'),
];
const kinds: Kind[] = ['model', 'model', 'model', ...KINDS];
const creators = [owner.id, member.id, outsider.id];
const world = await addArtifacts(db, { random, places, creators, kinds, count: 360 });

const FILTERS: Record<Kind, readonly string[]> = {
  dataset: ['name', 'search', 'tags', 'license', 'task_categories'],
  model: ['name', 'search', 'tags', 'license', 'task_categories', 'framework', 'size_category'],
  task: ['name', 'search', 'tags', 'difficulty', 'source'],
  capability: ['name', 'search', 'tags', 'license'],
};

const PAGING: Record<string, () => Query[string]> = {
  sort_by: () => random.pick(['name', 'created_at', 'updated_at', 'file_size_bytes']),
  sort_dir: () => random.pick(['asc', 'desc']),
  page: () => random.pick([1, 2, 3, 40]),
  limit: () => random.pick([1, 2, 7, 50, 200]),
  include_public: () => !random.isOnce(3),
  mine: () => random.isOnce(2),
};

function makeValue(kind: Kind, parameter: string): Query[string] {
  if (parameter === 'name') return makeName(kind);
  if (parameter === 'search') return makeSearch();
  const known = VALUES[parameter as keyof typeof VALUES].filter((value) => value !== null);
  return [...random.some(known), random.pick([...known, 'nothing like it'])];
}

function makeName(kind: Kind): string {
  const { orgKey, name } = random.pick(world.filter((artifact) => artifact.kind === kind));
  return random.pick([
    name,
    name,
    `${orgKey}/${name}`,
    `main/${name}`,
    `${name}x`,
    name.toUpperCase(),
    `/${name}`,
  ]);
}

function makeSearch(): string {
  const { orgKey, name, versions } = random.pick(world);
  const whole = random.pick([
    `${orgKey}/${name}`,
    random.pick(versions).listing.summary ?? ' ',
    '%',
    '\n',
    ' \t',
  ]);
  const start = random.below(whole.length);
  const part = whole
    .slice(start, start + 1 + random.below(8))
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return random.isOnce(2) ? part.toUpperCase() : part;
}

function makeQuery(kind: Kind, howMany: number): Query {
  const parameters = [...FILTERS[kind], ...Object.keys(PAGING)];
  const chosen = Array.from({ length: howMany }, () => random.pick(parameters));
  return Object.fromEntries(
    chosen.map((parameter) => [parameter, PAGING[parameter]?.() ?? makeValue(kind, parameter)]),
  );
}

function toUrl(orgKey: string, kind: Kind, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
  return `/org/${orgKey}/${PLURALS[kind]}?${new URLSearchParams(pairs).toString()}`;
}

/** Members of the organization whose list is requested. */
const VIEWS: readonly (readonly [orgKey: string, person: Person])[] = [
  ['main', owner],
  ['main', member],
  ['main-2', owner],
  ['acme', owner],
  ['zoo', outsider],
];

async function check(orgKey: string, person: Person, kind: Kind, query: Query): Promise<number> {
  const url = toUrl(orgKey, kind, query);
  const { status, body } = await server.as(person).get(url);
  expect({ url, status, body }).toEqual({
    url,
    status: 200,
    body: expectedList(world, { orgKey, userId: person.id, kind, query }),
  });
  return body.total;
}

test('every parameter alone returns the same as a plain filter', async () => {
  for (const kind of KINDS) {
    for (const parameter of [...FILTERS[kind], ...Object.keys(PAGING)]) {
      const value = PAGING[parameter]?.() ?? makeValue(kind, parameter);
      await check('main', member, kind, { [parameter]: value });
    }
    for (const sort_by of ['name', 'created_at', 'updated_at', 'file_size_bytes']) {
      for (const sort_dir of ['asc', 'desc']) {
        await check('main', member, kind, { sort_by, sort_dir });
        await check('main', member, kind, { sort_by, sort_dir, include_public: true });
      }
    }
  }
});

test('random combinations of parameters return the same as a plain filter', async () => {
  let found = 0;
  for (let index = 0; index < QUERIES; index++) {
    const [orgKey, person] = random.pick(VIEWS);
    const kind = random.pick(kinds);
    const total = await check(orgKey, person, kind, makeQuery(kind, 1 + random.below(5)));
    if (total > 0) found++;
  }
  // Otherwise most comparisons would be between empty lists.
  expect(found).toBeGreaterThan(QUERIES / 3);
});

test('all pages of a list together are the whole list', async () => {
  for (let index = 0; index < 12; index++) {
    const kind = random.pick(kinds);
    const { page: _, limit: __, ...query } = makeQuery(kind, 2);
    const whole = expectedList(world, {
      orgKey: 'main',
      userId: member.id,
      kind,
      query: { ...query, limit: 10_000 },
    })[PLURALS[kind]];
    const items: unknown[] = [];
    for (let page = 1, isMore = true; isMore; page++) {
      const { body } = await server.as(member).get(toUrl('main', kind, { ...query, page, limit: 9 }));
      items.push(...body[PLURALS[kind]]);
      isMore = body.has_next;
    }
    expect(items).toEqual(whole);
  }
});

test('lists return 403 to users outside the organization, for any parameters', async () => {
  for (const kind of KINDS) {
    for (let index = 0; index < 10; index++) {
      const query = makeQuery(kind, index % 4);
      const foreign = await server.as(outsider).get(toUrl('main', kind, query));
      expect(foreign).toMatchObject({ status: 403, body: FORBIDDEN });
      const unknown = await server.as(outsider).get(toUrl('no-such-organization', kind, query));
      expect(unknown.body).toEqual(foreign.body);
    }
  }
});

test('a restricted key lists only what it is limited to', async () => {
  const makeKey = async (limits: object) =>
    ({
      ...owner,
      key: (await server.as(owner).post('/user/api-keys', { name: 'k', ...limits })).body.key,
    }) as Person;
  const ofMain = await makeKey({ org_id: mainId });
  const ofModels = await makeKey({ allowed_scopes: ['models:read'] });
  const toWrite = await makeKey({ allowed_scopes: ['models:write', 'datasets:read'] });
  for (let index = 0; index < 25; index++) {
    const query = makeQuery('model', 1 + random.below(4));
    await check('main', ofMain, 'model', query);
    await check(random.pick(['main', 'acme']), ofModels, 'model', query);
    const refused = [
      server.as(ofMain).get(toUrl('acme', 'model', query)),
      server.as(ofModels).get(toUrl('main', 'dataset', {})),
      server.as(toWrite).get(toUrl('main', 'model', query)),
    ];
    for (const response of await Promise.all(refused))
      expect(response).toMatchObject({ status: 403, body: FORBIDDEN });
  }
});
