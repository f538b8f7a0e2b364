import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { addFiles } from '../../../test/artifact-files.ts';
import { insertArtifact, type VersionRow } from '../../../test/artifact-rows.ts';
import { addOrganization } from '../../../test/artifact-world.ts';
import { startTestServer } from '../../../test/harness.ts';
import { KINDS, type Kind, PLURALS, titleOf } from '../kinds.ts';

const server = await startTestServer();
const { owner, db } = server;
const creator = await server.addPerson('creator', { role: 'member' });
const member = await server.addPerson('member', { role: 'member' });
const outsider = await server.addPerson('outsider');
const main = { key: 'main', id: (await server.as(owner).get('/org/main')).body.id as string };
const other = await addOrganization(db, outsider.id, 'other');

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const identity = ({ id, username, email }: typeof owner) => ({ id, username, email, full_name: null });
const notFound = (what: string) => ({
  status: 404,
  body: { code: 404, type: 'not_found_error', detail: `${what} was not found.` },
});

interface Made {
  readonly kind?: Kind;
  readonly isPublic?: boolean;
  readonly place?: { readonly id: string };
}

let count = 0;

/** Adds an artifact with a unique name. */
async function add(
  versions: readonly (VersionRow | string)[],
  { kind = 'dataset', isPublic = false, place = main }: Made = {},
) {
  const name = `artifact-${++count}`;
  const rows = versions.map((version) => (typeof version === 'string' ? { version } : version));
  const createdBy = place === main ? creator.id : outsider.id;
  const artifact = { organizationId: place.id, createdBy, kind, name, isPublic, versions: rows };
  return { name, ...(await insertArtifact(db, artifact)) };
}

const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');

const DETAILS: Record<Kind, Record<string, unknown>> = {
  dataset: {
    row_count: 7,
    splits: [
      {
        name: 'train',
        path: 'a.csv',
        format: 'csv',
        size_bytes: 9,
        row_count: 7,
        columns: [{ name: 'x', type: 'BIGINT' }],
      },
    ],
  },
  model: {},
  task: { verification_method: 'script', has_solution: true, timeout_seconds: 60 },
  capability: { component_counts: { agents: 2 }, flags: { fast: false }, description: 'Does it' },
};
const SHOWN: Record<Kind, object> = {
  dataset: { license: 'mit', task_categories: ['qa'], ...DETAILS.dataset },
  model: {
    license: 'mit',
    task_categories: ['qa'],
    framework: 'gguf',
    size_category: '7b',
    origin: { run: 1 },
    architecture: 'moe',
    base_model: null,
    pretty_name: 'Pretty',
    task: null,
    language: ['de'],
    aliases: [],
    alias_versions: {},
  },
  task: { difficulty: 'hard', source: 'own', ...DETAILS.task },
  capability: { license: 'mit', ...DETAILS.capability },
};

test.each(KINDS)('reading a %s returns its newest version, or any version by number', async (kind) => {
  const listing = {
    summary: 'S',
    tags: ['t'],
    license: 'mit',
    task_categories: ['qa'],
    framework: 'gguf',
    size_category: '7b',
    difficulty: 'hard',
    source: 'own',
  };
  const manifest = {
    architecture: 'moe',
    pretty_name: 'Pretty',
    language: ['de'],
    origin: { run: 1 },
    extra: [1, { a: null }],
  };
  const rich = { version: '1.10.0', listing, manifest, details: DETAILS[kind], file_size_bytes: 9 };
  const { name, versionIds } = await add(['1.9.0', rich, '2.0.0-rc.1'], { kind });
  const path = `/org/main/${PLURALS[kind]}/${name}`;
  const latest = await server.as(member).get(path);
  expect(latest).toMatchObject({ status: 200 });
  expect(latest.body).toEqual({
    id: versionIds[1],
    name: `main/${name}`,
    version: '1.10.0',
    organization_id: main.id,
    org_key: 'main',
    summary: 'S',
    tags: ['t'],
    ...SHOWN[kind],
    manifest,
    digest: digestOf(`${name}@1.10.0`),
    file_count: 0,
    file_size_bytes: 9,
    download_count: 0,
    is_public: false,
    version_count: 3,
    created_by_user: identity(creator),
    created_at: TIME,
    updated_at: TIME,
  });
  expect((await server.as(member).get(`${path}/1.10.0`)).body).toEqual(latest.body);
  expect((await server.as(member).get(`${path}/1.10.0+any.build`)).body).toEqual(latest.body);
  const prerelease = await server.as(member).get(`${path}/2.0.0-rc.1`);
  expect(prerelease.body).toMatchObject({
    id: versionIds[2],
    version: '2.0.0-rc.1',
    summary: null,
    version_count: 3,
  });
  expect(await server.as(member).get(`${path}/1.0.0`)).toMatchObject(
    notFound(`${titleOf(kind)} "${name}@1.0.0"`),
  );
});

test('listing versions returns them by precedence, newest first, in pages and without deleted ones', async () => {
  const { name, versionIds } = await add([
    '1.0.0',
    '1.0.0-rc.2',
    { version: '3.0.0', isDeleted: true },
    '1.0.0-rc.10',
    '0.9.0',
  ]);
  const path = `/org/main/datasets/${name}/versions`;
  const { body } = await server.as(member).get(`${path}?limit=3`);
  expect(body).toEqual({
    versions: ['1.0.0', '1.0.0-rc.10', '1.0.0-rc.2'],
    items: [
      {
        id: versionIds[0],
        version: '1.0.0',
        summary: null,
        digest: digestOf(`${name}@1.0.0`),
        file_count: 0,
        file_size_bytes: 0,
        download_count: 0,
        aliases: [],
        created_by_user: identity(creator),
        created_at: TIME,
      },
      expect.objectContaining({ id: versionIds[3], version: '1.0.0-rc.10' }),
      expect.objectContaining({ id: versionIds[1], version: '1.0.0-rc.2' }),
    ],
    total: 4,
    page: 1,
    limit: 3,
    total_pages: 2,
    has_next: true,
    has_previous: false,
  });
  const next = await server.as(member).get(`${path}?limit=3&page=2`);
  expect(next.body).toMatchObject({
    versions: ['0.9.0'],
    items: [{ id: versionIds[4], version: '0.9.0' }],
  });
  expect((await server.as(member).get(`${path}?limit=201`)).status).toBe(422);
});

test.each(['latest', 'v1.0', '1.0', '^1.0.0', '1.x', '01.0.0', '1.0.0%20'])(
  'reading an artifact of any kind at version %s returns 422',
  async (version) => {
    const { name } = await add(['1.0.0'], { kind: 'model' });
    for (const kind of KINDS) {
      const response = await server.as(member).get(`/org/main/${PLURALS[kind]}/${name}/${version}`);
      expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['path', 'version'] }] } });
      expect((await server.as(member).delete(`/org/main/${PLURALS[kind]}/${name}/${version}`)).status).toBe(
        422,
      );
    }
  },
);

test('an outsider can read public artifacts without email addresses, and gets 404 for everything else', async () => {
  const open = await add(['1.0.0'], { isPublic: true });
  const hidden = await add(['1.0.0']);
  await addFiles(server, main.id, open.versionIds[0] ?? '', { 'a.csv': 'x' });
  const path = `/org/main/datasets/${open.name}`;
  const asOutsider = server.as(outsider);
  expect(await asOutsider.get(path)).toMatchObject({
    status: 200,
    body: { created_by_user: null, is_public: true },
  });
  expect(await asOutsider.get(`${path}/1.0.0`)).toMatchObject({
    status: 200,
    body: { created_by_user: null },
  });
  expect(await asOutsider.get(`${path}/versions`)).toMatchObject({
    status: 200,
    body: { items: [{ created_by_user: null }] },
  });
  expect((await asOutsider.get(`${path}/1.0.0/files`)).body.total).toBe(1);
  expect((await asOutsider.get(`${path}/1.0.0/files/a.csv`)).status).toBe(302);
  for (const rest of ['', '/versions', '/1.0.0', '/1.0.0/files', '/1.0.0/files/a.csv']) {
    const responses = await Promise.all(
      [`main/datasets/${hidden.name}`, 'main/datasets/nothing', 'no-such-organization/datasets/nothing'].map(
        (place) => asOutsider.get(`/org/${place}${rest}`),
      ),
    );
    const [ofHidden, ofNothing, ofNowhere] = responses.map(({ status, body }) => ({ status, body }));
    const isVersion = rest.startsWith('/1');
    expect(ofHidden).toMatchObject(notFound(`Dataset "${hidden.name}${isVersion ? '@1.0.0' : ''}"`));
    expect(ofNothing).toMatchObject(notFound(`Dataset "nothing${isVersion ? '@1.0.0' : ''}"`));
    expect(ofNowhere).toEqual(ofNothing);
  }
});

test('artifacts of another organization are found by org/name, and only if they are public', async () => {
  const shared = await add(['1.0.0'], { place: other, isPublic: true });
  const hidden = await add(['1.0.0'], { place: other });
  const get = (place: string, as = server.as(member)) =>
    as.get(`/org/main/datasets/${encodeURIComponent(place)}`);
  expect(await get(`other/${shared.name}`)).toMatchObject({
    status: 200,
    body: { name: `other/${shared.name}`, organization_id: other.id, created_by_user: null },
  });
  expect(await get(`other/${hidden.name}`)).toMatchObject(notFound(`Dataset "other/${hidden.name}"`));
  // Members of both organizations use the path of the other one.
  expect((await get(`other/${hidden.name}`, server.as(outsider))).status).toBe(404);
  expect((await server.as(outsider).get(`/org/other/datasets/${hidden.name}`)).status).toBe(200);
  for (const place of [shared.name, `no-such/${shared.name}`, `other/${shared.name}/x`, '../x', 'A', '%00']) {
    expect([404, 422]).toContain((await get(place)).status);
  }
});

test('files are listed by path and read through a link', async () => {
  const { name, versionIds } = await add(['1.0.0', '2.0.0']);
  await addFiles(server, main.id, versionIds[0] ?? '', {
    'b.txt': 'bee',
    'dir/a b%.txt': 'größe',
    'B.txt': '',
  });
  const path = `/org/main/datasets/${name}/1.0.0/files`;
  expect((await server.as(member).get(path)).body).toEqual({
    files: [
      { path: 'B.txt', size_bytes: 0, sha256: digestOf('') },
      { path: 'b.txt', size_bytes: 3, sha256: digestOf('bee') },
      { path: 'dir/a b%.txt', size_bytes: 7, sha256: digestOf('größe') },
    ],
    total: 3,
    page: 1,
    limit: 100,
    total_pages: 1,
    has_next: false,
    has_previous: false,
  });
  expect((await server.as(member).get(`${path}?limit=1&page=2`)).body.files).toMatchObject([
    { path: 'b.txt' },
  ]);
  expect((await server.as(member).get(`${path}?limit=1001`)).status).toBe(422);

  const { status, headers } = await server.as(member).get(`${path}/dir/a%20b%25.txt`);
  expect(status).toBe(302);
  const file = await fetch(String(headers.location));
  expect(await file.text()).toBe('größe');
  expect(file.headers.get('content-disposition')).toMatch(/^attachment;.*a%20b%25\.txt$/);
  expect(await server.as(member).get(`${path}/dir`)).toMatchObject(notFound('File "dir"'));
  const ofOther = await server.as(member).get(`/org/main/datasets/${name}/2.0.0/files/b.txt`);
  expect(ofOther).toMatchObject(notFound('File "b.txt"'));
});

test.each([
  ['page', '0'],
  ['page', '-1'],
  ['limit', '0'],
  ['limit', '201'],
  ['sort_by', 'size'],
  ['sort_dir', 'up'],
  ['include_public', 'yes'],
  ['mine', '1'],
])('lists refuse %s=%s', async (parameter, value) => {
  for (const kind of KINDS) {
    const response = await server.as(member).get(`/org/main/${PLURALS[kind]}?${parameter}=${value}`);
    expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['query', parameter] }] } });
  }
});

test('search finds any part of the summary regardless of case, even if a letter has another form at the end of a word', async () => {
  const { name } = await add([{ version: '1.0.0', listing: { summary: 'ΟΔΟΣΑ σοφος' } }], { kind: 'task' });
  for (const search of ['ΟΔΟΣ', 'οδος', 'οδοσ', 'ΣΟΦΟΣ', 'φοσ', 'Α Σ']) {
    const { body } = await server.as(member).get(`/org/main/tasks?search=${encodeURIComponent(search)}`);
    expect(body.tasks).toMatchObject([{ name: `main/${name}` }]);
  }
});

test.each(['', '/versions', '/1.0.0/files'])(
  'any page beyond the last one of /models%s is empty',
  async (path) => {
    const { name } = await add(['1.0.0'], { kind: 'model' });
    const { status, body } = await server
      .as(member)
      .get(`/org/main/models${path && `/${name}${path}`}?page=${Number.MAX_SAFE_INTEGER}&limit=200`);
    expect(status).toBe(200);
    expect(Object.values(body).find(Array.isArray)).toEqual([]);
  },
);
