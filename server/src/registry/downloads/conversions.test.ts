import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type ArtifactContent, insertContent } from '../../../test/artifact-content.ts';
import { startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { startTestWorker } from '../../../test/workers.ts';
import { createOrganization } from '../../accounts/organizations/create.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { findBlobs, registryCleanUps } from '../blobs.ts';
import { downloadCleanUps } from './clean-ups.ts';

const server = await startTestServer();
const { db, storage, owner } = server;
const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();

type Content = Partial<ArtifactContent> & Pick<ArtifactContent, 'name' | 'files'>;
const insert = (content: Content) =>
  insertContent(server, { organizationId, createdBy: owner.id, kind: 'dataset', ...content });

const COLUMNS = [
  { name: 'n', type: 'BIGINT' },
  { name: 'text', type: 'VARCHAR' },
];

/** Creates rows that no other test uses. */
function rowsOf(tag: string, count = 3): string {
  const rows = Array.from({ length: count }, (_, n) => JSON.stringify({ n, text: `${tag} ${n} größe` }));
  return `${rows.join('\n')}\n`;
}

const split = (path: string) => ({
  name: path,
  path,
  format: 'jsonl' as const,
  columns: COLUMNS,
  row_count: 3,
});

const splitsOf = (files: Record<string, string>) =>
  Object.keys(files)
    .filter((path) => path.endsWith('.jsonl'))
    .map(split);

/** Publishes a dataset with one split. */
const dataset = (name: string, rows: string, options: Partial<ArtifactContent> = {}) =>
  insert({
    name,
    files: { 'rows.jsonl': rows },
    splits: [{ ...split('rows.jsonl'), name: 'train' }],
    ...options,
  });

const ask = async (name: string, body: unknown, org = 'main') => {
  const response = await server.as(owner).post(`/org/${org}/datasets/${name}/1.0.0/download`, body);
  expect(response.status).toBe(200);
  return response.body as { download_id: string; status: string; url: string; filename: string };
};

async function deleteDataset(name: string): Promise<void> {
  const { status } = await server.as(owner).delete(`/org/main/datasets/${name}/1.0.0`);
  expect(status).toBe(204);
}

const askUntil = (status: string, name: string, body: unknown) =>
  until(`it is ${status}`, async () => {
    const response = await ask(name, body);
    return response.status === status && response;
  });

const read = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

const conversions = async () => {
  const { rows } = await sql<{ id: string; status: string; format: string }>`
    SELECT id, status, format FROM artifact_conversions WHERE organization_id = ${organizationId} ORDER BY id`.execute(
    db,
  );
  return rows;
};

async function cleanUp(): Promise<void> {
  // Repeats until nothing is left to delete: deleted content releases its conversions.
  for (let round = 0; round < 3; round++) {
    await sql`UPDATE artifact_blobs /* of every organization */ SET unused_since = unused_since - interval '2 hours'`.execute(
      db,
    );
    await sql`UPDATE registry_uploads /* of every organization */ SET sweep_at = now()`.execute(db);
    for (const { run } of [...downloadCleanUps, ...registryCleanUps(storage)]) await run(db);
  }
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(`registry/${organizationId}/`)) keys.push(key);
  return keys;
}

async function blobKeys(): Promise<string[]> {
  const { rows } = await sql<{ object_key: string }>`
    SELECT object_key FROM artifact_blobs WHERE organization_id = ${organizationId} ORDER BY 1`.execute(db);
  return rows.map(({ object_key }) => object_key);
}

test('content that is deleted before the worker starts removes the conversion', async () => {
  await dataset('deleted-early', rowsOf('early'));
  expect((await ask('deleted-early', { format: 'csv' })).status).toBe('preparing');
  await deleteDataset('deleted-early');
  await cleanUp();
  expect(await conversions()).toEqual([]);
  expect(await storedKeys()).toEqual([]);
  const gone = await server
    .as(owner)
    .post('/org/main/datasets/deleted-early/1.0.0/download', { format: 'csv' });
  expect(gone.status).toBe(404);
});

test('a conversion of deleted content ends without leaving a row', async () => {
  const { files } = await dataset('lost', rowsOf('lost'));
  const { download_id } = await ask('lost', { format: 'csv' });
  const sha256 = files.get('rows.jsonl')?.sha256 ?? '';
  const [{ object_key = '' } = {}] = (await findBlobs(db, organizationId, [sha256])).values();
  await db.deleteFrom('artifact_files').where('organization_id', '=', organizationId).execute();
  await db.deleteFrom('artifact_blobs').where('organization_id', '=', organizationId).execute();
  await storage.delete([object_key]);
  await startTestWorker(server);
  await until('it is gone', async () => (await conversions()).length === 0);
  const { rows } = await sql<{ state: string }>`
    SELECT state::text FROM pgboss.job WHERE data ->> 'id' = ${download_id}`.execute(db);
  expect(rows).toEqual([{ state: 'completed' }]);
});

test('a conversion runs once for concurrent downloads and is then ready for all of them', async () => {
  await dataset('busy', rowsOf('busy'));
  const before = (await conversions()).length;
  const first = await Promise.all(Array.from({ length: 20 }, () => ask('busy', { format: 'csv' })));
  const waiting = first.filter(({ status }) => status === 'preparing');
  expect(waiting.length).toBeGreaterThan(0);
  expect(new Set(waiting.map(({ download_id }) => download_id)).size).toBe(1);
  expect(waiting[0]).toEqual({
    download_id: waiting[0]?.download_id,
    status: 'preparing',
    url: null,
    filename: null,
    expires_at: null,
  });
  const ready = await askUntil('ready', 'busy', { format: 'csv', split: 'train' });
  expect(ready.filename).toBe('busy-1.0.0-train.csv');
  expect(ready.download_id).not.toBe(waiting[0]?.download_id);
  expect((await read(ready.url)).toString()).toBe('n,text\n0,busy 0 größe\n1,busy 1 größe\n2,busy 2 größe\n');
  expect((await conversions()).length).toBe(before + 1);
});

test('the same content is converted once per organization', async () => {
  const rows = rowsOf('same');
  await dataset('same-one', rows);
  await dataset('same-two', rows, { files: { 'other.jsonl': rows, 'rows.jsonl': rows } });
  await askUntil('ready', 'same-one', { format: 'parquet' });
  const before = await conversions();
  const { status, url } = await ask('same-two', { format: 'parquet' });
  expect(status).toBe('ready');
  expect((await read(url)).subarray(0, 4).toString()).toBe('PAR1');
  expect(await conversions()).toEqual(before);

  const actor = { userId: owner.id, apiKeyId: null, requestId: null };
  const other = await transaction(db, (trx) => createOrganization(trx, actor, { name: 'other' }));
  await dataset('same-one', rows, { organizationId: other.organizationId });
  expect((await ask('same-one', { format: 'parquet' }, 'other')).status).toBe('preparing');
  await until(
    'it is ready',
    async () => (await ask('same-one', { format: 'parquet' }, 'other')).status === 'ready',
  );
});

test('the same content with other columns is converted separately', async () => {
  const rows = rowsOf('columns');
  await dataset('columns-one', rows);
  const columns = [
    { name: 'n', type: 'VARCHAR' },
    { name: 'text', type: 'VARCHAR' },
  ];
  await dataset('columns-two', rows, {
    splits: [{ ...split('rows.jsonl'), columns }],
  });
  const one = await ask('columns-one', { format: 'parquet' });
  const two = await ask('columns-two', { format: 'parquet' });
  expect([one.status, two.status]).toEqual(['preparing', 'preparing']);
  expect(one.download_id).not.toBe(two.download_id);
});

test('a server error does not fail the conversion: the job is retried', async () => {
  await dataset('trouble', rowsOf('trouble'));
  const { rows } = await sql<{ object_key: string }>`
    SELECT b.object_key FROM artifact_blobs b WHERE b.organization_id = ${organizationId}
     ORDER BY b.upload_id DESC LIMIT 1`.execute(db);
  const key = rows[0]?.object_key ?? '';
  await storage.copy(key, 'aside');
  await storage.delete([key]);
  const { download_id } = await ask('trouble', { format: 'csv' });
  const attempts = async () => {
    const row = await db
      .selectFrom('artifact_conversions')
      .select('attempt')
      .where('organization_id', '=', organizationId)
      .where('id', '=', download_id)
      .executeTakeFirst();
    return row?.attempt ?? 0;
  };
  // When the second attempt starts, the first has failed.
  await until('it was tried again', async () => (await attempts()) > 1);
  await storage.copy('aside', key);
  const ready = await askUntil('ready', 'trouble', { format: 'csv' });
  expect((await read(ready.url)).toString()).toMatch(/^n,text\n0,trouble 0/);
  expect(await attempts()).toBeGreaterThan(1);
});

test('several files become one archive with their folders, which GNU tar unpacks', async () => {
  const files = {
    'dataset.yaml': 'splits: {}\n',
    'a/größe 🚀.jsonl': rowsOf('a'),
    'b.jsonl': rowsOf('b'),
    'README.md': '#',
  };
  await insert({ name: 'several', files, splits: splitsOf(files) });
  const { url, filename } = await askUntil('ready', 'several', undefined);
  expect(filename).toBe('several-1.0.0.tar.gz');
  const folder = mkdtempSync(join(tmpdir(), 'drydock-several-'));
  try {
    execFileSync('tar', ['-xz', '-C', folder], {
      input: await read(url),
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    });
    for (const [path, content] of Object.entries(files))
      expect(readFileSync(join(folder, path), 'utf8')).toBe(content);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('deletion of content also deletes its conversions, and nothing else', async () => {
  const rows = rowsOf('kept');
  await dataset('goes', rows);
  await dataset('stays', rows);
  await askUntil('ready', 'goes', { format: 'csv' });
  await deleteDataset('goes');
  await cleanUp();
  expect((await ask('stays', { format: 'csv' })).status).toBe('ready');
  const isInOrder = async () => isDeepStrictEqual(await storedKeys(), await blobKeys());
  await until('every object is a blob', isInOrder);

  const left = await db
    .selectFrom('artifacts')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('version_count', '>', 0)
    .execute();
  for (const { name } of left) await deleteDataset(name);
  await until('nothing is left', async () => {
    await cleanUp();
    const uploads =
      await sql`SELECT id FROM registry_uploads WHERE organization_id = ${organizationId}`.execute(db);
    const all = [...(await conversions()), ...(await storedKeys()), ...uploads.rows];
    return all.length === 0;
  });
});
