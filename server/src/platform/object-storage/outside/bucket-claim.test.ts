/** Which storage settings a database accepts, and its errors for others. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../../test/databases.ts';
import { makeFolder } from '../../../../test/processes.ts';
import { connect, type Db } from '../../db/connect.ts';
import { createLog } from '../../log.ts';
import { claimStoreFolder } from '../embedded/folder/store-folder.ts';
import { claimBucket } from './bucket-claim.ts';
import { OutsideStorage } from './outside-storage.ts';

/** Serves the buckets `right` and `other`. */
const server = createServer((request, response) => {
  response.writeHead(/^\/(right|other)\b/.test(request.url ?? '') ? 200 : 404).end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const { port } = server.address() as AddressInfo;
const ENDPOINT = `http://127.0.0.1:${port}`;

async function openDatabase(): Promise<Db> {
  const database = await createDatabase(inject('databaseUrl'));
  const db = connect({ url: database.url, poolSize: 2, namedStatements: true, log: createLog('fatal') });
  onTestFinished(async () => {
    await db.destroy();
    await database.drop();
  });
  return db;
}

function open(bucket: string, endpoint = ENDPOINT): OutsideStorage {
  const storage = new OutsideStorage({
    bucket,
    endpoint,
    region: 'us-east-1',
    accessKeyId: 'k',
    secretAccessKey: 's',
  });
  onTestFinished(() => storage.close());
  return storage;
}

const readClaim = (db: Db) =>
  db.selectFrom('object_store').select(['bucket', 'endpoint', 'id']).executeTakeFirst();

const refusal = (message: RegExp) => ({
  type: 'configuration_error',
  message: expect.stringMatching(message),
});

test.each([
  ['a bucket that is not there', 'wrong', ENDPOINT, /bucket wrong at http:.* answered NotFound \(404\)/],
  ['an S3 that is not there', 'right', 'http://127.0.0.1:1', /cannot be reached \(ECONNREFUSED\)/],
])('%s is refused, and the right bucket is accepted afterwards', async (_what, bucket, endpoint, message) => {
  const db = await openDatabase();
  const claiming = claimBucket(db, open(bucket, endpoint));
  await expect(claiming).rejects.toMatchObject(refusal(message));
  await expect(claiming).rejects.toMatchObject(refusal(/Correct S3_BUCKET, .* Nothing was noted/));
  expect(await readClaim(db)).toBeUndefined();
  await claimBucket(db, open('right'));
  expect(await readClaim(db)).toEqual({ bucket: 'right', endpoint: ENDPOINT, id: null });
});

test('the claim holds while the S3 server is unreachable', async () => {
  const db = await openDatabase();
  await db.insertInto('object_store').values({ bucket: 'right', endpoint: 'http://127.0.0.1:1' }).execute();
  await expect(claimBucket(db, open('right', 'http://127.0.0.1:1'))).resolves.toBeUndefined();
});

test.each([
  ['another bucket', 'other', ENDPOINT],
  ['the same bucket elsewhere', 'right', 'http://localhost:' + port],
])('%s is refused until the suggested statement was run', async (_what, bucket, endpoint) => {
  const db = await openDatabase();
  await claimBucket(db, open('right'));
  const failure = await claimBucket(db, open(bucket, endpoint)).catch((error: Error) => error);
  expect(failure).toMatchObject(refusal(/lie in the bucket right at .*; S3_BUCKET and S3_ENDPOINT name/));
  const [statement = ''] = /UPDATE object_store .*;/.exec((failure as Error).message) ?? [];
  await db.executeQuery({ ...db.selectFrom('object_store').compile(), sql: statement, parameters: [] });
  await expect(claimBucket(db, open(bucket, endpoint))).resolves.toBeUndefined();
  await expect(claimBucket(db, open('right'))).rejects.toMatchObject(refusal(/UPDATE/));
});

test('an embedded store with objects cannot be replaced by a bucket; an empty one can', async () => {
  const db = await openDatabase();
  await claimStoreFolder({ db, dataDir: makeFolder() });
  const object = { key: 'a', blob_ids: [], blob_sizes: [], size_bytes: 0, etag: 'x' };
  const texts = { headers: '{}', metadata: '{}' };
  await db
    .insertInto('stored_objects')
    .values({ ...object, ...texts })
    .execute();
  await expect(claimBucket(db, open('right'))).rejects.toMatchObject(
    refusal(/embedded store.*npm run backup/s),
  );
  // Refused before the S3 server is contacted, which may be unreachable.
  await expect(claimBucket(db, open('right', 'http://127.0.0.1:1'))).rejects.toMatchObject(
    refusal(/embedded store/),
  );
  await db.deleteFrom('stored_objects').where('key', '=', 'a').execute();
  await claimBucket(db, open('right'));
  expect(await readClaim(db)).toEqual({ bucket: 'right', endpoint: ENDPOINT, id: null });
});

test('an embedded store is refused without S3_* when the objects are in a bucket', async () => {
  const db = await openDatabase();
  await claimBucket(db, open('right'));
  await expect(claimStoreFolder({ db, dataDir: makeFolder() })).rejects.toMatchObject(
    refusal(/lie in the bucket right of an S3: set S3_BUCKET/),
  );
});
