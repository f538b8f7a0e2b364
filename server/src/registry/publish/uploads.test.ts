/** Publishing file by file, through links. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { announce, type Linked, put, putAll, sha256 } from '../../../test/announced-files.ts';
import { bundle } from '../../../test/bundles.ts';
import { startPublisher } from '../../../test/publisher.ts';
import { registryCleanUps } from '../blobs.ts';

const { server, leftovers, passDay } = await startPublisher();
const { owner, db, storage } = server;
const member = await server.addPerson('member', { role: 'member' });
const other = await server.addPerson('other', { role: 'member' });
const outsider = await server.addPerson('outsider');

const post = (path: string, body?: unknown, who = member) =>
  server.as(who).post(`/org/main/models/${path}`, body);
const create = (place: string, files: Record<string, string>, manifest: object = { summary: 'parts' }) =>
  post(`${place}/uploads`, { files: announce(files), manifest });
const ascending = (a: number, b: number) => a - b;

test('uploaded files are published, including the manifest', async () => {
  const files = { 'a.bin': 'content a', 'dir/b.bin': 'content b', 'copy.bin': 'content a', empty: '' };
  const created = await create('m/1.0.0', files, { summary: 'In parts', tags: ['t'], extra: 1 });
  expect(created).toMatchObject({ status: 201, body: { upload_id: expect.any(String) } });
  const { files: linked, expires_at } = created.body;
  expect(
    linked.map(({ path, sha256: digest, size_bytes }: Record<string, unknown>) => ({
      path,
      sha256: digest,
      size_bytes,
    })),
  ).toEqual(announce(files));
  expect(linked[0].url).toBe(linked[2].url);
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(3_600_000);
  await putAll(created.body, files);
  const completed = await post('m/1.0.0/complete', { upload_id: created.body.upload_id });
  expect(completed).toMatchObject({
    status: 201,
    body: { name: 'main/m', version: '1.0.0', summary: 'In parts', tags: ['t'], file_count: 5 },
  });
  const text = 'summary: In parts\ntags:\n  - t\nextra: 1\n';
  const listed = await server.as(member).get('/org/main/models/m/1.0.0/files');
  expect(listed.body.files).toEqual(
    announce({ ...files, 'model.yaml': text }).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  );
  const again = await post('m/1.0.0/complete');
  expect(again).toMatchObject({ status: 200, body: { id: completed.body.id } });
  const asBundle = await server
    .as(member)
    .put(
      '/org/main/models/m/1.0.0',
      bundle({ ...files, 'model.yaml': 'extra: 1\ntags: [t]\nsummary: In parts' }),
    );
  expect(asBundle).toMatchObject({ status: 200, body: { id: completed.body.id } });
  await passDay();
  const { keys, uploads, blobs } = (await leftovers()) as { keys: string[]; uploads: number; blobs: number };
  expect({ keys: keys.length, uploads, blobs }).toEqual({ keys: 4, uploads: 0, blobs: 4 });
});

test('an upload asks only for content that the organization lacks, regardless of other organizations', async () => {
  await server
    .as(member)
    .put('/org/main/models/known/1.0.0', bundle({ 'model.yaml': '{}', 'k.bin': 'known' }));
  const created = await create('known/2.0.0', { 'k.bin': 'known', 'n.bin': 'new' });
  expect(created.body.files).toMatchObject([{ url: null }, { url: expect.any(String) }]);
  await putAll(created.body, { 'n.bin': 'new' });
  expect((await post('known/2.0.0/complete')).status).toBe(201);

  await server.as(other).post('/user/onboarding', { username: 'other-one', org_name: 'Elsewhere' });
  const { body: organizations } = await server.as(other).get('/user/organizations');
  const elsewhere = organizations.find(({ key }: { key: string }) => key !== 'main')?.key;
  if (elsewhere) {
    const foreign = await server.as(other).post(`/org/${elsewhere}/models/known/1.0.0/uploads`, {
      files: announce({ 'k.bin': 'known' }),
      manifest: {},
    });
    expect(foreign.body.files).toMatchObject([{ url: expect.any(String) }]);
    expect(await server.as(other).post(`/org/${elsewhere}/models/known/1.0.0/complete`)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'k.bin'], msg: expect.stringContaining('was not uploaded') }] },
    });
  }
  expect(elsewhere).toBeDefined();
});

/** Returns the object key from a link. */
const keyOf = (url: string) => decodeURIComponent(new URL(url).pathname).split('/').slice(2).join('/');

test('completing an upload names missing and wrong files, publishes nothing and can be repeated', async () => {
  const files = { right: 'right', missing: 'missing', short: 'short', wrong: 'wrong' };
  const created = await create('mended/1.0.0', files);
  const urls = Object.fromEntries(created.body.files.map(({ path, url }: Linked) => [path, url]));
  await put(urls.right, 'right');
  // A link accepts exactly the announced size; an S3 server that does not enforce it may store something else.
  expect([await put(urls.short, 'shor'), await put(urls.short, 'shorter')]).toEqual([403, 403]);
  await server.storage.put(keyOf(urls.short), Buffer.from('shor'));
  await put(urls.wrong, 'gnorw');
  // A refused call does not use up its idempotency key.
  const complete = () =>
    server.as(member).post('/org/main/models/mended/1.0.0/complete', {}, { 'idempotency-key': 'mended' });
  const refused = await complete();
  expect(refused).toMatchObject({
    status: 422,
    body: {
      type: 'validation_error',
      errors: [
        { loc: ['body', 'missing'], msg: expect.stringContaining('was not uploaded; put it, or begin') },
        {
          loc: ['body', 'short'],
          msg: 'has 4 bytes, and was announced with 5',
        },
        { loc: ['body', 'wrong'], msg: expect.stringContaining(`has the SHA-256 ${sha256('gnorw')}`) },
      ],
    },
  });
  expect((await server.as(member).get('/org/main/models/mended')).status).toBe(404);
  // Verified files are not read again.
  await put(urls.right, 'RIGHT');
  for (const path of ['missing', 'short', 'wrong']) await put(urls[path], path);
  expect((await complete()).status).toBe(201);
  const file = await server.as(member).get('/org/main/models/mended/1.0.0/files/right');
  expect(file.status).toBe(302);
  expect(await (await fetch(String(file.headers.location))).text()).toBe('right');
});

test('overwriting an uploaded file after its verification has no effect', async () => {
  const created = await create('over/1.0.0', { 'o.bin': 'before' });
  const [{ url }] = created.body.files;
  await put(url, 'before');
  await post('over/1.0.0/complete');
  expect(await put(url, 'behind')).toBe(200);
  const file = await server.as(member).get('/org/main/models/over/1.0.0/files/o.bin');
  expect(await (await fetch(String(file.headers.location))).text()).toBe('before');
  await passDay();
  const { keys } = (await leftovers()) as { keys: string[] };
  expect(keys.filter((key) => key.includes('incoming'))).toEqual([]);
});

test('uploads for an existing version return 409 at once, except with the same content', async () => {
  const files = { 'a.bin': 'taken' };
  const first = await create('taken/1.0.0', files);
  await putAll(first.body, files);
  await post('taken/1.0.0/complete');
  expect(await create('taken/1.0.0', { 'a.bin': 'else' })).toMatchObject({
    status: 409,
    body: { type: 'already_exists_error' },
  });
  expect(await create('taken/1.0.0+b', files, { summary: 'else' })).toMatchObject({ status: 409 });
  expect(await create('taken/1.0.0', files)).toMatchObject({ status: 201, body: { files: [{ url: null }] } });
  expect((await post('taken/1.0.0/complete')).status).toBe(200);
  await server.as(member).delete('/org/main/models/taken/1.0.0');
  expect((await create('taken/1.0.0', files)).status).toBe(409);
  expect((await post('taken/1.0.0/complete')).status).toBe(409);
});

test('an upload belongs to its creator and to its version', async () => {
  const created = await create('mine/1.0.0', { a: 'mine' });
  await putAll(created.body, { a: 'mine' });
  const { upload_id } = created.body;
  const missing = { status: 404, body: { type: 'not_found_error' } };
  expect(await post('mine/1.0.0/complete', { upload_id }, other)).toMatchObject(missing);
  expect(await post('mine/1.0.1/complete', { upload_id })).toMatchObject(missing);
  expect(await post('yours/1.0.0/complete', { upload_id })).toMatchObject(missing);
  expect(await server.as(member).post('/org/main/tasks/mine/1.0.0/complete', { upload_id })).toMatchObject(
    missing,
  );
  expect((await post('mine/1.0.0/complete', { upload_id }, outsider)).status).toBe(403);
  expect(await post('mine/1.0.0/complete', { upload_id: 'x' })).toMatchObject({ status: 422 });
  await passDay();
  expect(await post('mine/1.0.0/complete', { upload_id })).toMatchObject(missing);
});

test('completing without an id completes the latest upload', async () => {
  const first = await create('latest/1.0.0', { a: 'first' });
  const second = await create('latest/1.0.0', { a: 'second' });
  await putAll(first.body, { a: 'first' });
  expect((await post('latest/1.0.0/complete')).status).toBe(422);
  await putAll(second.body, { a: 'second' });
  expect(await post('latest/1.0.0/complete')).toMatchObject({ status: 201 });
});

test('concurrent completions publish once', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`f${index}`, `at once ${index}`]),
  );
  const created = await create('once/1.0.0', files);
  await putAll(created.body, files);
  const responses = await Promise.all([1, 2, 3].map(() => post('once/1.0.0/complete')));
  expect(responses.map(({ status }) => status).toSorted(ascending)).toEqual([200, 200, 201]);
});

test('a version may consist of its manifest only', async () => {
  expect((await create('bare/1.0.0', {})).status).toBe(201);
  expect(await post('bare/1.0.0/complete')).toMatchObject({ status: 201, body: { file_count: 1 } });
});

test('a listed manifest must equal the manifest of the upload', async () => {
  const files = { 'model.yaml': 'summary: "same" # with a comment\n' };
  const created = await create('listed/1.0.0', files, { summary: 'same' });
  await putAll(created.body, files);
  expect(await post('listed/1.0.0/complete')).toMatchObject({ status: 201, body: { file_count: 1 } });
  const differing = await create('listed/2.0.0', files, { summary: 'other' });
  await putAll(differing.body, files);
  expect(await post('listed/2.0.0/complete')).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'model.yaml'] }] },
  });
});

test('content that was deleted in the meantime must be uploaded again', async () => {
  await server.as(member).put('/org/main/models/gone/1.0.0', bundle({ 'model.yaml': '{}', g: 'going' }));
  const created = await create('gone/2.0.0', { g: 'going' });
  expect(created.body.files).toMatchObject([{ url: null }]);
  await server.as(member).delete('/org/main/models/gone/1.0.0');
  await sql`UPDATE artifact_blobs /* of every organization */ SET unused_since = unused_since - interval '2 hours'`.execute(
    db,
  );
  for (const { run } of registryCleanUps(storage)) await run(db);
  expect(await post('gone/2.0.0/complete')).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'g'], msg: expect.stringContaining('begin the upload again') }] },
  });
});

const FILE = { path: 'a', size_bytes: 1, sha256: sha256('a') };

test.each<[string, unknown, unknown[][]]>([
  ['no manifest', { files: [FILE] }, [['body', 'manifest']]],
  ['a path out of it', { files: [{ ...FILE, path: '../a' }], manifest: {} }, [['body', 'files', 0, 'path']]],
  ['an absolute path', { files: [{ ...FILE, path: '/a' }], manifest: {} }, [['body', 'files', 0, 'path']]],
  ['a leading dot', { files: [{ ...FILE, path: './a' }], manifest: {} }, [['body', 'files', 0, 'path']]],
  ['a path twice', { files: [FILE, FILE], manifest: {} }, [['body', 'files', 1, 'path']]],
  [
    'a file in a file',
    { files: [FILE, { ...FILE, path: 'a/b' }], manifest: {} },
    [['body', 'files', 1, 'path']],
  ],
  [
    'a folder where the manifest is',
    { files: [{ ...FILE, path: 'model.yaml/x' }], manifest: {} },
    [['body', 'files']],
  ],
  [
    'two sizes of one content',
    { files: [FILE, { ...FILE, path: 'b', size_bytes: 2 }], manifest: {} },
    [['body', 'files', 1, 'size_bytes']],
  ],
  [
    'a file over 5 GiB',
    { files: [{ ...FILE, size_bytes: 5 * 2 ** 30 + 1 }], manifest: {} },
    [['body', 'files', 0, 'size_bytes']],
  ],
  [
    'a negative size',
    { files: [{ ...FILE, size_bytes: -1 }], manifest: {} },
    [['body', 'files', 0, 'size_bytes']],
  ],
  ['no digest', { files: [{ ...FILE, sha256: 'abc' }], manifest: {} }, [['body', 'files', 0, 'sha256']]],
  [
    'a manifest with another name',
    { files: [FILE], manifest: { name: 'other', tags: 1 } },
    [
      ['body', 'manifest', 'name'],
      ['body', 'manifest', 'tags'],
    ],
  ],
  [
    'a long manifest',
    { files: [FILE], manifest: { summary: 'x', long: 'x'.repeat(300_000) } },
    [['body', 'manifest']],
  ],
  [
    'a manifest of very many values',
    { files: [FILE], manifest: { a: Array(60_000).fill(1) } },
    [['body', 'manifest']],
  ],
  [
    'a path too deep',
    { files: [{ ...FILE, path: `${'d/'.repeat(32)}f` }], manifest: {} },
    [['body', 'files', 0, 'path']],
  ],
  [
    'two forms of one path',
    {
      files: [
        { ...FILE, path: '\u00e4' },
        { ...FILE, path: 'a\u0308' },
      ],
      manifest: {},
    },
    [['body', 'files', 1, 'path']],
  ],
  [
    '10,001 files',
    { files: Array.from({ length: 10_001 }, (_, index) => ({ ...FILE, path: `f${index}` })), manifest: {} },
    [['body', 'files']],
  ],
])('an upload with %s is refused', async (_what, body, locs) => {
  const before = await leftovers();
  const response = await post('refused/1.0.0/uploads', body, owner);
  expect(response.status).toBe(422);
  expect(response.body.errors.map(({ loc }: { loc: unknown }) => loc)).toEqual(locs);
  expect(await leftovers()).toEqual(before);
});

test('ten thousand files with long paths fit into one request', async () => {
  const folder = 'd'.repeat(200);
  const files = Array.from({ length: 10_000 }, (_, index) => ({
    path: `${folder}/${folder}/${folder}/${folder}/${index}`,
    size_bytes: 1,
    sha256: sha256(String(index % 50)),
  }));
  const response = await post('many/1.0.0/uploads', { files, manifest: {} });
  expect(response.status).toBe(201);
  expect(response.body.files).toHaveLength(10_000);
});
