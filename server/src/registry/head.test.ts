import { expect, test } from 'vitest';
import { insertArtifact } from '../../test/artifact-rows.ts';
import { startTestServer } from '../../test/harness.ts';

const server = await startTestServer();
const { owner, db } = server;
const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();

async function insert(
  name: string,
  versions: Parameters<typeof insertArtifact>[1]['versions'],
  isPublic = false,
) {
  const { id } = await insertArtifact(db, {
    organizationId,
    createdBy: owner.id,
    kind: 'model',
    name,
    isPublic,
    versions,
  });
  const artifact = await db
    .selectFrom('artifacts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const inCatalogue = await db.selectFrom('public_catalogue').select('kind').where('id', '=', id).execute();
  return { ...artifact, inCatalogue: inCatalogue.length };
}

test('the latest version is the newest release, whatever was published last', async () => {
  const listing = { summary: 'Größe', tags: ['a', 'b'], license: 'mit' };
  const versions = [{ version: '1.10.0', listing }, { version: '1.9.0' }, { version: '2.0.0-rc.1' }];
  expect(await insert('m', versions)).toMatchObject({
    version_count: 3,
    latest_version: '1.10.0',
    latest_release: '1.10.0',
    summary: 'Größe',
    tags: ['a', 'b'],
    license: 'mit',
    task_categories: null,
    search_text: 'größe',
    inCatalogue: 0,
  });
});

test('the latest version is the newest pre-release if there is no release, and references must name it', async () => {
  const versions = [
    { version: '1.0.0-alpha.9' },
    { version: '1.0.0-alpha.10' },
    { version: '1.0.0', isDeleted: true },
  ];
  expect(await insert('pre', versions, true)).toMatchObject({
    version_count: 2,
    latest_version: '1.0.0-alpha.10',
    latest_release: null,
    inCatalogue: 1,
  });
});

test('an artifact whose versions are all deleted is not listed', async () => {
  expect(
    await insert('gone', [{ version: '1.0.0', isDeleted: true, listing: { summary: 'x' } }], true),
  ).toMatchObject({
    version_count: 0,
    latest_id: null,
    latest_version: null,
    summary: null,
    file_size_bytes: 0,
    inCatalogue: 0,
  });
});
