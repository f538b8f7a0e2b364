/** Publishing of bundles through the API. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { announce } from '../../../test/announced-files.ts';
import { bundle } from '../../../test/bundles.ts';
import { startPublisher } from '../../../test/publisher.ts';
import { findBlobs, openBlob, registryCleanUps } from '../blobs.ts';
import { kindsOfArtifact } from '../manifests/kinds-of-artifact.ts';
import type { PublishedAs } from '../manifests/read-manifest.ts';
import { publishBundle } from './publish-bundle.ts';

const { server, leftovers, passDay } = await startPublisher();
const { owner, db, storage } = server;
const member = await server.addPerson('member', { role: 'member' });
const outsider = await server.addPerson('outsider');
const reader = await server.addPerson('reader', { role: 'member', scopes: ['models:read'] });
const ascending = (a: number, b: number) => a - b;
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const model = (
  version: string,
  files: Record<string, string | Buffer> = {},
  manifest = 'summary: A model\n',
) => server.as(member).put(`/org/main/models/m/${version}`, bundle({ 'model.yaml': manifest, ...files }));

test('publishing stores the version with its manifest and files and writes to the audit log', async () => {
  const manifest = 'summary: First\ntags: [a, b]\nlicense: mit\nextra: {kept: [1, null]}\n';
  const response = await model('1.0.0', { 'weights/w.bin': 'weights', 'same.bin': 'weights' }, manifest);
  expect(response).toMatchObject({
    status: 201,
    body: {
      name: 'main/m',
      version: '1.0.0',
      summary: 'First',
      tags: ['a', 'b'],
      license: 'mit',
      framework: 'safetensors',
      is_public: false,
      version_count: 1,
      file_count: 3,
      file_size_bytes: manifest.length + 14,
      manifest: { summary: 'First', tags: ['a', 'b'], license: 'mit', extra: { kept: [1, null] } },
      created_by_user: { username: 'member' },
    },
  });
  expect((await server.as(member).get('/org/main/models/m')).body).toEqual(response.body);
  const files = await server.as(member).get('/org/main/models/m/1.0.0/files');
  expect(files.body.files).toEqual([
    { path: 'model.yaml', size_bytes: manifest.length, sha256: sha256(manifest) },
    { path: 'same.bin', size_bytes: 7, sha256: sha256('weights') },
    { path: 'weights/w.bin', size_bytes: 7, sha256: sha256('weights') },
  ]);
  const log = await server.as(owner).get('/org/main/audit-log?action=model.published');
  expect(log.body.items).toMatchObject([
    { action: 'model.published', after: { name: 'm', version: '1.0.0', digest: response.body.digest } },
  ]);
  const { keys, uploads } = (await leftovers()) as { keys: string[]; uploads: number };
  expect({ objects: keys.length, uploads }).toEqual({ objects: 2, uploads: 0 });
});

test('publishing the same content again returns the existing version, other content returns 409', async () => {
  const first = await model('2.0.0', { 'a.txt': 'a', 'b.txt': 'b' }, 'summary: s\ntags: [x]\n');
  const before = await leftovers();
  const again = await model(
    '2.0.0',
    { 'b.txt': 'b', 'a.txt': 'a' },
    '# said otherwise\ntags: ["x"]\nsummary: "s"\n',
  );
  expect(again).toMatchObject({ status: 200, body: { id: first.body.id } });
  expect(again.body).toEqual(first.body);
  expect(await leftovers()).toEqual(before);
  const asBuild = await model('2.0.0+other.build', { 'a.txt': 'a', 'b.txt': 'b' }, 'summary: s\ntags: [x]\n');
  expect(asBuild).toMatchObject({ status: 200, body: { version: '2.0.0' } });
  for (const [files, manifest] of [
    [{ 'a.txt': 'a', 'b.txt': 'c' }, 'summary: s\ntags: [x]\n'],
    [{ 'a.txt': 'a', 'c.txt': 'b' }, 'summary: s\ntags: [x]\n'],
    [{ 'a.txt': 'a' }, 'summary: s\ntags: [x]\n'],
    [{ 'a.txt': 'a', 'b.txt': 'b' }, 'summary: s\ntags: [y]\n'],
  ] as const) {
    const response = await model('2.0.0', files, manifest);
    expect(response).toMatchObject({ status: 409, body: { type: 'already_exists_error' } });
    expect(response.body.detail).toContain('exists with other content');
    expect(await leftovers()).toEqual(before);
  }
});

test('publishing a deleted version number returns 409, even with the same content', async () => {
  await model('3.0.0');
  expect((await server.as(member).delete('/org/main/models/m/3.0.0')).status).toBe(204);
  expect(await model('3.0.0')).toMatchObject({ status: 409, body: { type: 'already_exists_error' } });
  expect((await model('3.0.1')).status).toBe(201);
});

test.each([
  ['/org/main/models/Not_A_Name/1.0.0', ['path', 'name']],
  ['/org/main/models/m/v1.0', ['path', 'version']],
  ['/org/main/models/m/latest', ['path', 'version']],
])('publishing to %s returns 422', async (path, loc) => {
  const response = await server.as(member).put(path, bundle({ 'model.yaml': 'a: 1' }));
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc }] } });
});

test('publishing returns 403 to outsiders and keys without the scope', async () => {
  const before = await leftovers();
  const body = bundle({ 'model.yaml': 'a: 1' });
  for (const who of [outsider, reader])
    expect((await server.as(who).put('/org/main/models/other/1.0.0', body)).status).toBe(403);
  expect((await server.as(undefined).put('/org/main/models/other/1.0.0', body)).status).toBe(401);
  expect(await server.as(member).put('/org/main/models/other/1.0.0', { a: 1 })).toMatchObject({
    status: 400,
  });
  expect(await leftovers()).toEqual(before);
});

test('one of several concurrent publications of a version succeeds; with the same content all do', async () => {
  const differing = await Promise.all(['a', 'b', 'c', 'd'].map((text) => model('4.0.0', { 'f.txt': text })));
  expect(differing.map(({ status }) => status).toSorted(ascending)).toEqual([201, 409, 409, 409]);
  const same = await Promise.all(['a', 'a', 'a', 'a'].map((text) => model('4.1.0', { 'f.txt': text })));
  expect(same.map(({ status }) => status).toSorted(ascending)).toEqual([200, 200, 200, 201]);
  expect(new Set(same.map(({ body }) => body.id)).size).toBe(1);
  const names = await Promise.all(
    ['1.0.0', '1.1.0', '1.2.0'].map((version) =>
      server.as(member).put(`/org/main/models/fresh/${version}`, bundle({ 'model.yaml': 'a: 1' })),
    ),
  );
  expect(names.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await server.as(member).get('/org/main/models/fresh')).body).toMatchObject({
    version: '1.2.0',
    version_count: 3,
  });
});

test('an invalid manifest is refused with the line', async () => {
  const before = await leftovers();
  const response = await model('5.0.0', {}, 'summary: x\nname: other\nversion: 5.0.1\ntags: no list\n');
  expect(response).toMatchObject({
    status: 422,
    body: {
      errors: [
        { loc: ['body', 'model.yaml', 'name'], msg: 'line 2: must equal the name that is published, "m"' },
        {
          loc: ['body', 'model.yaml', 'version'],
          msg: 'line 3: must equal the version that is published, "5.0.0"',
        },
        { loc: ['body', 'model.yaml', 'tags'], msg: expect.stringContaining('line 4: ') },
      ],
    },
  });
  expect(await leftovers()).toEqual(before);
  expect((await model('5.0.0', {}, 'name: m\nversion: 5.0.0+build\n')).status).toBe(201);
});

test('publishing invalid data files leaves nothing behind', async () => {
  const before = await leftovers();
  const files = { 'dataset.yaml': '{}', 'train.jsonl': '{"a": 1}\nno json\n' };
  const response = await server.as(member).put('/org/main/datasets/d/1.0.0', bundle(files));
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'train.jsonl'] }] } });
  expect(response.body.errors[0].msg).toContain('line 2');
  expect(await leftovers()).toEqual(before);
});

const SHARED = '{"a": "shared"}\n';

interface Slowly {
  readonly content?: string;
  /** Settles with the examination. */
  readonly examining?: Promise<void>;
  readonly stillAllowed?: () => Promise<void>;
}

/** @returns whether the version is new, and the content that was examined */
async function publishSlowly(
  version: string,
  { content = SHARED, examining, stillAllowed = async () => undefined }: Slowly,
) {
  const examined: string[] = [];
  const [reader] = kindsOfArtifact(async (splits, { open }) => {
    examined.push('begun');
    await examining;
    for (const { sha256: digest } of splits) examined.push(await text(await open(digest)));
    return splits.map((split) => ({ ...split, row_count: 1, columns: [] }));
  });
  if (!reader) throw new Error('there is no kind');
  const isNew = await publishBundle({ db, storage }, reader, {
    ...(await callOf(bundle({ 'dataset.yaml': '{}', 'train.jsonl': content }))),
    as: { name: 'shared', version },
    stillAllowed,
  });
  return { isNew, examined };
}

async function callOf(body: Buffer) {
  const principal = { userId: member.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  return {
    scope: {
      organizationId: await organizationId(),
      organizationKey: 'main',
      role: 'member',
      principal,
      requestId: 't',
    } as const,
    bundle: Readable.from([body], { objectMode: false }),
    signal: new AbortController().signal,
  };
}

test('publishModel returns 200 for an existing version that a newer rule would refuse, and 422 for a new one', async () => {
  const [file, manifest] = ['weights', 'licence: mit\n'];
  const refused = await model('6.0.0', { file }, manifest);
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ type: 'unknown_key' }] } });
  const [, reader] = kindsOfArtifact(async () => []);
  if (reader?.kind !== 'model') throw new Error('there is no model');
  // Older versions kept every unknown key.
  const withoutRule = {
    ...reader,
    read: (_: unknown, as: PublishedAs) => reader.read({ value: {}, loc: [] }, as),
  };
  await publishBundle({ db, storage }, withoutRule, {
    ...(await callOf(bundle({ 'model.yaml': manifest, file }))),
    as: { name: 'm', version: '6.0.0' },
    stillAllowed: async () => undefined,
  });
  expect(await model('6.0.0', { file }, manifest)).toMatchObject({
    status: 200,
    body: { manifest: { licence: 'mit' } },
    headers: { 'drydock-ignored': 'manifest.licence' },
  });
  const uploads = '/org/main/models/m/6.0.0';
  const announced = { files: announce({ file }), manifest: { licence: 'mit' } };
  expect((await server.as(member).post(`${uploads}/uploads`, announced)).status).toBe(201);
  expect((await server.as(member).post(`${uploads}/complete`)).status).toBe(200);
  expect((await model('6.0.0', { file: 'others' }, manifest)).status).toBe(422);
});

test('a failed publication keeps the content that a concurrent one examines', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const before = (await leftovers()) as { keys: string[] };
  const countKeys = async () => ((await leftovers()) as { keys: string[] }).keys.length;
  const failing = publishSlowly('1.0.0', { examining: first.promise });
  await expect.poll(countKeys).toBe(before.keys.length + 2);
  const succeeding = publishSlowly('2.0.0', { examining: second.promise });
  await expect.poll(countKeys).toBe(before.keys.length + 4);
  expect((await findBlobs(db, await organizationId(), [sha256(SHARED)])).size).toBe(0);
  first.reject(new Error('the examination broke'));
  await expect(failing).rejects.toThrow('the examination broke');
  expect(await countKeys()).toBe(before.keys.length + 2);
  second.resolve();
  expect(await succeeding).toEqual({ isNew: true, examined: ['begun', SHARED] });
  await passDay();
  const file = await server.as(member).get('/org/main/datasets/shared/2.0.0/files/train.jsonl');
  expect(await (await fetch(String(file.headers.location))).text()).toBe(SHARED);
});

test('an existing version is not examined again, and other content for it is refused without examination', async () => {
  await publishSlowly('3.0.0', {});
  const never = Promise.reject(new Error('it was examined'));
  never.catch(() => undefined);
  expect(await publishSlowly('3.0.0', { examining: never })).toEqual({ isNew: false, examined: [] });
  await expect(publishSlowly('3.0.0', { examining: never, content: '{"a": 2}\n' })).rejects.toMatchObject({
    type: 'already_exists_error',
  });
});

test('publishing fails if the caller loses permission during the examination', async () => {
  const before = await leftovers();
  let asked = 0;
  const stillAllowed = async () => {
    if (++asked === 2) throw new Error('not any more');
  };
  await expect(publishSlowly('4.0.0', { stillAllowed })).rejects.toThrow('not any more');
  expect(await leftovers()).toEqual(before);
});

test('publishing again while unused content is swept loses nothing', async () => {
  const content = (round: number) => ({ 'a.bin': `swept ${round}`, 'b.bin': `swept too ${round}` });
  for (let round = 0; round < 8; round++) {
    await server
      .as(member)
      .put(`/org/main/models/swept/1.0.${round}`, bundle({ 'model.yaml': 'a: 1', ...content(0) }));
    await server.as(member).delete(`/org/main/models/swept/1.0.${round}`);
    const again = server
      .as(member)
      .put(`/org/main/models/swept/2.0.${round}`, bundle({ 'model.yaml': 'a: 1', ...content(0) }));
    await sql`UPDATE artifact_blobs SET unused_since = unused_since - interval '25 hours'
      WHERE organization_id = ${await organizationId()}`.execute(db);
    await passBlobs();
    expect((await again).status).toBe(201);
    const read = await openBlob(db, storage, await organizationId(), sha256('swept 0'));
    expect(Buffer.concat(await Array.fromAsync(read)).toString()).toBe('swept 0');
    await server.as(member).delete(`/org/main/models/swept/2.0.${round}`);
  }
});

async function organizationId(): Promise<string> {
  const row = await db
    .selectFrom('organizations')
    .select('id')
    .where('key', '=', 'main')
    .executeTakeFirstOrThrow();
  return row.id;
}

async function passBlobs() {
  for (const { run } of registryCleanUps(storage)) await run(db);
}
