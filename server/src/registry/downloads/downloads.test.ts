import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type ArtifactContent, insertContent } from '../../../test/artifact-content.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { startTestWorker } from '../../../test/workers.ts';
import { countDownloads } from './counting.ts';

const server = await startTestServer();
const { db, owner } = server;
const member = await server.addPerson('member', { role: 'member' });
const stranger = await server.addPerson('stranger');
await startTestWorker(server);

const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();

const insert = (content: Omit<ArtifactContent, 'organizationId' | 'createdBy'>) =>
  insertContent(server, { organizationId, createdBy: owner.id, ...content });

const ROWS = '{"a":1,"b":"größe"}\n{"a":2,"b":null}\n';
const COLUMNS = [
  { name: 'a', type: 'BIGINT' },
  { name: 'b', type: 'VARCHAR' },
];
const jsonl = (name: string, path: string) =>
  ({ name, path, format: 'jsonl', columns: COLUMNS, row_count: 2 }) as const;

const ask = (who: Person, path: string, body?: unknown) =>
  server.as(who).post(`/org/main/${path}/download`, body);

const askUntilReady = (who: Person, path: string, body?: unknown) =>
  until('it is ready', async () => {
    const response = await ask(who, path, body);
    expect(response.status).toBe(200);
    expect(response.body.status).not.toBe('failed');
    return response.body.status === 'ready' && response.body;
  });

async function fetchBytes(url: string) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}

const countOf = async (versionId: string) => {
  const { rows } = await sql<{ folded: number; open: number }>`
    SELECT v.download_count AS folded, (SELECT count(*) FROM artifact_downloads d
             WHERE d.organization_id = v.organization_id AND d.version_id = v.id AND NOT d.is_counted) AS open
      FROM artifact_versions v WHERE v.organization_id = ${organizationId} AND v.id = ${versionId}`.execute(
    db,
  );
  return rows[0];
};

await insert({
  kind: 'dataset',
  name: 'one',
  files: { 'data/only.jsonl': ROWS, 'README.md': '# One', 'dataset.yaml': 'summary: one' },
  splits: [jsonl('train', 'data/only.jsonl')],
});
const two = {
  kind: 'dataset',
  name: 'two',
  version: '1.2.3-rc.1+build.5',
  files: { 'train.jsonl': ROWS, 'größe/тест 🚀.csv': 'a,b\n3,x\n', 'README.md': '# Two' },
  splits: [
    jsonl('train', 'train.jsonl'),
    { name: 'тест/1', path: 'größe/тест 🚀.csv', format: 'csv', columns: COLUMNS, row_count: 1 },
  ],
} as const;
await insert(two);
const shared = await insert({
  kind: 'dataset',
  name: 'shared',
  isPublic: true,
  files: { 'rows.csv': 'a,b\n1,x\n' },
  splits: [{ name: 'train', path: 'rows.csv', format: 'csv', columns: COLUMNS, row_count: 1 }],
});

test.each([[undefined], [{}], [null], [{ format: 'raw', split: null }], [{ format: 'raw', unknown: 1 }]])(
  'download returns the only data file unchanged for %j',
  async (body) => {
    const before = Date.now();
    const response = await ask(member, 'datasets/one/1.0.0', body);
    expect(response).toMatchObject({
      status: 200,
      body: {
        download_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'ready',
        url: expect.stringContaining('X-Amz-Expires=900'),
        filename: 'one-1.0.0.jsonl',
        expires_at: expect.stringMatching(/\.000Z$/),
      },
    });
    expect(Object.keys(response.body)).toEqual(['download_id', 'status', 'url', 'filename', 'expires_at']);
    const expires = Date.parse(response.body.expires_at);
    expect(expires).toBeGreaterThan(before + 899_000 - 1);
    expect(expires).toBeLessThanOrEqual(Date.now() + 900_000);
    const { bytes, headers } = await fetchBytes(response.body.url);
    expect(bytes.toString()).toBe(ROWS);
    expect(headers.get('content-disposition')).toContain('attachment; filename="one-1.0.0.jsonl"');
  },
);

test("download in the file's own format returns the file itself", async () => {
  const { body } = await ask(member, 'datasets/one/1.0.0', { format: 'jsonl' });
  expect(body).toMatchObject({ status: 'ready', filename: 'one-1.0.0.jsonl' });
  expect((await fetchBytes(body.url)).bytes.toString()).toBe(ROWS);
});

test('download of a split returns that split, under a portable filename', async () => {
  const train = await ask(member, 'datasets/two/1.2.3-rc.1', { split: 'train' });
  expect(train.body).toMatchObject({ status: 'ready', filename: 'two-1.2.3-rc.1+build.5-train.jsonl' });
  const other = await ask(member, 'datasets/two/1.2.3-rc.1+another', { split: 'тест/1', format: 'csv' });
  expect(other.body).toMatchObject({ status: 'ready', filename: 'two-1.2.3-rc.1+build.5-тест_1.csv' });
  const { bytes, headers } = await fetchBytes(other.body.url);
  expect(bytes.toString()).toBe('a,b\n3,x\n');
  expect(headers.get('content-disposition')).toContain(`filename*=UTF-8''two-1.2.3-rc.1%2Bbuild.5-%D1%82`);
});

test.each([
  ['an unknown format', 'two/1.2.3-rc.1', { format: 'xlsx' }, ['body', 'format'], /raw/],
  ['no format', 'two/1.2.3-rc.1', { format: null }, ['body', 'format'], /raw/],
  ['a split of another type', 'one/1.0.0', { split: 1 }, ['body', 'split'], /string/],
  ['an unknown split', 'one/1.0.0', { split: 'test' }, ['body', 'split'], /^must be one of "train"$/],
  ['an empty split', 'one/1.0.0', { split: '' }, ['body', 'split'], /^must be one of "train"$/],
  ['no split of several', 'two/1.2.3-rc.1', { format: 'csv' }, ['body', 'split'], /"train", "тест\/1"/],
  ['a version that is none', 'one/latest', {}, ['path', 'version'], /exact semantic version/],
])('download with %s returns 422', async (_, path, body, loc, msg) => {
  const response = await ask(member, `datasets/${path}`, body);
  expect(response).toMatchObject({
    status: 422,
    body: { type: 'validation_error', errors: [{ loc, msg: expect.stringMatching(msg) }] },
  });
});

test('download with a body other than an object returns 422', async () => {
  expect((await ask(member, 'datasets/one/1.0.0', [])).status).toBe(422);
  expect((await ask(member, 'datasets/one/1.0.0', '{')).status).toBe(400);
});

test('download returns the same 404 to outsiders for private and unknown artifacts and for unknown organizations', async () => {
  const detail = (name: string) => `Dataset "${name}@1.0.0" was not found.`;
  for (const name of ['one', 'nothing', 'No Name', 'main/one', 'a/b/c']) {
    const response = await ask(stranger, `datasets/${encodeURIComponent(name)}/1.0.0`);
    expect(response).toMatchObject({ status: 404, body: { type: 'not_found_error', detail: detail(name) } });
  }
  const nowhere = await server.as(stranger).post('/org/nowhere/datasets/one/1.0.0/download');
  expect(nowhere).toMatchObject({ status: 404, body: { detail: detail('one') } });
  expect(await ask(member, 'datasets/one/2.0.0')).toMatchObject({ status: 404 });
  expect(await ask(member, 'models/one/1.0.0')).toMatchObject({ status: 404 });
  expect((await server.as(undefined).post('/org/main/datasets/shared/1.0.0/download')).status).toBe(401);
});

test("download of a public artifact works for everyone, through the owner's path and by org/name", async () => {
  const own = await ask(stranger, 'datasets/shared/1.0.0', { format: 'jsonl' });
  expect(own.status).toBe(200);
  const { url } = await askUntilReady(stranger, 'datasets/main%2Fshared/1.0.0', { format: 'jsonl' });
  expect((await fetchBytes(url)).bytes.toString()).toBe('{"a":1,"b":"x"}\n');
});

test('download ignores Idempotency-Key: each response counts as a download', async () => {
  const path = '/org/main/datasets/one/1.0.0/download';
  const send = () => server.as(member).post(path, {}, { 'idempotency-key': 'same' });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(first.body.download_id).not.toBe(second.body.download_id);
});

test('download needs the read scope', async () => {
  const person = await server.addPerson('narrow', { role: 'member', scopes: ['datasets:read'] });
  expect((await ask(person, 'datasets/one/1.0.0')).status).toBe(200);
  const other = await server.addPerson('other', {
    role: 'member',
    scopes: ['datasets:write', 'models:read'],
  });
  expect((await ask(other, 'datasets/one/1.0.0')).status).toBe(403);
});

test('every ready download is counted, exactly at any moment', async () => {
  await countDownloads(db);
  const before = await countOf(shared.versionId);
  expect(before?.open).toBe(0);
  const responses = await Promise.all(
    Array.from({ length: 7 }, () => ask(stranger, 'datasets/shared/1.0.0')),
  );
  expect(new Set(responses.map(({ body }) => body.download_id)).size).toBe(7);
  expect(await countOf(shared.versionId)).toEqual({ folded: before?.folded, open: 7 });
  const folded = await Promise.all([countDownloads(db, 2), countDownloads(db, 3)]);
  expect(folded[0] + folded[1]).toBe(7);
  expect(await countOf(shared.versionId)).toEqual({ folded: (before?.folded ?? 0) + 7, open: 0 });
  expect(await countDownloads(db)).toBe(0);
  const events = await db
    .selectFrom('artifact_downloads')
    .select(['user_id', 'format', 'split', 'is_counted'])
    .where('organization_id', '=', organizationId)
    .where(
      'id',
      'in',
      responses.map(({ body }) => body.download_id as string),
    )
    .execute();
  const event = { user_id: stranger.id, format: 'raw', split: null, is_counted: true };
  expect(events).toEqual(Array.from({ length: 7 }, () => event));
});

test('making an artifact private stops downloads and conversions for outsiders', async () => {
  const place = 'datasets/leaving/1.0.0';
  await insert({
    kind: 'dataset',
    name: 'leaving',
    isPublic: true,
    files: { 'rows.jsonl': ROWS },
    splits: [jsonl('train', 'rows.jsonl')],
  });
  expect((await ask(stranger, place, { format: 'csv' })).body.status).toBe('preparing');
  await server.as(owner).patch('/org/main/datasets/leaving/visibility', { is_public: false });
  const hidden = await ask(stranger, place, { format: 'csv' });
  expect(hidden.status).toBe(404);
  expect((await ask(stranger, place)).body.detail).toBe(hidden.body.detail);
  await askUntilReady(member, place, { format: 'csv' });
  expect((await ask(stranger, place, { format: 'csv' })).status).toBe(404);
});

test('download of a model returns its only file, or an archive of several with the manifest', async () => {
  const weights = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));
  await insert({
    kind: 'model',
    name: 'small',
    files: { 'w/model.safetensors': weights, 'model.yaml': 'x: 1' },
  });
  const small = await ask(member, 'models/small/1.0.0');
  expect(small).toMatchObject({
    status: 200,
    body: { status: 'ready', filename: 'small-1.0.0.safetensors' },
  });
  expect((await fetchBytes(small.body.url)).bytes.equals(weights)).toBe(true);

  await server.as(owner).put('/org/main/models/small/aliases/best', { version: '1.0.0' });
  expect((await ask(member, 'models/small/best')).body.filename).toBe('small-1.0.0.safetensors');

  await insert({ kind: 'model', name: 'large', isPublic: true, files: { a: weights, 'b/LICENSE': 'MIT' } });
  const first = await ask(stranger, 'models/large/1.0.0');
  expect(first.body).toMatchObject({ status: 'preparing', url: null, filename: null, expires_at: null });
  const ready = await askUntilReady(stranger, 'models/large/1.0.0');
  expect(ready.filename).toBe('large-1.0.0.tar.gz');
});

test('a downloaded archive can be published again as a bundle', async () => {
  const path = '/org/main/datasets/again/1.0.0';
  const files = { 'größe/a.jsonl': Buffer.from(ROWS.repeat(2)), 'b.jsonl': Buffer.from(ROWS.repeat(3)) };
  const announced = Object.entries(files).map(([name, content]) => ({
    path: name,
    size_bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  const manifest = { summary: 'Größe', splits: { a: 'größe/a.jsonl', b: 'b.jsonl' } };
  const upload = await server.as(owner).post(`${path}/uploads`, { files: announced, manifest });
  for (const { path: name, url } of upload.body.files as { path: keyof typeof files; url: string }[])
    expect((await fetch(url, { method: 'PUT', body: files[name] })).status).toBe(200);
  const published = await server.as(owner).post(`${path}/complete`);
  expect(published.status).toBe(201);

  const bundle = (await fetchBytes((await askUntilReady(owner, 'datasets/again/1.0.0', {})).url)).bytes;
  const other = await server.as(owner).put('/org/main/datasets/and-again/1.0.0', bundle);
  expect(other).toMatchObject({
    status: 201,
    body: { digest: published.body.digest, splits: published.body.splits },
  });
});
