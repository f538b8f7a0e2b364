import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { startSecondGateway } from '../../../test/second-gateway-process.ts';
import { CREDENTIALS_PATH, type CredentialsBody, openS3, toAccess } from '../../../test/workspace-storage.ts';
import { buildApp } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { createLog } from '../../platform/log.ts';
import { deleteAbandonedObjects, WAIT_MS } from '../../platform/object-storage/abandoned-prefixes.ts';
import { openOutsideStorage } from '../../platform/object-storage/outside/open-outside-storage.ts';

const server = await startTestServer();

async function getCredentials(
  who: Parameters<typeof server.as>[0],
  path = CREDENTIALS_PATH,
): Promise<CredentialsBody> {
  const { status, body } = await server.as(who).get(path);
  expect(status).toBe(200);
  return body;
}

/** Tries each operation with an S3 client on one key. */
async function tryOut(credentials: CredentialsBody, key: string) {
  const s3 = openS3(toAccess(credentials), { maxAttempts: 1 });
  onTestFinished(() => s3.destroy());
  const where = { Bucket: credentials.bucket, Key: key };
  const outcome = (sending: Promise<unknown>) =>
    sending.then(
      () => 'done',
      (error: Error) => error.name,
    );
  return {
    put: await outcome(s3.send(new PutObjectCommand({ ...where, Body: 'content' }))),
    get: await outcome(s3.send(new GetObjectCommand(where)).then(({ Body }) => Body?.transformToString())),
    list: await outcome(s3.send(new ListObjectsV2Command({ Bucket: credentials.bucket, Prefix: key }))),
    delete: await outcome(s3.send(new DeleteObjectCommand(where))),
  };
}

const EVERYTHING = { put: 'done', get: 'done', list: 'done', delete: 'done' };
const READING = { put: 'AccessDenied', get: 'done', list: 'done', delete: 'AccessDenied' };
const NOTHING = { put: 'AccessDenied', get: 'AccessDenied', list: 'AccessDenied', delete: 'AccessDenied' };

test('storage credentials are valid for one hour and limited to the workspace prefix', async () => {
  const before = Date.now();
  const { body } = await server.as(server.owner).get(CREDENTIALS_PATH);
  const { workspace_id } = (await server.as(server.owner).get('/org/main/ws/main/projects/default')).body;
  const organization = (await server.as(server.owner).get('/org/main')).body;
  expect(body).toEqual({
    access_key_id: expect.stringMatching(/^[A-Z0-9]{20}$/),
    secret_access_key: expect.stringMatching(/^.{40,}$/),
    session_token: expect.stringMatching(/^.{100,}$/),
    bucket: 'drydock',
    prefix: `orgs/${organization.id}/workspaces/${workspace_id}/`,
    region: 'local',
    endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    expiration: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  const lifetimeMs = Date.parse(body.expiration) - before;
  expect(lifetimeMs).toBeGreaterThan(3_595_000);
  expect(lifetimeMs).toBeLessThan(3_605_000);
});

test('every call returns new storage credentials', async () => {
  const [first, second] = [await getCredentials(server.owner), await getCredentials(server.owner)];
  expect(second.access_key_id).not.toBe(first.access_key_id);
  expect(second.secret_access_key).not.toBe(first.secret_access_key);
});

test('storage credentials of a contributor read and write under the prefix only', async () => {
  const person = await server.addPerson('carol', { role: 'member' });
  const credentials = await getCredentials(person);
  expect(await tryOut(credentials, `${credentials.prefix}a.txt`)).toEqual(EVERYTHING);
  expect(await tryOut(credentials, credentials.prefix.replace(/[0-9a-f](\/workspaces)/, 'x$1'))).toEqual(
    NOTHING,
  );
  expect(await tryOut(credentials, 'a.txt')).toEqual(NOTHING);
});

test('storage credentials of a reader are read-only', async () => {
  const owner = server.as(server.owner);
  const made = await owner.post('/org/main/ws', { name: 'Closed', is_restricted: true });
  expect(made.status).toBe(201);
  const person = await server.addPerson('rita', { role: 'member' });
  const listed = await owner.put(`/org/main/ws/closed/members/${person.id}`, { role: 'reader' });
  expect([200, 201]).toContain(listed.status);
  const path = '/org/main/ws/closed/storage/credentials';
  const credentials = await getCredentials(person, path);
  const key = `${credentials.prefix}a.txt`;
  await server.storage.put(key, Buffer.from('content'));
  expect(await tryOut(credentials, key)).toEqual(READING);
  expect(await server.storage.find(key)).toMatchObject({ sizeBytes: 7 });
});

test('an API key that may only read storage gets read-only credentials', async () => {
  const reading = await server.addPerson('rob', { role: 'member', scopes: ['storage:read'] });
  const credentials = await getCredentials(reading);
  const key = `${credentials.prefix}kept.txt`;
  await server.storage.put(key, Buffer.from('content'));
  expect(await tryOut(credentials, key)).toEqual(READING);
  const both = await server.addPerson('wim', { role: 'member', scopes: ['storage:read', 'storage:write'] });
  expect(await tryOut(await getCredentials(both), key)).toEqual(EVERYTHING);
});

test('objects of a deleted workspace are removed after its credentials have expired', async () => {
  const owner = server.as(server.owner);
  await owner.post('/org/main/ws', { name: 'Short Lived' });
  const { prefix } = await getCredentials(server.owner, '/org/main/ws/short-lived/storage/credentials');
  await server.storage.put(`${prefix}a.txt`, Buffer.from('content'));
  expect((await owner.delete('/org/main/ws/short-lived')).status).toBe(204);
  const { run } = deleteAbandonedObjects(server.storage);
  // Credentials that were just issued work for another hour, and a request with them may last six.
  expect(await run(server.db)).toBe(0);
  expect(await server.storage.find(`${prefix}a.txt`)).toBeDefined();
  await server.db
    .updateTable('abandoned_prefixes')
    .set({ abandoned_at: new Date(Date.now() - WAIT_MS - 1_000).toISOString() })
    .where('organization_id', '=', prefix.split('/')[1] ?? '')
    .execute();
  expect(await run(server.db)).toBeGreaterThan(0);
  expect(await server.storage.find(`${prefix}a.txt`)).toBeUndefined();
  expect(await run(server.db)).toBe(0);
});

test('storage credentials for a bucket at AWS name no endpoint, because clients know it', async () => {
  const { endpoint: stsEndpoint, ...s3 } = await startSecondGateway();
  const storage = await openOutsideStorage({ ...s3, stsEndpoint });
  const options = { config: loadConfig({}), secretKey: SECRET_KEY, db: server.db, storage };
  const app = await buildApp({ ...options, log: createLog('fatal') });
  onTestFinished(async () => {
    await app.close();
    await storage.close();
  });
  const { status, body } = await createClient(() => app, server.owner.key).get(CREDENTIALS_PATH);
  expect(status).toBe(200);
  expect(body).toEqual({
    access_key_id: expect.stringMatching(/./),
    secret_access_key: expect.stringMatching(/./),
    session_token: expect.stringMatching(/./),
    bucket: s3.bucket,
    prefix: (await getCredentials(server.owner)).prefix,
    region: s3.region,
    endpoint: null,
    expiration: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});
