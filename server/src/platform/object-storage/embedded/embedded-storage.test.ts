import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { accountForBlobs, createTestStore, IN_ORDER } from '../../../../test/embedded-stores.ts';
import { createSigner } from '../../auth/signing.ts';
import { removeDroppedBlobs } from './clean-ups.ts';
import { EmbeddedStorage } from './embedded-storage.ts';
import { Sessions } from './sessions.ts';

const { store, db, folder } = await createTestStore();
const PLACE = { bucket: 'drydock', region: 'us-east-1', endpoint: 'http://127.0.0.1:8081' };
const sessions = new Sessions({
  signer: createSigner('a secret key for these tests only, not more'),
  region: PLACE.region,
});
const storage = new EmbeddedStorage({ store, sessions, ...PLACE });

async function read(...args: Parameters<EmbeddedStorage['open']>): Promise<Buffer | undefined> {
  const found = await storage.open(...args);
  return found && buffer(found.body);
}

async function keysUnder(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys;
}

test('an object stored from bytes or a stream is found, opened and copied', async () => {
  const content = randomBytes(200_000);
  const attributes = { contentType: 'text/plain', metadata: { a: 'b' } };
  const info = await storage.put('a/1', content, attributes);
  expect(info).toMatchObject({ key: 'a/1', sizeBytes: 200_000, ...attributes });
  expect(await storage.find('a/1')).toEqual(info);
  await storage.put('a/2', Readable.from([content.subarray(0, 5), content.subarray(5)]));
  const copy = await storage.copy('a/1', 'a/3');
  expect(copy).toMatchObject({ key: 'a/3', etag: info.etag, ...attributes });
  for (const key of ['a/1', 'a/2', 'a/3']) expect((await read(key))?.equals(content)).toBe(true);
  expect((await read('a/1', { start: 199_990 }))?.equals(content.subarray(199_990))).toBe(true);
  expect((await read('a/1', { start: 10, end: 99_999 }))?.equals(content.subarray(10, 100_000))).toBe(true);
  expect((await read('a/1', { start: 10, end: 999_999 }))?.equals(content.subarray(10))).toBe(true);
  await expect(read('a/1', { start: 200_000 })).rejects.toMatchObject({ type: 'object_storage_error' });
  expect(await keysUnder('a/')).toEqual(['a/1', 'a/2', 'a/3']);
});

test('other headers are stored as given', async () => {
  const headers = { 'cache-control': 'no-store', expires: 'tomorrow' };
  await storage.put('headers', Buffer.from('x'), { contentType: 'text/plain', headers });
  expect(await store.index.find('headers')).toMatchObject({
    headers: { 'content-type': 'text/plain', ...headers },
  });
});

test('a missing object is not found, and deleting it succeeds', async () => {
  expect(await storage.find('nothing')).toBeUndefined();
  expect(await storage.open('nothing')).toBeUndefined();
  await expect(storage.copy('nothing', 'x')).rejects.toMatchObject({ type: 'not_found_error' });
  await storage.delete(['nothing']);
  await storage.delete([]);
});

test('deleteUnder deletes everything under a prefix including multipart uploads, and nothing else', async () => {
  await db
    .insertInto('stored_objects')
    .values(
      Array.from({ length: 2_100 }, (_, number) => ({
        key: `many/${number}`,
        blob_ids: [],
        blob_sizes: [],
        size_bytes: 0,
        etag: 'e',
        headers: '{}',
        metadata: '{}',
      })),
    )
    .execute();
  await storage.put('many', Buffer.from('beside'));
  for (let count = 0; count < 25; count++) {
    const upload = await store.uploads.create({ key: `many/${count}`, headers: {}, metadata: {} });
    await store.putPart(upload, 1, { body: [Buffer.from('part')] });
  }
  expect(await keysUnder('many/')).toHaveLength(2_100);
  expect(await storage.deleteUnder('many/')).toBe(2_100);
  expect(await storage.deleteUnder('many/')).toBe(0);
  expect(await keysUnder('many')).toEqual(['many']);
  expect((await store.uploads.list({ prefix: 'many/', limit: 1 })).uploads).toEqual([]);
  await removeDroppedBlobs(store, 0);
  expect(await accountForBlobs({ db, folder })).toMatchObject({ ...IN_ORDER, dropped: 0 });
});

test('links lead to the gateway, are signed with its own key and name the download', async () => {
  const options = { expiresInSeconds: 60, filename: 'Übersicht "1".pdf', contentType: 'application/pdf' };
  const get = new URL(await storage.presignGet('a b/ü', options));
  expect(get.origin + get.pathname).toBe('http://127.0.0.1:8081/drydock/a%20b/%C3%BC');
  expect(Object.fromEntries(get.searchParams)).toMatchObject({
    'X-Amz-Expires': '60',
    'X-Amz-Credential': expect.stringContaining(sessions.own.accessKeyId),
    'response-content-type': 'application/pdf',
    'response-content-disposition': `attachment; filename="_bersicht _1_.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.pdf`,
  });
  const put = new URL(await storage.presignPut('k', { expiresInSeconds: 5, sizeBytes: 7 }));
  expect(put.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
  expect(put.searchParams.get('X-Amz-Signature')).not.toBe(get.searchParams.get('X-Amz-Signature'));
});

test('credentials are limited to the grant', async () => {
  const issued = await storage.issueCredentials({ prefix: 'orgs/1/', access: 'read' }, 60);
  expect(issued).toMatchObject({ region: 'us-east-1', endpoint: 'http://127.0.0.1:8081' });
  expect(sessions.find(issued.accessKeyId, issued.sessionToken)).toMatchObject({
    secretAccessKey: issued.secretAccessKey,
    policy: {
      Statement: [{ Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::drydock/orgs/1/*'] }, {}, {}],
    },
  });
});

test('a failure of the store is reported as object_storage_error, and a failure of the body as itself', async () => {
  const failing = () =>
    Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('the client has gone');
      })(),
    );
  await expect(storage.put('broken', failing())).rejects.toThrow('the client has gone');
  expect(await storage.find('broken')).toBeUndefined();
  await storage.check();
  await storage.put('lost', Buffer.from('content'));
  rmSync(folder, { recursive: true });
  const failed = { type: 'object_storage_error' };
  await expect(storage.check()).rejects.toMatchObject(failed);
  await expect(storage.put('new', Buffer.from('x'))).rejects.toMatchObject(failed);
  await expect(storage.open('lost')).rejects.toMatchObject(failed);
});
