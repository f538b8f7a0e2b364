import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertArtifact, type VersionRow } from '../../test/artifact-rows.ts';
import { addOrganization } from '../../test/artifact-world.ts';
import { startTestServer } from '../../test/harness.ts';
import type { Kind } from './kinds.ts';
import { parseReference, type Reference } from './references.ts';
import { resolutionOf, resolveReferences } from './resolve.ts';
import type { Viewer } from './visibility.ts';

const { db, owner } = await startTestServer();
const acme = await addOrganization(db, owner.id, 'acme');
const other = await addOrganization(db, owner.id, 'other');
const closed = await addOrganization(db, owner.id, 'closed');

const member: Viewer = { organizationId: acme.id, role: 'member' };
const stranger: Viewer = { organizationId: acme.id, role: null };

async function add(
  place: { id: string },
  name: string,
  versions: VersionRow[],
  isPublic = false,
  kind: Kind = 'task',
) {
  const artifact = { organizationId: place.id, createdBy: owner.id, kind, name, isPublic, versions };
  const { id, versionIds } = await insertArtifact(db, artifact);
  return { owner_id: place.id, artifact_id: id, ids: versionIds };
}

const several = await add(acme, 'several', [
  { version: '1.9.0' },
  { version: '1.10.0+build.7' },
  { version: '1.11.0', isDeleted: true },
  { version: '2.0.0-rc.1' },
]);
const preview = await add(acme, 'preview', [{ version: '1.0.0-rc.1' }, { version: '1.0.0-rc.10' }]);
await add(acme, 'gone', [{ version: '1.0.0', isDeleted: true }], true);
const open = await add(acme, 'open', [{ version: '1.0.0' }], true);
await add(acme, 'dataset', [{ version: '1.0.0' }], true, 'dataset');
await add(other, 'hidden', [{ version: '1.0.0' }]);
const shared = await add(other, 'shared', [{ version: '3.0.0' }], true);
const namesake = await add(other, 'several', [{ version: '9.0.0' }], true);
await add(closed, 'shared', [{ version: '1.0.0' }], true);
await db.updateTable('organizations').set({ is_active: false }).where('id', '=', closed.id).execute();

const toReference = (text: string) => parseReference(text) as Reference;
const resolve = async (viewer: Viewer, texts: readonly string[]) =>
  resolveReferences(db, viewer, 'task', texts.map(toReference));

const found = ({ owner_id, artifact_id, ids }: typeof several, index: number, version: string) => ({
  owner_id,
  artifact_id,
  version_id: ids[index],
  resolved_version: version,
  unresolvable_reason: null,
});
const NOT_FOUND = {
  owner_id: null,
  artifact_id: null,
  version_id: null,
  resolved_version: null,
  unresolvable_reason: 'not_found',
};
const withoutVersion = ({ owner_id, artifact_id }: typeof several) => ({
  ...NOT_FOUND,
  owner_id,
  artifact_id,
  unresolvable_reason: 'version_not_found',
});

test.each([
  ['several', found(several, 1, '1.10.0+build.7')],
  ['acme/several', found(several, 1, '1.10.0+build.7')],
  ['several@1.9.0', found(several, 0, '1.9.0')],
  ['several@1.9.0+other', found(several, 0, '1.9.0')],
  ['several@1.10.0', found(several, 1, '1.10.0+build.7')],
  ['several@2.0.0-rc.1', found(several, 3, '2.0.0-rc.1')],
  ['several@2.0.0', withoutVersion(several)],
  ['several@1.11.0', withoutVersion(several)],
  ['preview', withoutVersion(preview)],
  ['preview@1.0.0-rc.10', found(preview, 1, '1.0.0-rc.10')],
  ['gone', NOT_FOUND],
  ['gone@1.0.0', NOT_FOUND],
  ['dataset', NOT_FOUND],
  ['nothing', NOT_FOUND],
  ['hidden', NOT_FOUND],
  ['shared', NOT_FOUND],
  ['other/hidden', NOT_FOUND],
  ['other/hidden@1.0.0', NOT_FOUND],
  ['other/shared', found(shared, 0, '3.0.0')],
  ['other/shared@3.0.0', found(shared, 0, '3.0.0')],
  ['other/shared@3.0.1', withoutVersion(shared)],
  ['other/several', found(namesake, 0, '9.0.0')],
  ['closed/shared', NOT_FOUND],
  ['no-such-organization/shared', NOT_FOUND],
])('%s resolves to the same version for every member', async (text, resolution) => {
  expect(await resolve(member, [text])).toEqual([resolution]);
});

test.each([
  ['several', NOT_FOUND],
  ['several@1.9.0', NOT_FOUND],
  ['acme/several', NOT_FOUND],
  ['open', found(open, 0, '1.0.0')],
  ['acme/open@1.0.0', found(open, 0, '1.0.0')],
  ['other/shared', found(shared, 0, '3.0.0')],
  ['other/hidden', NOT_FOUND],
])('%s resolves for an outsider only if the artifact is public', async (text, resolution) => {
  expect(await resolve(stranger, [text])).toEqual([resolution]);
});

test('ten thousand references resolve in their order', async () => {
  const texts = ['several', 'nothing', 'other/shared@3.0.0', 'preview', 'several@1.9.0', 'several'];
  const first = await resolve(member, texts);
  const many = Array.from({ length: 10_000 }, (_, index) => texts[index % texts.length] ?? '');
  const resolutions = await resolve(member, many);
  expect(resolutions).toEqual(many.map((_, index) => first[index % texts.length]));
  expect(await resolve(member, [])).toEqual([]);
});

test('each reference is resolved by index lookups, whatever other organizations have', async () => {
  await sql`
    INSERT INTO artifacts (organization_id, id, kind, name, created_by, version_count)
    SELECT ${other.id}, gen_random_uuid(), 'task', 'many-' || n, ${owner.id}, 1 FROM generate_series(1, 10000) AS n
  `.execute(db);
  // Analyzed here, because otherwise foreign key checks keep plans made for a nearly empty table.
  await sql`ANALYZE artifacts`.execute(db);
  await sql`
    INSERT INTO artifact_versions (organization_id, id, artifact_id, version, precedence, is_prerelease, digest, manifest,
                                   details, file_count, file_size_bytes, created_by)
    SELECT organization_id, id, id, '1.0.0', 'p', false, sha256(name::bytea), '{}', '{}', 0, 0, created_by
      FROM artifacts WHERE organization_id = ${other.id} AND starts_with(name, 'many-')
  `.execute(db);
  await sql`ANALYZE artifact_versions`.execute(db);
  const columns = {
    ownerKey: sql<string | null>`CASE WHEN n % 2 = 0 THEN 'other' END`,
    name: sql<string>`'many-' || n`,
    precedence: sql<string | null>`CASE WHEN n % 3 = 0 THEN 'p' END`,
  };
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    EXPLAIN SELECT found.version_id FROM generate_series(1, 10000) AS n
     CROSS JOIN ${resolutionOf(member, 'task', columns)} AS found`.execute(db);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index (Only )?Scan using artifacts_name_key on artifacts/);
  expect(plan).toMatch(/Index (Only )?Scan using artifact_versions_version_key on artifact_versions/);
  expect(plan).not.toMatch(/Hash|Merge|Materialize|Seq Scan on artifact/);
});
