/** List filters that apply to the latest version of each artifact. */
import { expect, test } from 'vitest';
import { insertArtifact, type VersionRow } from '../../../test/artifact-rows.ts';
import { startTestServer } from '../../../test/harness.ts';
import type { Kind } from '../kinds.ts';

const server = await startTestServer();
const { owner, db } = server;
const organizationId = (await server.as(owner).get('/org/main')).body.id as string;

const add = (kind: Kind, name: string, ...versions: Omit<VersionRow, 'version'>[]) =>
  insertArtifact(db, {
    organizationId,
    createdBy: owner.id,
    kind,
    name,
    versions: versions.map((version, index) => Object.assign({ version: `${index + 1}.0.0` }, version)),
  });

const data = (row_count: number, ...formats: string[]) => ({
  details: { row_count, splits: formats.map((format, index) => ({ name: `s${index}`, format })) },
});

await add('dataset', 'small', data(999, 'jsonl'));
await add('dataset', 'medium', data(1_000, 'csv', 'parquet'));
await add('dataset', 'large', data(20_000_000, 'parquet'));
await add('dataset', 'moved', data(5, 'csv'), data(10_000, 'jsonl'));
await add('dataset', 'empty', {});
const capability = (tags: string[], author: unknown) => ({ listing: { tags }, manifest: { author } });

await add('capability', 'reviewer', capability(['code', 'review'], 'Ann'));
await add('capability', 'scout', capability(['web'], { name: 'Ben' }));
await add('capability', 'plain', {});

const namesOf = async (plural: string, query: string) => {
  const { body } = await server.as(owner).get(`/org/main/${plural}?sort_by=name&sort_dir=asc&${query}`);
  return body[plural].map(({ name }: { name: string }) => name.replace('main/', ''));
};

test.each([
  ['format=jsonl', ['moved', 'small']],
  ['format=csv', ['medium']],
  ['format=csv&format=jsonl', ['medium', 'moved', 'small']],
  ['format=xml', []],
  ['size_category=n%3C1K', ['small']],
  ['size_category=1K%3Cn%3C10K', ['medium']],
  ['size_category=10K%3Cn%3C100K&size_category=10M%3Cn%3C100M', ['large', 'moved']],
  ['size_category=n%3C1K&format=parquet', []],
  ['size_category=n%3E1B', []],
  ['format=parquet&search=LAR', ['large']],
])('listDatasets returns the matches of %s', async (query, names) => {
  expect(await namesOf('datasets', query)).toEqual(names);
});

test.each([
  ['keywords=review', ['reviewer']],
  ['keywords=review&keywords=web', ['reviewer', 'scout']],
  ['keywords=zzz', []],
  ['author=Ann', ['reviewer']],
  ['author=Ben', ['scout']],
  ['author=nobody', []],
  ['author=Ann&keywords=web', []],
])('listCapabilities returns the matches of %s', async (query, names) => {
  expect(await namesOf('capabilities', query)).toEqual(names);
});
