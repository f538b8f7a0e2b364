import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addFiles } from '../../../test/artifact-files.ts';
import { insertArtifact, type VersionRow } from '../../../test/artifact-rows.ts';
import { addOrganization } from '../../../test/artifact-world.ts';
import { startTestServer } from '../../../test/harness.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createLog } from '../../platform/log.ts';
import { sweep } from '../../platform/sweeper/sweeper.ts';
import { registryCleanUps } from '../blobs.ts';
import { refreshArtifact } from '../head.ts';
import { KINDS, type Kind, PLURALS, titleOf } from '../kinds.ts';
import { lockArtifact } from './lock.ts';

const server = await startTestServer();
const { owner, db } = server;
const creator = await server.addPerson('creator', { role: 'member' });
const member = await server.addPerson('member', { role: 'member' });
const outsider = await server.addPerson('outsider');
const main = { key: 'main', id: (await server.as(owner).get('/org/main')).body.id as string };
const other = await addOrganization(db, outsider.id, 'other');

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

const principal = { userId: creator.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const SCOPE = { principal, requestId: 'test', organizationKey: 'main', role: 'member' } as const;

const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');

test('deletion of a version keeps its number taken, releases its content and makes the previous version the latest', async () => {
  const { id, name, versionIds } = await add(
    [
      { version: '1.0.0', listing: { summary: 'one' } },
      { version: '2.0.0', listing: { summary: 'two' } },
    ],
    { isPublic: true },
  );
  await addFiles(server, main.id, versionIds[0] ?? '', { 'both.txt': 'both' });
  await addFiles(server, main.id, versionIds[1] ?? '', { 'both.txt': 'both', 'alone.txt': 'alone' });
  const path = `/org/main/datasets/${name}`;
  expect(await server.as(member).delete(`${path}/2.0.0`)).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
  expect((await server.as(creator).delete(`${path}/2.0.0+any.build`)).status).toBe(204);
  expect(await server.as(creator).delete(`${path}/2.0.0`)).toMatchObject(notFound(`Dataset "${name}@2.0.0"`));
  expect(await server.as(member).get(`${path}/2.0.0/files`)).toMatchObject(
    notFound(`Dataset "${name}@2.0.0"`),
  );
  expect((await server.as(member).get(path)).body).toMatchObject({
    version: '1.0.0',
    summary: 'one',
    version_count: 1,
  });
  await sql`UPDATE artifact_blobs SET unused_since = now() - interval '2 hours'
             WHERE organization_id = ${main.id} AND unused_since IS NOT NULL`.execute(db);
  await sweep({ db, log: createLog('silent'), cleanUps: registryCleanUps(server.storage) });
  const blobs = await db
    .selectFrom('artifact_blobs')
    .select(['sha256', 'unused_since'])
    .where('organization_id', '=', main.id)
    .execute();
  const findBlob = (content: string) =>
    blobs.find(({ sha256 }) => sha256.toString('hex') === digestOf(content));
  expect(findBlob('both')).toMatchObject({ unused_since: null });
  expect(findBlob('alone')).toBeUndefined();

  expect((await server.as(owner).delete(`${path}/1.0.0`)).status).toBe(204);
  for (const gone of [path, `${path}/versions`, `${path}/1.0.0`])
    expect((await server.as(creator).get(gone)).status).toBe(404);
  expect(await server.as(creator).patch(`${path}/visibility`, { is_public: false })).toMatchObject(
    notFound(`Dataset "${name}"`),
  );
  const rows = await db
    .selectFrom('artifact_versions')
    .select(['version', 'manifest', 'details', 'file_count'])
    .where('organization_id', '=', main.id)
    .where('artifact_id', '=', id)
    .orderBy('precedence')
    .execute();
  expect(rows).toEqual(
    ['1.0.0', '2.0.0'].map((version) => ({ version, manifest: {}, details: {}, file_count: 0 })),
  );
  const { items } = (await server.as(owner).get('/org/main/audit-log')).body;
  expect(items.slice(0, 2)).toMatchObject([
    { action: 'dataset.version_deleted', resource: `datasets/${id}`, before: { name, version: '1.0.0' } },
    { action: 'dataset.version_deleted', resource: `datasets/${id}`, before: { name, version: '2.0.0' } },
  ]);
});

test.each(KINDS)('the creator of a %s and admins can make it public or private', async (kind) => {
  const { id, name } = await add(['1.0.0'], { kind });
  const path = `/org/main/${PLURALS[kind]}/${name}`;
  const change = (as: typeof owner, body: object, place = path) =>
    server.as(as).patch(`${place}/visibility`, body);
  const isSeen = async () => (await server.as(outsider).get(path)).status === 200;

  expect(await change(creator, { is_public: true })).toMatchObject({
    status: 200,
    body: {
      is_public: true,
      message: `The ${kind} "main/${name}" is now public: anyone who is signed in can see it.`,
    },
  });
  expect(await isSeen()).toBe(true);
  expect((await change(owner, { is_public: true })).body).toEqual({
    is_public: true,
    message: `The ${kind} "main/${name}" is already public: anyone who is signed in can see it.`,
  });
  expect(await change(member, { is_public: false })).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
  expect((await change(outsider, { is_public: false })).status).toBe(403);
  expect(await isSeen()).toBe(true);
  expect((await change(owner, { is_public: false })).body).toMatchObject({ is_public: false });
  expect(await isSeen()).toBe(false);

  for (const body of [{}, { is_public: null }, { is_public: 'true' }])
    expect((await change(creator, body)).status).toBe(422);
  const unknown = `/org/main/${PLURALS[kind]}/nothing`;
  expect(await change(member, { is_public: true }, unknown)).toMatchObject(
    notFound(`${titleOf(kind)} "nothing"`),
  );
  const { items } = (await server.as(owner).get('/org/main/audit-log')).body;
  expect(items.slice(0, 2)).toMatchObject([
    {
      action: `${kind}.visibility_changed`,
      resource: `${PLURALS[kind]}/${id}`,
      before: { is_public: true },
      after: { name, is_public: false },
    },
    { action: `${kind}.visibility_changed`, before: { is_public: false }, after: { name, is_public: true } },
  ]);
});

test('every change gets a later time than the one before, whichever transaction began first', async () => {
  const { id, name } = await add(['1.0.0'], { kind: 'model' });
  const path = `/org/main/models/${name}`;
  const changedAt = async () => (await server.as(creator).get(path)).body.updated_at as string;
  const times = [await changedAt()];
  await transaction(db, async (trx) => {
    // Fixes `now()` of this transaction.
    await sql`SELECT 1`.execute(trx);
    await server.as(creator).patch(`${path}/visibility`, { is_public: true });
    times.push(await changedAt());
    await lockArtifact(trx, { ...SCOPE, organizationId: main.id }, 'model', name);
    await refreshArtifact(trx, main.id, id);
  });
  times.push(await changedAt());
  const future = new Date(Date.now() + 60_000).toISOString();
  await sql`UPDATE artifacts SET updated_at = ${future} WHERE organization_id = ${main.id} AND id = ${id}`.execute(
    db,
  );
  times.push(await changedAt());
  await server.as(creator).put(`${path}/aliases/best`, { version: '1.0.0' });
  times.push(await changedAt());
  await server.as(creator).patch(`${path}/visibility`, { is_public: false });
  times.push(await changedAt());
  await transaction(db, (trx) => refreshArtifact(trx, main.id, id));
  times.push(await changedAt());
  expect(times).toEqual([...new Set(times)].toSorted());
});

test('public artifacts of another organization cannot be changed', async () => {
  const { name } = await add(['1.0.0'], { place: other, isPublic: true });
  const place = `/org/main/datasets/${encodeURIComponent(`other/${name}`)}`;
  expect((await server.as(owner).patch(`${place}/visibility`, { is_public: false })).status).toBe(404);
  expect((await server.as(owner).delete(`${place}/1.0.0`)).status).toBe(404);
  const { name: own } = await add(['1.0.0']);
  const withOwnKey = `/org/main/datasets/${encodeURIComponent(`main/${own}`)}`;
  expect((await server.as(owner).patch(`${withOwnKey}/visibility`, { is_public: true })).status).toBe(200);
});
