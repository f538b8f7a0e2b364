/** Content that exists, appears, disappears or has a wrong size between the announcement of an upload and its completion. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { announce, put, putAll } from '../../../test/announced-files.ts';
import { bundle } from '../../../test/bundles.ts';
import { startPublisher } from '../../../test/publisher.ts';
import { registryCleanUps } from '../blobs.ts';
import { verifyUpload } from './verify-upload.ts';

const { server, leftovers, passDay } = await startPublisher();
const { db, storage } = server;
const member = await server.addPerson('member', { role: 'member' });

const post = (path: string, body?: unknown, who = member) =>
  server.as(who).post(`/org/main/models/${path}`, body);
const create = (place: string, files: Record<string, string>) =>
  post(`${place}/uploads`, { files: announce(files), manifest: {} });

test('a wrong size is reported when it is announced or as soon as the content is known', async () => {
  const content = 'of some size';
  const [file] = announce({ a: content });
  const wrong = { files: [{ ...file, size_bytes: 999 }], manifest: {} };
  const early = await post('sized/1.0.0/uploads', wrong);
  expect(early.status).toBe(201);
  await server.as(member).put('/org/main/models/other/1.0.0', bundle({ 'model.yaml': '{}', a: content }));
  expect(await post('sized/1.0.0/complete')).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          loc: ['body', 'a'],
          msg: 'has 12 bytes, and was announced with 999',
        },
      ],
    },
  });
  expect((await server.as(member).get('/org/main/models/sized')).status).toBe(404);
  expect(await post('sized/2.0.0/uploads', wrong)).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'files', 0, 'size_bytes'] }] },
  });
});

test('unused content must be uploaded again, and content of an open upload is kept until the upload ends', async () => {
  const files = { a: 'verified', b: 'not yet there' };
  const first = await create('unused/1.0.0', files);
  await putAll(first.body, { a: 'verified' });
  expect((await post('unused/1.0.0/complete')).status).toBe(422);
  expect((await create('unused/2.0.0', files)).body.files).toMatchObject([
    { url: expect.any(String) },
    { url: expect.any(String) },
  ]);
  await sql`UPDATE artifact_blobs /* of every organization */ SET unused_since = unused_since - interval '2 hours'`.execute(
    db,
  );
  for (const { run } of registryCleanUps(storage)) await run(db);
  const [, { url }] = first.body.files;
  await put(url, 'not yet there');
  expect((await post('unused/1.0.0/complete', { upload_id: first.body.upload_id })).status).toBe(201);
});

test('a digest does not give access to content that a key may not read', async () => {
  const verifier = 'the hidden verifier';
  const yaml = 'name: t\nversion: 1.0.0\ninstruction: x\nverification: {method: script, script: v.sh}';
  await server.as(member).put('/org/main/tasks/t/1.0.0', bundle({ 'task.yaml': yaml, 'v.sh': verifier }));
  const scopes = ['models:read', 'models:write'] as const;
  const narrow = await server.addPerson('narrow', { role: 'member', scopes: [...scopes] });
  const body = { files: announce({ a: verifier }), manifest: {} };
  const created = await post('stolen/1.0.0/uploads', body, narrow);
  expect(created.body.files).toMatchObject([{ url: expect.any(String) }]);
  expect((await post('stolen/1.0.0/complete', undefined, narrow)).status).toBe(422);
  await putAll(created.body, { a: verifier });
  expect((await post('stolen/1.0.0/complete', undefined, narrow)).status).toBe(201);
  expect((await post('stolen/2.0.0/uploads', body, narrow)).body.files).toMatchObject([{ url: null }]);
  expect((await post('whole/1.0.0/uploads', body)).body.files).toMatchObject([{ url: null }]);
});

test('an upload is not swept while it is being completed, and a swept upload leaves nothing behind', async () => {
  const sweepAt = async () => {
    const { rows } = await sql<{ hours: number }>`
      SELECT extract(epoch FROM sweep_at - now())::int / 3600 AS hours FROM registry_uploads /* of every organization */
       WHERE name = 'slow'`.execute(db);
    return rows[0]?.hours;
  };
  const created = await create('slow/1.0.0', { a: 'slow', b: 'slow and missing' });
  await putAll(created.body, { a: 'slow' });
  await sql`UPDATE registry_uploads /* of every organization */ SET sweep_at = now() + interval '1 minute'
    WHERE name = 'slow'`.execute(db);
  expect((await post('slow/1.0.0/complete')).status).toBe(422);
  expect(await sweepAt()).toBeGreaterThan(22);

  const late = await create('late/1.0.0', { a: 'late' });
  await putAll(late.body, { a: 'late' });
  await passDayDuringCopy(late.body.upload_id, announce({ a: 'late' }));
  await passDay();
  await passDay();
  const { keys } = (await leftovers()) as { keys: string[] };
  expect(keys.filter((key) => key.includes(late.body.upload_id))).toEqual([]);
});

/** Lets the day pass after the copy was requested and before it exists. */
async function passDayDuringCopy(uploadId: string, files: ReturnType<typeof announce>) {
  const { id: organizationId } = await db
    .selectFrom('organizations')
    .select('id')
    .where('key', '=', 'main')
    .executeTakeFirstOrThrow();
  const slow = Object.create(storage, {
    copy: {
      value: async (from: string, to: string) => {
        const opened = await storage.open(from);
        const content = Buffer.concat(await Array.fromAsync(opened?.body ?? []));
        await passDay();
        return storage.put(to, content);
      },
    },
  }) as typeof storage;
  const principal = { userId: member.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  const scope = {
    organizationId,
    organizationKey: 'main',
    role: 'member',
    principal,
    requestId: 't',
  } as const;
  const upload = { organizationId, id: uploadId, manifest: {}, files };
  await expect(verifyUpload({ db, storage: slow }, scope, upload)).rejects.toThrow('took too long');
}
